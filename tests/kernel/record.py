#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`kcovtrace record --syscalls` in the guest: a segment a system call, with all that is known of it.

usage: record.py KCOVTRACE IMAGES CAPTURE

What is expected is written down from the program that ran, fixtures/guest/program/program.c: its
system calls in order, with what they return. The second reader must find in each segment the calls
of that system call, and `kcovtrace tree` must show its name and result.
"""

import os
import re
import sys

import captures

# The calls of main(), by number and name, and whether they succeed; what they return where it
# does not depend on the machine. Those of the C library's start and end come before and after.
ENOENT, EBADF = -2, -9
NO_RETURN = "no return"
CALLS = ((83, "mkdir", 0), (257, "openat", None), (1, "write", 18), (17, "pread64", 18),
         (3, "close", 0), (0, "read", EBADF), (262, "newfstatat", ENOENT), (87, "unlink", 0),
         (84, "rmdir", 0), (231, "exit_group", NO_RETURN))


def find(numbers):
    """Where the calls of main() begin in a list of numbers of system calls."""
    wanted = [number for number, _, _ in CALLS]
    for start in range(len(numbers) - len(wanted) + 1):
        if numbers[start:start + len(wanted)] == wanted:
            return start
    raise SystemExit(f"the program's calls {wanted} are not in {numbers}")


def check_segment(capture, kernel, index, name, result):
    segment = capture.segments[index]
    if result == NO_RETURN:
        return
    if result is not None and segment.result != result:
        raise SystemExit(f"segment {index}, {name}: returned {segment.result}, not {result}")
    if result is None and not 0 <= segment.result < 1024:
        raise SystemExit(f"segment {index}, {name}: returned {segment.result}")
    tops = captures.roots(segment, kernel.symbols(capture))
    calls = [top.name for top in tops if captures.SYSCALL.match(top.name)]
    if calls != [f"__x64_sys_{name}"]:
        raise SystemExit(f"segment {index}, {name}: the second reader finds {calls}")


def main(kcovtrace, images, path):
    capture, kernel = captures.Capture(path), captures.Kernel(images)
    start = find([segment.syscall for segment in capture.segments])
    text = captures.run(kcovtrace, "tree", *kernel.options(), os.path.abspath(path))
    # A heading of each segment, then its calls.
    parts = re.split(r"(?m)^(\w+\(.*\[thread .*: segment \d+\])\n", text)[1:]
    if len(parts) != 2 * len(capture.segments):
        raise SystemExit(f"tree shows {len(parts) // 2} segments, not {len(capture.segments)}")
    for index, (number, name, result) in enumerate(CALLS, start):
        check_segment(capture, kernel, index, name, result)
        heading, calls = parts[2 * index:2 * index + 2]
        shown = "?" if result == NO_RETURN else capture.segments[index].result
        if not re.match(rf"{name}\(.*\) = {re.escape(str(shown))}( |$)", heading):
            raise SystemExit(f"segment {index}: not {name} = {shown}: {heading}")
        # An interrupt may come first and leave a root of its own.
        if result != NO_RETURN and not re.search(rf"(?m)^__x64_sys_{name}  ", calls):
            raise SystemExit(f"segment {index}: no call of {name} below: {heading}\n{calls}")
    print(f"{len(capture.segments)} system calls, those of the program: "
          f"{', '.join(name for _, name, _ in CALLS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
