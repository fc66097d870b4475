#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""style.py ROOT: rules of CONTRIBUTING.md that a script can check: SPDX lines, lengths of files
and functions, a comment on every public prototype, no paths of one machine, no TODO."""
import re
import sys
from pathlib import Path

MAX_FILE = 600
MAX_FUNCTION = 60
SPDX = "SPDX-License-Identifier: BSD-2-Clause"
FOLDERS = ("include", "lib", "cli", "examples", "tests", "bench", "fixtures", "docs", "cmake")


def long_functions(lines):
    """Yield (line number, length) of bodies between `{` and `}` in column 0 that are too long."""
    start = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start - 1 >= MAX_FUNCTION:
                yield start, number - start - 1
            start = 0


def bare_prototypes(lines):
    """Yield numbers of lines where a KCT_API prototype has no comment in front."""
    for number, line in enumerate(lines, 1):
        if line.startswith("KCT_API") and not lines[number - 2].rstrip().endswith("*/"):
            yield number


def complaints(name, text):
    lines = text.splitlines()
    c_source = name.endswith((".c", ".h", ".h.in"))
    if c_source or name.endswith((".py", ".sh")):
        if SPDX not in "\n".join(lines[:2]):
            yield f"{name}:1: no SPDX line"
        if len(lines) > MAX_FILE:
            yield f"{name}: {len(lines)} lines, at most {MAX_FILE}"
    if c_source:
        for number, length in long_functions(lines):
            yield f"{name}:{number}: a function of {length} lines, fewer than {MAX_FUNCTION}"
        for number, line in enumerate(lines, 1):
            if re.search(r"\b(TODO|FIXME|XXX)\b", line):
                yield f"{name}:{number}: {line.strip()}"
    if name.startswith("include/"):
        for number in bare_prototypes(lines):
            yield f"{name}:{number}: a prototype without a comment"
    for number, line in enumerate(lines, 1):
        if re.search(r"[ \t]+$", line) and not name.endswith(".md"):
            yield f"{name}:{number}: blanks at the end of the line"


def main():
    root = Path(sys.argv[1])
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".in", ".py", ".sh", ".md", ".cmake", ".txt"):
                found += complaints(str(path.relative_to(root)), path.read_text())
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
