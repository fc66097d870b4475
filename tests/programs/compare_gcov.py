#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Hold the states of lines that the command shows against the counts of gcov of the same programs.

usage: compare_gcov.py KCOVTRACE COMPILER WORK_DIR SOURCES_DIR FLAG...

Each program is built with callbacks and, if COMPILER is gcc, with counters, so that both tell of the same
run. For clang gcc counts in a build of its own: the counters of clang do not see that a call never
returned. A line that was covered must have a count, one that was missed must have none; of the lines that
have a count, at most MAX_UNKNOWN may be unknown.

A compiler may work a call out while it compiles: the line counts, but the only code left of it is a copy
that did not run. So where a missed line has a count the program runs once more, one instruction at a time;
it is folded, not wrong, if none of its code ran, by the rows of readelf. Few lines may be so.
"""
import bisect
import itertools
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

MAX_UNKNOWN = 0.15
MAX_FOLDED = 0.01
COVERED = {"hit", "implied"}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def gcov_counts(program):
    """Line to count, of those that have one, after the program has run."""
    counts = {}
    text = run("gcov", "-t", f"{program.name}.gcda", cwd=program.parent)
    for line in text.splitlines():
        match = re.match(r"\s*(?:(\d+)\*?|(#####|=====)):\s*(\d+):", line)
        if match and int(match.group(3)):
            number = int(match.group(3))
            counts[number] = counts.get(number, 0) + int(match.group(1) or 0)
    return counts


def line_states(kcovtrace, program, source, pcs):
    """Line to its state, as the command shows it."""
    words = struct.iter_unpack("<Q", pcs.read_bytes())
    listed = pcs.with_suffix(".list")
    (n,) = next(words)
    listed.write_text("".join(f"{pc:#x}\n" for (pc,) in itertools.islice(words, n)))
    rows = run(kcovtrace, "cover", "-k", str(program), "--kaslr", "0", "-l", "pcs", "-f", "json",
               str(listed))
    files = [row for row in map(json.loads, rows.splitlines())
             if row["kind"] == "file" and row["file"] == str(source)]
    return {line["line"]: line["state"] for file in files for line in file["line"]}


def lines_that_ran(program, source):
    """Lines with an instruction that ran."""
    rows = []
    pattern = re.compile(r"(\S+)\s+(\d+|-)\s+(0x[0-9a-f]+)\b")
    for line in run("readelf", "--debug-dump=decodedline", "-W", str(program)).splitlines():
        match = pattern.match(line)
        if match:
            known = Path(match.group(1)).name == source.name and match.group(2) != "-"
            rows.append((int(match.group(3), 16), int(match.group(2)) if known else 0))
    rows.sort(key=lambda row: row[0])
    starts = [row[0] for row in rows]
    steps = run(str(program.parent / "steps"), str(program), cwd=program.parent,
                env={**os.environ, "KT_PCS": str(program.with_suffix(".pcs2"))}).split()
    return {rows[at - 1][1] for at in (bisect.bisect(starts, int(pc, 16)) for pc in steps) if at}


def main_never_returns(program):
    code = run("objdump", "-d", "--disassemble=main", str(program))
    return not re.search(r"\bret\b", code) and "__sanitizer_cov_trace_pc" not in code


def build(source, compiler, work, flags):
    program = work / source.stem
    for old in [*work.glob(f"{source.stem}.gc*"), work / f"{source.stem}.pcs"]:
        old.unlink(missing_ok=True)
    counters = ["--coverage"] if compiler.startswith("gcc") else []
    run(compiler, "-g", "-w", "-fsanitize-coverage=trace-pc", *counters, "-fno-pie", *flags, "-c",
        str(source), "-o", f"{source.stem}.o", cwd=work)
    run(compiler, "-no-pie", *counters, f"{source.stem}.o", "pcs.o", "-o", source.stem, "-lm", cwd=work)
    return program


def build_counted(source, work):
    """A build of gcc with counters alone, in a folder of its own, and its run."""
    folder = work / "counted"
    folder.mkdir(exist_ok=True)
    for old in folder.glob(f"{source.stem}.gc*"):
        old.unlink()
    run("gcc", "-O0", "-w", "--coverage", "-c", str(source), "-o", f"{source.stem}.o", cwd=folder)
    run("gcc", "--coverage", f"{source.stem}.o", "-o", source.stem, "-lm", cwd=folder)
    subprocess.run([f"./{source.stem}"], cwd=folder, capture_output=True)
    return folder / source.stem


def check(source, kcovtrace, compiler, work, flags):
    """(lines with a count and their state, folded lines, complaints) of one program."""
    program, pcs = build(source, compiler, work, flags), work / f"{source.stem}.pcs"
    subprocess.run([str(program)], capture_output=True, cwd=work,
                   env={**os.environ, "KT_PCS": str(pcs)})
    if not pcs.exists() and main_never_returns(program):
        return {}, [], []  # clang gives such functions no points
    states = line_states(kcovtrace, program, source, pcs)
    counts = gcov_counts(program if compiler.startswith("gcc") else build_counted(source, work))
    known = {line: states[line] for line in counts if line in states}
    wrong = {line for line in known if known[line] in COVERED and not counts[line]
             or known[line] == "missed" and counts[line]}
    folded = {line for line in wrong if known[line] == "missed"}
    if folded:
        folded -= lines_that_ran(program, source)
    return known, folded, [f"{source.name}:{line}: {known[line]}, but gcov has {counts[line]}"
                           for line in sorted(wrong - folded)]


def main(kcovtrace, compiler, work, sources, *flags):
    work = Path(work).absolute()
    work.mkdir(parents=True, exist_ok=True)
    sources = sorted(Path(sources).absolute().glob("*.c"))
    here = Path(__file__).parent
    run(compiler, "-O2", "-c", str(here / "pcs.c"), "-o", str(work / "pcs.o"))
    run("gcc", str(here / "steps.c"), "-o", str(work / "steps"))
    states, folded, wrong = [], [], []
    for source in sources:
        known, without_code, complaints = check(source, kcovtrace, compiler, work, list(flags))
        if known and not COVERED & set(known.values()):
            wrong.append(f"{source.name}: nothing is covered")
        states += known.values()
        folded += [f"{source.name}:{line}" for line in sorted(without_code)]
        wrong += complaints
        if "unknown" in known.values() and "KT_VERBOSE" in os.environ:
            print(f"{source.name}: unknown: {[line for line in known if known[line] == 'unknown']}")
    unknown, n = states.count("unknown"), max(len(states), 1)
    print(f"{len(sources)} programs, {len(states)} lines with a count, {unknown} unknown "
          f"({100 * unknown / n:.1f} %), {len(folded)} folded {folded}, {len(wrong)} wrong")
    print("\n".join(wrong))
    if len(sources) < 30:
        wrong.append("too few programs")
    return 1 if wrong or unknown > MAX_UNKNOWN * n or len(folded) > MAX_FOLDED * n else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
