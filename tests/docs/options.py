#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""options.py ROOT KCOVTRACE: the manual pages have the options of --help and no others, and every
command has a page."""
import re
import subprocess
import sys
from pathlib import Path


def page_options(text):
    """Options of a page: lines that start with code that starts with a hyphen."""
    found = set()
    for line in text.splitlines():
        if line.startswith("`-"):
            found.update(re.findall(r"`(--?[a-z0-9][a-z0-9-]*)`", line))
    return found


def help_options(text):
    """Options of a help text: indented lines that start with a hyphen."""
    found = set()
    for line in text.splitlines():
        match = re.match(r"  (-\w)?(?:, )?(--[a-z0-9-]+)?(?: |$|=|\[)", line)
        if match:
            found.update(name for name in match.groups() if name)
    return found


def expanded(page):
    """A page with the shared parts that it links to."""
    def part(match):
        return (page.parent / match.group(1)).read_text()
    return re.sub(r"^\[[^\]]*\]\((options/[a-z]+\.md)\)$", part, page.read_text(), flags=re.M)


def help_text(program, *words):
    return subprocess.run([program, *words, "--help"], check=True, capture_output=True,
                          text=True).stdout


def main():
    man, program = Path(sys.argv[1]) / "docs/man", sys.argv[2]
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", help_text(program), flags=re.M).group(1)
    commands = [line.split()[0] for line in listed.splitlines() if line[2] != " "]
    commands.remove("help")
    found = []
    for command in commands:
        page = man / f"kcovtrace-{command}.1.md"
        if not page.exists():
            found.append(f"{command} has no manual page")
            continue
        ours, theirs = page_options(expanded(page)), help_options(help_text(program, command))
        found += [f"{page.name} lacks {name}" for name in sorted(theirs - ours)]
        found += [f"{command} --help lacks {name}" for name in sorted(ours - theirs)]
        if f"kcovtrace-{command}**" not in (man / "kcovtrace.1.md").read_text():
            found.append(f"kcovtrace.1.md does not name {command}")
    pages = {page.name for page in man.glob("kcovtrace-*.1.md")}
    found += [f"{name}: no such command"
              for name in sorted(pages - {f"kcovtrace-{command}.1.md" for command in commands})]
    for line in found:
        print(line)
    return 1 if found or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
