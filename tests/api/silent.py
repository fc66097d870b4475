#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""silent.py ROOT PREFIX: the library does not print, exit, abort, read the environment, set
signal handlers or keep globals. Looks at the objects of the installed static library, so that
macros and inline functions hide nothing, and at the sources for what compilers drop."""
import re
import subprocess
import sys
from pathlib import Path

CALLS = re.compile(r"""^(?:_IO_|__)?(?:
    v?f?w?printf | v?dprintf | f?puts | f?putc | putchar | puts | perror | p?error | v?warnx? |
    v?errx? | write | fwrite | psignal | v?syslog |
    _?exit | _Exit | quick_exit | atexit | abort | raise | kill |
    assert_fail | assert_perror_fail | assert |
    (?:secure_)?getenv | setenv | putenv | environ |
    sig(?:nal|action|procmask) | fork | v?fork | popen | system | exec[vl]p?e? | setlocale |
    stdout | stderr
    )(?:_chk|_unlocked)?$""", re.X)

SOURCE = re.compile(
    r"\b(v?f?printf|perror|f?puts|putchar|exit|_exit|abort|assert|(?:secure_)?getenv)\s*\(")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def forbidden_calls(nm_output):
    """Yield what `nm -u` of an archive shows that a silent library does not need."""
    member = "?"
    for line in nm_output.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        elif " U " in line and CALLS.match(line.split()[-1].split("@")[0]):
            yield f"{member} uses {line.split()[-1]}"


def writable_data(objdump_output):
    """Yield objects of `objdump -t` that lie in writable memory at run time."""
    member = "?"
    for line in objdump_output.splitlines():
        if re.match(r"\S+:\s+file", line):
            member = line.split(":")[0]
        match = re.match(r"[0-9a-f]+ .{7} (\S+)\t[0-9a-f]+\s+(?:\.hidden )?(\S+)$", line)
        if not match or match.group(1) == match.group(2):
            continue
        section = match.group(1)
        writable = re.match(r"\.(data|bss|tdata|tbss)\b", section) or section == "*COM*"
        if writable and not section.startswith(".data.rel.ro"):
            yield f"{member} keeps {match.group(2)} in {section}"


def forbidden_words(root):
    for path in sorted((root / "lib").rglob("*.[ch]")):
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), path.read_text(),
                      flags=re.S)
        text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
        for number, line in enumerate(text.splitlines(), 1):
            match = SOURCE.search(line)
            if match:
                yield f"{path}:{number}: {match.group(1)}"


def main():
    root, prefix = Path(sys.argv[1]), Path(sys.argv[2])
    archives = list(prefix.rglob("libkcovtrace.a"))
    if len(archives) != 1:
        sys.exit("no installed libkcovtrace.a")
    found = list(forbidden_calls(run("nm", "-u", archives[0])))
    found += writable_data(run("objdump", "-t", archives[0]))
    found += forbidden_words(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
