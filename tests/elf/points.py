#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Hold `kcovtrace points` against the disassembler and the relocations of binutils and LLVM.

usage: points.py KCOVTRACE SOURCE WORK_DIR CASE

native-COMPILER-COVERAGE: SOURCE built by COMPILER with -fsanitize-coverage=COVERAGE.
cross-TARGET: SOURCE built by clang for TARGET, and linked by lld if that can.
"""
import csv
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

PREFIX = "__sanitizer_cov_trace_"
# From the relocated place to the return address.
AFTER = {"R_X86_64_PLT32": 4, "R_X86_64_PC32": 4, "R_386_PLT32": 4, "R_386_PC32": 4,
         "R_AARCH64_CALL26": 4, "R_ARM_CALL": 4, "R_ARM_THM_CALL": 4, "R_390_PLT32DBL": 4,
         "R_390_PC32DBL": 4, "R_RISCV_CALL": 8, "R_RISCV_CALL_PLT": 8}
KINDS = ["pc", "pc_entry", "pc_exit", "pc_guard", "switch",
         *[f"{c}cmp{n}" for c in ("", "const_") for n in (1, 2, 4, 8)]]
STUBS = "".join(f"void {PREFIX}{kind}(void);\nvoid {PREFIX}{kind}(void)\n{{\n}}\n" for kind in KINDS)
STUBS += "void __sanitizer_cov_trace_pc_guard_init(void);\nvoid __sanitizer_cov_trace_pc_guard_init(void)\n{\n}\n"


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                          text=True).stdout


def kind_of(symbol):
    """Our name of the kind of a callback, None for other symbols."""
    name = symbol.removeprefix(PREFIX)
    return {"pc_entry": "entry", "pc_exit": "exit", "pc_guard": "guard"}.get(name, name) \
        if symbol.startswith(PREFIX) and name in KINDS else None


def ours(kcovtrace, image):
    """{(pc, kind)} and the text on standard error."""
    done = subprocess.run([kcovtrace, "points", "-f", "csv", str(image)], capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"kcovtrace points {image}: {done.returncode}: {done.stderr}")
    return {(int(row["pc"], 16), row["kind"]) for row in csv.DictReader(io.StringIO(done.stdout))}


def from_relocations(image):
    """{(pc in its section, kind)} of all code sections, and of .text alone."""
    every, text, section = [], set(), ""
    for line in run("llvm-readelf", "-r", "-W", image).splitlines():
        match = re.match(r"Relocation section '\.rela?(\S+)'", line)
        section = match.group(1) if match else section
        match = re.match(r"([0-9a-f]+)\s+[0-9a-f]+\s+(R_\w+)\s+[0-9a-f]+\s+(\S+)", line)
        kind = kind_of(match.group(3)) if match else None
        if kind and match.group(2) in AFTER:
            pc = int(match.group(1), 16) + AFTER[match.group(2)]
            every.append((section, pc, kind))
            if section == ".text":
                text.add((pc, kind))
    return every, text


def from_disassembly(objdump, image):
    """{(pc, kind)}: the address of the instruction behind each call of a callback."""
    points, kind, tails = set(), None, 0
    for line in run(objdump, "-d", "--no-show-raw-insn", image).splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(\S+)(.*)", line)
        if not match:
            continue
        if kind:
            points.add((int(match.group(1), 16), kind))
        target = re.search(r"<(\w+)>(?:\s+@.*)?\s*$", match.group(3))
        kind = kind_of(target.group(1)) if target else None
        if kind and match.group(2) in ("jmp", "b", "j", "jg", "tail"):
            kind, tails = None, tails + 1
    return points, tails


def check(what, actual, expected):
    if actual == expected:
        print(f"{what}: {len(expected)} points")
        return 0
    print(f"{what}: {len(actual)} points instead of {len(expected)}; "
          f"more: {sorted(actual - expected)[:5]}, fewer: {sorted(expected - actual)[:5]}")
    return 1


def check_object(kcovtrace, image):
    every, text = from_relocations(image)
    found = ours(kcovtrace, image)
    bad = check(f"{image.name} .text", {p for p in found if p in text}, text)
    if len(found) != len(set(every)) or not every:
        print(f"{image.name}: {len(found)} points, but {len(every)} relocations")
        bad = 1
    return bad


def native(kcovtrace, source, work, compiler, coverage):
    bad = 0
    stubs = work / "stubs.c"
    stubs.write_text(STUBS)
    run(compiler, "-O1", "-c", stubs, "-o", work / "stubs.o")
    for optimize in ("-O0", "-O2"):
        image = work / f"program{optimize}"
        run(compiler, "-w", "-g", optimize, f"-fsanitize-coverage={coverage}", "-c", source, "-o",
            f"{image}.o")
        bad |= check_object(kcovtrace, Path(f"{image}.o"))
        for pie in ("-pie", "-no-pie"):
            run(compiler, pie, f"{image}.o", work / "stubs.o", "-lm", "-o", image)
            points, _ = from_disassembly("objdump", image)
            bad |= check(f"{image.name} {pie}", ours(kcovtrace, image), points)
    return bad


def cross(kcovtrace, source, work, target):
    stubs = work / "stubs.c"
    stubs.write_text(STUBS + "void _start(void);\nvoid _start(void)\n{\n}\n")
    flags = [f"--target={target}", "-ffreestanding", "-w", "-O1"]
    if target.startswith("riscv"):
        flags.append("-mno-relax")
    if target.startswith("thumb"):
        flags.append("-mthumb")
    image = work / "object.o"
    run("clang", *flags, "-fsanitize-coverage=trace-pc,trace-cmp", "-c", source, "-o", image)
    bad = check_object(kcovtrace, image)
    if target.startswith("s390x"):
        return bad  # lld 14 does not link it; unit tests have the linked form
    objdump = "llvm-objdump"
    if target.startswith("riscv"):  # older ones do not name the target of auipc and jalr
        objdump = shutil.which("llvm-objdump-19")
        if not objdump:
            return bad
    run("clang", *flags, "-c", stubs, "-o", work / "stubs.o")
    run("ld.lld", "--unresolved-symbols=ignore-all", image, work / "stubs.o", "-o", work / "linked")
    points, _ = from_disassembly(objdump, work / "linked")
    return bad | check(f"{target} linked", ours(kcovtrace, work / "linked"), points)


def main(kcovtrace, source, work, case):
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    what, _, rest = case.partition("-")
    if what == "native":
        compiler, _, coverage = rest.partition("-")
        return native(kcovtrace, source, work, compiler, coverage)
    if not shutil.which("ld.lld"):
        print("SKIP: ld.lld is not installed")
        return 77
    return cross(kcovtrace, source, work, rest)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
