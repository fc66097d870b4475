#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""limits.py KCOVTRACE: large inputs take memory in proportion, and no work that grows with their square.

Memory: what a larger input needs more than a small one, for each of the units that it has more. Work:
inputs of a size for which comparing each with each takes minutes, and what is in proportion a second or
two; a program that uses a minute of the processor is ended as one that hangs. bench/limits.py measures
the same inputs in full size."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import large
from kept_symbols import skip

MB = 1 << 20
GB = 1 << 30

# Name, how it is made, sizes, bytes for each unit that the larger one has more, and what it prints.
# A build with sanitizers needs about twice of what another one does.
MEMORY = (
    ("sparse file", large.sparse, 20 * MB, 20 * GB, 0, 1000),
    ("never written", large.unwritten, 20 * MB, 1 * GB, 0, 6),
    ("segments", large.segments, 100, 5000, 64, 5000 * 6),
    ("deep tree", large.deep, 1000, 200000, 300, 200000),
    ("deep stacks", large.deep_stacks, 1000, 200000, 500, 1024),
    ("modules", large.modules, 100, 1000, 100000, 1000),
    ("module sections", large.module_sections, 100, 1000, 100000, 1000),
)
# Not in proportion to anything: pages that the program or the allocator takes a few more of.
SLACK = 16 * MB

# Name, how it is made, size, exit status.
WORK = (
    ("lines of modules", large.module_names, 300000, 1),
    ("embedded symbols", large.embedded, 200000, 1),
    ("captures", large.captures, 50000, 0),
)


HANGS = 60  # seconds of a processor


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (HANGS, HANGS))


def run(program, words):
    """Exit status, lines printed, and the greatest amount of memory without the pages of files."""
    environment = dict(os.environ)
    # Freed memory that a sanitizer keeps is not the program's.
    environment["ASAN_OPTIONS"] = ":".join(
        [environment.get("ASAN_OPTIONS", ""), "quarantine_size_mb=0",
         "thread_local_quarantine_size_kb=0"]).strip(":")
    process = subprocess.Popen([program, *words], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env=environment, preexec_fn=limit)
    status, lines, memory = Path(f"/proc/{process.pid}/status"), 0, 0
    # Each piece of the output is read while the program is there.
    while piece := process.stdout.read1(1 << 16):
        lines += piece.count(b"\n")
        try:
            found = [line for line in status.read_text().splitlines()
                     if line.startswith("RssAnon")]
        except OSError:
            found = []
        if found:
            memory = max(memory, int(found[0].split()[1]) * 1024)
    return process.wait(), lines, memory


def made(make, size, program):
    with tempfile.TemporaryDirectory() as directory:
        return run(program, make(Path(directory), size))


def check_memory(program, name, make, small, size, unit, lines):
    _, _, before = made(make, small, program)
    status, printed, after = made(make, size, program)
    grown, allowed = after - before, unit * (size - small) + SLACK
    print(f"{name}: {after / MB:.0f} MB, {grown / MB:.1f} more than {small} units, "
          f"{allowed / MB:.0f} allowed")
    assert status in (0, 1), f"{name}: exit status {status}"
    assert printed >= lines, f"{name}: {printed} lines"
    assert after > 0, f"{name}: memory was not seen"
    assert grown <= allowed, f"{name}: {grown} bytes more"


def check_work(program, name, make, size, expected):
    status, lines, _ = made(make, size, program)
    print(f"{name}: {size}")
    assert status == expected, f"{name}: exit status {status}"
    assert lines > 0, f"{name}: nothing was printed"


def main():
    program = sys.argv[1]
    if not shutil.which("as"):
        skip("as is not installed")
    if not Path("/proc/self/status").exists():
        skip("there is no /proc")
    for row in MEMORY:
        check_memory(program, *row)
    for row in WORK:
        check_work(program, *row)


if __name__ == "__main__":
    main()
