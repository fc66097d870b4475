#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Hold kcovtrace's output on real traces against the second reader (reader.py).

usage: compare_reader.py KCOVTRACE TRACE...
       compare_reader.py KCOVTRACE --all FOLDER

A trace is a raw area called WORKLOAD.MODE, mode pc, cmp, ext or mem, perhaps packed (.zst). The
mode in the name is for this script only: kcovtrace reads the bytes from standard input and has to
find out itself.
"""

import glob
import json
import subprocess
import sys

import reader

KINDS = ("pc", "cmp", "entry", "exit", "eesum", "memory", "wait", "wake", "lost")
FLAGS = ((0x10, "write"), (0x20, "rmw"), (0x40, "atomic"), (0x80, "free"))


class Mismatch(Exception):
    """Two values that should be the same."""


def same(what, ours, theirs):
    if ours != theirs:
        raise Mismatch(f"{what}: kcovtrace says {ours!r}, the second reader {theirs!r}")


def run(kcovtrace, path, *arguments):
    with open(path, "rb") as trace:
        done = subprocess.run([kcovtrace, *arguments, "-"], stdin=trace, capture_output=True)
    if done.returncode != 0:
        raise Mismatch(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def check_info(kcovtrace, path, mode, words, trace):
    info = json.loads(run(kcovtrace, path, "info", "-f", "json"))
    wanted = reader.summary(trace)
    same("mode", info["mode"], mode)
    same("guessed", info["guessed"], True)
    same("words", info["words"], len(words) - 1)
    for kind in KINDS:
        same(f"records of kind {kind}", info["records"][kind], wanted["kinds"].get(kind, 0))
    same("unique_pcs", info["unique_pcs"], wanted["unique_pcs"])
    same("cut_words", info["cut_words"], 0)
    same("overflow", info["overflow"], "unknown")
    if mode in ("ext", "mem"):
        for key in ("max_depth", "end_depth"):
            same(key, info["stack"][key], wanted[key])
        for key in ("underflows", "unfinished", "skipped", "untraced"):
            same(key, info["stack"][key], 0)


def as_json(record):
    """A record of the second reader with the keys and types of `decode -f json`."""
    wanted = dict(record)
    for key in ("pc", "caller", "addr", "value", "arg1", "arg2"):
        if key in wanted:
            wanted[key] = f"{wanted[key]:#x}"
    if record["kind"] == "memory":
        wanted["flags"] = [name for bit, name in FLAGS if record["flags"] & bit]
    return wanted


def check_decode(kcovtrace, path, trace):
    lines = json_lines(run(kcovtrace, path, "decode", "-f", "json"))
    same("number of records", len(lines), len(trace))
    for ours, record in zip(lines, trace):
        for key in ("depth", "signed1", "signed2", "raw1", "raw2"):
            ours.pop(key, None)
        for key in ("pc", "caller", "addr", "value", "arg1", "arg2"):
            if key in ours:
                ours[key] = f"{int(ours[key], 16):#x}"
        same(f"record at word {record['i']}", ours, as_json(record))


def check_tree(kcovtrace, path, trace):
    lines = json_lines(run(kcovtrace, path, "tree", "-f", "json"))
    calls = reader.calls(trace)
    same("number of calls", len(lines), len(calls))
    for ours, call in zip(lines, calls):
        for key in ("i", "end", "depth", "records"):
            same(f"{key} of the call at word {call['i']}", ours[key], call[key])
        for key in ("pc", "caller"):
            same(f"{key} of the call at word {call['i']}", int(ours[key], 16), call[key])
        same("state", ours["state"], "closed")


def check_weights(kcovtrace, path, trace):
    for depth in (None, 1, 2, 5):
        limit = [] if depth is None else ["--depth", str(depth)]
        folded = run(kcovtrace, path, "stacks", "-f", "folded", *limit)
        weight = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
        same(f"sum of weights at depth {depth}", weight, len(trace))


def compare(kcovtrace, path):
    mode = path.removesuffix(".zst").rsplit(".", 1)[1]
    words = reader.read_words(path)
    trace = reader.records(words, mode)
    check_info(kcovtrace, path, mode, words, trace)
    check_decode(kcovtrace, path, trace)
    if mode in ("ext", "mem"):
        check_tree(kcovtrace, path, trace)
        check_weights(kcovtrace, path, trace)
    return len(trace)


def main(kcovtrace, *paths):
    failures = 0
    if paths[0] == "--all":
        paths = [path for mode in ("pc", "cmp", "ext", "mem")
                 for path in sorted(glob.glob(f"{paths[1]}/*.{mode}"))]
    for path in paths:
        try:
            print(f"{path}: {compare(kcovtrace, path)} records agree")
        except Mismatch as mismatch:
            print(f"{path}: {mismatch}")
            failures += 1
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
