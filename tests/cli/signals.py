#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""signals.py KCOVTRACE: a signal that ends the program leaves no half of an output file."""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv[1])
WORDS = ["decode", "-l", "linux-ext", "-", "-o", "out"]


def wait_for_temporary(directory, process):
    """The program waits for its input now, the file beside `out` is there."""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if list(directory.glob("out.*")):
            return True
        time.sleep(0.01)
    return False


def run(directory, numbers, ignored=None):
    """Send signals one after the other; returns what is wrong."""
    def ignore():
        if ignored:
            signal.signal(ignored, signal.SIG_IGN)

    process = subprocess.Popen([PROGRAM, *WORDS], cwd=directory, stdin=subprocess.PIPE,
                               preexec_fn=ignore)
    try:
        if not wait_for_temporary(directory, process):
            return "no temporary file"
        for number in numbers:
            process.send_signal(number)
        status = process.wait(60)
    finally:
        process.kill()
        process.stdin.close()
    left = sorted(path.name for path in directory.iterdir())
    if status != -numbers[-1]:
        return f"status {status}"
    if left != ["out"] or (directory / "out").read_text() != "old\n":
        return f"left {left}"
    return None


def main():
    bad = []
    for numbers, ignored in (([signal.SIGINT], None), ([signal.SIGTERM], None),
                             ([signal.SIGHUP], None),
                             ([signal.SIGHUP, signal.SIGTERM], signal.SIGHUP)):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "out").write_text("old\n")
            wrong = run(Path(directory), numbers, ignored)
            if wrong:
                bad.append(f"{numbers}, ignored {ignored}: {wrong}")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
