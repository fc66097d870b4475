#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""traces.py KCOVTRACE: reports of real traces. The number of points was counted by a byte scan of the
image, the PCs are read here."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import lcov_check

POINTS = 295967 + 19156  # calls of __sanitizer_cov_trace_pc and of its entry form
TRACES = Path(os.environ["KCT_TRACES"])
FILES = [TRACES / "file.pc", TRACES / "fork.pc"]


def expect(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, expected {want}")


def pcs():
    found = set()
    for path in FILES:
        words = struct.unpack(f"<{path.stat().st_size // 8}Q", path.read_bytes())
        found.update(words[1:words[0] + 1])
    return found


def main():
    cover = [Path(sys.argv[1]).resolve(), "cover", "-k", TRACES / "vmlinux", "-l", "linux-pc", *FILES]
    with tempfile.TemporaryDirectory() as folder:
        info, page = Path(folder) / "x.info", Path(folder) / "x.html"
        subprocess.run([*cover, "-f", "lcov", "-o", info], check=True)
        sections = lcov_check.parse(info.read_text())
        listed = subprocess.run([*cover, "-f", "lcov", "--lcov2"], check=True, capture_output=True, text=True)
        new_form = lcov_check.parse(listed.stdout)
        for path, section in sections.items():
            expect(path, new_form[path].functions, section.functions)
        # Its lines follow those of another function, and it was only inlined.
        namei = sections["/src/linux/fs/namei.c"].functions
        if not namei["do_getname"] or namei["getname_long"]:
            sys.exit("file.pc gets short names and no long ones")
        ends = new_form["/src/linux/fs/open.c"].ends
        if len(ends) < 50 or not all(ends):
            sys.exit("functions of open.c have no ends")
        open_c = sections["/src/linux/fs/open.c"]
        if not open_c.functions["do_dentry_open"] or open_c.functions["vfs_truncate"]:
            sys.exit("file.pc opens a file and does not truncate one by its path")
        if shutil.which("lcov"):
            done = subprocess.run(["lcov", "--summary", info], capture_output=True, text=True)
            expect("lcov", (done.returncode, "WARN" in done.stdout + done.stderr.upper()), (0, False))
        listed = subprocess.run([*cover, "-f", "pcs"], check=True, capture_output=True, text=True).stdout
        head, *lines = listed.splitlines()
        expect("PCs", {int(line, 16) for line in lines}, pcs())
        expect("summary", head, f"# vmlinux: {len(pcs())} of {POINTS} coverage points")
        subprocess.run([*cover, "-f", "html", "-o", page], check=True)
        if page.stat().st_size > 5_000_000:
            sys.exit(f"the page has {page.stat().st_size} bytes")


if __name__ == "__main__":
    main()
