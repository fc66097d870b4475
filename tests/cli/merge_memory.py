#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""merge_memory.py KCOVTRACE: to merge four times as many sets takes no more memory, and the order and the
grouping of sets do not change a byte."""
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(sys.argv[1]).resolve()
PCS = 400000  # of one set; 16 bytes each in memory
KINDS = 6     # of sets
FEW, MANY = 12, 48
SLACK = 8 << 10  # KiB, less than two sets; those that are not let go would be 36

# Freed memory that the sanitizer keeps to find errors would look like memory in use.
ENVIRONMENT = {**os.environ, "LC_ALL": "C",
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") +
               ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}


def merge(*words):
    """Peak memory of a merge in KiB."""
    process = subprocess.Popen([PROGRAM, "merge", "--no-progress", *map(str, words)], env=ENVIRONMENT,
                               stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert os.waitstatus_to_exitcode(status) == 0, said
    assert "Sanitizer" not in said, said
    return usage.ru_maxrss


def make_set(path, number):
    """Sets of different numbers share most of their PCs."""
    pcs = [0xFFFFFFFF81000000 + 37 * pc
           for pc in range(number * PCS // 10, number * PCS // 10 + PCS)]
    pcs += pcs[number::7]
    random.Random(number).shuffle(pcs)
    path.with_suffix(".txt").write_text("".join(f"{pc:#x}\n" for pc in pcs))
    merge("-o", path, path.with_suffix(".txt"))


def make_sets(folder):
    """As files. In processes of their own, since a program that is started begins with the peak of the one
    that starts it."""
    paths = [folder / f"set{number}" for number in range(KINDS)]
    for number, path in enumerate(paths):
        child = os.fork()
        if child == 0:
            try:
                make_set(path, number)
            finally:
                os._exit(not path.exists())
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return paths


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = make_sets(folder)
        many = [paths[i % KINDS] for i in range(MANY)]
        peak_few = merge("-o", folder / "few", *many[:FEW])
        peak_many = merge("-o", folder / "many", *many)
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert peak_few > own, f"{peak_few} KiB may be the {own} KiB of this script"
        print(f"peak memory: {FEW} sets {peak_few} KiB, {MANY} sets {peak_many} KiB")
        assert peak_many <= peak_few + SLACK, f"{peak_many} KiB for {MANY} sets, not {peak_few}"
        whole = (folder / "many").read_bytes()
        shuffled = list(many)
        random.Random(3).shuffle(shuffled)
        merge("-o", folder / "shuffled", *shuffled)
        assert (folder / "shuffled").read_bytes() == whole, "another order"
        # Sets of sets, of groups of another size each.
        merge("-o", folder / "a", *shuffled[:7])
        merge("-o", folder / "b", *shuffled[7:40])
        merge("-o", folder / "c", *shuffled[40:])
        merge("-o", folder / "grouped", folder / "c", folder / "a", folder / "b")
        assert (folder / "grouped").read_bytes() == whole, "other groups"


if __name__ == "__main__":
    main()
