#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""traces.py KCOVTRACE: real traces ($KCT_FIXTURES, $KCT_TRACES) to .kct and back are the same bytes
and the same views."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import kct

LAYOUTS = {"pc": "linux-pc", "cmp": "linux-cmp", "ext": "linux-ext", "mem": "linux-mem"}


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, **more)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr.decode()}")
    return done.stdout


def traces(fixtures):
    """Yield (path, layout) of unpacked traces and of the packed one that comes with the sources."""
    yield fixtures / "loop.ext.zst", "linux-ext"
    if "KCT_TRACES" in os.environ:
        for path in sorted(Path(os.environ["KCT_TRACES"]).iterdir()):
            if path.suffix[1:] in LAYOUTS:
                yield path, LAYOUTS[path.suffix[1:]]
    else:
        print("SKIP: the traces of $KCT_TRACES")


def unpacked(path):
    return run("zstd", "-dcq", path) if path.suffix == ".zst" else path.read_bytes()


def info(program, *words):
    """What info tells of each area, but for what only one form of the file has."""
    found = []
    for line in run(program, "info", "-f", "json", *words).splitlines():
        keys = json.loads(line)
        found.append({key: value for key, value in keys.items()
                      if key not in ("file", "segment", "thread", "capture", "tool")})
    return found


def check_round_trips(program, fixtures):
    """Each trace alone, then all in one file."""
    parts, originals = [], []
    for path, layout in traces(fixtures):
        one = f"{path.name}.kct"
        run(program, "convert", "-l", layout, path, "-o", one)
        if run(program, "convert", "--to", "raw", one) != unpacked(path):
            sys.exit(f"{path}: not the same bytes after convert")
        if info(program, one) != info(program, "-l", layout, path):
            sys.exit(f"{path}: not the same info after convert")
        parts.append(one)
        originals.append(unpacked(path))
    run(program, "convert", *parts, "-o", "all.kct")
    for number, original in enumerate(originals):
        got = run(program, "convert", "--to", "raw", "--segment", str(number), "all.kct")
        if got != original:
            sys.exit(f"segment {number} of all.kct: not the same bytes")
    print(f"{len(originals)} traces there and back")


def check_module_sections(program, fixtures):
    """Where modules were may come from the file instead of an option, even with -m alone."""
    sections = (fixtures / "module-sections").read_text().replace("\n", "\\n")
    Path("loop.ext").write_bytes(unpacked(fixtures / "loop.ext.zst"))
    Path("loop.kct").write_bytes(kct.encode([f'text module-sections "{sections}"',
                                             "segment mode=ext data=loop.ext"]))
    symbols = ["--kallsyms", fixtures / "kallsyms.zst"]
    places = ["--module-sections", fixtures / "module-sections"]
    expected = run(program, "tree", *symbols, "-m", fixtures, *places, "-l", "linux-ext",
                   "loop.ext")
    if b"drivers/block/loop.c" not in expected:
        sys.exit("the tree names no line of the module")
    heading, tree = run(program, "tree", *symbols, "-m", fixtures, "loop.kct").split(b"\n", 1)
    if heading != b"==> loop.kct: segment 0 <==" or tree != expected:
        sys.exit("not the same tree with the sections of the file")


def main():
    program, fixtures = Path(sys.argv[1]).resolve(), Path(os.environ["KCT_FIXTURES"]).resolve()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        check_round_trips(program, fixtures)
        check_module_sections(program, fixtures)
        os.chdir("/")


if __name__ == "__main__":
    main()
