#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""facts.py KCOVTRACE: what an independent reader found in the real traces of KCT_TRACES, and sums
that must agree between views."""
import json
import os
import re
import subprocess
import sys

TRACES = os.environ["KCT_TRACES"]
PROGRAM = os.path.abspath(sys.argv[1])
bad = []


def run(*words):
    done = subprocess.run([PROGRAM, *words], cwd=TRACES, capture_output=True, text=True)
    if done.returncode:
        bad.append(f"{words}: status {done.returncode}: {done.stderr}")
    return done.stdout


def info(name, *words):
    return json.loads(run("info", "-f", "json", *words, name))


def expect(what, got, expected):
    if got != expected:
        bad.append(f"{what} is {got}, expected {expected}")


def weights(name, *words):
    lines = run("stacks", "-f", "folded", "-k", "vmlinux", *words, name).splitlines()
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


def tree_records(name, *words):
    """Of all lines of the text, with those outside."""
    text = run("tree", "-k", "vmlinux", *words, name)
    return sum(map(int, re.findall(r"  \[(\d+)\](?=  |$)", text, flags=re.M)))


def weights_of_each(name, *words):
    return len(run("stacks", "-f", "folded", "--each", "-k", "vmlinux", *words, name).splitlines())


def tree_records_json(name, *words):
    """The records of no call are not in there."""
    lines = run("tree", "-f", "json", "-k", "vmlinux", *words, name).splitlines()
    return sum(json.loads(line)["records"] for line in lines)


def check_file():
    file = info("file.ext", "-k", "vmlinux")
    records = file["records"]
    expect("words", file["words"], 4498)
    expect("layout", file["layout"], "linux-ext")
    expect("records", [records[kind] for kind in ("entry", "exit", "pc")], [428, 428, 3214])
    expect("unique PCs", file["unique_pcs"], 2159)
    stack = file["stack"]
    expect("stack", [stack[key] for key in ("max_depth", "end_depth", "via_untraced",
                                            "verified_edges")], [14, 0, 16, 404])
    lines = [json.loads(line) for line in run("tree", "-f", "json", "file.ext").splitlines()]
    expect("calls", len(lines), 428)
    expect("roots", sum(line["depth"] == 0 for line in lines), 8)
    expect("deepest call", max(line["depth"] for line in lines), 13)
    expect("decoded", len(run("decode", "-f", "json", "file.ext").splitlines()), 4070)


def check_memory():
    memory = info("file.mem", "-k", "vmlinux")
    expect("memory records", memory["records"]["memory"], 3166)
    counts = memory["memory"]
    expect("memory", [counts[key] for key in ("in_function", "atomic", "free", "value", "large")],
           [2662, 374, 4, 3081, 83])


def check_sums():
    for name, total in (("file.ext", 4070), ("file.mem", sum(
            count for kind, count in info("file.mem")["records"].items() if kind != "lost"))):
        for words in ([], ["--depth", "1"], ["--depth", "5"], ["--hide", "*lock*"],
                      ["--hide-preset", "locking,rcu,kasan,memory,entry"]):
            expect(f"weights of {name} {words}", weights(name, *words), total)
            expect(f"tree of {name} {words}", tree_records(name, *words), total)
        for words in (["--function", "*alloc*"], ["--prune", "*lookup*"], ["--file", "*/fs/*"],
                      ["--function", "*dentry*", "--prune", "*lock*", "--depth", "4"]):
            total = tree_records(name, *words)
            expect(f"weights of {name} {words}", weights(name, *words), total)
            expect(f"stacks of {name} {words}", weights_of_each(name, *words), total)
    # Of functions that are inlined only, too: what is kept lies in calls.
    for words in (["--function", "vfs_*"], ["--function", "build_open_how"],
                  ["--no-inlines", "--function", "fdget"], ["--function", "*[vmlinux]"]):
        total = weights("file.ext", *words)
        expect(f"stacks of {words}", weights_of_each("file.ext", *words), total)
        expect(f"tree of {words}", tree_records("file.ext", *words), total)
        expect(f"JSON tree of {words}", tree_records_json("file.ext", *words), total)


check_file()
check_memory()
check_sums()
print("\n".join(bad))
sys.exit(1 if bad else 0)
