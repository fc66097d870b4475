#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Text goldens of what kcovtrace prints of captures of a real kernel.

usage: goldens.py [--rewrite] KCOVTRACE IMAGES CAPTURES GOLDEN...

A golden is called SCENARIO.MODE.golden and begins with a line `check` that says what the text is
held against. Then come commands, `$ tree [--depth N]` or `$ info`, each with what is printed. The
images and the capture are added to the command.

The text of a golden, not only what is printed now, is held against what this script finds by the
second reader and objdump and llvm-symbolizer: for a tree the sequence of calls with depth,
function, file, line, number of records and marks, for info the numbers. --rewrite writes what is
printed now, and still checks it.
"""

import collections
import difflib
import os
import re
import subprocess
import sys

import captures
import reader
from symbols import Lines

CALL = re.compile(r"^(?P<indent> *)(?P<name>[^\s\[]+)(?:\[(?P<module>\w+)\])?"
                  r"  (?P<file>\S+):(?P<line>\d+)  \[(?P<records>\d+)\](?:  x(?P<times>\d+))?"
                  r"(?P<marks>(?:  [<(][\w ]+[>)])*)$")
HEADING = re.compile(r"^==> .*: segment (\d+)|^\w+\(.*\[thread .*: segment (\d+)\]$")
OUTSIDE = re.compile(r"^\[outside\]  \[(\d+)\]$")
FULL = "-- buffer full: records may be missing from here on --"

# What a call must look like; `records` is None where only the sum of several is printed.
Row = collections.namedtuple("Row", "depth name file line records marks")


class Expected:
    """The rows of a segment by the second reader."""

    def __init__(self, segment, symbols, places):
        self.symbols, self.places = symbols, places
        self.rows, self.outside, stack = [], 0, []
        for record in captures.records(segment):
            kind = record["kind"]
            if kind == "entry":
                stack.append((len(self.rows), record["pc"]))
                self.rows.append(self.row(record, stack))
            if kind == "exit" and not stack:
                self.rows.append(self.row(record, [0])._replace(records=1, marks=("<inferred>",)))
            elif stack:
                index = stack[-1][0]
                self.rows[index] = self.rows[index]._replace(records=self.rows[index].records + 1)
            else:
                self.outside += 1
            if kind == "exit" and stack:
                stack.pop()
        for index, _ in stack:
            self.rows[index] = self.rows[index]._replace(
                marks=self.rows[index].marks + ("(unfinished)",))

    def row(self, record, stack):
        name, file, line = self.places[record["pc"] - 1]
        names = self.symbols.names(record["pc"] - 1)
        # Symbols of a module's sections, which all begin at 0, are mixed up there.
        name = name if name in names else min(names)
        marks = ()
        if record["kind"] == "entry" and len(stack) > 1:
            below = self.symbols.names(stack[-2][1] - 1)
            if not below & self.symbols.names(record["caller"] - 1):
                marks = ("<via untraced>",)
        return Row(len(stack) - 1, name, os.path.normpath(file), line, 0, marks)


def unfold(rows):
    """Rows with calls that stand for several, `x3`, written out."""
    result, at = [], 0
    while at < len(rows):
        row, times = rows[at]
        end = at + 1
        while end < len(rows) and rows[end][0].depth > row.depth:
            end += 1
        records = row.records if times == 1 else None
        below = unfold([(r._replace(records=r.records if times == 1 else None), t)
                        for r, t in rows[at + 1:end]])
        result += ([row._replace(records=records)] + below) * times
        at = end
    return result


def tree_rows(lines):
    """segment number -> (rows, records outside) of the text of a tree."""
    found, current = {}, ([], [0])
    for line in lines:
        heading, call, outside = HEADING.match(line), CALL.match(line), OUTSIDE.match(line)
        if heading:
            current = found.setdefault(int(heading[1] or heading[2]), ([], [0]))
        elif call:
            row = Row(len(call["indent"]) // 2, call["name"], call["file"], int(call["line"]),
                      int(call["records"]), tuple(call["marks"].split("  ")[1:]))
            current[0].append((row, int(call["times"] or 1)))
        elif outside:
            current[1][0] = int(outside[1])
        elif line != FULL:
            raise ValueError(f"what is '{line}'?")
    return {number: (unfold(rows), outside[0]) for number, (rows, outside) in found.items()}


def only_shown(rows, depth):
    """Rows as --depth shows them: a call has the records of those below it that are hidden."""
    if depth is None:
        return rows
    shown = []
    for row in rows:
        if row.depth < depth:
            shown.append(row)
        else:
            shown[-1] = shown[-1]._replace(records=shown[-1].records + row.records)
    return shown


def differences(rows, wanted):
    """Lines of a diff; records count only where both tell them."""
    if len(rows) == len(wanted):
        rows = [row if other.records is not None else row._replace(records=None)
                for row, other in zip(rows, wanted)]
        wanted = [other if row.records is not None else other._replace(records=None)
                  for row, other in zip(rows, wanted)]
    return list(difflib.unified_diff([str(row) for row in wanted], [str(row) for row in rows],
                                     "second reader", "golden", lineterm="", n=1))


def check_tree(lines, arguments, expected):
    """Complaints about the text of a tree."""
    depth = int(arguments[arguments.index("--depth") + 1]) if "--depth" in arguments else None
    found = tree_rows(lines)
    if sorted(found) != list(range(len(expected))):
        yield f"segments {sorted(found)}, not {len(expected)}"
        return
    for number, wanted in enumerate(expected):
        rows, outside = found[number]
        yield from differences(rows, only_shown(wanted.rows, depth))
        if outside != wanted.outside:
            yield f"{outside} records outside, not {wanted.outside}"


def info_numbers(segment):
    """regular expression -> numbers that it must find in what info prints of a segment."""
    trace = captures.records(segment)
    facts = reader.summary(trace)
    kinds = facts["kinds"]
    found = {r"(?m)^  words +(\d+)$": segment.words[0] * (4 if segment.mode == "cmp" else 1),
             r"(?m)^  capacity +(\d+) words": segment.capacity}
    if segment.thread is not None:
        found[r"(?m)^  thread +(\d+)\b"] = segment.thread
    if segment.mode != "cmp":
        found[r"(?m)^  PCs +(\d+) distinct"] = facts["unique_pcs"]
        found[r"(?m)^  PCs +\d+ distinct, (\d+) of them in a known function"] = facts["unique_pcs"]
    if segment.mode in ("ext", "mem"):
        found.update({r"(\d+) entries": kinds["entry"], r"(\d+) exits": kinds["exit"],
                      r"(\d+) other points": kinds["pc"],
                      r"(?m)^  stack +(\d+) frames deep": facts["max_depth"]})
    if segment.mode == "mem":
        accesses = [record for record in trace if record["kind"] == "memory"]
        found.update({
            r"(\d+) memory accesses": len(accesses),
            r"(\d+) atomic": sum(bool(access["flags"] & 0x40) for access in accesses),
            r"(\d+) free": sum(bool(access["flags"] & 0x80) for access in accesses),
            r"(\d+) with a value": sum(bool(access["flags"] & 0x100) for access in accesses),
            r"(\d+) larger than 8 bytes": sum(access["size"] > 8 for access in accesses)})
    return found


def check_info(lines, capture):
    """Complaints about the text of info."""
    parts = re.split(r"(?m)^\S+: segment \d+.*$", "\n".join(lines))[1:]
    if len(parts) != len(capture.segments):
        yield f"{len(parts)} segments, not {len(capture.segments)}"
    for part, segment in zip(parts, capture.segments):
        for pattern, number in info_numbers(segment).items():
            found = re.search(pattern, part)
            if not found or int(found[1]) != number:
                yield f"{pattern} finds {found and found[1]}, not {number}"


class Golden:
    """One file."""

    def __init__(self, path):
        self.path, self.head, self.commands = path, [], []
        with open(path) as file:
            for line in file.read().splitlines():
                if line.startswith("$ "):
                    self.commands.append((line[2:].split(), []))
                elif self.commands:
                    self.commands[-1][1].append(line)
                else:
                    self.head.append(line)
        if not self.head or not self.head[0].startswith("check "):
            raise SystemExit(f"{path}: says nothing of its independent check")
        for _, lines in self.commands:
            while lines and not lines[-1]:
                lines.pop()

    def write(self):
        text = list(self.head)
        for command, lines in self.commands:
            text += ["$ " + " ".join(command), *lines, ""]
        with open(self.path, "w") as file:
            file.write("\n".join(text[:-1]) + "\n")


def expected_rows(kernel, capture, symbolizer):
    symbols, base = kernel.symbols(capture), kernel.module_base(capture)
    lines = Lines(symbolizer)
    lines.add(kernel.vmlinux, 0, kernel.end)
    if base is not None:
        lines.add(kernel.module, base, base + (1 << 20), base)
    places = lines.of(sorted({record["pc"] - 1 for segment in capture.segments
                              for record in captures.records(segment)
                              if record["kind"] in ("entry", "exit")}))
    return [Expected(segment, symbols, places) for segment in capture.segments]


def handle(path, rewrite, kcovtrace, kernel, folder):
    golden, fine = Golden(path), True
    name = os.path.basename(path).removesuffix(".golden") + ".kct.zst"
    capture = captures.Capture(os.path.join(folder, name))
    for number, (command, lines) in enumerate(golden.commands):
        arguments = [kcovtrace, command[0], *kernel.options(), *command[1:], name]
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True)
        printed = done.stdout.splitlines()
        if rewrite:
            golden.commands[number] = (command, printed)
            lines = printed
        elif printed != lines or done.returncode != 0:
            fine = False
            print(f"{path}: $ {' '.join(command)}: exit {done.returncode}: {done.stderr}")
            print("\n".join(difflib.unified_diff(lines, printed, "golden", "printed", lineterm="")))
        if command[0] == "tree":
            expected = expected_rows(kernel, capture, kernel.symbolizer)
            complaints = list(check_tree(lines, command, expected))
        else:
            complaints = list(check_info(lines, capture))
        if complaints:
            fine = False
            print(f"{path}: $ {' '.join(command)}: the second reader says otherwise")
            print("\n".join(complaints[:40]))
    if rewrite:
        golden.write()
    return fine


def main(arguments):
    rewrite = arguments[0] == "--rewrite"
    kcovtrace, images, folder, *paths = arguments[1:] if rewrite else arguments
    kernel = captures.Kernel(os.path.abspath(images))
    results = [handle(path, rewrite, os.path.abspath(kcovtrace), kernel, folder)
               for path in paths]
    print(f"{sum(results)} of {len(results)} goldens agree")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
