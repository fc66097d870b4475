#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces with their own kernel, other kernels, and PCs that were moved: what is shown, and what refused.

usage: fit.py KCOVTRACE EXT-IMAGES EXT-CAPTURES PLAIN-IMAGES PLAIN-CAPTURES

The captures (and the raw traces in $KCT_TRACES with their vmlinux) are made raw areas, which do not name
their kernel. With the kernel that they were recorded on nothing may be said of them. With each other
kernel, with PCs that hold a KASLR offset, and with addresses of calls instead of return addresses, a tree
or the records are refused with the option that helps, or at least a warning stands above them where there is
little to go by; --force shows them. `decode` stands for the traces without calls.
"""

import glob
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernel"))
import reader  # noqa: E402
import tracefile  # noqa: E402

PRESETS = {"pc": "linux-pc", "cmp": "linux-cmp", "ext": "linux-ext", "mem": "linux-mem"}
SLIDE = 0x1C000000
ADDRESS = 0x00FFFFFFFFFFFFFF
# With so many functions a trace without code, with so many PCs one with code cannot be in doubt.
MANY_FUNCTIONS, MANY_PCS = 40, 40
# These ran through a module, of kernels that were not moved.
IN_MODULES = ("loop-witness.ext.kct.zst.0", "loop.ext", "loop.mem", "loop.pc")
FINE, WARNED, REFUSED = "fine", "warned", "refused"


class Area:
    """A raw area, and which kernel it is of."""

    def __init__(self, name, mode, words, kernel):
        self.name, self.mode, self.words, self.kernel = name, mode, words, kernel
        try:
            self.records = reader.records(words, mode)
        except (ValueError, IndexError):  # of an area that was full
            self.records = []
        self.pcs = {record["pc"] for record in self.records if "pc" in record}
        self.functions = sum(record["kind"] == "entry" for record in self.records)

    def moved(self, distance):
        """The same area with all PCs moved."""
        words = list(self.words)
        for record in self.records:
            index = record["i"] + (3 if record["kind"] == "cmp" else 0)
            if "pc" in record:
                words[index] = words[index] & ~ADDRESS | (record["pc"] + distance) & ADDRESS
            if record["kind"] == "entry":
                words[index + 1] = record["caller"] + distance
        return words


def bundled(kernel, captures):
    for path in sorted(glob.glob(os.path.join(captures, "*.kct.zst"))):
        facts, segments = tracefile.read(path)
        for number, segment in enumerate(segments):
            name = os.path.basename(path)
            if segment.mode in PRESETS and not name.startswith("record"):
                yield Area(f"{name}.{number}", segment.mode,
                           segment.words[:1 + segment.words[0] * (4 if segment.mode == "cmp" else 1)],
                           kernel)


def shared(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.*"))):
        mode = path.rsplit(".", 1)[1]
        if mode in PRESETS:
            yield Area(os.path.basename(path), mode, reader.read_words(path), "shared")


class Judge:
    """Runs kcovtrace and sorts what it says."""

    def __init__(self, kcovtrace, folder):
        self.kcovtrace, self.folder, self.failures = kcovtrace, folder, 0
        self.counts = {}

    def run(self, area, words, image, options):
        path = os.path.join(self.folder, "area")
        with open(path, "wb") as file:
            file.write(struct.pack(f"<{len(words)}Q", *words))
        command = "tree" if area.mode != "cmp" else "decode"
        done = subprocess.run([self.kcovtrace, command, "-l", PRESETS[area.mode], "-k", image,
                               *options, path], capture_output=True, text=True, errors="replace")
        if done.returncode not in (0, 1):
            raise SystemExit(f"{area.name}: exit {done.returncode}\n{done.stderr}")
        verdict = FINE
        if "does not fit" in done.stderr:
            verdict = REFUSED if done.returncode == 1 and "--force goes on" in done.stderr else WARNED
            if verdict == REFUSED and done.stdout.strip() not in ("", "no call records in this mode"):
                self.fail(area, "is refused but shown")
        return verdict, done.stderr

    def fail(self, area, text):
        print(f"FAIL: {area.name}: {text}")
        self.failures += 1

    def expect(self, what, area, words, image, wanted, says=None, options=()):
        """See that an area is judged as one of `wanted`, and that a refusal says something."""
        verdict, errors = self.run(area, words, image, options)
        row = self.counts.setdefault(what, {FINE: 0, WARNED: 0, REFUSED: 0})
        row[verdict] += 1
        if verdict not in wanted:
            self.fail(area, f"{what}: {verdict}, not {' or '.join(wanted)}\n{errors}")
        elif verdict == REFUSED and says and says not in errors:
            self.fail(area, f"{what}: not told {says}\n{errors}")
        return errors


def check_area(judge, area, images, has_code):
    image = images[area.kernel]
    errors = judge.expect("its own kernel", area, area.words, image, [FINE])
    if area.name in IN_MODULES and "lie where modules are" not in errors:
        judge.fail(area, f"no word of the module that is missing\n{errors}")
    many = area.functions >= MANY_FUNCTIONS or (area.mode == "pc" and len(area.pcs) >= 300)
    if has_code[area.kernel]:
        many |= len(area.pcs) >= MANY_PCS
    if not area.records:
        return
    for other, path in images.items():
        if other != area.kernel and many and area.mode != "cmp":
            judge.expect("another kernel", area, area.words, path, [REFUSED])
    if len(area.pcs) >= 8:
        slid = area.moved(SLIDE)
        says = f"slid=yes --kaslr {SLIDE:#x}" if many and area.mode != "cmp" else None
        judge.expect("a KASLR offset in the PCs", area, slid, image, [REFUSED], says)
        judge.expect("the same with --force", area, slid, image, [WARNED], options=["--force"])
        judge.expect("the same with the right options", area, slid, image, [FINE],
                     options=["-l", f"{PRESETS[area.mode]},slid=yes", "--kaslr", hex(SLIDE)])
    if has_code[area.kernel] and len(area.pcs) >= MANY_PCS:
        calls = area.moved(-5)
        judge.expect("addresses of calls", area, calls, image, [REFUSED], "--pc-kind=call")
        judge.expect("addresses of calls, said", area, calls, image, [FINE],
                     options=["--pc-kind=call"])
        judge.expect("return addresses as calls", area, area.words, image, [REFUSED],
                     "leave --pc-kind=call out", options=["--pc-kind=call"])


def main(kcovtrace, ext_images, ext_captures, plain_images, plain_captures):
    images = {"ext": os.path.join(ext_images, "vmlinux.debug"),
              "plain": os.path.join(plain_images, "vmlinux.debug")}
    areas = [*bundled("ext", ext_captures), *bundled("plain", plain_captures)]
    if "KCT_TRACES" in os.environ:
        images["shared"] = os.path.join(os.environ["KCT_TRACES"], "vmlinux")
        areas += shared(os.environ["KCT_TRACES"])
    else:
        print("SKIP: the traces of $KCT_TRACES")
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(kcovtrace, folder)
        for area in areas:
            check_area(judge, area, images, {"ext": False, "plain": False, "shared": True})
        for what, row in judge.counts.items():
            print(f"{what}: " + ", ".join(f"{count} {verdict}" for verdict, count in row.items()))
    return 1 if judge.failures or not judge.counts else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
