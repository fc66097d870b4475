#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""embedded.py KCOVTRACE: symbols that a trace file carries. With them every command prints what it
prints with the kernel image."""
import os
import re
import shutil
import struct
import subprocess
import sys

import kct
import kept_symbols
from kept_symbols import ADDRESSES

COMMANDS = (("tree",), ("tree", "-f", "json"), ("stacks",), ("stacks", "-f", "folded"), ("decode",),
            ("decode", "-f", "json"), ("info",))
# Where the functions of image.s are that ADDRESSES lie in, and one that they do not.
INSIDE = "ffffffff81000118"
OUTSIDE = "ffffffff81000360"


ZSTD = b"\x28\xb5\x2f\xfd"


def metadata(data, name):
    """The values of the items of a .kct file with a name, by the numbers of docs/trace-file.md, in
    this machine's byte order."""
    at = 0
    while at < len(data):
        kind = struct.unpack_from("=H", data, at + 18)[0]
        size = struct.unpack_from("=Q", data, at + 32)[0]
        body = data[at + 48:at + 48 + size]
        at += 48 + size + 8
        if kind == 1:
            name_bytes, value_bytes = struct.unpack_from("=IQ", body, 4)
            start = 16 + (name_bytes + 8) // 8 * 8
            if body[16:16 + name_bytes] == name:
                yield body[start:start + value_bytes]


def embed(test, kind, *words, out="t.kct", **more):
    test.run("convert", f"--embed-symbols{kind}", *words, "-o", out, **more)
    return out


def without_symbols(text, name):
    """What `info` prints less the name of the file, what is in it only, coverage points, which
    symbols without code do not have, and random numbers."""
    text = re.sub(r"capture 0x[0-9a-f]+|\"capture\":\"0x[0-9a-f]+\"", "capture", text)
    text = re.sub(r"  (symbols|build ID|KASLR offset|points) .*\n", "", text)
    text = re.sub(r"\"points\":\{[^}]*\},", "", text)
    return text.replace(str(name), "FILE")


def compare(test, trace, *images):
    """Trace and images against a trace file with symbols, for all commands."""
    test.run("convert", trace, "-o", "plain.kct")
    for kind in ("", "=functions", "=pcs"):
        embed(test, kind, *images, trace)
        for command in COMMANDS:
            expected = without_symbols(test.run(*command, *images, "plain.kct"), "plain.kct")
            got = without_symbols(test.run(*command, "t.kct"), "t.kct")
            assert got == expected, f"{trace} {kind} {command}"


def test_same(test):
    test.run("convert", "-l", "linux-pc", "trace", "-o", "named.kct")
    compare(test, "named.kct", "-k", "vmlinux")


def test_as_image(test):
    """A trace file as the image: its functions are known, others are not, which is said."""
    embed(test, "", "-l", "linux-pc", "-k", "vmlinux", "trace")
    for option in ((), ("-f", "json"), ("-f", "addr2line"), ("--pc-kind", "call")):
        assert test.run("symbolize", "-k", "t.kct", *option, INSIDE) == \
            test.run("symbolize", "-k", "vmlinux", *option, INSIDE), option
    embed(test, "=pcs", "-l", "linux-pc", "-k", "vmlinux", "trace", out="pcs.kct")
    for address in ADDRESSES:
        for option in ((), ("--pc-kind", "call")):
            assert test.run("symbolize", "-k", "pcs.kct", *option, f"{address:x}") == \
                test.run("symbolize", "-k", "vmlinux", *option, f"{address:x}"), hex(address)
    assert "cut down" in test.run("symbolize", "-k", "pcs.kct", INSIDE)
    assert "cut down" in test.run("symbolize", "-k", "t.kct", OUTSIDE)
    test.run("convert", "-l", "linux-pc", "trace", "-o", "plain.kct")
    test.run("symbolize", "-k", "plain.kct", INSIDE, status=1, note="without symbols")


def test_info(test):
    embed(test, "", "-l", "linux-pc", "-k", "vmlinux", "trace")
    assert re.search(r"  symbols +vmlinux \(\d+ bytes\)\n", test.run("info", "t.kct"))
    assert '"symbols":["vmlinux"]' in test.run("info", "-f", "json", "t.kct")
    assert "00112233" in test.run("info", "t.kct"), "the build ID of the image"


def test_two_files(test):
    """Cut down to different addresses, read in one run."""
    for number in range(len(ADDRESSES)):
        test.path(f"{number}").write_bytes(struct.pack("=QQ", 1, ADDRESSES[number]))
        embed(test, "=pcs", "-l", "linux-pc", "-k", "vmlinux", f"{number}", out=f"{number}.kct")
    names = [f"{number}.kct" for number in range(len(ADDRESSES))]
    assert test.run("decode", *names) == test.run("decode", "-k", "vmlinux", *names)
    assert test.run("stacks", *names) == test.run("stacks", "-k", "vmlinux", *names)
    # Both captures go into one file, each with what it needs.
    test.run("convert", *names[:3], "-o", "all.kct")
    assert test.run("decode", "all.kct") == test.run("decode", "-k", "vmlinux", "all.kct")


def test_again(test):
    """Symbols are copied by convert, and can be cut down once more without the image."""
    embed(test, "", "-l", "linux-pc", "-k", "vmlinux", "trace")
    expected = test.run("decode", "t.kct").replace("t.kct", "")
    os.rename(test.path("vmlinux"), test.path("away"))
    test.run("convert", "t.kct", "-o", "copy.kct")
    assert test.run("decode", "copy.kct").replace("copy.kct", "") == expected
    embed(test, "=pcs", "copy.kct", out="small.kct")
    assert test.run("decode", "small.kct").replace("small.kct", "") == expected


def test_image_wins(test):
    """With -k the symbols in the file are not used."""
    embed(test, "", "-l", "linux-pc", "-k", "vmlinux", "trace")
    shutil.copyfile(test.path("vmlinux"), test.path("changed"))
    data = test.path("changed").read_bytes()
    test.path("changed").write_bytes(data.replace(b"vfs_read\0", b"vfs_reaX\0"))
    assert "vfs_reaX" in test.run("decode", "-k", "changed", "t.kct")
    assert "vfs_reaX" not in test.run("decode", "t.kct")


def test_usage(test):
    run = test.run
    run("convert", "--embed-symbols", "-l", "linux-pc", "trace", "-o", "t.kct", status=1,
        note="give -k")
    run("convert", "--embed-symbols=lines", "trace", "-o", "t.kct", status=2,
        note="functions or pcs")
    run("convert", "--embed-symbols", "--to", "raw", "trace", "-k", "vmlinux", "-o", "t", status=2,
        note=".kct")
    run("convert", "-k", "vmlinux", "trace", "-o", "t.kct", status=2, note="--embed-symbols")


def test_damaged(test):
    """Symbols that are no symbol file, or a cut one, with right sums: said, and the trace is read."""
    embed(test, "", "-l", "linux-pc", "-k", "vmlinux", "trace")
    test.run("decode", "t.kct")
    words = " ".join(hex(word) for word in [len(ADDRESSES)] + ADDRESSES)
    for value in ("00", "89" + b"KSY\r\n\x1a\n".hex(), "28b52ffd00", "28b52ffd2401000001"):
        test.path("bad.kct").write_bytes(kct.encode(
            [f"bytes symbols/vmlinux {value}", f"segment : {words}"],
            "<" if sys.byteorder == "little" else ">"))
        out = test.run("decode", "bad.kct", status=1, note="symbols of vmlinux")
        assert out.count(" pc ") == len(ADDRESSES)


def test_bomb(test):
    """A few packed bytes that unpack to 64 MiB are not unpacked; the trace is read."""
    if not shutil.which("zstd"):
        return
    embed(test, "=pcs", "-l", "linux-pc", "-k", "vmlinux", "trace")
    head = next(value for value in metadata(test.path("t.kct").read_bytes(), b"symbols/vmlinux"))
    if head.startswith(ZSTD):
        head = subprocess.run(["zstd", "-dc"], input=head, capture_output=True, check=True).stdout
    for name, zeros, status, note in (("as it is", 0, 0, None), ("a bomb", 64 << 20, 1,
                                      "bytes unpack to more than")):
        packed = subprocess.run(["zstd", "-19", "-c"], input=head + bytes(zeros),
                                capture_output=True, check=True).stdout
        test.path("bomb.kct").write_bytes(kct.encode(
            [f"bytes symbols/vmlinux {packed.hex()}", f"segment : 1 {hex(ADDRESSES[0])}"]))
        out = test.run("decode", "bomb.kct", status=status, note=note)
        assert out.count(" pc ") == 1, name


def test_no_code(test):
    """Where coverage points are can only be seen in code."""
    embed(test, "", "-l", "linux-pc", "-k", "vmlinux", "trace")
    test.run("cover", "-k", "t.kct", "t.kct", status=1, note="symbols without code")


def test_real(test):
    """The traces of a real kernel, with a module and with variables; as small as was promised."""
    traces = kept_symbols.real_traces()
    if not traces:
        return
    kernel = ("-k", str(traces / "vmlinux"))
    module = ("--module", f"loop={traces}/loop.ko", "--module-sections",
              str(traces / "module-sections"))
    compare(test, traces / "file.ext", *kernel)
    compare(test, traces / "loop.ext", *kernel, *module)
    compare(test, traces / "sleep.mem", *kernel)
    embed(test, "", *kernel, traces / "file.ext")
    assert test.path("t.kct").stat().st_size < 300000


def main():
    kept_symbols.main(sys.modules[__name__], sys.argv[1])


if __name__ == "__main__":
    main()
