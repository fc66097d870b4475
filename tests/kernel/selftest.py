#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The checks of captures must be able to fail: what is wrong on purpose must be found.

usage: selftest.py KCOVTRACE IMAGES CAPTURES
"""

import contextlib
import io
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import agreement
import captures
import check_captures
import goldens
import kct
import witness

TEXT_MASK = 0x00FFFFFFFFFFFFFF
ATOMIC = 0x40


def index_of(trace, kind, number=0):
    return [record["i"] for record in trace if record["kind"] == kind][number]


def first_function(kernel, capture, wanted):
    """An address in the first function whose name `wanted` accepts."""
    for start, end, name in kernel.symbols(capture).rows:
        if wanted(name) and end - start > 8:
            return start + 8
    raise SystemExit("no such function")


def drop_exit(words, trace, _):
    del words[index_of(trace, "exit")]
    words[0] -= 1


def move_exit(words, trace, kernel_capture):
    other = first_function(*kernel_capture, lambda name: name == "kfree")
    words[index_of(trace, "exit")] = 1 << 60 | other & TEXT_MASK


def move_caller(words, trace, _):
    # The second call's caller becomes a place in the last function that was entered.
    last = [record for record in trace if record["kind"] == "entry"][-1]
    words[index_of(trace, "entry", 1) + 1] = last["pc"]


def wild_pc(words, trace, _):
    words[index_of(trace, "pc")] = 0xFFFFFFFF00000000


def repeat_count(words, _, __):
    words[0] += 1
    words.append(words[-1])


def wrapper_atomic(words, trace, kernel_capture):
    at = index_of(trace, "memory")
    other = first_function(*kernel_capture, lambda name: name.startswith("kasan_"))
    words[at] = 3 << 60 | other & TEXT_MASK
    words[at + 2] |= ATOMIC << 32


def from_unwinder(words, trace, kernel_capture):
    other = first_function(*kernel_capture, lambda name: name == "unwind_next_frame")
    words[index_of(trace, "memory")] = 3 << 60 | other & TEXT_MASK


# What is done to a capture, which one, and a part of the complaint.
DAMAGES = (
    ("nothing", "loop.ext", lambda words, trace, _: None, None),
    ("an exit is gone", "loop.ext", drop_exit, "does not end"),
    ("an exit in another function", "loop.ext", move_exit, "ends at word"),
    ("a caller in another function", "loop.ext", move_caller, "is not on top"),
    ("a PC in no function", "loop.ext", wild_pc, "in no function"),
    ("an exit too many", "loop.ext", repeat_count, "exit without entry"),
    ("nothing", "read.mem", lambda words, trace, _: None, "no access is free"),
    ("an atomic access of a wrapper", "read.mem", wrapper_atomic, "made an atomic access"),
    ("an access of the unwinder", "read.mem", from_unwinder, None),
)


def write(path, capture, words):
    segment = capture.segments[0]
    lines = ["text tool selftest", f"bytes build-id {capture.facts['build-id'].hex()}"]
    sections = capture.facts["module-sections"].replace("\n", "\\n")
    lines.append(f"numbers kaslr {capture.kaslr()}")
    lines.append(f'text module-sections "{sections}"')
    lines.append(f"segment mode={segment.mode} thread={segment.thread} overflow=0 "
                 f"capacity={segment.capacity} : " + " ".join(f"{word:#x}" for word in words))
    with open(path, "wb") as file:
        file.write(kct.encode(lines))


def complaints_of(kcovtrace, kernel, folder):
    """(what is printed, failures) of the checks of a folder."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        checker = check_captures.Checker(kcovtrace, kernel, list(captures.load(folder).values()))
        checker.check()
    return text.getvalue(), checker


def check_damages(kcovtrace, kernel, found, bad):
    for what, name, damage, complaint in DAMAGES:
        capture = found[tuple(name.split("."))]
        words = list(capture.segments[0].words)
        damage(words, captures.records(capture.segments[0]), (kernel, capture))
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, f"{name}.kct"), capture, words)
            text, checker = complaints_of(kcovtrace, kernel, folder)
        if complaint and complaint not in text or not complaint and name == "loop.ext" and \
                checker.failures:
            bad.append(f"{what}: {text}")
        if damage is from_unwinder and not checker.memory["unwinder"]:
            bad.append(f"{what}: not counted")


def check_goldens(bad):
    rows = [goldens.Row(0, "a", "f.c", 1, 2, ()), goldens.Row(1, "b", "f.c", 2, 3, ()),
            goldens.Row(1, "b", "f.c", 2, 3, ())]
    folded = ["==> x: segment 0, thread 1 <==", "a  f.c:1  [2]", "  b  f.c:2  [6]  x2"]
    plain = folded[:2] + ["  b  f.c:2  [3]"] * 2

    class Expected:
        outside = 0

    Expected.rows = rows
    cases = [(folded, True), (plain, True)]
    for old, new in (("b  f", "c  f"), ("f.c:2", "f.c:3"), ("[3]", "[4]"), ("  b", "    b"),
                     ("[3]", "[3]  <via untraced>")):
        cases.append(([line.replace(old, new) for line in plain], False))
    cases += [(folded[:2], False), (plain + plain[-1:], False), (plain + ["[outside]  [1]"], False),
              ([line.replace("x2", "x3") for line in folded], False)]
    for lines, fine in cases:
        if fine == bool(list(goldens.check_tree(lines, ["tree"], [Expected]))):
            bad.append(f"golden {lines}: {fine}")


def check_agreement(bad):
    def sample(*names):
        result = agreement.Sample.__new__(agreement.Sample)
        result.name, result.functions, result.levels = "x", set(names), list(names[:2])
        return result

    many = [f"f{number}" for number in range(30)]
    cases = [([many, many], [many, many], 0), ([many, many], [many[:20], many], 0),
             ([many, many], [many[:20], many[:20]], 1), ([many[:20], many[:20]], [many, many], 1),
             ([many], [many[:29]], 0), ([many], [many[:28]], 1)]
    for one, other, failures in cases:
        report = agreement.Report()
        with contextlib.redirect_stdout(io.StringIO()):
            report.agree("x", [sample(*names) for names in one], [sample(*names) for names in other])
        if report.failures != failures:
            bad.append(f"agreement of {one} and {other}: {report.failures} failures")
    if agreement.aligned([list("abcd"), list("acd"), list("bcd")]) != [[2, 1, 1], [3, 2, 2]]:
        bad.append("alignment")


GRAPH = """entries: 5
overrun: 0
# tracer: function_graph
 0)               |  mutex_unlock();
 0)               |  x64_sys_call() {
 0)               |    __x64_sys_read() {
 0)               |      lo_open [loop]();
 0)               |      vfs_read() {
 0)               |        rw_verify_area.isra.0(); /* = 0x0 */
 0)               |      } /* vfs_read */
 0)               |    } /* __x64_sys_read */
 0)               |  } /* x64_sys_call */
 0)               |  exit_to_user();
 0)               |  x64_sys_call() {
 0)               |    __x64_sys_write() {
"""


def check_witness(bad):
    calls = list(witness.flatten(witness.parse(GRAPH), lambda name: name != "x64_sys_call"))
    wanted = [(0, "__x64_sys_read"), (1, "lo_open"), (1, "vfs_read"), (2, "rw_verify_area")]
    if calls != wanted:
        bad.append(f"the tracer's text: {calls}")
    odd = [lambda: witness.parse(GRAPH.replace("overrun: 0", "overrun: 1")),
           lambda: witness.check_same("x", wanted, wanted[:-1]),
           lambda: witness.check_same("x", wanted[:-1], wanted),
           lambda: witness.check_same("x", wanted, [(0, name) for _, name in wanted]),
           lambda: witness.check_same("x", wanted, wanted[::-1])]
    for number, call in enumerate(odd):
        try:
            call()
            bad.append(f"witness {number} is not refused")
        except witness.Mismatch:
            pass


def main(kcovtrace, images, folder):
    kernel, found, bad = captures.Kernel(images), captures.load(folder), []
    check_damages(kcovtrace, kernel, found, bad)
    check_goldens(bad)
    check_agreement(bad)
    check_witness(bad)
    print("\n".join(bad) or f"{len(DAMAGES)} damages and all other cases are found")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
