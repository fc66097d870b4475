# SPDX-License-Identifier: BSD-2-Clause
"""Folders of captures and the kernel they come from, by the second readers alone."""

import json
import os
import re
import subprocess

import reader
import tracefile
from symbols import Lines, Symbols

NAME = re.compile(r"^([\w-]+)\.(pc|cmp|ext|mem)\.kct(\.zst)?$")
# Scenarios that are made to break the balance of calls: areas that are too small, and areas read
# late that were not reset.
UNBALANCED = ("small", "ragged")
# What is added to a scenario that the kernel's own tracer watches.
WATCHED = "-witness"
# What falls anywhere: the last steps of an interrupt, which KCOV records since they no longer count
# as one, what the scheduler finds to do when it switches, and setting the clock's hardware for the
# next timer. Calls made by these files are known as noise by their callers, since most of it is not
# traced itself; where the interrupt's gate is inlined, by the names.
ASIDE_FILES = re.compile(r"/(kernel/sched/|kernel/entry/|kernel/softirq\.c$|arch/x86/entry/)")
ASIDE_NAMES = re.compile(r"^(asm_)?(sysvec|__sysvec|common_interrupt|__common_interrupt|irqentry)")
CLOCK = re.compile(r"^(hrtimer_reprogram|__hrtimer_rearm_deferred|tick_program_event"
                   r"|clockevents_\w+)$")
# What depends on all that happened before: the random-number generator hashes what it is given when
# a block is full, the allocator sets up objects when it makes a slab, pages wait for their list in a
# batch that is worked off when it is full, and the time stamps of a file move if the clock ticked
# since they did last.
HISTORY_FILES = re.compile(r"/(drivers/char/random\.c|mm/slub\.c|mm/swap\.c)$")
STAMPS = re.compile(r"^(touch_atime|(file|inode|generic)_update_time\w*|inode_set_ctime\w*"
                    r"|ktime_get\w*|ns_to_timespec64)$")
SYSCALL = re.compile(r"^__(x64|ia32|se)_sys_")


class Call:
    """A call with its names and callees."""

    def __init__(self, depth, pc, caller, name):
        self.depth, self.pc, self.caller, self.name = depth, pc, caller, name
        self.callees = []
        self.points = set()

    def walk(self):
        yield self
        for callee in self.callees:
            yield from callee.walk()

    def functions(self):
        """Names of all functions that ran in the call."""
        return {name for call in self.walk() for name in (call.name, *call.points)}


class Capture:
    """One file."""

    def __init__(self, path):
        found = NAME.match(os.path.basename(path))
        self.path, self.scenario, self.mode = path, found[1], found[2]
        self.facts, self.segments = tracefile.read(path)

    def __str__(self):
        return f"{self.scenario}.{self.mode}"

    def sections(self):
        """module -> section -> address of the running kernel."""
        found = {}
        for line in self.facts.get("module-sections", "").splitlines():
            module, section, address = line.split()
            found.setdefault(module, {})[section] = int(address, 16)
        return found

    def kaslr(self):
        return self.facts.get("kaslr", [0])[0]

    def place(self):
        """Where kernel and module were."""
        return self.kaslr(), self.facts.get("module-sections")


class Kernel:
    """The unpacked images of a kernel."""

    def __init__(self, folder, symbolizer="llvm-symbolizer-19"):
        self.vmlinux = os.path.join(folder, "vmlinux.debug")
        self.module = os.path.join(folder, "loop.ko")
        self.symbolizer = symbolizer
        self.known = {}
        self.places = {}
        own = Symbols()
        own.add(self.vmlinux)
        self.end = max(end for _, end, _ in own.rows)

    def options(self):
        """How kcovtrace is told of the images."""
        return ["-k", self.vmlinux, "--module", f"loop={self.module}"]

    @staticmethod
    def module_base(capture):
        """Where the module's text is in a capture, whose PCs have the KASLR offset taken off."""
        text = capture.sections().get("loop", {}).get(".text")
        return None if text is None else text - capture.kaslr()

    def symbols(self, capture):
        """Names for the addresses in a capture."""
        base = self.module_base(capture)
        if base not in self.known:
            symbols = Symbols()
            symbols.add(self.vmlinux)
            if base is not None:
                symbols.add(self.module, base, ".text")
            self.known[base] = symbols
        return self.known[base]

    def look_up(self, addresses):
        """Learn function, file and line of addresses in the kernel's own image."""
        lines = Lines(self.symbolizer)
        lines.add(self.vmlinux, 0, self.end)
        self.places.update(lines.of([address for address in set(addresses)
                                     if address not in self.places]))

    def is_aside(self, call):
        """Whether a call was made by an interrupt's end, the scheduler or the clock."""
        if SYSCALL.match(call.name):
            return False
        function, file, _ = self.places.get(call.caller - 1, ("", "", 0))
        return bool(CLOCK.match(call.name) or ASIDE_NAMES.match(function) or
                    ASIDE_FILES.search(file))

    def is_history(self, call):
        """Whether a call depends on what happened before the capture."""
        file = self.places.get(call.caller - 1, ("", "", 0))[1]
        return bool(STAMPS.match(call.name) or HISTORY_FILES.search(file))

    def without_noise(self, calls, history=True):
        """A list of calls less those that are noise, with all that they call."""
        self.look_up(call.caller - 1 for top in calls for call in top.walk())
        return self.prune(calls, history)

    def prune(self, calls, history):
        kept = [call for call in calls
                if not (self.is_aside(call) or history and self.is_history(call))]
        for call in kept:
            call.callees = self.prune(call.callees, history)
        return kept


def run(kcovtrace, *arguments):
    """What a command prints; it must succeed and have nothing to complain of."""
    done = subprocess.run([kcovtrace, *arguments], capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def load(folder):
    """The captures of a folder by (scenario, mode)."""
    found = [Capture(os.path.join(folder, name)) for name in sorted(os.listdir(folder))
             if NAME.match(name)]
    return {(capture.scenario, capture.mode): capture for capture in found}


def records(segment):
    """The records of a segment as the second reader finds them."""
    if segment.mode in ("ext", "mem"):
        return list(reader.ext_records(segment.words, segment.entry_words, segment.memory_words))
    return reader.records(segment.words, segment.mode)


def roots(segment, symbols):
    """The outermost calls of a segment, with names, callees and the functions of points."""
    trace = records(segment)
    by_index = {}
    found, stack = [], []
    for row in reader.calls(trace):
        call = Call(row["depth"], row["pc"], row["caller"],
                    symbols.name(row["pc"] - 1) or f"{row['pc']:#x}")
        del stack[call.depth:]
        (stack[-1].callees if stack else found).append(call)
        stack.append(call)
        by_index[row["i"]] = call
    open_calls = []
    for record in trace:
        if record["kind"] == "entry":
            open_calls.append(by_index[record["i"]])
        elif record["kind"] == "exit":
            open_calls.pop()
        elif record["kind"] == "pc" and open_calls:
            open_calls[-1].points.add(symbols.name(record["pc"] - 1))
    return found


def shown_calls(kcovtrace, kernel, capture):
    """The outermost calls as `kcovtrace tree` shows them."""
    found, stack = [], []
    for line in run(kcovtrace, "tree", "-f", "json", *kernel.options(), capture.path).splitlines():
        row = json.loads(line)
        call = Call(row["depth"], int(row["pc"], 16), int(row["caller"], 16), row["func"])
        call.module, call.place = row.get("module"), (row.get("file"), row.get("line"))
        del stack[call.depth:]
        (stack[-1].callees if stack else found).append(call)
        stack.append(call)
    return found


def entered(kernel, found):
    """Names of all functions that are entered in any of the captures: they have hooks."""
    names = set()
    for capture in found:
        symbols = kernel.symbols(capture)
        for segment in capture.segments:
            if segment.mode in ("ext", "mem"):
                for record in records(segment):
                    if record["kind"] == "entry":
                        names |= symbols.names(record["pc"] - 1)
    return names
