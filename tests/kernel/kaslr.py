#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Captures of a kernel that was placed at random are read without being told where.

usage: kaslr.py KCOVTRACE IMAGES CAPTURES [MORE-CAPTURES]

What is needed is in the file: its metadata have the offset and the addresses of the module. The
functions that kcovtrace finds, of the kernel and of the module, must be those that objdump gives the
addresses, and have lines. In the system calls of a scenario the functions must be those of its
capture on a kernel that was not moved, but for noise (captures.py) and 5 %.
"""

import sys

import captures

LIMIT = 0.95


def functions(kcovtrace, kernel, capture):
    """(module or None, function) of the calls that kcovtrace shows, less noise."""
    tops = captures.shown_calls(kcovtrace, kernel, capture)
    symbols = kernel.symbols(capture)
    for call in [call for top in tops for call in top.walk()]:
        names = symbols.names(call.pc - 1)
        if call.name not in names:
            raise SystemExit(f"{capture}: {call.pc:#x} is {call.name}, objdump says {names}")
        if not all(call.place):
            raise SystemExit(f"{capture}: {call.pc:#x} has no line")
    tops = [top for top in kernel.without_noise(tops) if captures.SYSCALL.match(top.name)]
    if capture.scenario.endswith(captures.WATCHED):
        tops.pop()  # switches the tracer off
    return {(call.module, call.name) for top in tops for call in top.walk()}


def main(kcovtrace, images, *folders):
    kernel = captures.Kernel(images)
    found = [capture for folder in folders for capture in captures.load(folder).values()]
    still = {(capture.scenario, capture.mode): capture for capture in found if not capture.kaslr()}
    failures, modules = 0, set()
    for capture in found:
        # Where a scenario was only captured so, its run that the tracer watched was not.
        other = still.get((capture.scenario, capture.mode)) or \
            still.get((capture.scenario + captures.WATCHED, capture.mode))
        if not capture.kaslr() or capture.mode not in ("ext", "mem") or not other or \
                capture.scenario in captures.UNBALANCED:
            continue
        ours, theirs = (functions(kcovtrace, kernel, which) for which in (capture, other))
        agreement = len(ours & theirs) / len(ours | theirs)
        print(f"{capture}: offset {capture.kaslr():#x}, {len(ours)} functions, {agreement:.1%} of "
              f"them as without, differences {sorted(map(str, ours ^ theirs))}")
        if agreement < LIMIT:
            print("FAIL")
            failures += 1
        modules |= {name for name in ours if name[0]}
    print(f"functions of modules: {sorted(map(str, modules))}")
    return 1 if failures or not modules else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
