#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run.py [--update] KCOVTRACE CASE...: run cases of the command line.

A case is a text file. Lines that start with # are comments; a line that starts with @ begins a part:

  @input NAME [word=4] [endian=big]   a raw file, from the words below (see Encoder)
  @text NAME                          a text file, from the lines below
  @kct NAME [big]                     a .kct file, from the lines below (see kct.py)
  @image NAME [OPTION...]             image.s, assembled and linked with options of ld; without as and
                                      ld the case is skipped
  @run COMMAND                        what sh runs, in a directory that holds the files above
  @status N                           its exit status (0 if the part is missing)
  @stdout                             exactly what it prints
  @stderr                             glob patterns, one for each line it prints there

Runs see the files of all parts before them. The encoder shares nothing with the library. --update
rewrites the expectations of the runs with what is printed now: read the difference, line by line."""
import fnmatch
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import kct

TYPE = {"entry": 0x0, "exit": 0x1, "eesum": 0x2, "memory": 0x3, "wait": 0x4, "wake": 0x5}
LOW = 0x00FFFFFFFFFFFFFF


class Encoder:
    """Lines to words: `count N`, `word N...`, and records by name."""

    def __init__(self, word=8, endian="little"):
        self.code = ("<" if endian == "little" else ">") + {4: "I", 8: "Q"}[word]
        self.mask = (1 << 8 * word) - 1
        self.order = endian
        self.data = b""

    def words(self, *numbers):
        for number in numbers:
            self.data += struct.pack(self.code, number & self.mask)

    def tagged(self, kind, low):
        self.words(TYPE[kind] << 60 | low & LOW)

    def memory(self, pc, addr, size, flags, time, value=0):
        self.tagged("memory", pc)
        self.words(addr)
        # Two halves, each in the byte order of the file.
        self.data += struct.pack((">" if self.order == "big" else "<") + "II", size, flags)
        self.words(time, value)

    def line(self, text):
        name, *rest = text.split("#")[0].split()
        if name == "bytes":
            self.data += bytes.fromhex("".join(rest))
            return
        if name == "cut":
            self.data = self.data[:-int(rest[0])]
            return
        numbers = [int(number, 0) for number in rest]
        if name in ("count", "word", "pc", "cmp"):
            self.words(*numbers)
        elif name == "entry":
            self.tagged(name, numbers[0])
            self.words(*numbers[1:])
        elif name == "eesum":
            delta, low = numbers
            self.tagged(name, (low & 0xFFFF) << 16 | delta & 0xFFFF)
        elif name == "memory":
            self.memory(*numbers)
        elif name in TYPE:
            self.tagged(name, numbers[0])
        else:
            raise ValueError(f"no record {name}")


def parts(lines):
    """Yield (line number of the @ line, its words, the lines below it)."""
    start = None
    for number, line in enumerate(lines):
        if line.startswith("@"):
            if start is not None:
                yield start, lines[start][1:].split(" ", 1), lines[start + 1:number]
            start = number
    if start is not None:
        yield start, lines[start][1:].split(" ", 1), lines[start + 1:]


def content(lines):
    """The lines of a part without what is there for the reader."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return [line for line in lines if not line.startswith("#")]


def write_input(directory, words, lines):
    name, *settings = words.split()
    options = dict(setting.split("=") for setting in settings)
    encoder = Encoder(int(options.get("word", 8)), options.get("endian", "little"))
    for line in content(lines):
        if line.split("#")[0].strip():
            encoder.line(line)
    (directory / name).write_bytes(encoder.data)


def make_image(directory, name, *options):
    """False without the tools."""
    if not shutil.which("as") or not shutil.which("ld"):
        return False
    source = Path(__file__).parent / "image.s"
    subprocess.run(["as", "-o", "image.o", source], cwd=directory, check=True)
    subprocess.run(["ld", "-Ttext=0xffffffff81000000", "-e", "0", *options, "-o", name, "image.o"],
                   cwd=directory, check=True)
    return True


def same_globs(expected, printed):
    return len(expected) == len(printed) and all(
        fnmatch.fnmatchcase(line, glob) for line, glob in zip(printed, expected))


class Run:
    """A run with what is expected of it."""

    def __init__(self, command):
        self.command, self.status, self.stdout, self.stderr = command, 0, [], []

    def execute(self, directory, environment):
        done = subprocess.run(["sh", "-c", self.command], cwd=directory, env=environment,
                              capture_output=True, timeout=120)
        self.got_status = done.returncode
        self.got_stdout = done.stdout.decode(errors="backslashreplace").splitlines()
        self.got_stderr = done.stderr.decode(errors="backslashreplace").splitlines()

    def complaints(self):
        if self.got_status != self.status:
            yield f"status {self.got_status}, expected {self.status}"
        if self.got_stdout != self.stdout:
            yield "stdout is\n" + "\n".join(self.got_stdout)
        if not same_globs(self.stderr, self.got_stderr):
            yield "stderr is\n" + "\n".join(self.got_stderr)

    def text(self):
        """The run as a case has it, expecting what was got."""
        lines = [f"@run {self.command}"]
        if self.got_status:
            lines.append(f"@status {self.got_status}")
        if self.got_stdout:
            lines += ["@stdout"] + self.got_stdout
        if self.got_stderr:
            globs = same_globs(self.stderr, self.got_stderr)
            lines += ["@stderr"] + (self.stderr if globs else self.got_stderr)
        return lines


def run_case(path, directory, environment, update):
    """The list of complaints, None if the case was skipped."""
    lines = path.read_text().splitlines()
    runs, where = [], []
    for number, words, below in parts(lines):
        kind, argument = words[0], words[1] if len(words) > 1 else ""
        if kind == "input":
            write_input(directory, argument, below)
        elif kind == "kct":
            name, *order = argument.split()
            data = kct.encode(content(below), ">" if order == ["big"] else "<")
            (directory / name).write_bytes(data)
        elif kind == "text":
            (directory / argument).write_text("".join(f"{line}\n" for line in content(below)))
        elif kind == "image":
            if not make_image(directory, *argument.split()):
                return None
        elif kind == "run":
            runs.append(Run(argument))
            where.append([number, number + 1 + len(below)])
        elif kind in ("status", "stdout", "stderr"):
            value = int(argument) if kind == "status" else content(below)
            setattr(runs[-1], kind, value)
            where[-1][1] = number + 1 + len(below)
        else:
            raise ValueError(f"{path}:{number + 1}: no part {kind}")
    found = []
    for run, (number, _) in zip(runs, where):
        run.execute(directory, environment)
        found += [f"{path}:{number + 1}: {run.command}: {what}" for what in run.complaints()]
    if update and found:
        for run, (first, last) in reversed(list(zip(runs, where))):
            if list(run.complaints()):
                lines[first:last] = run.text() + [""]
        path.write_text("\n".join(lines).rstrip("\n") + "\n")
    return found if runs else [f"{path}: no run"]


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    program, *cases = arguments[update:]
    environment = {"PATH": f"{Path(program).resolve().parent}:{os.environ['PATH']}", "LC_ALL": "C"}
    for name in ("KCT_FIXTURES", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    status = 0
    for case in map(Path, cases):
        with tempfile.TemporaryDirectory() as directory:
            found = run_case(case.resolve(), Path(directory), environment, update)
        if found is None:
            print(f"SKIP: {case}: needs as and ld")
            status = status or 77
            continue
        for complaint in found:
            print(complaint)
        status = 1 if found else status
    return status


if __name__ == "__main__":
    sys.exit(main())
