#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Hold the states of blocks against the counts of gcov of the same programs.

usage: compare_gcov.py BLOCK_STATES COMPILER WORK_DIR SOURCES_DIR FLAG...

Each program is built with callbacks and, if COMPILER is gcc, with counters, so that both tell of the same
run. For clang gcc counts in a build of its own: the counters of clang do not see that a call never
returned. Lines come from readelf: those of the statements that begin in a block. A line that was
covered must have a count, one that was not reached must have none; of the lines that have a count, at most
MAX_UNKNOWN may be unknown.
"""
import bisect
import os
import re
import subprocess
import sys
from pathlib import Path

MAX_UNKNOWN = 0.15
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


def statement_rows(program, source, is_clang):
    """(address, line) of each row of the source's line table that begins a statement. Other rows are
    code that was moved, but with clang, which marks only the first of several rows of a line."""
    rows = []
    pattern = re.compile(r"(\S+)\s+(\d+|-)\s+(0x[0-9a-f]+|0)(?:\s+\d+)?((?:\s+x|\s+END)*)\s*$")
    for line in run("readelf", "--debug-dump=decodedline", "-W", str(program)).splitlines():
        match = pattern.match(line)
        if match:
            rows.append((int(match.group(3), 16), match.group(1), match.group(2),
                         "x" in match.group(4)))
    going_on = None
    for address, name, line, statement in rows:
        if Path(name).name != source.name or line == "-" or not int(line):
            going_on = None
        elif statement or (is_clang and line == going_on):
            going_on = line
            yield address, int(line)


def blocks_of(block_states, program, pcs):
    blocks = []
    for line in run(block_states, str(program), str(pcs)).splitlines():
        start, end, state = line.split(" ", 2)
        blocks.append((int(start, 16), int(end, 16), state))
    return sorted(blocks)


def line_states(rows, blocks):
    """Line to the set of states of its blocks."""
    starts = [block[0] for block in blocks]
    states = {}
    for address, line in rows:
        i = bisect.bisect_right(starts, address) - 1
        if i >= 0 and address < blocks[i][1]:
            states.setdefault(line, set()).add(blocks[i][2])
    return states


def judge(states):
    if states & COVERED:
        return "covered"
    return "not reached" if states == {"not reached"} else "unknown"


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


def check(source, block_states, compiler, work, flags):
    """(lines with a count and their state, unknown lines, complaints) of one program."""
    program, pcs = build(source, compiler, work, flags), work / f"{source.stem}.pcs"
    subprocess.run([str(program)], capture_output=True, cwd=work,
                   env={**os.environ, "KT_PCS": str(pcs)})
    if not pcs.exists() and main_never_returns(program):
        return {}, [], []  # clang gives such functions no points
    states = line_states(statement_rows(program, source, compiler.startswith("clang")),
                         blocks_of(block_states, program, pcs))
    counts = gcov_counts(program if compiler.startswith("gcc") else build_counted(source, work))
    known = {line: judge(states[line]) for line in counts if line in states}
    wrong = [f"{source.name}:{line}: {known[line]} {sorted(states[line])}, but gcov has "
             f"{counts[line]}" for line in sorted(known)
             if known[line] == "covered" and not counts[line]
             or known[line] == "not reached" and counts[line]]
    unknown = [line for line in known if known[line] == "unknown"]
    return known, unknown, wrong


def main(block_states, compiler, work, sources, *flags):
    work = Path(work).absolute()
    work.mkdir(parents=True, exist_ok=True)
    sources = sorted(Path(sources).absolute().glob("*.c"))
    run(compiler, "-O2", "-c", str(Path(__file__).with_name("pcs.c")), "-o", str(work / "pcs.o"))
    lines, unknown, wrong = 0, 0, []
    for source in sources:
        known, unsure, complaints = check(source, block_states, compiler, work, list(flags))
        if known and not {"covered"} & set(known.values()):
            wrong.append(f"{source.name}: nothing is covered")
        lines += len(known)
        unknown += len(unsure)
        wrong += complaints
        if unsure and "KT_VERBOSE" in os.environ:
            print(f"{source.name}: unknown: {sorted(unsure)}")
    print(f"{len(sources)} programs, {lines} lines with a count, {unknown} unknown "
          f"({100 * unknown / max(lines, 1):.1f} %), {len(wrong)} wrong")
    print("\n".join(wrong))
    if len(sources) < 30:
        wrong.append("too few programs")
    return 1 if wrong or unknown > MAX_UNKNOWN * lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
