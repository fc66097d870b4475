#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Golden traces: records in, every view out, in one text file.

usage: golden.py [--rewrite] KCOVTRACE FILE...

A file has sections; `#` starts a comment in the first four:

    check TEXT...       what the views were checked against; a file without it fails
    layout NAME         the --layout of the trace
    options WORD...     what the tree that `calls` is compared with is asked for
    symbols             lines of /proc/kallsyms: ADDRESS TYPE NAME
    words               hexadecimal words; word 0 is put in front (`count N` overrides it)
    calls               the calls as they must be, written by hand from the words and never
                        rewritten: ENTRY-INDEX EXIT-INDEX DEPTH FUNCTION STATE, `-` for none
    $ COMMAND...        arguments of kcovtrace, TRACE stands for the file; below it what is
                        printed: lines of standard error start with `! `, a last line `= N` is
                        an exit status other than 0

--rewrite puts what is printed now under each `$`: read the difference before you commit it.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

SECTIONS = ("symbols", "words", "calls")


class Golden:
    """One parsed file."""

    def __init__(self, path):
        self.path, self.head, self.commands = path, [], []
        self.check, self.layout, self.count, self.options = "", None, None, ""
        self.symbols, self.words, self.calls = [], [], None
        with open(path) as file:
            self.parse(file.read().splitlines())

    def parse(self, lines):
        section = None
        for line in lines:
            if line.startswith("$ "):
                self.commands.append((line[2:], []))
            elif self.commands:
                self.commands[-1][1].append(line)
            else:
                self.head.append(line)
                section = self.parse_head(line.split("#")[0].split(), section)

    def parse_head(self, fields, section):
        if not fields:
            return section
        if fields[0] in SECTIONS:
            if fields[0] == "calls":
                self.calls = []
            return fields[0]
        if fields[0] in ("check", "layout", "count", "options"):
            setattr(self, fields[0], " ".join(fields[1:]))
            return None
        if section == "symbols":
            self.symbols.append(" ".join(fields))
        elif section == "words":
            self.words += [int(field, 16) for field in fields]
        elif section == "calls":
            self.calls.append(fields)
        else:
            raise SystemExit(f"{self.path}: what is '{' '.join(fields)}'?")
        return section

    def write_inputs(self, folder):
        """Write the trace and its symbols; returns the arguments that name them."""
        count = len(self.words) if self.count is None else int(self.count, 0)
        with open(os.path.join(folder, "TRACE"), "wb") as file:
            file.write(struct.pack(f"<{len(self.words) + 1}Q", count, *self.words))
        arguments = ["-l", self.layout] if self.layout else []
        if self.symbols:
            with open(os.path.join(folder, "kallsyms"), "w") as file:
                file.write("".join(f"{line}\n" for line in self.symbols))
            arguments += ["--kallsyms", "kallsyms"]
        return arguments


def run(kcovtrace, folder, words, inputs):
    """What a command prints, as the lines under its `$`."""
    arguments = words[:1] + inputs + words[1:]
    done = subprocess.run([kcovtrace, *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=60)
    lines = done.stdout.splitlines() + [f"! {line}" for line in done.stderr.splitlines()]
    if done.returncode != 0:
        lines.append(f"= {done.returncode}")
    return lines, done.stdout


def check_calls(golden, kcovtrace, folder, inputs):
    """Hold `tree -f json` against the calls written by hand."""
    words = ["tree", "-f", "json", *golden.options.split(), "TRACE"]
    _, output = run(kcovtrace, folder, words, inputs)
    ours = []
    for line in output.splitlines():
        call = json.loads(line)
        if "state" in call:
            index = [("-" if call[key] is None else str(call[key])) for key in ("i", "end")]
            ours.append([*index, str(call["depth"]), call.get("func", "-"), call["state"]])
    if ours == golden.calls:
        return True
    print(f"{golden.path}: the calls are not those written by hand")
    for line in ours:
        print("  " + " ".join(line))
    return False


def handle(path, kcovtrace, rewrite):
    golden = Golden(path)
    if not golden.check:
        print(f"{path}: says nothing of its independent check")
        return False
    text, fine = list(golden.head), True
    with tempfile.TemporaryDirectory() as folder:
        inputs = golden.write_inputs(folder)
        if golden.calls is not None:
            fine = check_calls(golden, kcovtrace, folder, inputs)
        for command, expected in golden.commands:
            lines, _ = run(kcovtrace, folder, command.split(), inputs)
            wanted = expected[:-1] if expected and expected[-1] == "" else expected
            if lines != wanted and not rewrite:
                fine = False
                print(f"{path}: $ {command}")
                print("".join(f"  -{line}\n" for line in wanted), end="")
                print("".join(f"  +{line}\n" for line in lines), end="")
            text += [f"$ {command}", *lines, ""]
    if rewrite:
        with open(path, "w") as file:
            file.write("\n".join(text[:-1] if golden.commands else text) + "\n")
    return fine


def main(arguments):
    rewrite = arguments[0] == "--rewrite"
    kcovtrace, *paths = arguments[1:] if rewrite else arguments
    results = [handle(path, os.path.abspath(kcovtrace), rewrite) for path in paths]
    print(f"{sum(results)} of {len(results)} golden traces agree")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
