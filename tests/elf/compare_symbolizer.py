#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare `kcovtrace symbolize -f addr2line` with llvm-symbolizer on every byte of every Nth
function of an image: functions, files, lines and whole inline chains.

usage: compare_symbolizer.py KCOVTRACE LLVM_SYMBOLIZER IMAGE [EVERY [points]]

With `points` the addresses are those of the calls of coverage callbacks, one byte before they
return. What may differ is named by a rule below, and counted; anything else fails, and so do more than
1 % of such differences (0.1 % of the points).
"""

import bisect
import collections
import struct
import subprocess
import sys
import time

from peer import CLONE_SUFFIX, Image, answers

STT_NOTYPE = 0
STT_FUNC = 2


class Functions:
    """The sized function symbols of an image, by address."""

    def __init__(self, image):
        self.rows = []
        self.names = collections.defaultdict(set)  # (start, size) -> names without suffixes
        self.labels = collections.defaultdict(list)  # name of a symbol without a type -> addresses
        symtab, strtab = image.sections[".symtab"], image.sections[".strtab"]
        for at in range(symtab[4], symtab[4] + symtab[5], 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", image.data, at)
            if info & 0xF == STT_NOTYPE and section:
                self.labels[image.string(strtab[4] + name).decode()].append(value)
            if info & 0xF == STT_FUNC and section and size:
                text = image.string(strtab[4] + name).decode()
                self.names[value, size].add(CLONE_SUFFIX.sub("", text))
        self.rows = sorted(self.names)

    def bytes_of_every(self, nth):
        """Addresses of all bytes of every nth function."""
        last = None
        for start, size in self.rows[::nth]:
            for address in range(max(start, last or 0), start + size):
                yield address
            last = max(last or 0, start + size)

    def names_at(self, address):
        """Names without clone suffixes of the symbols that hold an address."""
        at = bisect.bisect_right(self.rows, (address, 1 << 64))
        return {name for start, size in self.rows[max(0, at - 16):at]
                if start <= address < start + size for name in self.names[start, size]}


def rule_symbol_name(functions, address, ours, theirs):
    """llvm-symbolizer gives the outermost frame the name of a symbol at its start instead of
    DWARF's: an alias, one of several identical functions, a name made by a macro."""
    if ours[:-1] != theirs[:-1] or ours[-1][1] != theirs[-1][1]:
        return False
    return {theirs[-1][0], ours[-1][0]} <= functions.names_at(address) | {ours[-1][0]}


def rule_no_debug(functions, address, ours, theirs):
    """The function has a symbol only. llvm-symbolizer takes a file name from the symbol table."""
    return (len(ours) == len(theirs) == 1 and ours[0] == (theirs[0][0], "??:0")
            and theirs[0][1].endswith(":0") and ours[0][0] in functions.names_at(address))


def rule_label(functions, address, ours, theirs):
    """llvm-symbolizer gives the function the name of a label in it, the last one before the address."""
    if ours[:-1] != theirs[:-1] or ours[-1][1] != theirs[-1][1]:
        return False
    return any(0 <= address - label < 4096 for label in functions.labels.get(theirs[-1][0], ()))


RULES = [rule_symbol_name, rule_no_debug, rule_label]


def compare(functions, addresses, ours, theirs):
    agree, accepted, rest = 0, collections.Counter(), []
    for address, (_, mine), (_, other) in zip(addresses, ours, theirs):
        if mine == other:
            agree += 1
            continue
        for rule in RULES:
            if rule(functions, address, mine, other):
                accepted[rule.__name__] += 1
                break
        else:
            rest.append(f"{address:#x}\n  ours {mine}\n  llvm {other}")
    return agree, accepted, rest


def timed(command, text):
    start = time.monotonic()
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=False)
    return answers(done.stdout), time.monotonic() - start


def main(kcovtrace, llvm_symbolizer, path, every="1", kind="bytes"):
    image = Image(path)
    functions = Functions(image)
    addresses = (list(image.points())[::int(every)] if kind == "points"
                 else list(functions.bytes_of_every(int(every))))
    text = "".join(f"{address:#x}\n" for address in addresses)
    ours, our_time = timed([kcovtrace, "symbolize", "-f", "addr2line", "--pc-kind=call", "-k",
                            path], text)
    theirs, their_time = timed([llvm_symbolizer, "-a", "-f", "-i", "--output-style=GNU", "-e",
                                path], text)
    if not addresses or not len(addresses) == len(ours) == len(theirs):
        sys.exit(f"{len(addresses)} addresses, {len(ours)} and {len(theirs)} answers")
    agree, accepted, rest = compare(functions, addresses, ours, theirs)
    print(f"{len(addresses)} addresses: {agree} agree ({100 * agree / len(addresses):.3f} %), "
          f"{our_time:.2f} s, llvm-symbolizer {their_time:.2f} s")
    for rule, count in accepted.items():
        print(f"{count} differ by {rule}")
    for difference in rest[:20]:
        print(difference)
    least = 0.999 if kind == "points" else 0.99
    return 1 if rest or agree < least * len(addresses) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
