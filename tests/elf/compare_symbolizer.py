#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare our answers with llvm-symbolizer's for every coverage point of a kernel image.

A point is a call of a coverage callback; the address compared is the byte before its return
address. Functions, files, lines and the whole inline chain must agree. What may differ is named by
a rule below, and counted. Exit status 77: skipped.
"""

import argparse
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import time

CALLBACKS = {b"__sanitizer_cov_trace_pc", b"__sanitizer_cov_trace_pc_entry"}
SECTIONS = {".text", ".exit.text"}
CLONE_SUFFIX = re.compile(r"(\.(cold|isra|constprop|part|llvm|lto_priv)(\.\d+)?)+$")


class Image:
    """Just enough of a 64-bit little-endian x86 ELF file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{path}: not a 64-bit little-endian ELF file")
        (table,) = struct.unpack_from("<Q", self.data, 0x28)
        count, names = struct.unpack_from("<HH", self.data, 0x3C)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, table + 64 * i)
                   for i in range(count)]
        self.sections = {self.string(headers[names][4] + h[0]).decode(): h for h in headers}
        self.symbols = collections.defaultdict(set)  # address -> names
        symtab, strtab = self.sections[".symtab"], self.sections[".strtab"]
        for at in range(symtab[4], symtab[4] + symtab[5], 24):
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
            self.symbols[value].add(self.string(strtab[4] + name))

    def string(self, at):
        return self.data[at:self.data.index(b"\0", at)]

    def points(self):
        """Addresses of the last byte of every `call callback`."""
        targets = {a for a, names in self.symbols.items() if names & CALLBACKS}
        for name in sorted(SECTIONS & self.sections.keys()):
            _, _, _, address, offset, size, *_ = self.sections[name]
            code = self.data[offset:offset + size]
            at = code.find(b"\xe8")
            while 0 <= at <= size - 5:
                (distance,) = struct.unpack_from("<i", code, at + 1)
                if address + at + 5 + distance in targets:
                    yield address + at + 4
                at = code.find(b"\xe8", at + 1)


def answers(text):
    """[(rest of the address line, [(function, place)])] of addr2line -a -f -i output."""
    found = []
    function = None
    for line in text.splitlines():
        if function is not None:
            place = line.split(" (discriminator")[0]
            found[-1][1].append((CLONE_SUFFIX.sub("", function), re.sub(r":\?$", ":0", place)))
            function = None
        elif line.startswith("0x"):
            found.append((line, []))
        else:
            function = line
    return found


def timed(command, addresses):
    start = time.monotonic()
    text = subprocess.run(command, input=addresses, stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return answers(text), time.monotonic() - start


def rule_symbol_name(image, start, ours, theirs):
    """The outermost name is that of a symbol at the function's start instead of DWARF's: identical
    functions folded into one, an alias, a name made by a macro."""
    if ours[:-1] != theirs[:-1] or ours[-1][1] != theirs[-1][1]:
        return False
    return theirs[-1][0] in {CLONE_SUFFIX.sub("", n.decode()) for n in image.symbols[start]}


RULES = [rule_symbol_name]


def compare(image, points, ours, theirs):
    """(number that agree, {rule: number}, what nothing explains)"""
    agree, accepted, rest = 0, collections.Counter(), []
    for point, (header, mine), (_, other) in zip(points, ours, theirs):
        start = int(header.split()[3].split("-")[0], 16)
        if mine == other:
            agree += 1
            continue
        for rule in RULES:
            if rule(image, start, mine, other):
                accepted[rule.__name__] += 1
                break
        else:
            rest.append((point, mine, other))
    return agree, accepted, rest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lookup", required=True, help="the elf_lookup program")
    parser.add_argument("--image", help="default: $KCT_TRACES/vmlinux")
    parser.add_argument("--every", type=int, default=1, help="take every Nth point")
    parser.add_argument("--llvm-symbolizer", default=next(
        filter(shutil.which, ["llvm-symbolizer", "llvm-symbolizer-19"]), None))
    options = parser.parse_args()
    path = options.image or os.path.join(os.environ.get("KCT_TRACES", ""), "vmlinux")
    if not options.image and not os.environ.get("KCT_TRACES"):
        print("skipped: KCT_TRACES is not set")
        return 77
    if not os.path.exists(path):
        print(f"skipped: there is no {path}")
        return 77
    if not options.llvm_symbolizer:
        print("skipped: llvm-symbolizer is not installed")
        return 77

    image = Image(path)
    points = list(image.points())[::options.every]
    addresses = "".join(f"{p:#x}\n" for p in points)
    ours, our_time = timed([options.lookup, "-v", path], addresses)
    theirs, their_time = timed([options.llvm_symbolizer, "-a", "-f", "-i", "--output-style=GNU",
                                "-e", path], addresses)
    if not points or not len(points) == len(ours) == len(theirs):
        sys.exit(f"FAILED: {len(points)} points, {len(ours)} and {len(theirs)} answers")
    agree, accepted, rest = compare(image, points, ours, theirs)
    print(f"{len(points)} points: {agree} agree ({100 * agree / len(points):.3f} %)")
    for rule, count in accepted.items():
        print(f"{count} differ by {rule}")
    print(f"{our_time:.2f} s, llvm-symbolizer {their_time:.2f} s")
    for point, mine, other in rest[:20]:
        print(f"{point:#x}\n  ours {mine}\n  llvm {other}")
    if agree < 0.999 * len(points) or rest:
        sys.exit(f"FAILED: {len(rest)} differences that no rule explains")
    return 0


if __name__ == "__main__":
    sys.exit(main())
