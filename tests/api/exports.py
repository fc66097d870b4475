#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""exports.py ROOT LIBRARY: the public headers, the version script and the shared library must
name the same functions."""
import re
import subprocess
import sys
from pathlib import Path


def declared(root):
    names = set()
    for header in sorted((root / "include/kcovtrace").iterdir()):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for declaration in re.findall(r"KCT_API\s+([^;]*);", text):
            # The first name before a parenthesis; callback parameters come later.
            names.add(re.search(r"(\w+)\s*\(", declaration).group(1))
    return names


def scripted(root):
    text = (root / "lib/libkcovtrace.map").read_text()
    names = []
    for section in re.findall(r"global:(.*?)(?:local:|\})", text, flags=re.S):
        names += re.findall(r"\b(\w+)\s*;", section)
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        sys.exit(f"twice in libkcovtrace.map: {', '.join(sorted(repeated))}")
    return set(names)


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    # Absolute symbols are the version nodes themselves.
    return {line.split()[2].split("@")[0] for line in lines if line.split()[1] != "A"}


def main():
    root, library = Path(sys.argv[1]), sys.argv[2]
    sets = {"headers": declared(root), "libkcovtrace.map": scripted(root),
            Path(library).name: exported(library)}
    everything = set.union(*sets.values())
    status = 0
    for place, names in sets.items():
        for name in sorted(everything - names):
            print(f"{name} is missing in {place}")
            status = 1
    if not everything:
        print("no names were found")
        status = 1
    return status


sys.exit(main())
