#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""layers.py ROOT: data flows one way. Each folder of lib/ includes only what lies below it, and
the command line sees nothing but the public headers."""
import re
import sys
from pathlib import Path

# Folder -> folders of lib/ it may include.
INTERNAL = {
    "base": {"base"},
    "decode": {"base", "decode"},
    "xen": {"base", "xen"},
    "trace": {"base", "trace"},
    "stack": {"base", "stack"},
    "tables": {"base", "tables"},
    "symfile": {"base", "tables", "symfile"},
    "dwarf": {"base", "tables", "dwarf"},
    "image": {"base", "tables", "symfile", "dwarf", "image"},
    "symbol": {"base", "tables", "symfile", "dwarf", "image", "symbol"},
    "points": {"base", "tables", "symfile", "dwarf", "image", "points"},
    "coverage": {"base", "tables", "symfile", "dwarf", "image", "symbol", "coverage"},
    "capture": {"base", "capture"},
}

# Folder -> public headers it may include. A symbolizer hands a stack its function source, so
# symbol knows the interface of the stack, not the stack.
BASE = {"error", "version"}
DECODE = BASE | {"file", "layout", "record", "decoder", "guess", "foreign", "pclist", "summary"}
PUBLIC = {
    "base": BASE,
    "decode": DECODE,
    "xen": BASE | {"xen"},
    "trace": DECODE | {"tracefile", "syscall"},
    "stack": BASE | {"record", "stack", "sections", "calltree", "profile"},
    "tables": BASE,
    "symfile": BASE,
    "dwarf": BASE,
    "image": BASE | {"file", "image"},
    "symbol": BASE | {"image", "symbolizer", "stack", "fit"},
    "points": BASE | {"image", "points"},
    "coverage": BASE | {"record", "image", "symbolizer", "points", "pcset", "coverage"},
    "capture": BASE | {"layout", "capture"},
}


def complaints(path, folder, text):
    """Yield what `text`, a file of lib/`folder`, includes from above or beside it."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        name = match.group(2)
        if name.startswith("kcovtrace/"):
            allowed = Path(name).stem in PUBLIC[folder]
        elif match.group(1) == '"':
            parts = name.split("/")
            allowed = len(parts) == 2 and parts[0] in INTERNAL[folder]
        else:
            allowed = True
        if not allowed:
            yield f"{path}:{number}: {folder} must not include {name}"


def cli_complaints(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"((?:%s)/[^"]+)"' % "|".join(INTERNAL), line)
        if match:
            yield f"{path}:{number}: the command line must not include {match.group(1)}"


def main():
    root = Path(sys.argv[1])
    found = []
    for path in sorted((root / "lib").rglob("*.[ch]")):
        folder = path.relative_to(root / "lib").parts[0]
        if folder not in INTERNAL:
            found.append(f"{path}: a folder that layers.py does not know")
            continue
        found += complaints(path, folder, path.read_text())
    for path in sorted((root / "cli").rglob("*.[ch]")):
        found += cli_complaints(path, path.read_text())
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
