#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces with a damaged run of words: what is outside of it must be shown as without it.

usage: damage.py KCOVTRACE IMAGES CAPTURES

IMAGES has the vmlinux.debug of the .kct files in CAPTURES; $KCT_TRACES, if it is set, has raw traces
and their vmlinux. Of each set 200 copies are made, the same ones every time, with one run of 1 to
64 words after word 0 overwritten by random ones. Each call of the undamaged tree whose ENTRY does not
begin in the run is compared by (word index, function, function of the caller); a call that is there
only in the damaged tree counts against the share as well.
"""

import glob
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernel"))
import reader  # noqa: E402
import tracefile  # noqa: E402

RUNS = 200
LONGEST = 64
SHORTEST_TRACE = 1000
BATCH = 20
LIMIT = 0.95


class Trace:
    """An area, and the options that name its functions."""

    def __init__(self, name, words, options):
        self.name, self.words, self.options = name, words, options


def used(words):
    return words[:1 + words[0]]


def shared_traces(folder):
    options = ["-k", os.path.join(folder, "vmlinux")]
    module = ["--module", "loop=" + os.path.join(folder, "loop.ko"), "--module-sections",
              os.path.join(folder, "module-sections")]
    for path in sorted(glob.glob(os.path.join(folder, "*.ext")) +
                       glob.glob(os.path.join(folder, "*.mem"))):
        name = os.path.basename(path)
        yield Trace(name, used(reader.read_words(path)),
                    options + (module if name.startswith("loop") else []))


def bundled_traces(images, captures):
    options = ["-k", os.path.join(images, "vmlinux.debug")]
    for path in sorted(glob.glob(os.path.join(captures, "*.kct.zst"))):
        facts, segments = tracefile.read(path)
        for number, segment in enumerate(segments):
            # Where the kernel and its module were is not in a raw area.
            if segment.mode in ("ext", "mem") and not os.path.basename(path).startswith("loop"):
                yield Trace(f"{os.path.basename(path)}.{number}", used(segment.words), options)


def trace_sets(images, captures):
    """The traces that come with the sources, then those of $KCT_TRACES."""
    yield list(bundled_traces(images, captures))
    if "KCT_TRACES" in os.environ:
        yield list(shared_traces(os.environ["KCT_TRACES"]))
    else:
        print("SKIP: the traces of $KCT_TRACES")


def trees(kcovtrace, options, paths, forms):
    """path -> {word index: (function, function of the caller)} of the trees of areas."""
    for form in forms:
        done = subprocess.run([kcovtrace, "tree", "-f", form, *options, *paths],
                              capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"exit {done.returncode}: {' '.join(paths)}\n{done.stderr}")
    found = {path: {} for path in paths}
    above = {path: [] for path in paths}
    for line in done.stdout.splitlines():
        call = json.loads(line)
        path = call.get("input", paths[0])
        frames = above[path]
        del frames[call["depth"]:]
        name = call.get("func") or call.get("pc") or call["state"]
        if call["state"] not in ("lost", "untraced", "inferred"):
            found[path][call["i"]] = (name, frames[-1] if frames else None)
        frames += [name] * call.get("frames", 1 if call["state"] != "lost" else 0)
    return found


class Damage:
    """A damaged copy of a trace. `moved` gives the place of a word of the trace in it, or None."""

    def __init__(self, trace, first, length, new):
        self.trace, self.first, self.length, self.growth = trace, first, length, len(new) - length
        words = trace.words[:first] + new + trace.words[first + length:]
        words[0] += self.growth
        self.bytes = struct.pack(f"<{len(words)}Q", *words)

    def moved(self, index):
        if index < self.first:
            return index
        return index + self.growth if index >= self.first + self.length else None

    def compare(self, whole, damaged):
        """(calls as before, calls that should be or are there outside of the run)."""
        expected = {self.moved(index): call for index, call in whole.items()
                    if self.moved(index) is not None}
        end = self.first + self.length + self.growth
        outside = {index: call for index, call in damaged.items()
                   if not self.first <= index < end}
        same = sum(outside.get(index) == call for index, call in expected.items())
        return same, len(expected.keys() | outside.keys())


def anything(generator, trace, first, length):
    """Random words."""
    return [generator.getrandbits(64) for _ in range(length)]


def elsewhere(generator, trace, first, length):
    """Words from another place of the same trace, which are records of their own."""
    start = generator.randrange(1, len(trace.words) - length + 1)
    return trace.words[start:start + length]


def mixed(generator, trace, first, length):
    """Words of the run in another order."""
    words = trace.words[first:first + length]
    generator.shuffle(words)
    return words


def deleted(generator, trace, first, length):
    return []


def inserted(generator, trace, first, length):
    return trace.words[first:first + length] + anything(generator, trace, first, length)


def make_damages(traces, kind, runs, seed):
    for number in range(runs):
        generator = random.Random(f"{seed} {number}")
        trace = generator.choice(traces)
        length = generator.randint(1, LONGEST)
        first = generator.randrange(1, len(trace.words) - length + 1)
        yield Damage(trace, first, length, kind(generator, trace, first, length))


def measure(kcovtrace, traces, kind, symbols, runs, seed="damage"):
    """Damage traces and compare; returns the share of calls that are as before."""
    rows, damages = [], list(make_damages(traces, kind, runs, seed))
    damages.sort(key=lambda damage: damage.trace.name)
    with tempfile.TemporaryDirectory() as folder:
        while damages:
            trace = damages[0].trace
            batch = [damage for damage in damages if damage.trace is trace][:BATCH]
            del damages[:len(batch)]
            paths = [os.path.join(folder, f"{number}") for number in range(len(batch) + 1)]
            contents = [struct.pack(f"<{len(trace.words)}Q", *trace.words)]
            for path, content in zip(paths, contents + [damage.bytes for damage in batch]):
                with open(path, "wb") as file:
                    file.write(content)
            # The text is only to be there.
            forms = ("text", "json") if kind is anything else ("json",)
            found = trees(kcovtrace, trace.options if symbols else [], paths, forms)
            for path, damage in zip(paths[1:], batch):
                rows.append((damage.compare(found[paths[0]], found[path]), damage))
    same, total = (sum(row[0][i] for row in rows) for i in (0, 1))
    mean = sum(row[0][0] / row[0][1] for row in rows) / len(rows)
    (worst_same, worst_total), worst = min(rows, key=lambda row: row[0][0] / row[0][1])
    print(f"{len(rows)} damaged traces, {kind.__name__}, {'with' if symbols else 'without'} symbols: "
          f"{same} of {total} calls outside of the damage as before: {same / total:.2%}, mean of the "
          f"traces {mean:.2%}, worst {worst_same} of {worst_total} ({worst.trace.name}, words "
          f"{worst.first} to {worst.first + worst.length - 1})", flush=True)
    return min(same / total, mean)


def main(kcovtrace, images, captures):
    good = True
    for traces in trace_sets(images, captures):
        traces = [trace for trace in traces if len(trace.words) > SHORTEST_TRACE]
        print(f"{len(traces)} traces: {', '.join(trace.name for trace in traces)}")
        good &= measure(kcovtrace, traces, anything, True, RUNS) >= LIMIT
        # Without the functions a stack that lost a call cannot heal: for information, as is damage
        # that looks like records.
        measure(kcovtrace, traces, anything, False, RUNS)
        for kind in (elsewhere, mixed, deleted, inserted):
            measure(kcovtrace, traces, kind, True, RUNS // 4)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
