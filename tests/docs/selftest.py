#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The checks of the documentation themselves."""
import sys
from pathlib import Path

import commands
import options
import text
from blocks import blocks

# (name, result, expected)
ROWS = [
    ("blocks", list(blocks("a\n```sh\nx\ny\n```\nb\n```\nz\n```\n")),
     [("sh", 3, ["x", "y"]), ("", 8, ["z"])]),
    ("only kcovtrace is run", commands.sh_commands(["./run", "kcovtrace a \\", "b", "x kcovtrace"]),
     ["kcovtrace a  b"]),
    ("console", list(commands.console_commands(["$ a", "1", "...", "$ b"])),
     [("a", ["1", "..."]), ("b", [])]),
    ("same output", commands.agrees(["a", "b"], ["a", "b"]), True),
    ("other output", commands.agrees(["a", "b"], ["a", "c"]), False),
    ("longer output", commands.agrees(["a"], ["a", "b"]), False),
    ("cut output", commands.agrees(["a", "...", "d"], ["a", "b", "c", "d"]), True),
    ("cut output, other end", commands.agrees(["a", "...", "d"], ["a", "b", "c"]), False),
    ("a pattern is text", commands.agrees(["a+ (x)"], ["aa x"]), False),
    ("page", options.page_options("`-l`, `--layout` *N*\n:   see `--other`\n"),
     {"-l", "--layout"}),
    ("help", options.help_options("  -l, --layout N\n        or --other\n  --no-x\n"),
     {"-l", "--layout", "--no-x"}),
    ("dead link", list(text.dead_links(Path("/x/a.md"), "[a](b.md) [c](https://d)")),
     ["/x/a.md: no b.md"]),
]


def main():
    status = 0
    for name, result, expected in ROWS:
        if result != expected:
            print(f"row '{name}': {result!r}, expected {expected!r}")
            status = 1
    return status


sys.exit(main())
