#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces put one behind the other, as remote coverage does it: --sections must find where.

usage: sections.py KCOVTRACE IMAGES CAPTURES

Traces are chosen as damage.py does it. The first one of a pair is cut at a random word, most often
within calls and in one of five cases within a record, the second one follows, whole or cut too. The tree with
--sections must be the tree of the first alone and then that of the second: word index, end,
function, function of the caller, depth and state of each call. Whole traces alone must look the
same with the option as without it.
"""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile

from damage import SHORTEST_TRACE, trace_sets

PAIRS = 60
LIMIT = 0.98


def tree(kcovtrace, options, path, shift=0):
    """{word index: (end, function, function of the caller, depth, state)} of an area."""
    done = subprocess.run([kcovtrace, "tree", "-f", "json", *options, path], capture_output=True,
                          text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"exit {done.returncode}: {path}\n{done.stderr}")
    found, frames = {}, []
    for line in done.stdout.splitlines():
        call = json.loads(line)
        name = call.get("func") or call.get("pc") or call["state"]
        del frames[call["depth"]:]
        if call["state"] != "lost":
            end = None if call["end"] is None else call["end"] + shift
            place = end if call["i"] is None else call["i"] + shift
            found[place] = (end, name, frames[-1] if frames else None, call["depth"],
                            call["state"])
            frames += [name] * call.get("frames", 1)
    return found


def write(path, words):
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{len(words) + 1}Q", len(words), *words))


def layout(trace):
    return ["-l", "linux-mem" if ".mem" in trace.name else "linux-ext"]


def measure(kcovtrace, traces, option, pairs):
    same = total = exact = 0
    worst = (2, "")
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("first", "second", "both")]
        for number in range(pairs):
            generator = random.Random(f"sections {number}")
            first = generator.choice(traces)
            second = generator.choice([trace for trace in traces
                                       if layout(trace) == layout(first)])
            cut = generator.randrange(1, len(first.words))
            areas = [first.words[1:1 + cut], second.words[1:]]
            if generator.random() < 0.5:
                areas[1] = areas[1][:generator.randrange(1, len(areas[1]))]
            for path, words in zip(paths, areas + [areas[0] + areas[1]]):
                write(path, words)
            options = first.options + [word for word in second.options
                                       if word not in first.options]
            options += layout(first)
            expected = tree(kcovtrace, options, paths[0])
            expected.update(tree(kcovtrace, options, paths[1], cut))
            found = tree(kcovtrace, options + option, paths[2])
            here = sum(found.get(index) == call for index, call in expected.items())
            all_here = len(expected.keys() | found.keys())
            same, total, exact = same + here, total + all_here, exact + (here == all_here)
            worst = min(worst, (here / all_here, f"{here} of {all_here}: {first.name} cut at {cut} "
                                f"before {second.name}, {len(areas[1])} words"))
    print(f"{pairs} pairs of traces, {' '.join(option) or 'no option'}: {same} of {total} calls as in "
          f"the two alone: {same / total:.2%}, all of them in {exact} pairs, worst {worst[1]}",
          flush=True)
    return same / total


def check_alone(kcovtrace, traces):
    """Whole traces have one section."""
    good = True
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "one")
        for trace in traces:
            write(path, trace.words[1:])
            options = trace.options + layout(trace)
            plain, found = (tree(kcovtrace, options + more, path) for more in ([], ["--sections"]))
            if plain != found:
                print(f"FAIL: {trace.name}: with --sections "
                      f"{sum(found.get(index) != call for index, call in plain.items())} of "
                      f"{len(plain)} calls differ")
                good = False
    return good


def main(kcovtrace, images, captures):
    good = True
    for traces in trace_sets(images, captures):
        good &= check_alone(kcovtrace, traces)
        large = [trace for trace in traces if len(trace.words) > SHORTEST_TRACE]
        good &= measure(kcovtrace, large, ["--sections"], PAIRS) >= LIMIT
        measure(kcovtrace, large, [], PAIRS // 4)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
