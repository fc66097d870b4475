# SPDX-License-Identifier: BSD-2-Clause
"""What the comparison with other symbolizers needs: a small ELF reader and their output."""

import collections
import re
import struct
import sys

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
