#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""commands.py ROOT DIRECTORY: run what the documentation shows, with the kcovtrace of DIRECTORY.

In a block marked `sh` every line that starts with kcovtrace is run in ROOT and must succeed. In a
block marked `console` lines that start with `$ kcovtrace` are run, and what follows must be what
is printed; a line `...` stands for any number of lines."""
import os
import re
import subprocess
import sys
from pathlib import Path

from blocks import blocks, documents


def joined(lines):
    """Lines with those that end in a backslash joined to the next."""
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def sh_commands(lines):
    return [line for line in joined(lines) if re.match(r"kcovtrace\b", line)]


def console_commands(lines):
    """Yield (command, lines shown after it)."""
    command, shown = None, []
    for line in joined(lines):
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], []
        else:
            shown.append(line)
    if command:
        yield command, shown


def agrees(shown, printed):
    """Whether the lines shown, with `...` for any lines, are the lines printed."""
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "..." else re.escape(line) + "\n"
                      for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def run(command, root):
    return subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, text=True)


def check(path, root):
    """Run the commands of one document; yield complaints and, at the end, how many were run."""
    count = 0
    for language, start, lines in blocks(path.read_text()):
        where = f"{path.relative_to(root)}:{start}"
        if language == "sh":
            todo = [(command, None) for command in sh_commands(lines)]
        elif language == "console":
            todo = list(console_commands(lines))
        else:
            continue
        for command, shown in todo:
            count += 1
            result = run(command, root)
            if result.returncode != 0:
                yield f"{where}: status {result.returncode}: {command}\n{result.stderr}"
            elif shown is not None and not agrees(shown, result.stdout.splitlines()):
                yield f"{where}: not what is printed by: {command}\n{result.stdout}"
    yield count


def main():
    root = Path(sys.argv[1]).resolve()
    os.environ["PATH"] = f"{sys.argv[2]}:{os.environ['PATH']}"
    status, count = 0, 0
    for path in documents(root):
        for found in check(path, root):
            if isinstance(found, int):
                count += found
            else:
                print(found)
                status = 1
    print(f"{count} commands were run")
    return status if count else 1


if __name__ == "__main__":
    sys.exit(main())
