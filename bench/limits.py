#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""limits.py KCOVTRACE [NAME...]: whether time and memory stay in proportion to large inputs.

Each input is made in a temporary directory, a small one and one that is larger by a factor. Printed are the
time and the greatest amount of memory of its own that the program had (without the pages of mapped
files), and how much more the larger input took, divided by the factor: 1 is in proportion, less is
better. For the large sizes a release build, 2 GB of disk and some minutes are needed."""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/cli"))
import large  # noqa: E402

GB = 1 << 30
# Name, how it is made, sizes.
ROWS = (
    ("sparse", large.sparse, 2 * GB, 20 * GB),
    ("unwritten", large.unwritten, 2 * GB, 20 * GB),
    ("segments", large.segments, 10000, 100000),
    ("deep", large.deep, 100000, 1000000),
    ("deep_stacks", large.deep_stacks, 100000, 1000000),
    ("modules", large.modules, 1000, 10000),
    ("module_sections", large.module_sections, 1000, 10000),
    ("module_names", large.module_names, 10000, 100000),
    ("embedded", large.embedded, 6000, 60000),
    ("captures", large.captures, 2000, 20000),
)


def own_memory(process):
    """Bytes, 0 when it has ended."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if line.startswith("RssAnon")]
    return int(lines[0].split()[1]) * 1024 if lines else 0


def measure(program, words):
    start, memory = time.monotonic(), 0
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while process.poll() is None:
        memory = max(memory, own_memory(process))
        time.sleep(0.002)
    if process.returncode not in (0, 1):
        sys.exit(f"{words[0]}: {process.returncode}")
    return time.monotonic() - start, memory


def main():
    program, *names = sys.argv[1:]
    print(f"{'input':<16} {'size':>12} {'seconds':>8} {'MB':>7}   time / size  memory / size")
    for name, make, *sizes in ROWS:
        if names and name not in names:
            continue
        before = None
        for size in sizes:
            with tempfile.TemporaryDirectory() as directory:
                seconds, memory = measure(program, make(Path(directory), size))
            line = f"{name:<16} {size:>12} {seconds:>8.2f} {memory / 1e6:>7.1f}"
            if before:
                factor = size / sizes[0]
                line += f"   {seconds / before[0] / factor:>11.2f}"
                line += f"  {memory / max(before[1], 1) / factor:>13.2f}"
            before = seconds, memory
            print(line, flush=True)


if __name__ == "__main__":
    main()
