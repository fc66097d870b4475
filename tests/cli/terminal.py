#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""terminal.py KCOVTRACE: colours on a terminal only, and not with NO_COLOR or --color never."""
import os
import pty
import sys
import tempfile
from pathlib import Path

from run import Encoder, make_image

PROGRAM = os.path.abspath(sys.argv[1])


def on_terminal(directory, words, environment):
    """What the program writes to a terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(directory)
        os.execve(PROGRAM, [PROGRAM, *words], {**os.environ, **environment})
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how a terminal ends on Linux
            break
        if not part:
            break
        shown += part
    os.waitpid(process, 0)
    return shown


def main():
    bad = []
    with tempfile.TemporaryDirectory() as directory:
        directory = Path(directory)
        encoder = Encoder()
        encoder.line("count 1")
        encoder.line("pc 0xffffffff81000112")
        (directory / "trace").write_bytes(encoder.data)
        if not make_image(directory, "vmlinux"):
            print("SKIP: needs as and ld")
            return 77
        words = ["decode", "-l", "linux-pc", "-k", "vmlinux", "trace"]
        plain = {"NO_COLOR": ""}  # empty counts as not set
        for more, environment, colored in (
                ([], plain, True),
                ([], {"NO_COLOR": "1"}, False),
                (["--color", "always"], {"NO_COLOR": "1"}, True),
                (["--color", "never"], plain, False),
                (["-f", "json"], plain, False)):
            shown = on_terminal(directory, words + more, environment)
            if (b"\x1b[" in shown) != colored or b"sys_read" not in shown:
                bad.append(f"{more} {environment}: {shown}")
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
