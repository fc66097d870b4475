#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's function_graph tracer, which watched the same run, saw the same calls.

usage: witness.py KCOVTRACE IMAGES CAPTURES HOOKED SCENARIO...

For each scenario CAPTURES has SCENARIO-witness.ext.kct, SCENARIO.graph (the tracer's text) and
filter-functions (what the tracer can trace); HOOKED lists the functions that have KCOV's hook of
entries. The tracer's calls of functions with a hook must be our calls of functions that the tracer
can trace, in the same order and at the same depth. Our calls are taken twice: from kcovtrace's
`tree -f json`, and from the second reader with names from objdump. Text files may be packed.

Left out on both sides are names of several functions of which some can be traced and others not,
or some have hooks and others not, since the tracer tells only names; what interrupts, the
scheduler and the clock's hardware call, by the rule in captures.py; what is in no system call: page
faults of the program, whose outermost functions the tracer cannot see, and the way back to the
program; and the system calls that switch the tracer on and off, of which each side sees another
part.
"""

import collections
import os
import re
import subprocess
import sys

import captures
from symbols import SUFFIX

# CPU, columns if they are not switched off, then the call: `f();`, `f() {`, `}` or `} /* f */`.
LINE = re.compile(r"^\s*\d+\)(?:[^|]*\|)?\s*(?P<body>.*)$")
ENTER = re.compile(r"^(?P<name>[\w.$]+)(?: \[\w+\])?\(.*?\)(?P<open> \{|;)")
# What makes system calls by their number and may be traced itself.
GATES = ("x64_sys_call", "do_syscall_64")
SWITCH = "__x64_sys_write"
LOST = re.compile(r"^(overrun|commit overrun|dropped events): (\d+)$")


class Mismatch(Exception):
    """The two do not say the same."""


class TracerCall:
    """A call that the tracer saw."""

    def __init__(self, name):
        self.name, self.callees, self.ended = name, [], False


def read_text(path):
    if os.path.exists(path + ".zst"):
        done = subprocess.run(["zstd", "-dc", path + ".zst"], check=True, capture_output=True)
        return done.stdout.decode()
    with open(path) as file:
        return file.read()


def parse(text):
    """The system calls of a tracer's text that end."""
    tops, stack = [], []
    for line in text.splitlines():
        lost = LOST.match(line)
        if lost and int(lost[2]):
            raise Mismatch(f"the tracer lost events: {line}")
        found = LINE.match(line)
        body = found["body"] if found else ""
        enter = ENTER.match(body)
        if enter:
            node = TracerCall(SUFFIX.sub("", enter["name"]))
            (stack[-1].callees if stack else tops).append(node)
            if enter["open"] == ";":
                node.ended = True
            else:
                stack.append(node)
        elif body.startswith("}") and stack:
            stack.pop().ended = True
    return [node for node in tops if node.ended and is_compared(node.name)]


def is_compared(name):
    """Whether an outermost call is a system call."""
    return bool(name in GATES or captures.SYSCALL.match(name))


class Names:
    """Which names may be compared, and one name for functions that have several."""

    def __init__(self, symbols, hooked, traceable):
        self.first = {}
        functions = collections.Counter()
        for start in {row[0] for row in symbols.rows}:
            aliases = {SUFFIX.sub("", name) for name in symbols.names(start)}
            for name in aliases:
                self.first[name] = min(aliases | {self.first.get(name, name)})
                functions[name] += 1
        self.hooked = collections.Counter(SUFFIX.sub("", name) for name in hooked)
        self.traceable = collections.Counter(SUFFIX.sub("", name) for name in traceable)
        self.mixed = {name for name, count in functions.items() if count > 1 and
                      (self.hooked.get(name, count) < count or
                       self.traceable.get(name, count) < count)}

    def one(self, name):
        return self.first.get(name, name)

    def has(self, table, name):
        return name in table and name not in self.mixed


def flatten(calls, keep, depth=0):
    """(depth among those kept, name) of calls in order."""
    for call in calls:
        kept = keep(call.name)
        if kept:
            yield depth, call.name
        yield from flatten(call.callees, keep, depth + kept)


class Witness:
    """The text of the tracer for one kernel."""

    def __init__(self, kernel, folder, hooked):
        self.kernel, self.folder = kernel, folder
        self.lists = [[line.split()[0] for line in text.splitlines() if line.strip()]
                      for text in (read_text(hooked),
                                   read_text(os.path.join(folder, "filter-functions")))]
        self.files = {}

    def is_noise_maker(self, name):
        """Whether a function is of those whose calls are left out, by name or by its file."""
        return bool(captures.ASIDE_NAMES.match(name) or
                    captures.ASIDE_FILES.search(self.files.get(name, "")))

    def learn_files(self, symbols):
        """Where functions are from, for those that the tracer shows."""
        self.kernel.look_up(row[0] for row in symbols.rows if row[0] < self.kernel.end)
        for start, _, name in symbols.rows:
            place = self.kernel.places.get(start)
            if place:
                self.files[SUFFIX.sub("", name)] = place[1]

    def prune(self, calls):
        """Tracer's calls less those of interrupts and the scheduler."""
        kept = []
        for call in calls:
            if captures.CLOCK.match(call.name):
                continue
            if self.is_noise_maker(call.name) and call.name not in GATES:
                call.callees = []
            call.callees = self.prune(call.callees)
            kept.append(call)
        return kept

    def compare(self, kcovtrace, capture, scenario):
        """Number of calls that agree."""
        symbols = self.kernel.symbols(capture)
        names = Names(symbols, *self.lists)
        self.learn_files(symbols)
        theirs = parse(read_text(os.path.join(self.folder, f"{scenario}.graph")))
        wanted = [(depth, names.one(name)) for depth, name in
                  flatten(self.prune(theirs), lambda name: names.has(names.hooked, name))]
        for whose, tops in (("second reader", [top for segment in capture.segments
                                               for top in captures.roots(segment, symbols)]),
                            ("kcovtrace", captures.shown_calls(kcovtrace, self.kernel, capture))):
            tops = [call for call in tops if is_compared(call.name)]
            if not tops or tops.pop().name != SWITCH:
                raise Mismatch("the last call is not the one that switches the tracer off")
            ours = [(depth, names.one(name)) for depth, name in
                    flatten(self.kernel.without_noise(tops, history=False),
                            lambda name: names.has(names.traceable, name))]
            check_same(whose, ours, wanted)
        return len(wanted)


def check_same(whose, ours, theirs):
    for index, (mine, its) in enumerate(zip(ours, theirs)):
        if mine != its:
            before = [name for _, name in theirs[max(0, index - 3):index]]
            raise Mismatch(f"call {index} (after {before}): {whose} {mine}, tracer {its}")
    if len(ours) != len(theirs):
        longer = max(ours, theirs, key=len)
        raise Mismatch(f"{whose} has {len(ours)} calls, the tracer {len(theirs)}: "
                       f"{longer[min(len(ours), len(theirs))]}")


def main(kcovtrace, images, folder, hooked, *scenarios):
    kernel = captures.Kernel(images)
    witness = Witness(kernel, folder, hooked)
    found, failures, total = captures.load(folder), 0, 0
    for scenario in scenarios:
        capture = found.get((scenario + captures.WATCHED, "ext"))
        try:
            if capture is None:
                raise Mismatch("there is no capture")
            count = witness.compare(kcovtrace, capture, scenario)
            if not count:
                raise Mismatch("no call was compared")
            print(f"{scenario}: {count} calls, the same as the function_graph tracer's")
            total += count
        except Mismatch as mismatch:
            print(f"FAIL {scenario}: {mismatch}")
            failures += 1
    print(f"{total} calls compared, {failures} of {len(scenarios)} scenarios differ")
    return 1 if failures or not scenarios else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
