#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What two boots of a kernel say of the same scenarios: the same functions, call for call.

usage: agreement.py IMAGES OLD NEW

IMAGES is the folder of the unpacked images, OLD and NEW are folders of captures. What is compared
are the system calls of a scenario, one by one in their order: the functions that ran in them, and
the sequence of their outermost two levels. Names come from objdump, records from the second reader.

Two runs of the same calls differ: a clock ticked and a time stamp moved, a batch was full, a slab
was new. Each boot has two samples of every system call, its EXT and its MEMORY run. A function is
a difference of the boots if it ran in both samples of one and in none of the other; it is a
difference of the modes if it ran in one mode on both boots and in the other mode on none. A
system call agrees when its differences are at most 5 % of its functions. What interrupts, the
scheduler and the like bring in is left out beforehand, by the rule in captures.py. A
call that is not in all runs (one waits for a thread only if it still runs) is told; at most 5 % may
be so. How often two single runs agree in 95 % is printed as well, with what they differ in.
"""

import difflib
import sys

import captures

LIMIT = 0.95
MODES, BOOTS = ("ext", "mem"), ("old", "new")


class Sample:
    """One system call in one capture."""

    def __init__(self, call):
        self.name = call.name
        self.functions = call.functions()
        self.levels = [call.name] + [callee.name for callee in call.callees]


class Calls:
    """The calls of a capture, less noise."""

    def __init__(self, kernel, capture):
        self.samples, self.functions, every = [], set(), set()
        for segment in capture.segments:
            tops = captures.roots(segment, kernel.symbols(capture))
            every |= {name for top in tops for name in top.functions()}
            for call in kernel.without_noise(tops):
                self.functions |= call.functions()
                if captures.SYSCALL.match(call.name):
                    self.samples.append(Sample(call))
        self.noise = every - self.functions


def steady(mine, theirs):
    """What ran in all of one's samples and in none of the others'."""
    return set.intersection(*mine) - set.union(*theirs)


def share(differences, functions):
    return 1 - len(differences) / max(1, len(functions))


class Report:
    """Counts, complaints and what is told of them."""

    def __init__(self):
        self.failures = self.calls = self.alone = self.runs = self.alike = 0
        self.worst = 1.0

    def fail(self, text):
        print(f"  FAIL {text}")
        self.failures += 1

    def agree(self, what, one, other):
        """Compare the samples of two sides."""
        everything = set.union(*(sample.functions for sample in one + other))
        first = [sample.functions for sample in one]
        second = [sample.functions for sample in other]
        left, right = steady(first, second), steady(second, first)
        agreement = share(left | right, everything)
        self.calls += 1
        self.worst = min(self.worst, agreement)
        if left or right:
            print(f"  {what}: {agreement:.1%}, only the first {sorted(left)}, "
                  f"only the second {sorted(right)}")
        if agreement < LIMIT:
            self.fail(f"{what} agrees in {agreement:.1%} only")

    def single(self, what, one, other):
        """Compare one run with another, for the record."""
        differences = one.functions ^ other.functions
        agreement = share(differences, one.functions | other.functions)
        self.runs += 1
        self.alike += agreement >= LIMIT
        if agreement < LIMIT:
            print(f"  {what}: single runs {agreement:.1%}: {sorted(differences)}")

    def levels(self, what, one, other):
        if not any(a.levels == b.levels for a in one for b in other):
            self.fail(f"{what}: {one[0].levels} or {other[0].levels}")


def aligned(sequences):
    """Rows of indices, one a sequence, of what stands in all sequences in the same order."""
    first, rows = sequences[0], [[index] for index in range(len(sequences[0]))]
    for other in sequences[1:]:
        matcher = difflib.SequenceMatcher(None, first, other, autojunk=False)
        at = {block.a + i: block.b + i for block in matcher.get_matching_blocks()
              for i in range(block.size)}
        rows = [row + [at[row[0]]] for row in rows if row[0] in at]
    return rows


def compare_scenario(report, scenario, found):
    """found: (boot, mode) -> samples of the scenario."""
    sequences = {key: [sample.name for sample in calls] for key, calls in found.items()}
    rows = aligned(list(sequences.values()))
    for key, sequence in sequences.items():
        if len(sequence) != len(rows):
            report.alone += len(sequence) - len(rows)
            print(f"  {scenario}: {' '.join(key)} has calls that are not in all runs: {sequence}")
    modes = [mode for mode in MODES if ("old", mode) in found]
    for row in rows:
        at = {key: calls[index] for index, (key, calls) in zip(row, found.items())}
        what = f"{scenario} {row[0]}: {at['old', 'ext'].name}"
        old, new = ([at[boot, mode] for mode in modes] for boot in BOOTS)
        report.agree(f"{what}, old and new", old, new)
        report.levels(what, old, new)
        if len(modes) == 2:
            ext, mem = ([at[boot, mode] for boot in BOOTS] for mode in MODES)
            report.agree(f"{what}, EXT and MEMORY", ext, mem)
            report.levels(what, ext, mem)
        for mode in modes:
            report.single(f"{what}, {mode}", at["old", mode], at["new", mode])


def point_functions(kernel, capture):
    """Functions that the points of a capture lie in."""
    symbols = kernel.symbols(capture)
    return {symbols.name(record["pc"] - 1) for segment in capture.segments
            for record in captures.records(segment)}


def compare_points(report, kernel, boots, found):
    """PC runs of each scenario as a whole against the other modes: PC has no calls."""
    # PC cannot tell noise by its callers: what is noise in any scenario is none of a scenario's.
    noise = set.union(*(calls.noise for calls in found.values()))
    for scenario in sorted({key[1] for key in found}):
        if not all((scenario, "pc") in boot for boot in boots.values()):
            continue
        kept = [calls.functions for key, calls in found.items() if key[1] == scenario]
        aside = noise - set.union(*kept)
        points = [point_functions(kernel, boot[scenario, "pc"]) - aside for boot in boots.values()]
        left, right = steady(points, kept), steady(kept, points)
        agreement = share(left | right, set.union(*points, *kept))
        print(f"{scenario}: PC and the other modes {agreement:.1%} of {len(kept[0])} functions, "
              f"only PC {sorted(left)}, never PC {sorted(right)}")
        if agreement < LIMIT:
            report.fail(f"{scenario}: PC and the other modes agree in {agreement:.1%} only")


def is_compared(scenario):
    """Not if calls are cut on purpose, or the kernel's tracer is in between."""
    return scenario not in captures.UNBALANCED and not scenario.endswith(captures.WATCHED)


def complete(capture):
    return capture and not any(segment.overflow for segment in capture.segments)


def main(images, old_folder, new_folder):
    kernel, report = captures.Kernel(images), Report()
    boots = {"old": captures.load(old_folder), "new": captures.load(new_folder)}
    found = {(name, *key): Calls(kernel, capture)
             for name, boot in boots.items() for key, capture in boot.items()
             if key[1] in MODES and is_compared(key[0]) and complete(capture)}
    for scenario in sorted({key[1] for key in found}):
        modes = [mode for mode in MODES if all((boot, scenario, mode) in found for boot in BOOTS)]
        if modes != list(MODES):
            print(f"{scenario}: only {modes}, a capture is missing or too large for its area")
        if "ext" not in modes:
            report.fail(f"{scenario}: no capture to compare")
            continue
        samples = {(boot, mode): found[boot, scenario, mode].samples
                   for boot in BOOTS for mode in modes}
        print(f"{scenario}: {len(samples['old', 'ext'])} system calls")
        compare_scenario(report, scenario, samples)
    compare_points(report, kernel, boots, found)
    print(f"{report.calls} comparisons of system calls, the worst agrees in {report.worst:.1%}; "
          f"{report.alike} of {report.runs} single runs agree in {LIMIT:.0%}; "
          f"{report.alone} calls had no counterpart")
    if report.alone > (1 - LIMIT) * report.runs:
        report.fail("too many calls without a counterpart")
    if not report.calls:
        report.fail("nothing was compared")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
