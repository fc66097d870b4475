#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cache.py KCOVTRACE: symbols that are kept for the next run. Whatever is in the directory, the
program prints what it prints without; --no-cache is what it is compared with."""
import os
import random
import resource
import shutil
import signal
import struct
import sys
import time

import kct
import kept_symbols
from kept_symbols import ADDRESSES

COMMANDS = (("symbolize", "-f", "text"), ("symbolize", "-f", "json"), ("symbolize", "-f", "addr2line"),
            ("symbolize", "--no-inlines"), ("symbolize", "--pc-kind", "call"))
HEX = [f"{address:x}" for address in ADDRESSES]
CACHE = ("--cache-dir", "cache")


def symbolize(test, *options, command=("symbolize",), **more):
    return test.run(*command, "-k", "vmlinux", *options, *HEX, **more)


def files(test):
    """The files of the cache."""
    return sorted(test.path("cache").glob("*.kctsym")) if test.path("cache").exists() else []


def fill(test):
    """Keep the symbols; the one file that they are in and what is printed."""
    expected = symbolize(test, "--no-cache")
    test.run("index", *CACHE, "vmlinux")
    (path,) = files(test)
    return path, expected


def change(path, old, new):
    """Replace bytes in a file, whose size stays."""
    data = path.read_bytes()
    assert data.count(old) >= 1 and len(old) == len(new)
    path.write_bytes(data.replace(old, new))


def test_warm_is_cold(test):
    for command in COMMANDS:
        shutil.rmtree(test.path("cache"), ignore_errors=True)
        expected = symbolize(test, "--no-cache", command=command)
        assert not files(test)
        assert symbolize(test, *CACHE, command=command, note="") == expected, "cold"
        assert files(test)
        assert symbolize(test, *CACHE, command=command, note="") == expected, "warm"
        test.run("index", *CACHE, "vmlinux")
        assert symbolize(test, *CACHE, command=command, note="") == expected, "all"
    for command in ("decode", "info", "tree", "stacks"):
        expected = test.run(command, "-l", "linux-pc", "-k", "vmlinux", "--no-cache", "trace")
        for _ in range(2):
            got = test.run(command, "-l", "linux-pc", "-k", "vmlinux", *CACHE, "trace")
            assert got == expected, command


def test_no_cache_writes_nothing(test):
    symbolize(test, "--no-cache", *CACHE)
    assert not files(test)


def test_default_directory(test):
    """In the order of the environment, and not where others of the project keep things."""
    for variables, where in (({"XDG_CACHE_HOME": "xdg", "HOME": "home"}, "xdg"),
                             ({"HOME": "home"}, "home/.cache"),
                             ({"XDG_CACHE_HOME": "", "HOME": "home2"}, "home2/.cache")):
        for name in ("XDG_CACHE_HOME", "HOME"):
            test.environment.pop(name, None)
        for name, value in variables.items():
            test.environment[name] = str(test.path(value)) if value else ""
        symbolize(test, note="")
        assert list(test.path(where).glob("kcovtrace/symbols/*.kctsym")), where
        assert [p.name for p in test.path(where, ).glob("kcovtrace/*")] == ["symbols"]
        shutil.rmtree(test.path(where))
    # A relative directory does not count.
    test.environment = {**test.environment, "XDG_CACHE_HOME": "relative", "HOME": ""}
    symbolize(test, note="")
    assert not test.path("relative").exists()
    test.run("index", "vmlinux", status=2, note="--cache-dir")


def test_is_used(test):
    """An image that was changed behind the program's back, size and date kept: what is printed now
    can only come from the cache."""
    _, expected = fill(test)
    there = os.stat(test.path("vmlinux"))
    change(test.path("vmlinux"), b"vfs_read\0", b"changed!\0")
    os.utime(test.path("vmlinux"), ns=(there.st_atime_ns, there.st_mtime_ns))
    assert symbolize(test, *CACHE, note="") == expected
    assert "changed!" in symbolize(test, "--no-cache")


def test_changed_image(test):
    """One byte, same path, same build ID."""
    _, before = fill(test)
    change(test.path("vmlinux"), b"vfs_read\0", b"vfs_reaX\0")
    expected = symbolize(test, "--no-cache")
    assert expected != before
    test.run("index", "--check", *CACHE, "vmlinux", status=1, note="changed")
    assert symbolize(test, *CACHE, note="") == expected
    test.run("index", "--check", *CACHE, "vmlinux")
    assert symbolize(test, *CACHE, note="") == expected


def test_touched_and_copied_image(test):
    """Another date or place, the same bytes."""
    fill(test)
    os.utime(test.path("vmlinux"), (1, 1))
    test.run("index", "--check", *CACHE, "vmlinux", note="")
    shutil.copyfile(test.path("vmlinux"), test.path("copy"))
    test.run("index", "--check", *CACHE, "copy", note="")


def test_other_image(test):
    """Other build IDs, and the same one with and without debug information, do not mix."""
    fill(test)
    kept_symbols.run.make_image(test.directory, "other", "--build-id=0x44556677")
    kept_symbols.run.make_image(test.directory, "stripped", "--build-id=0x00112233", "--strip-debug")
    kept_symbols.run.make_image(test.directory, "nameless")
    for number, name in enumerate(("other", "stripped", "nameless")):
        expected = test.run("symbolize", "-k", name, "--no-cache", *HEX)
        test.run("index", "--check", *CACHE, name, status=1)
        test.run("index", *CACHE, name)
        assert test.run("symbolize", "-k", name, *CACHE, *HEX) == expected, name
        assert len(files(test)) == number + 2, name
    test.run("index", "--check", *CACHE, "vmlinux", "other", "stripped", "nameless")


def test_cut_cache(test):
    path, expected = fill(test)
    whole = path.read_bytes()
    for length in [*range(0, 64, 5), *range(64, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:length])
        test.run("index", "--check", *CACHE, "vmlinux", status=1)
        assert symbolize(test, *CACHE, note="damaged") == expected, length
        test.run("index", "--check", *CACHE, "vmlinux")


def test_flipped_bytes(test):
    """All over the file: the right answers; the next run finds a good cache again."""
    path, expected = fill(test)
    whole = path.read_bytes()
    noticed = 0
    for at in [*range(0, 48, 3), *range(48, len(whole), 41)]:
        data = bytearray(whole)
        data[at] ^= 0xFF
        path.write_bytes(data)
        process = test.start("symbolize", "-k", "vmlinux", *CACHE, *HEX)
        out, said = process.communicate()
        assert process.returncode == 0 and out == expected, f"byte {at}: {said}"
        noticed += "damaged" in said
    assert noticed > 10
    test.run("index", *CACHE, "vmlinux")
    test.run("index", "--check", *CACHE, "vmlinux")


def forge_index(path, units, unit):
    """Let the index of a cache file claim `units` units and name `unit` for every address, with right
    sums, and give the units in the file other numbers; offsets as in lib/symfile/form.h."""
    data = bytearray(path.read_bytes())
    n, directory = struct.unpack_from("=IQ", data, 20)
    for at in range(directory, directory + 32 * n, 32):
        kind, _, offset, size = struct.unpack_from("=IIQQ", data, at)
        if kind == 8:
            # Of another image: nobody asks for these numbers.
            struct.pack_into("=I", data, at + 4, 0x10000 + struct.unpack_from("=I", data, at + 4)[0])
        if kind == 7:
            layers = struct.unpack_from("=I", data, offset + 4)[0]
            assert layers
            struct.pack_into("=I", data, offset, units)
            # Each range: start, end, unit, 0.
            head = size % 24
            for place in range(offset + head, offset + size, 24):
                struct.pack_into("=I", data, place + 16, unit)
            struct.pack_into("=I", data, at + 24, kct.crc32c(data[offset:offset + size]))
    struct.pack_into("=I", data, 40, kct.crc32c(data[directory:directory + 32 * n]))
    struct.pack_into("=I", data, 44, kct.crc32c(data[:44]))
    path.write_bytes(data)


def test_forged_index(test):
    """What is printed is a line for each address, with or without what the units would say; the program
    neither reads elsewhere (the sanitizers watch) nor walks through units that are not there."""
    for name, units, unit, note in (
            ("a unit behind the last", 2, 1, "names units that the image does not have"),
            ("a million units, the last", 1 << 20, (1 << 20) - 1,
             "names units that the image does not have"),
            ("four billion units", 0xFFFFFFFF, 0, "its index of units is damaged"),
            ("a unit that the index itself has not", 2, 0xFFFFFFFE, "")):
        shutil.rmtree(test.path("cache"), ignore_errors=True)
        path, expected = fill(test)
        forge_index(path, units, unit)
        printed = symbolize(test, *CACHE, note=note)
        assert len(printed.splitlines()) == len(expected.splitlines()), name


def test_what_is_no_file(test):
    """To open a pipe would never end."""
    path, expected = fill(test)
    path.unlink()
    os.mkfifo(path)
    assert symbolize(test, *CACHE) == expected


def test_other_version_and_order(test):
    """Of a later version or a machine with another byte order, with right sums: no fault, not used."""
    path, expected = fill(test)
    whole = path.read_bytes()
    order, version = struct.unpack_from("=QI", whole, 8)
    for offset, value in ((16, struct.pack("=I", version + 1)),
                          (8, struct.pack(">Q" if sys.byteorder == "little" else "<Q", order))):
        data = bytearray(whole)
        data[offset:offset + len(value)] = value
        data[44:48] = struct.pack("=I", kct.crc32c(bytes(data[:44])))
        path.write_bytes(data)
        assert symbolize(test, *CACHE, note="") == expected
        test.run("index", "--check", *CACHE, "vmlinux")


def test_no_directory(test):
    """A directory that cannot be made: said if somebody named it, and no failure."""
    test.path("file").write_text("")
    expected = symbolize(test, "--no-cache")
    assert symbolize(test, "--cache-dir", "file/cache", note="symbols are not kept") == expected
    test.environment["XDG_CACHE_HOME"] = str(test.path("file"))
    assert symbolize(test, note="") == expected
    test.run("index", "--cache-dir", "file/cache", "vmlinux", status=1, note="file/cache")


def test_full_disk(test):
    """No file may grow beyond a few bytes."""
    expected = symbolize(test, "--no-cache")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    got = symbolize(test, *CACHE, note="cannot write the symbol file", preexec_fn=limit)
    assert got == expected
    assert not list(test.path("cache").iterdir())


def test_many_at_once(test):
    expected = symbolize(test, "--no-cache")
    for _ in range(4):
        shutil.rmtree(test.path("cache"), ignore_errors=True)
        running = [test.start("symbolize", "-k", "vmlinux", *CACHE, *HEX) for _ in range(6)]
        running += [test.start("index", *CACHE, "vmlinux") for _ in range(3)]
        for number, process in enumerate(running):
            out, said = process.communicate()
            assert process.returncode == 0 and not said, said
            assert number >= 6 or out == expected
        test.run("index", "--check", *CACHE, "vmlinux")
        assert not list(test.path("cache").glob(".*")), "nothing is left behind"


def test_killed_writers(test):
    """At any moment: a good cache or none."""
    expected = symbolize(test, "--no-cache")
    delays = random.Random(1)
    for _ in range(25):
        shutil.rmtree(test.path("cache"), ignore_errors=True)
        process = test.start("index", *CACHE, "vmlinux")
        time.sleep(delays.random() * 0.06)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert symbolize(test, *CACHE, note="") == expected
        test.run("index", "--check", *CACHE, "vmlinux", note="")


def test_leftovers(test):
    """What killed writers left goes after an hour, and nothing else."""
    test.path("cache").mkdir()
    old, new, other = (test.path("cache") / name
                       for name in (".kctsym-old", ".kctsym-new", "notes.txt"))
    for path in (old, new, other):
        path.write_text("")
    for path in (old, other):
        os.utime(path, (1, 1))
    test.run("index", *CACHE, "vmlinux")
    assert not old.exists() and new.exists() and other.exists()


def test_check(test):
    test.run("index", "--check", *CACHE, "vmlinux", status=1, note="no symbols are kept")
    assert "1 units" in test.run("index", *CACHE, "vmlinux")
    assert "1 units" in test.run("index", "--check", *CACHE, "vmlinux")
    test.run("index", status=2)
    test.run("index", *CACHE, "nothing", status=1, note="nothing")
    test.run("index", *CACHE, "trace", status=1, note="not an ELF file")


def test_real_kernel(test):
    """Units are added run by run, in files that are joined when there are many."""
    traces = kept_symbols.real_traces()
    if not traces:
        return
    kernel = ("-k", str(traces / "vmlinux"))
    module = ("--module", f"loop={traces}/loop.ko", "--module-sections",
              str(traces / "module-sections"))
    for name, command, options in (("read.ext", "tree", ()), ("file.ext", "tree", ()),
                                   ("loop.ext", "decode", module), ("read.mem", "decode", ()),
                                   ("sleep.ext", "stacks", ())):
        words = (command, *kernel, *options, str(traces / name))
        expected = test.run(*words, "--no-cache")
        for state in ("cold", "warm"):
            assert test.run(*words, *CACHE) == expected, f"{name}: {state}"
    assert len(files(test)) > 2
    assert "of " in test.run("index", "--check", *CACHE, kernel[1], status=1)


def main():
    kept_symbols.main(sys.modules[__name__], sys.argv[1])


if __name__ == "__main__":
    main()
