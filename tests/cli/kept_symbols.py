# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of kept and of embedded symbols share."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import run

# Inside of functions, inlined calls and nothing of image.s, which says where they are.
ADDRESSES = [0xFFFFFFFF81000000 + offset
             for offset in (0x001, 0x112, 0x131, 0x152, 0x17F, 0x181, 0x212, 0x301, 0x402, 0x999)]


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


class Test:
    """A directory with image.s as `vmlinux` and a trace of PCs in it as `trace`."""

    def __init__(self, program):
        if not shutil.which("as") or not shutil.which("ld"):
            skip("as or ld is not installed")
        self.program = Path(program).resolve()
        self.holder = tempfile.TemporaryDirectory()
        self.directory = Path(self.holder.name)
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        run.make_image(self.directory, "vmlinux", "--build-id=0x00112233")
        words = [len(ADDRESSES)] + ADDRESSES
        self.path("trace").write_bytes(struct.pack(f"={len(words)}Q", *words))

    def path(self, name):
        return self.directory / name

    def start(self, *words, **more):
        return subprocess.Popen([self.program, *words], cwd=self.directory,
                                env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def run(self, *words, status=0, note=None, **more):
        """What the program prints. `note` must be in what it says, or nothing be said if ""."""
        process = self.start(*words, **more)
        out, said = process.communicate()
        if status is not None:
            assert process.returncode == status, f"{words}: {process.returncode}: {said}"
        assert "Sanitizer" not in said, said
        if note is not None:
            assert note in said and (note or not said), f"{words}: said {said!r}"
        return out


def real_traces():
    """The directory of the real traces, or None."""
    path = os.environ.get("KCT_TRACES")
    if not path:
        print("SKIP: real traces: there are none (-DKCT_TRACES_DIR=)")
    return Path(path) if path else None


def main(module, program):
    """Run all functions of a module that begin with test_."""
    for name, function in list(vars(module).items()):
        if name.startswith("test_"):
            function(Test(program))
            print(f"{name}: fine")
