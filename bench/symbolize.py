#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Symbolize the same addresses of the same image with kcovtrace and its peers, in one run.

usage: symbolize.py [options] KCOVTRACE IMAGE

Measures whole processes with full inline chains, cold (no cache of ours; the image is in the page
cache): wall time, processor time, largest resident set, medians of several runs whose order
alternates; and how many addresses get the same answer, chain by chain. Against llvm-symbolizer each
difference that is accepted is a rule of tests/elf/compare_symbolizer.py, with its count. Addresses
are all calls of coverage callbacks, or random ones inside sized function symbols.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "elf"))

from compare_symbolizer import Functions, compare  # noqa: E402
from peer import Image, answers  # noqa: E402


class Tool:
    """A program and what its runs took."""

    def __init__(self, name, command, version):
        self.name = name
        self.command = command
        self.version = version
        self.walls, self.processors, self.peaks = [], [], []
        self.output = None

    def run(self, addresses, output):
        """One run; its output replaces the one before."""
        # A process inherits the peak of the one that it was forked from: a small one must do that.
        done = subprocess.run([sys.executable, "-I", "-S", __file__, "--measure", addresses,
                               output, *self.command], capture_output=True, text=True, check=True)
        status, wall, processor, peak = done.stdout.split()
        if status not in ("0", "1"):
            sys.exit(f"{self.name}: status {status}")
        self.walls.append(float(wall))
        self.processors.append(float(processor))
        self.peaks.append(float(peak))
        self.output = output

    def medians(self):
        return tuple(statistics.median(x) for x in (self.walls, self.processors, self.peaks))


def version_of(program):
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    for line in lines:
        if "version" in line.lower():
            return line
    return lines[0] if lines else "unknown"


def find_tools(options):
    kcovtrace = [options.kcovtrace, "symbolize", "-f", "addr2line", "--pc-kind=call", "-k",
                 options.image]
    tools = [Tool("kcovtrace", kcovtrace[:2] + ["--no-cache"] + kcovtrace[2:],
                  version_of(options.kcovtrace))]
    if options.warm:
        tools.append(Tool("kcovtrace, warm", kcovtrace, tools[0].version))
    peers = [(options.llvm or "llvm-symbolizer-19",
              ["-a", "-f", "-i", "--output-style=GNU", "-e", options.image])]
    if options.slow:
        peers += [("addr2line", ["-a", "-f", "-i", "-e", options.image]),
                  ("eu-addr2line", ["-a", "-f", "-i", "-e", options.image])]
    for program, arguments in peers:
        path = shutil.which(program)
        if path:
            tools.append(Tool(os.path.basename(program), [path, *arguments], version_of(path)))
        else:
            print(f"{program} is not installed: left out")
    return tools


def choose(image, functions, options):
    if not options.random:
        return list(image.points())
    chosen = random.Random(options.seed)
    addresses = []
    for _ in range(options.random):
        start, size = chosen.choice(functions.rows)
        addresses.append(start + chosen.randrange(size))
    return addresses


def read_answers(tool):
    with open(tool.output, encoding="utf-8", errors="replace") as file:
        return answers(file.read())


def report_agreement(functions, addresses, ours, tool):
    theirs = read_answers(tool)
    if len(theirs) != len(addresses):
        print(f"  {len(theirs)} answers to {len(addresses)} addresses")
        return False
    if "llvm" not in tool.name:
        same = sum(a[1] == b[1] for a, b in zip(ours, theirs))
        print(f"  the same chains: {same} ({100 * same / len(addresses):.3f} %)")
        return True
    agree, accepted, rest = compare(functions, addresses, ours, theirs)
    print(f"  the same chains: {agree} ({100 * agree / len(addresses):.3f} %)")
    for rule, count in accepted.items():
        print(f"  {rule}: {count} ({100 * count / len(addresses):.3f} %)")
    print(f"  other differences: {len(rest)}")
    for difference in rest[:5]:
        print("   ", difference.replace("\n", "\n    "))
    explained = agree + sum(accepted.values())
    return explained >= 0.999 * len(addresses) and agree >= 0.99 * len(addresses)


def report(tools, functions, addresses):
    mine = tools[0].medians()
    ours = read_answers(tools[0])
    fine = len(ours) == len(addresses)
    for tool in tools:
        wall, processor, peak = tool.medians()
        print(f"{tool.name}: wall {wall:.3f} s, processor {processor:.3f} s, "
              f"peak {peak:.0f} MiB  [{tool.version}]")
        if tool is tools[0]:
            continue
        print(f"  kcovtrace takes 1/{wall / mine[0]:.1f} of its wall time, "
              f"1/{processor / mine[1]:.1f} of its processor time, "
              f"1/{peak / mine[2]:.1f} of its memory")
        fine &= report_agreement(functions, addresses, ours, tool)
    return fine


def measure(addresses, output, *command):
    """Run a command and print its status, wall and processor time, and peak in MiB."""
    with open(addresses, encoding="ascii") as source, open(output, "wb") as sink:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    print(process.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("kcovtrace")
    parser.add_argument("image")
    parser.add_argument("--random", type=int, metavar="N", help="N random addresses, not points")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--slow", action="store_true", help="also addr2line and eu-addr2line")
    parser.add_argument("--warm", action="store_true", help="also with the cache of the user")
    parser.add_argument("--llvm", help="the llvm-symbolizer to use")
    options = parser.parse_args()
    image = Image(options.image)
    functions = Functions(image)
    addresses = choose(image, functions, options)
    if not addresses:
        sys.exit("no addresses")
    tools = find_tools(options)
    with tempfile.TemporaryDirectory() as folder:
        listing = os.path.join(folder, "addresses")
        with open(listing, "w", encoding="ascii") as file:
            file.writelines(f"{address:#x}\n" for address in addresses)
        with open(options.image, "rb") as file:  # into the page cache
            while file.read(1 << 22):
                pass
        for number in range(options.runs):
            for tool in tools if number % 2 == 0 else reversed(tools):
                tool.run(listing, os.path.join(folder, tool.name))
        print(f"{os.path.basename(options.image)}: {len(addresses)} addresses, "
              f"medians of {options.runs}, {len(os.sched_getaffinity(0))} processors")
        return 0 if report(tools, functions, addresses) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
    else:
        sys.exit(main())
