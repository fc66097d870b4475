#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What holds for every capture of a real kernel, by the second readers and by kcovtrace.

usage: check_captures.py KCOVTRACE IMAGES CAPTURES

IMAGES is the folder of a kernel's unpacked images, CAPTURES one of .kct files. Both readers must
count the same. Calls must be balanced, exits be in the function that was entered, and callers be
in the function below or in one that is never entered, which has no hooks. The exceptions are scenarios made to break
that (small, ragged): there both readers must find the same that is wrong.
"""

import collections
import json
import re
import sys

import captures
import reader

# Of 100 callers at most so many may be in functions without hooks.
OUTSIDE_LIMIT = 5
# Of 100 records of a MEMORY capture at most so many may come from the kernel's stack unwinder.
UNWINDER_LIMIT = 5
UNWINDER_NAMES = re.compile(r"^_*(unwind_|arch_stack_walk|stack_trace_|get_stack_info|kernel_text_"
                            r"address|stack_depot_|kasan_save_(stack|track)|filter_irq_stacks)")
UNWINDER_FILES = re.compile(r"/(unwind_\w+|stacktrace|dumpstack(_64)?|extable|stackdepot)\.c$")
# An access that was recorded at the wrong place names one of these instead of who made it.
WRAPPER_NAMES = re.compile(r"^_*(instrument_|(raw_|arch_)?atomic(64|_long)?_|kasan_|asan_|kcov_|"
                           r"sanitizer_|(arch_)?(test_and_)?(set|clear|change)_bit)")
WRAPPER_FILES = re.compile(r"/(instrumented|instrumented-\w+|atomic[\w-]*|bitops|kasan[\w-]*)\.h$")
# Words of records.
SHORTEST, LONGEST = {"pc": 1, "cmp": 4, "ext": 1, "mem": 1}, 5
# Numbers of exit and exit_group.
NO_RETURN = (60, 231)
# Handles of remote coverage for USB buses; a device is never found in fewer records.
USB_BUS, REMOTE_RECORDS = 1 << 56, 10000
ATOMIC, FREE, VALUE = 0x40, 0x80, 0x100


class Checker:
    """One kernel's captures."""

    def __init__(self, kcovtrace, kernel, found):
        self.kcovtrace, self.kernel, self.captures = kcovtrace, kernel, found
        self.hooked = captures.entered(kernel, found)
        self.failures = 0
        self.memory = collections.Counter()
        self.edges = collections.Counter()

    def fail(self, what, text):
        print(f"FAIL {what}: {text}")
        self.failures += 1

    def same(self, what, key, ours, theirs):
        if ours != theirs:
            self.fail(what, f"{key}: kcovtrace says {ours}, the second reader {theirs}")

    def infos(self):
        """path -> what `info -f json` says of its segments."""
        found = collections.defaultdict(list)
        # One run for all that were taken with kernel and module at the same place.
        for place in {capture.place() for capture in self.captures}:
            paths = [capture.path for capture in self.captures if capture.place() == place]
            output = captures.run(self.kcovtrace, "info", "-f", "json", *self.kernel.options(),
                                  *paths)
            for line in output.splitlines():
                info = json.loads(line)
                found[info["file"]].append(info)
        return found

    def check(self):
        infos = self.infos()
        for capture in self.captures:
            lines = infos[capture.path]
            self.same(capture, "segments", len(lines), len(capture.segments))
            for number, (segment, info) in enumerate(zip(capture.segments, lines)):
                what = f"{capture}" + (f" segment {number}" if number else "")
                self.check_segment(what, capture, segment, info)
            if capture.scenario == "race" and capture.mode == "mem":
                self.check_overlap(capture)
        self.check_sums()

    def check_segment(self, what, capture, segment, info):
        trace = captures.records(segment)
        self.check_counts(what, segment, info, trace)
        symbols = self.kernel.symbols(capture)
        unknown = sum(not symbols.names(record["pc"] - 1) for record in trace if "pc" in record)
        if unknown:
            self.fail(what, f"{unknown} PCs are in no function")
        text = f"{what}: {len(trace)} records"
        if segment.mode in ("ext", "mem"):
            if capture.scenario in captures.UNBALANCED or segment.syscall in NO_RETURN:
                text += self.check_broken(what, capture, info, trace)
            else:
                text += self.check_calls(what, symbols, info, trace)
        if "plug" in capture.scenario:
            self.check_remote(what, segment, trace)
        if segment.mode == "mem":
            text += self.check_memory(what, symbols, info, trace)
        print(text)

    def check_remote(self, what, segment, trace):
        """What the thread of the first USB bus did for a device: a lot, under the bus' handle."""
        if segment.remote != USB_BUS | 1:
            self.fail(what, f"the handle is {segment.remote}")
        if len(trace) < REMOTE_RECORDS:
            self.fail(what, f"{len(trace)} records of a device")

    def check_counts(self, what, segment, info, trace):
        wanted = reader.summary(trace)
        used = segment.words[0] * (4 if segment.mode == "cmp" else 1)
        for key, value in (("mode", segment.mode), ("guessed", False), ("words", used),
                           ("unique_pcs", wanted["unique_pcs"]), ("cut_words", 0),
                           ("capacity_words", segment.capacity), ("thread", segment.thread)):
            self.same(what, key, info[key], value)
        for kind, number in info["records"].items():
            self.same(what, f"records of kind {kind}", number, wanted["kinds"].get(kind, 0))
        # Surely full without room for the shortest record, surely not with room for the longest.
        free = segment.capacity - used - 1
        if segment.overflow != (free < SHORTEST[segment.mode]) and \
                (segment.mode not in ("ext", "mem") or free >= LONGEST):
            self.fail(what, f"overflow is {segment.overflow}, {used} words of {segment.capacity}")

    def check_calls(self, what, symbols, info, trace):
        """The calls are balanced and each is made by, and ends in, the function it should."""
        try:
            calls = reader.calls(trace)
        except ValueError as error:
            self.fail(what, error)
            return ""
        names = {record["i"]: symbols.names(record["pc"] - 1) for record in trace
                 if record["kind"] in ("entry", "exit")}
        stack, outside, inside = [], 0, 0
        for call in calls:
            if call["end"] is None:
                self.fail(what, f"the call at word {call['i']} does not end")
            elif not names[call["i"]] & names[call["end"]]:
                self.fail(what, f"the call at word {call['i']} of {names[call['i']]} ends at word "
                          f"{call['end']} in {names[call['end']]}")
            del stack[call["depth"]:]
            if stack:
                is_inside = names[stack[-1]["i"]] & symbols.names(call["caller"] - 1)
                inside, outside = inside + bool(is_inside), outside + (not is_inside)
                if not is_inside:
                    self.check_untraced(what, symbols, call)
            stack.append(call)
        for key in ("underflows", "unfinished", "skipped", "untraced", "end_depth"):
            self.same(what, key, info["stack"][key], 0)
        self.same(what, "max_depth", info["stack"]["max_depth"],
                  reader.summary(trace)["max_depth"])
        self.same(what, "callers inside", info["stack"]["verified_edges"], inside)
        self.same(what, "callers outside", info["stack"]["via_untraced"], outside)
        if not what.split(".")[0].endswith(captures.WATCHED):
            # There the tracer calls its clock between any two functions.
            self.edges.update(inside=inside, outside=outside)
        return f", {len(calls)} calls, {outside} of {inside + outside} callers outside"

    def check_untraced(self, what, symbols, call):
        """A caller that is not in the function on top is in one that has no hooks."""
        names = symbols.names(call["caller"] - 1)
        if names & self.hooked:
            self.fail(what, f"the call at word {call['i']} is made by {names}, which has hooks and "
                      "is not on top of the stack")

    def check_broken(self, what, capture, info, trace):
        """The scenarios that must not be balanced are not, and in the way that is meant."""
        depth = underflows = 0
        for record in trace:
            if record["kind"] == "entry":
                depth += 1
            elif record["kind"] == "exit" and depth:
                depth -= 1
            elif record["kind"] == "exit":
                underflows += 1
        self.same(what, "underflows", info["stack"]["underflows"], underflows)
        if capture.scenario == "ragged" and not (underflows and depth):
            self.fail(what, "begins and ends in no call")
        if capture.scenario == "small" and info["overflow"] is not True:
            self.fail(what, f"overflow is {info['overflow']}")
        return f", {underflows} exits without entry, {depth} calls open"

    def check_memory(self, what, symbols, info, trace):
        accesses = [record for record in trace if record["kind"] == "memory"]
        self.kernel.look_up(record["pc"] - 1 for record in trace if "pc" in record)
        places = self.kernel.places
        found = collections.Counter()
        for record in accesses:
            names = symbols.names(record["pc"] - 1)
            found.update(atomic=bool(record["flags"] & ATOMIC), free=bool(record["flags"] & FREE),
                         value=bool(record["flags"] & VALUE), large=record["size"] > 8,
                         empty=record["size"] == 0)
            wrapper = any(WRAPPER_NAMES.match(name) for name in names) or \
                WRAPPER_FILES.search(places.get(record["pc"] - 1, ("", "", 0))[1])
            if record["flags"] & ATOMIC and wrapper:
                self.fail(what, f"word {record['i']}: {names} made an atomic access")
        unwinder = sum(self.is_unwinder(symbols, record) for record in trace if "pc" in record)
        if 100 * unwinder > UNWINDER_LIMIT * len(trace):
            self.fail(what, f"{unwinder} of {len(trace)} records come from the stack unwinder")
        for key in ("atomic", "free", "value", "large"):
            self.same(what, key, info["memory"][key], found[key])
        self.memory.update(found)
        self.memory.update(accesses=len(accesses), records=len(trace), unwinder=unwinder)
        return f", {len(accesses)} accesses, {unwinder} of the unwinder"

    def is_unwinder(self, symbols, record):
        file = self.kernel.places.get(record["pc"] - 1, ("", "", 0))[1]
        return bool(UNWINDER_FILES.search(file) or
                    any(UNWINDER_NAMES.match(name) for name in symbols.names(record["pc"] - 1)))

    def check_overlap(self, capture):
        """Two threads were at it at the same time: neither ended before the other began."""
        times = [[record["time"] for record in captures.records(segment)
                  if record["kind"] == "memory"] for segment in capture.segments]
        if len(times) != 2 or min(times[0]) > max(times[1]) or min(times[1]) > max(times[0]):
            self.fail(capture, "no two threads at the same time")

    def check_sums(self):
        print(f"callers: {dict(self.edges)}; memory: {dict(self.memory)}")
        inside, outside = self.edges["inside"], self.edges["outside"]
        if 100 * outside > OUTSIDE_LIMIT * (inside + outside):
            self.fail("all captures", f"{outside} of {inside + outside} callers outside")
        if self.memory:
            for key in ("atomic", "free", "value", "large", "empty"):
                if not self.memory[key]:
                    self.fail("all captures", f"no access is {key}")


def main(kcovtrace, images, folder):
    found = captures.load(folder)
    checker = Checker(kcovtrace, captures.Kernel(images), list(found.values()))
    checker.check()
    print(f"{len(found)} captures, {checker.failures} failures")
    return 1 if checker.failures or not found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
