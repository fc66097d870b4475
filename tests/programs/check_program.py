#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Build an instrumented program, run it, and hold `kcovtrace tree` against what really happened.

usage: check_program.py KCOVTRACE SOURCE RUNTIME_C COMPILER WORK_DIR FLAG...

The truth comes from the function addresses that the compiler passes to the callbacks (which no
record holds) and from nm; the tree comes from the records and the DWARF.
"""

import json
import os
import subprocess
import sys

SLIDE = 0xFFFFFFFF80000000
INSTRUMENT = ["-finstrument-functions", "-fsanitize-coverage=trace-pc",
              "-fno-optimize-sibling-calls"]


def build(source, runtime, compiler, work, flags):
    """The program's path; the runtime itself is not instrumented."""
    base = os.path.join(work, "program")
    common = [compiler, "-g", "-no-pie", "-fno-pie", *flags, "-c"]
    subprocess.run([*common, *INSTRUMENT, source, "-o", base + ".o"], check=True)
    subprocess.run([*common, runtime, "-o", base + "-runtime.o"], check=True)
    subprocess.run([compiler, "-static", *flags, base + ".o", base + "-runtime.o", "-o", base],
                   check=True)
    return base


def read_symbols(program):
    """Address to name, and name to (start, end), of every function symbol with a size."""
    names, ranges = {}, {}
    for line in subprocess.run(["nm", "-S", program], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW":
            start, size = int(fields[0], 16), int(fields[1], 16)
            names[start] = fields[3]
            ranges.setdefault(fields[3].split(".")[0], []).append((start, start + size))
    return names, ranges


def read_truth(path):
    with open(path) as file:
        for line in file:
            what, function, site = line.split()
            yield what, 0 if function == "(nil)" else int(function, 16), \
                0 if site == "(nil)" else int(site, 16)


def true_calls(truth, names, ranges):
    """The calls in order: func, depth, state, via_untraced, as the tree should have them."""
    calls, stack, unseen, lowest = [], [], [], 0
    for what, function, site in truth:
        name = names.get(function, "?")
        if what == "enter":
            inside = not stack or any(start < site <= end for start, end
                                      in ranges.get(stack[-1]["func"], []))
            call = {"func": name, "depth": len(stack), "state": "unfinished",
                    "via_untraced": not inside}
            calls.append(call)
            stack.append(call)
        elif what == "exit":
            while stack[-1]["func"] not in (name, None):
                stack.pop()["state"] = "skipped"
            ended = stack.pop()
            if ended["func"]:  # an untraced call stays one, also when its exit is seen
                ended["state"] = "closed"
        elif what == "untraced-enter":
            unseen.append(name)
        elif what == "untraced-exit":
            if unseen:
                unseen.pop()
            else:
                lowest += 1
        elif what == "eesum":
            for _ in range(lowest):
                stack.pop()["state"] = "untraced"
            for _ in unseen:
                call = {"func": None, "depth": len(stack), "state": "untraced",
                        "via_untraced": False}
                calls.append(call)
                stack.append(call)
            unseen, lowest = [], 0
    return calls


def our_calls(kcovtrace, program, trace):
    done = subprocess.run([kcovtrace, "tree", "-f", "json", "-l", "linux-ext,slid=yes", "--kaslr",
                           hex(SLIDE), "-k", program, trace], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"kcovtrace: exit {done.returncode}: {done.stderr}")
    for line in done.stdout.splitlines():
        call = json.loads(line)
        yield {"func": call.get("func"), "depth": call["depth"], "state": call["state"],
               "via_untraced": call.get("via_untraced", False), "i": call["i"]}


def compare(ours, truth):
    for number, (our, true) in enumerate(zip(ours, truth)):
        index = our.pop("i")
        if our != true:
            return f"call {number} (word {index}): kcovtrace says {our}, really it was {true}"
    if len(ours) != len(truth):
        return f"kcovtrace shows {len(ours)} calls, really there were {len(truth)}"
    return None


def main(kcovtrace, source, runtime, compiler, work, *flags):
    os.makedirs(work, exist_ok=True)
    program = build(source, runtime, compiler, work, flags)
    trace, truth = os.path.join(work, "trace"), os.path.join(work, "truth")
    subprocess.run([program], check=True, env={**os.environ, "KT_TRACE": trace, "KT_TRUTH": truth})
    names, ranges = read_symbols(program)
    wanted = true_calls(read_truth(truth), names, ranges)
    difference = compare(list(our_calls(kcovtrace, program, trace)), wanted)
    print(difference or f"{len(wanted)} calls as they really were")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
