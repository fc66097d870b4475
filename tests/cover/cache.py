#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cache.py KCOVTRACE: coverage points that are kept with the symbols. Whatever is in the directory, the
program prints what it prints without; which points there are is known from objdump."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from image import Image

PROGRAM = Path(sys.argv.pop(1)).resolve()


class Cache(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = Path(self.folder.name).resolve()
        self.image = Image(self.dir)
        self.cache = self.dir / "cache"
        hit = [pc for pc, _ in self.image.all()[::2]]
        trace = self.dir / "trace"
        trace.write_bytes(struct.pack(f"={len(hit) + 1}Q", len(hit), *hit))
        kernel = ("-k", self.image.path)
        self.commands = (
            ("points", self.image.path), ("points", "-f", "json", self.image.path),
            ("points", "-f", "csv", "--kind", "pc", self.image.path),
            *(("cover", "-l", "linux-pc", "-f", f, *kernel, trace)
              for f in ("text", "json", "lcov", "pcs", "html")),
            ("info", "-l", "linux-pc", *kernel, trace))

    def tearDown(self):
        self.folder.cleanup()

    def run_it(self, *words, status=0):
        """What is printed, and what is said."""
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True,
                              timeout=120, check=False)
        assert done.returncode == status, f"{words}: {done.returncode} {done.stderr}"
        assert "Sanitizer" not in done.stderr, done.stderr
        return done.stdout, done.stderr

    def run_kept(self, *words, status=0):
        return self.run_it(*words, "--cache-dir", self.cache, status=status)

    def count(self, *options):
        """Points that are listed."""
        return len(self.run_it("points", "-f", "csv", self.image.path, *options)[0].splitlines()) - 1

    def drop_point(self):
        """Make the first point five nops, in a file whose size and date stay: who does not look at
        the code does not see it."""
        before = os.stat(self.image.path)
        _, call = self.image.all()[0]
        data = self.image.path.read_bytes()
        # Five bytes of objdump's call are in the file once: its displacement depends on the place.
        callback = next(int(line.split()[0], 16) for line in subprocess.run(
            ["nm", self.image.path], capture_output=True, text=True, check=True).stdout.splitlines()
            if line.endswith(" __sanitizer_cov_trace_pc"))
        code = b"\xe8" + struct.pack("<i", callback - (call + 5))
        assert data.count(code) == 1
        self.image.path.write_bytes(data.replace(code, b"\x90" * 5))
        os.utime(self.image.path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def test_warm_is_cold(self):
        for command in self.commands:
            expected = self.run_it(*command, "--no-cache")
            self.assertFalse(self.cache.exists(), "written without a cache")
            self.assertEqual(self.run_kept(*command), expected, "cold")
            self.assertTrue(list(self.cache.glob("*.kctsym")))
            self.assertEqual(self.run_kept(*command), expected, "warm")
            self.run_kept("index", self.image.path)
            self.assertEqual(self.run_kept(*command), expected, "all")
            shutil.rmtree(self.cache)

    def test_each_command_keeps_and_uses_them(self):
        """What is printed after the code was changed unseen can only come from the cache."""
        whole = self.image.path.read_bytes()
        date = os.stat(self.image.path).st_mtime_ns
        for command in self.commands:
            expected = self.run_kept(*command)
            self.assertEqual(self.count("--cache-dir", self.cache), len(self.image.all()))
            self.drop_point()
            self.assertEqual(self.run_kept(*command), expected)
            self.assertEqual(self.count("--cache-dir", self.cache), len(self.image.all()))
            self.assertEqual(self.count("--no-cache", "--cache-dir", self.cache),
                             len(self.image.all()) - 1)
            self.image.path.write_bytes(whole)
            os.utime(self.image.path, ns=(date, date))
            shutil.rmtree(self.cache)

    def test_changed_code(self):
        """Another date, and the code is looked at: the same symbols, but a point less."""
        self.run_kept("index", self.image.path)
        self.drop_point()
        os.utime(self.image.path, (1, 1))
        self.run_kept("index", "--check", self.image.path, status=1)
        self.assertEqual(self.count("--cache-dir", self.cache), len(self.image.all()) - 1)

    def test_index_counts(self):
        n = len(self.image.all())
        self.assertIn(f" {n} points, ", self.run_kept("index", self.image.path)[0])
        self.assertIn(f" {n} points, ", self.run_kept("index", "--check", self.image.path)[0])
        shutil.rmtree(self.cache)
        # Symbols alone are not all.
        self.run_kept("symbolize", "-k", self.image.path, f"{self.image.all()[0][0]:x}")
        self.assertIn(f" 0 of {n} points, ",
                      self.run_kept("index", "--check", self.image.path, status=1)[0])


if __name__ == "__main__":
    unittest.main()
