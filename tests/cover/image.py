# SPDX-License-Identifier: BSD-2-Clause
"""Images with coverage points for tests, and what binutils know of them."""
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = ("-g -O0 -ffreestanding -fno-pie -fno-stack-protector -fcf-protection=none "
         "-fno-asynchronous-unwind-tables -mcmodel=kernel -fsanitize-coverage=trace-pc").split()
BASE = 0xffffffff81000000


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                          text=True, **options).stdout


class Image:
    """kernel.c compiled in `folder`, which gets a copy of the sources."""

    def __init__(self, folder, name="vmlinux", build_id="aa11", flags=(), link=(), base=BASE):
        self.folder, self.path = folder, folder / name
        source = folder / "src"
        source.mkdir(exist_ok=True)
        for file in ("kernel.c", "kernel.h"):
            shutil.copy(HERE / file, source)
        self.source = source / "kernel.c"
        objects = []
        for part in ("MAIN", "OTHER"):
            objects.append(folder / f"{name}-{part}.o")
            # The callback itself must have no points.
            run("gcc", *FLAGS, *flags, f"-D{part}", "-c", self.source, "-o", objects[-1])
        run("ld", f"-Ttext={base:#x}", "-e", "0", f"--build-id=0x{build_id}", *link, "-o",
            self.path, *objects)
        self.read()

    def read(self):
        """Points by function: [(return address, call address)]."""
        self.points, function = {}, None
        for line in run("objdump", "-d", "--no-show-raw-insn", self.path).splitlines():
            head = re.match(r"[0-9a-f]+ <(.+)>:$", line)
            if head:
                function = head.group(1)
                continue
            code = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
            if not code:
                continue
            if self.pending:
                self.points.setdefault(function, []).append((int(code.group(1), 16), self.pending))
                self.pending = None
            if re.search(r"call.*<__sanitizer_cov_trace_pc>", code.group(2)):
                self.pending = int(code.group(1), 16)

    pending = None

    def all(self):
        return sorted(point for points in self.points.values() for point in points)

    def place(self, address):
        """file:line of the innermost place of an address, by addr2line."""
        return run("addr2line", "-i", "-e", self.path, f"{address:#x}").split()[0]

    def line(self, address):
        return int(self.place(address).rsplit(":", 1)[1])


def write_list(path, addresses):
    path.write_text("".join(f"{address:#x}\n" for address in addresses))
    return path
