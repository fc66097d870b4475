# SPDX-License-Identifier: BSD-2-Clause
"""Large inputs of the command line, for tests/cli/limits.py and bench/limits.py. Each function writes
one of size n into a directory and returns the words of a command line that reads it."""
import os
import random
import struct
import subprocess
from pathlib import Path

import kct

BASE = 0xFFFFFFFF81000000
MODULES = 0xFFFFFFFFC0000000
KEPT = 0x00FFFFFFFFFFFFFF
EXIT = 1 << 60


def words(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def pcs(n):
    """The same ones each time."""
    numbers = random.Random(n)
    return [BASE + numbers.randrange(1 << 20) for _ in range(n)]


def block(capture, *lines):
    writer = kct.Writer("<")
    writer.capture = capture
    for line in lines:
        writer.line(line)
    return writer.data


def write(path, pieces):
    with open(path, "wb") as file:
        for piece in pieces:
            file.write(piece)
    return str(path)


def sparse(directory, n):
    """n bytes of which 8,000 are used; no block of the disk is taken by the rest."""
    path = write(directory / "sparse", [words(1000, *pcs(1000))])
    os.truncate(path, n)
    return ["decode", path]


def unwritten(directory, n):
    """n bytes that the count word claims whole, but they were never written."""
    path = write(directory / "unwritten", [words(n // 8 - 1, *pcs(1000))])
    os.truncate(path, n)
    return ["info", "-l", "linux-pc", path]


def segments(directory, n):
    """A .kct with n segments of 1,342 PCs: 11 KB each, with which 100,000 make more than 1 GB."""
    different = [block(1, f"segment thread={thread} : 1342 " + " ".join(map(str, pcs(1342))))
                 for thread in range(1, 17)]
    return ["info", write(directory / "segments.kct", (different[i % 16] for i in range(n)))]


def deep(directory, n):
    """n calls, each from the one before it, then their exits."""
    entries = [word for i in range(n) for word in
               (BASE + 16 * i & KEPT, BASE + 16 * (i - 1) + 4)]
    exits = [EXIT | (BASE + 16 * i + 8 & KEPT) for i in reversed(range(n))]
    path = write(directory / "deep", [words(len(entries) + n, *entries, *exits)])
    return ["tree", "-l", "linux-ext", path]


def deep_stacks(directory, n):
    return ["stacks", *deep(directory, n)[1:]]


def place(i):
    return MODULES + 0x1000 * i


def proc_modules(directory, n):
    return write(directory / "modules", (f"mod_{i} 4096 0 - Live 0x{place(i):x}\n".encode()
                                         for i in range(n)))


def modules(directory, n):
    """n modules that /proc/modules lists, each with its file and one PC."""
    files = directory / "files"
    files.mkdir(exist_ok=True)
    source = Path(__file__).parent / "image.s"
    subprocess.run(["as", "-o", directory / "module.o", source], check=True)
    for i in range(n):
        path = files / f"mod-{i}.ko"
        if not path.exists():
            os.link(directory / "module.o", path)
    trace = write(directory / "trace", [words(n, *(place(i) + 0x118 for i in range(n)))])
    return ["decode", "-l", "linux-pc", "-m", str(files), "--proc-modules",
            proc_modules(directory, n), trace]


def module_sections(directory, n):
    """The same with the addresses of three sections a module."""
    command = modules(directory, n)
    command[-3:-1] = ["--module-sections", write(
        directory / "sections", (f"mod_{i} {section} 0x{place(i):x}\n".encode() for i in range(n)
                                 for section in (".text", ".data", ".symtab")))]
    return command


def module_names(directory, n):
    """n modules that /proc/modules lists, and no file of them."""
    (directory / "empty").mkdir(exist_ok=True)
    trace = write(directory / "trace", [words(1, BASE)])
    return ["decode", "-l", "linux-pc", "-m", str(directory / "empty"), "--proc-modules",
            proc_modules(directory, n), trace]


def embedded(directory, n):
    """A .kct with n items `symbols/NAME`."""
    pieces = (block(1, f"bytes symbols/mod{i} 00") for i in range(n))
    path = write(directory / "embedded.kct", pieces)
    write(directory / "segment.kct", [block(1, f"segment : 1 {BASE}")])
    with open(path, "ab") as file:
        file.write((directory / "segment.kct").read_bytes())
    return ["info", path]


def captures(directory, n):
    """n captures in one .kct, as `cat` makes one of many."""
    return ["info", write(directory / "captures.kct", (
        block(i, "text tool x", "numbers kaslr 0", f"segment : 1 {BASE}") for i in range(n)))]
