# SPDX-License-Identifier: BSD-2-Clause
"""Names of addresses from tools that share nothing with kcovtrace: objdump and llvm-symbolizer."""

import bisect
import re
import subprocess

# Address, seven flags of which the last is F for a function, section, size, name.
SYMBOL = re.compile(r"^([0-9a-f]+) .{6}F (\S+)\t([0-9a-f]+) (?:\.hidden )?(\S+)$")
SUFFIX = re.compile(r"\.(cold|isra|constprop|part|llvm).*")


class Symbols:
    """Function symbols of images by address, as objdump shows them."""

    def __init__(self):
        self.rows, self.found = [], {}

    def add(self, path, base=0, section=None):
        """The functions of an image, or of one section of it, `base` added to their addresses."""
        text = subprocess.run(["objdump", "-t", path], check=True, capture_output=True,
                              text=True).stdout
        for line in text.splitlines():
            found = SYMBOL.match(line)
            if found and (section is None or found[2] == section):
                start = int(found[1], 16) + base
                self.rows.append((start, start + int(found[3], 16), found[4]))
        self.rows.sort()
        self.found.clear()

    def names(self, address):
        """All names, without clone suffixes, of symbols that hold an address."""
        if address not in self.found:
            at = bisect.bisect_right(self.rows, (address, 1 << 64, ""))
            self.found[address] = {SUFFIX.sub("", name)
                                   for start, end, name in self.rows[max(0, at - 8):at]
                                   if start <= address < end}
        return self.found[address]

    def name(self, address):
        """One of the names, always the same, or None."""
        return min(self.names(address), default=None)


class Lines:
    """File and line of the outermost function at addresses, as llvm-symbolizer shows them."""

    def __init__(self, program):
        self.program, self.images = program, []

    def add(self, path, low, high, base=0):
        self.images.append((path, low, high, base))

    def of(self, addresses):
        """address -> (function, file, line) of those that an image knows."""
        found = {}
        for path, low, high, base in self.images:
            inside = [address for address in addresses if low <= address < high]
            text = "".join(f"{address - base:#x}\n" for address in inside)
            output = subprocess.run([self.program, "--obj=" + path, "--output-style=LLVM"],
                                    input=text, capture_output=True, text=True, check=True).stdout
            for address, chain in zip(inside, output.strip().split("\n\n")):
                function, place = chain.splitlines()[-2:]
                file, line, _ = place.rsplit(":", 2)
                found[address] = (function, file, int(line))
        return found
