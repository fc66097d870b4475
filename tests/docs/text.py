#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""text.py ROOT: links between documents lead somewhere, and the program in the README is the
example that is built and run."""
import re
import sys
from pathlib import Path

from blocks import blocks, documents


def dead_links(path, text):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists():
            yield f"{path}: no {target}"


def body(source):
    """A source without its SPDX line."""
    return source.split("\n", 1)[1].strip()


def main():
    root = Path(sys.argv[1])
    found = []
    for path in documents(root):
        found += dead_links(path, path.read_text())
    programs = ["\n".join(lines).strip()
                for language, _, lines in blocks((root / "README.md").read_text())
                if language == "c"]
    if programs != [body((root / "examples/count.c").read_text())]:
        found.append("README.md does not have examples/count.c")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
