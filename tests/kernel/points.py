#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Points of a real kernel (KCT_TRACES) against a scan of its bytes, and its traces against its points.

usage: points.py KCOVTRACE

The scan takes any byte e8 in .text and .exit.text whose next four bytes lead to a callback; in this
kernel none of them stands inside another instruction. It shares nothing with the library.
"""
import collections
import csv
import os
import struct
import subprocess
import sys
from pathlib import Path

PREFIX = "__sanitizer_cov_trace_"
KNOWN = {"pc": 295967, "entry": 19156, "exit": 19139, "const_cmp1": 7833, "const_cmp2": 3155,
         "const_cmp4": 34798, "const_cmp8": 17389, "cmp1": 537, "cmp2": 242, "cmp4": 5786,
         "cmp8": 6446, "switch": 2851}


def sections(data):
    """name -> (address, offset, size), and the section headers themselves."""
    shoff, = struct.unpack_from("<Q", data, 0x28)
    entry, n, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * entry) for i in range(n)]
    base = headers[names][4]
    return {data[base + h[0]:data.index(b"\0", base + h[0])].decode(): h for h in headers}


def callbacks(data, table):
    """address -> kind, from the symbol table."""
    symbols, strings = table[".symtab"], table[".strtab"]
    found = {}
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        name, value = struct.unpack_from("<I4xQ", data, at)
        start = strings[4] + name
        if data.startswith(PREFIX.encode(), start):
            kind = data[start + len(PREFIX):data.index(b"\0", start)].decode()
            kind = {"pc_entry": "entry", "pc_exit": "exit", "pc_guard": "guard"}.get(kind, kind)
            found[value] = kind
    return found


def scan(data):
    """{pc: kind} by bytes."""
    table = sections(data)
    targets = callbacks(data, table)
    points = {}
    for name in (".text", ".exit.text"):
        header = table[name]
        code, address = data[header[4]:header[4] + header[5]], header[3]
        at = code.find(b"\xe8")
        while 0 <= at <= len(code) - 5:
            pc = address + at + 5
            kind = targets.get(pc + struct.unpack_from("<i", code, at + 1)[0] & (1 << 64) - 1)
            if kind in KNOWN or kind == "guard":
                points[pc] = kind
            at = code.find(b"\xe8", at + 1)
    return points


def ours(kcovtrace, *arguments):
    done = subprocess.run([kcovtrace, "points", "-f", "csv", "--no-progress", *map(str, arguments)],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {int(row["pc"], 16): row["kind"] for row in csv.DictReader(done.stdout.splitlines())}


def check_traces(traces, vmlinux, module):
    bad = []
    for path in sorted(traces.glob("*.pc")):
        words = struct.unpack(f"<{path.stat().st_size // 8}Q", path.read_bytes())
        pcs = set(words[1:1 + words[0]])
        missing = {pc for pc in pcs if vmlinux.get(pc) not in ("pc", "entry")}
        others = {pc for pc in missing if module.get(pc) in ("pc", "entry")}
        print(f"{path.name}: {len(pcs)} PCs, {len(others)} of the module")
        if missing != others or len(others) != (23 if path.name == "loop.pc" else 0):
            bad.append(f"{path.name}: {len(missing)} PCs are no points of vmlinux, {len(others)} of "
                       f"them of loop")
    return bad


def main(kcovtrace):
    traces = Path(os.environ["KCT_TRACES"])
    vmlinux = ours(kcovtrace, traces / "vmlinux")
    scanned = scan((traces / "vmlinux").read_bytes())
    counts = dict(collections.Counter(vmlinux.values()))
    bad = []
    if counts != KNOWN:
        bad.append(f"points by kind: {counts}")
    if vmlinux != scanned:
        differ = {pc for pc in vmlinux.keys() | scanned.keys() if vmlinux.get(pc) != scanned.get(pc)}
        bad.append(f"the scan differs at {len(differ)} places: {[hex(pc) for pc in sorted(differ)[:5]]}")
    module = ours(kcovtrace, "--module-sections", traces / "module-sections", traces / "loop.ko")
    bad += check_traces(traces, vmlinux, module)
    print("\n".join(bad) or f"{len(vmlinux)} points")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
