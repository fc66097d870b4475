#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Trees of real kernel traces: every call has the function that objdump gives its address, and a line.

usage: real_trees.py KCOVTRACE shared FOLDER    traces with their vmlinux, unpacked
       real_trees.py KCOVTRACE bundled FOLDER   the one trace that comes with the source

What is known of the traces (roots, callers outside the function below) was counted by a program
that shares no code with this project; see fixtures/README.md.
"""

import json
import os
import re
import subprocess
import sys

from symbols import Symbols

LINE = re.compile(r"^ *\S+  \S+:\d+  \[\d+\](  x\d+)?(  <via untraced>)?$"
                  r"|^\[outside\]  \[\d+\]$")
LOOP_BASE = 0xFFFFFFFFC0000000
VIA_UNTRACED = {"file.ext": 16, "file.mem": 16}
ROOTS = {"file.ext": 8, "file.mem": 8, "loop.ext": 7, "loop.mem": 7, "fork.ext": 5, "fork.mem": 5,
         "sleep.ext": 11, "sleep.mem": 11, "read.ext": 1, "read.mem": 1}


def unpacked(path):
    """The path of a file's unpacked bytes, which objdump needs."""
    if not path.endswith(".zst"):
        return path
    data = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
    plain = os.path.join(os.getcwd(), os.path.basename(path)[:-4])
    with open(plain, "wb") as file:
        file.write(data)
    return plain


def run(kcovtrace, *arguments):
    done = subprocess.run([kcovtrace, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def check_names(calls, symbols, complain):
    for call in calls:
        names = symbols.names(int(call["pc"], 16) - 1)
        if names and call.get("func") not in names:
            complain(f"call at word {call['i']}: {call.get('func')}, objdump says {sorted(names)}")


def check_trace(kcovtrace, folder, name, options, symbols, complain):
    path = os.path.join(folder, name)
    calls = [json.loads(line)
             for line in run(kcovtrace, "tree", "-f", "json", *options, path).splitlines()]
    check_names(calls, symbols, complain)
    roots = [call["func"] for call in calls if call["depth"] == 0]
    if len(roots) != ROOTS[name]:
        complain(f"{len(roots)} roots, not {ROOTS[name]}")
    # The kernel's way back to user space and page faults are roots too, but not in these.
    if name.startswith(("file.", "read.", "loop.")):
        for root in roots:
            if not root.startswith("__x64_sys_"):
                complain(f"root {root} is no system call")
    for line in run(kcovtrace, "tree", *options, path).splitlines():
        if not LINE.match(line):
            complain(f"no function, line and records in: {line}")
    if name in VIA_UNTRACED:
        info = json.loads(run(kcovtrace, "info", "-f", "json", *options, path))
        if info["stack"]["via_untraced"] != VIA_UNTRACED[name]:
            complain(f"{info['stack']['via_untraced']} callers outside, not {VIA_UNTRACED[name]}")
    return len(calls)


def check_module(kcovtrace, path, options, symbols, complain):
    """The module's own functions are there, with lines in its source."""
    calls = [json.loads(line)
             for line in run(kcovtrace, "tree", "-f", "json", *options, path).splitlines()]
    check_names(calls, symbols, complain)
    inside = [call for call in calls if int(call["pc"], 16) >= LOOP_BASE]
    if {"lo_open", "lo_ioctl", "loop_control_ioctl"} - {call["func"] for call in inside}:
        complain(f"functions of the module are missing: {[call['func'] for call in inside]}")
    for call in inside:
        if not call["file"].endswith("drivers/block/loop.c") or call["line"] < 1:
            complain(f"{call['func']} is at {call['file']}:{call['line']}")
    return len(inside)


def main(kcovtrace, which, folder):
    failures = []
    symbols = Symbols()
    suffix = ".zst" if which == "bundled" else ""
    module = os.path.join(folder, f"loop.ko{suffix}")
    symbols.add(unpacked(module), LOOP_BASE, ".text")
    options = ["--module", f"loop={module}", "--module-sections",
               os.path.join(folder, "module-sections")]
    if which == "bundled":
        options += ["--kallsyms", os.path.join(folder, "kallsyms.zst")]
        print(check_module(kcovtrace, os.path.join(folder, "loop.ext.zst"), options, symbols,
                           failures.append), "calls in the module")
    else:
        vmlinux = os.path.join(folder, "vmlinux")
        symbols.add(vmlinux)
        options += ["-k", vmlinux]
        for name in ROOTS:
            count = check_trace(kcovtrace, folder, name, options, symbols,
                                lambda text, name=name: failures.append(f"{name}: {text}"))
            print(f"{name}: {count} calls")
        check_module(kcovtrace, os.path.join(folder, "loop.ext"), options, symbols,
                     failures.append)
    print("\n".join(failures[:20]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
