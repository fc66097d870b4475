#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The runner of the cases must be able to fail, and its encoder must be right."""
import sys
import tempfile
from pathlib import Path

from run import Encoder, run_case, same_globs

# Words by hand, from the table of record types in docs/formats.md.
WORDS = [
    ("entry 0xffffffff81000100 0xffffffff81000024", "00010081ffffff00 24000081ffffffff"),
    ("exit 0xffffffff81000110", "10010081ffffff10"),
    ("eesum -2 -3", "feff fdff 00000020"),
    ("eesum 3 0", "0300 0000 00000020"),
    ("memory 0xffffffff81000120 0xffff888000000000 8 0x110 7 5",
     "20010081ffffff30 00000000 8088ffff 08000000 10010000 0700000000000000 0500000000000000"),
    ("wait 0x10000000000003", "0300000000001040"),
    ("wake 3", "0300000000000050"),
    ("pc 0xffffffff81000130", "30010081ffffffff"),
    ("bytes 0102", "0102"),
]

CASES = [
    ("@run echo a\n@stdout\na\n", True),
    ("@run echo a\n@stdout\nb\n", False),
    ("@run echo a\n", False),
    ("@run exit 3\n@status 3\n", True),
    ("@run exit 3\n", False),
    ("@run echo abc >&2\n@stderr\na*c\n", True),
    ("@run echo abc >&2\n@stderr\na*d\n", False),
    ("@run echo abc >&2\n", False),
    ("@text t\nx\n@run cat t\n@stdout\nx\n", True),
    ("@input t\ncount 1\ncut 1\n@run wc -c < t\n@stdout\n7\n", True),
    ("# nothing\n", False),
]


def main():
    bad = []
    for text, expected in WORDS:
        encoder = Encoder()
        encoder.line(text)
        if encoder.data != bytes.fromhex(expected):
            bad.append(f"{text}: {encoder.data.hex(' ')}")
    swapped = Encoder(4, "big")
    swapped.line("word 0x01020304")
    if swapped.data != bytes.fromhex("01020304"):
        bad.append("big endian, 4 bytes")
    if same_globs(["a"], ["a", "b"]):
        bad.append("lines beyond the globs")
    for text, fine in CASES:
        with tempfile.TemporaryDirectory() as directory:
            case = Path(directory) / "x.case"
            case.write_text(text)
            found = run_case(case, Path(directory), {"PATH": "/usr/bin:/bin"}, False)
        if bool(found) == fine:
            bad.append(f"{text!r}: {found}")
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
