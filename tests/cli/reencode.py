#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""reencode.py KCOVTRACE KCT-ENCODE traces|captures: real traces in the other byte order, and those of
PCs in words of 4 bytes, say the same in every view, also through a .kct file.

`traces` are those of $KCT_FIXTURES and $KCT_TRACES, `captures` the bundled .kct files. The encoder
(tests/encoder) writes them; what it swaps is checked here once more, word by word."""
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

LAYOUTS = {"pc": "linux-pc", "cmp": "linux-cmp", "ext": "linux-ext", "mem": "linux-mem"}
VIEWS = (["decode"], ["decode", "-f", "json"], ["tree"], ["info"], ["info", "-f", "json"])


class Failure(Exception):
    pass


def run(*command, status=(0,), **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, **more)
    if done.returncode not in status:
        raise Failure(f"{command}: status {done.returncode}\n{done.stderr.decode()}")
    return done


class Tools:
    def __init__(self, program, encode):
        self.program, self.encode = Path(program).resolve(), Path(encode).resolve()

    def reencode(self, path, layout, new_layout):
        return run(self.encode, "-l", new_layout, "--from", layout, path).stdout

    def view(self, words, layout, path, name, *more):
        """What a view prints, to both streams, of a file that is always called the same. Tails of
        real areas may be odd: then the status is 1 in all layouts."""
        command = [self.program, *words, *more] + (["-l", layout] if layout else [])
        done = run(*command, name, cwd=path.parent, status=(0, 1))
        return done.stdout.decode(), done.stderr.decode(), done.returncode


def without_layout(printed):
    """Without the line or key that names the layout, and without the name there in messages."""
    text, errors, status = printed
    text = re.sub(r"^  layout .*\n", "", text, flags=re.M)
    text = re.sub(r'"layout":"[^"]*",', "", text)
    errors = re.sub(r"layout linux-\w+[\w,=-]*", "layout", errors)
    return text, errors, status


def check_swapped(path, native, swapped):
    """Each word has its bytes the other way round; in a MEMORY record word 2 is two numbers."""
    if len(native) != len(swapped):
        raise Failure(f"{path}: {len(native)} bytes became {len(swapped)}")
    words = struct.unpack(f"<{len(native) // 8}Q", native)
    others = struct.unpack(f">{len(native) // 8}Q", swapped)
    halves = 0
    for i, (word, other) in enumerate(zip(words, others)):
        if word == other:
            continue
        exchanged = word >> 32 | (word & 0xFFFFFFFF) << 32
        if other != exchanged or i < 3 or words[i - 2] >> 60 != 3:
            raise Failure(f"{path}: word {i} is {word:#x} and {other:#x}")
        halves += 1
    return halves


def same(path, words, ours, theirs, change=lambda text: text):
    ours, theirs = without_layout(ours), without_layout(theirs)
    ours = (change(ours[0]), *ours[1:])
    theirs = (change(theirs[0]), *theirs[1:])
    if ours != theirs:
        for one, other in zip(ours[0].splitlines(), theirs[0].splitlines()):
            if one != other:
                raise Failure(f"{path}: {words}:\n-{one}\n+{other}")
        raise Failure(f"{path}: {words}: {ours[1:]}\n{theirs[1:]}")


def check_byte_order(tools, path, layout, directory, views=VIEWS):
    other = f"{layout},endian=big"
    swapped = directory / "other" / path.name
    swapped.write_bytes(tools.reencode(path, layout, other))
    halves = check_swapped(path, path.read_bytes(), swapped.read_bytes())
    for words in views:
        same(path, words, tools.view(words, layout, path, path.name),
             tools.view(words, other, swapped, path.name))
    return swapped, other, halves


def check_through_kct(tools, path, native, layout, other, directory):
    """`path` in layout `other`: to .kct and back, and the views of the .kct file."""
    kct = directory / "other" / f"{path.name}.kct"
    run(tools.program, "convert", "-l", other, path, "-o", kct)
    if run(tools.program, "convert", "--to", "raw", kct).stdout != path.read_bytes():
        raise Failure(f"{path}: not the same bytes after convert ({other})")
    text, _, _ = tools.view(["decode"], None, kct, kct.name)
    if text.split("\n", 1)[1] != tools.view(["decode"], layout, native, native.name)[0]:
        raise Failure(f"{path}: not the same records from the .kct file ({other})")


def low_half(text):
    """PCs masked to 32 bits."""
    return re.sub(r"0x[0-9a-f]+\b", lambda found: hex(int(found[0], 16) & 0xFFFFFFFF), text)


def check_small_words(tools, path, directory):
    """PCs of 4 bytes, in both orders."""
    for endian in ("little", "big"):
        layout = f"linux-pc,word=4,endian={endian}"
        small = directory / "other" / path.name
        small.write_bytes(tools.reencode(path, "linux-pc", layout))
        if len(small.read_bytes()) * 2 != len(path.read_bytes()):
            raise Failure(f"{path}: not half as long with words of 4 bytes")
        for words in VIEWS:
            same(path, words, tools.view(words, "linux-pc", path, path.name),
                 tools.view(words, layout, small, path.name), low_half)
        kct = directory / "other" / f"{path.name}.kct"
        run(tools.program, "convert", "-l", layout, small, "-o", kct)
        if run(tools.program, "convert", "--to", "raw", kct).stdout != small.read_bytes():
            raise Failure(f"{path}: not the same bytes after convert ({layout})")


def check_refused(tools, path, layout):
    """The type of an EXT or MEMORY record does not fit in 4 bytes."""
    for command in ("decode", "tree", "info", "stacks", "convert"):
        done = run(tools.program, command, "-l", f"{layout},word=4", path, status=(2,))
        mode = layout.split("-")[1]
        if (f"mode {mode} needs words of 8 bytes: the record type is in the top bits of a 64-bit "
                "word") not in done.stderr.decode():
            raise Failure(f"{path}: {command}: {done.stderr.decode()}")
        if done.stdout:
            raise Failure(f"{path}: {command}: something was printed")


def check_guess(tools, path, swapped):
    """Without a word from the user the byte order is found."""
    text, errors, _ = tools.view(["info"], None, swapped, path.name)
    if "endian=big" not in "".join(layouts_of(text)) or "endian=big" not in errors:
        raise Failure(f"{path}: guessed {text}")


def layouts_of(info):
    """The layouts, as -l takes them, in what info prints."""
    return re.findall(r"^  layout +(\S+)", info, flags=re.M)


def check_symbols(tools, path, swapped, layout, other, image):
    for words in (["tree"], ["info"], ["stacks", "-f", "folded"]):
        ours = tools.view(words, layout, path, path.name, "-k", image)
        same(path, words, ours, tools.view(words, other, swapped, path.name, "-k", image))
        if "vfs_" not in ours[0] and words != ["info"]:
            raise Failure(f"{path}: no names from {image}")


def check_trace(tools, path, layout, directory):
    swapped, other, halves = check_byte_order(tools, path, layout, directory)
    if (halves > 0) != (layout == "linux-mem"):
        raise Failure(f"{path}: {halves} words are two numbers")
    check_through_kct(tools, swapped, path, layout, other, directory)
    check_guess(tools, path, swapped)
    if layout in ("linux-ext", "linux-mem"):
        check_refused(tools, path, layout)
    if layout == "linux-pc":
        check_small_words(tools, path, directory)
    return swapped, other


def traces(directory):
    """(path, layout) of each trace, unpacked."""
    packed = Path(os.environ["KCT_FIXTURES"]) / "loop.ext.zst"
    bundled = directory / "loop.ext"
    bundled.write_bytes(run("zstd", "-dcq", packed).stdout)
    yield bundled, "linux-ext"
    if "KCT_TRACES" not in os.environ:
        print("SKIP: the traces of $KCT_TRACES")
        return
    for path in sorted(Path(os.environ["KCT_TRACES"]).iterdir()):
        if path.suffix[1:] in LAYOUTS:
            yield path, LAYOUTS[path.suffix[1:]]


def check_traces(tools, directory):
    number = 0
    for path, layout in traces(directory):
        swapped, other = check_trace(tools, path, layout, directory)
        number += 1
        if path.name == "file.mem":
            check_symbols(tools, path, swapped, layout, other, path.parent / "vmlinux")
    print(f"{number} traces say the same in the other byte order")
    return number


def check_captures(tools, directory):
    """Each segment of the bundled captures, with the layout that the file says."""
    number = 0
    fixtures = Path(os.environ["KCT_FIXTURES"]).parent
    for capture in sorted(fixtures.glob("*/captures/*.kct.zst")):
        facts = run(tools.program, "info", capture, status=(0, 1)).stdout.decode()
        for segment, layout in enumerate(layouts_of(facts)):
            path = directory / f"{capture.name.split('.')[0]}.{segment}"
            raw = run(tools.program, "convert", "--to", "raw", "--segment", segment, capture)
            path.write_bytes(raw.stdout)
            check_byte_order(tools, path, layout, directory, (["decode"], ["tree"]))
            number += 1
    print(f"{number} segments say the same in the other byte order")
    return number


def main():
    tools = Tools(*sys.argv[1:3])
    check = {"traces": check_traces, "captures": check_captures}[sys.argv[3]]
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "other").mkdir()
        try:
            return 0 if check(tools, Path(directory)) > 0 else 1
        except Failure as failure:
            print(failure)
            return 1


if __name__ == "__main__":
    sys.exit(main())
