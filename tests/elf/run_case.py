#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Build one fixture with one compiler and check what the DWARF tables say about it.

Expected functions and lines come from the sources: a comment `LINE:name` marks the line that a
frame must show. Addresses come from symbols that the sources define. Exit status 77: skipped.
"""

import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sources")
SKIPPED = 77
options = None


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def need(program):
    if not shutil.which(program):
        skip(f"{program} is not installed")


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def equal(actual, expected, what):
    check(actual == expected, f"{what}:\n  is       {actual}\n  expected {expected}")


def run(*command, **arguments):
    return subprocess.run(command, check=True, capture_output=True, text=True, **arguments)


def source(name):
    return os.path.join(SOURCES, name)


def build(output, *arguments, sources, compiler=None):
    output = os.path.join(options.work, output)
    sources = [s if s.startswith("/") else source(s) for s in sources]
    run(compiler or options.compiler, f"-gdwarf-{options.dwarf}", options.optimize, *arguments,
        *sources, "-o", output, cwd=options.work)
    return output


def markers(*names):
    """{marker: (file name, line)} of the sources."""
    found = {}
    for name in names:
        with open(source(name), encoding="ascii") as text:
            for number, line in enumerate(text, 1):
                for marker in re.findall(r"LINE:(\w+)", line):
                    found[marker] = (name, number)
    return found


def symbols(path):
    """{symbol: (address, size)}"""
    found = {}
    for line in run("nm", "-S", path).stdout.splitlines():
        fields = line.split()
        if len(fields) >= 3:
            size = int(fields[1], 16) if len(fields) == 4 else 0
            found[fields[-1]] = (int(fields[0], 16), size)
    return found


class Hit:
    """What elf_lookup -v says of one address; frames are (function, file name, line)."""

    def __init__(self, header):
        fields = header.split()
        self.has_function = fields[1] == "function"
        self.has_line = fields[2] == "line"
        self.start, self.end = (int(x, 16) for x in fields[3].split("-"))
        self.entry = int(fields[4], 16)
        self.identity = int(fields[5])
        self.frames = []
        self.paths = []

    def add(self, function, place):
        path, line = place.rsplit(":", 1)
        self.frames.append((function, os.path.basename(path), int(line)))
        self.paths.append(path)


def look_up(path, *addresses, errors=None):
    process = run(options.lookup, "-v", path, input="\n".join(map(hex, addresses)) + "\n")
    if errors is not None:
        errors.append(process.stderr)
    hits = []
    lines = iter(process.stdout.splitlines())
    for line in lines:
        if line.startswith("0x"):
            hits.append(Hit(line))
        else:
            hits[-1].add(line, next(lines))
    equal(len(hits), len(addresses), "number of answers")
    return hits


def look_up_symbols(path, *names):
    known = symbols(path)
    return look_up(path, *(known[name][0] for name in names))


def frame(name, lines, function=None):
    return (function or name, *lines[name])


def chain():
    """Three inlined functions, a function of a header: the same answers from every compiler."""
    lines = markers("chain.c", "chain.h")
    inner, header = look_up_symbols(build("chain", sources=["chain.c"]), "probe_inner",
                                    "probe_header")
    names = ["innermost", "middle", "outermost", "machine"]
    equal(inner.frames, [frame(name, lines) for name in names], "inline chain")
    equal(header.frames, [frame("in_header", lines)], "function of a header")
    check(header.paths[0].endswith("sources/chain.h"), f"path of a header: {header.paths[0]}")
    check(inner.has_function and inner.has_line and inner.identity != header.identity, "flags")


def tail():
    """The byte before the return address belongs to the caller, not to what follows it."""
    # Without alignment and in the order of the source.
    dense = ["-Os"]
    if options.compiler != "clang":
        dense += ["-falign-functions=1", "-fno-toplevel-reorder", "-fno-reorder-functions"]
    path = build("tail", *dense, sources=["tail.c"])
    known = symbols(path)
    address, size = known["ends_with_call"]
    return_address = known["next_function"][0]
    equal(address + size, return_address, "the functions were meant to be adjacent; end")
    before, at = look_up(path, return_address - 1, return_address)
    equal(before.frames, [frame("call", markers("tail.c"), "ends_with_call")], "byte before")
    equal(at.frames[0][0], "next_function", "the return address itself")


def split():
    """A cold part below the hot one is the same function; it is entered at the hot part."""
    path = build("split", sources=["split.c"])
    lines = markers("split.c")
    hot, cold = look_up_symbols(path, "probe_hot", "probe_cold")
    equal(hot.frames, [frame("hot", lines, "in_two_parts")], "hot part")
    equal(cold.frames, [frame("cold", lines, "in_two_parts")], "cold part")
    equal(cold.identity, hot.identity, "identity of both parts")
    entry = symbols(path)["in_two_parts"][0]
    equal((hot.entry, cold.entry, hot.start), (entry, entry, entry), "entry")
    check(cold.end <= hot.start, "the cold part was meant to be below the hot one")


def mixed():
    """Units are found without .debug_aranges, or with aranges that know only some of them."""
    need("gcc")
    assembled = build("mixed_asm.o", "-c", sources=["mixed_asm.S"], compiler="gcc")
    path = build("mixed", sources=["mixed.c", assembled])
    lines = markers("mixed.c", "mixed_asm.S")
    in_c, assembly = look_up_symbols(path, "probe_c", "probe_assembly")
    equal(in_c.frames, [frame("in_c", lines)], "C")
    equal(assembly.frames[0][1:], lines["in_assembly"], "assembly")
    check(assembly.has_line, "the assembly has lines")


def sections():
    """What the linker dropped is nowhere, neither at 0 nor in the place of something else."""
    linkers = ["bfd"] + (["lld"] if shutil.which("ld.lld") else [])
    for linker in linkers:
        path = build("sections", "-ffunction-sections", f"-fuse-ld={linker}", "-Wl,--gc-sections",
                     sources=["sections.c"])
        known = symbols(path)
        check("dropped" not in known, "the linker was meant to drop a function")
        hits = look_up(path, known["probe_kept"][0], 0, 1, 5, 2**64 - 1, 2**64 - 2)
        equal(hits[0].frames, [frame("kept", markers("sections.c"))], "kept function")
        for hit in hits[1:]:
            equal(hit.frames, [("??", "??", 0)], f"an address of no section ({linker})")


def lto():
    """A function inlined from another unit: its name is behind a reference between units."""
    path = build("lto", "-flto", sources=["lto_a.c", "lto_b.c"])
    lines = markers("lto_a.c", "lto_b.c")
    (hit,) = look_up_symbols(path, "probe_lto")
    names = ["from_other_unit", "inlines_other_unit"]
    equal(hit.frames, [frame(name, lines) for name in names], "frames")


def nested():
    """Code in a namespace and a class has its linkage name."""
    path = build("nested", "-x", "c++", "-fno-exceptions", "-nodefaultlibs", "-lc",
                 sources=["nested.cc"])
    lines = markers("nested.cc")
    method, plain = look_up_symbols(path, "probe_method", "probe_plain")
    equal(method.frames, [frame("method", lines, "_ZN5space5Thing6methodEi")], "in a class")
    equal(plain.frames, [frame("plain", lines, "_ZN5space5plainEi")], "in a namespace")


def dwo():
    """Functions in a .dwo file; without it lines are left, and the file is counted."""
    for name in os.listdir(options.work):
        if name.endswith(".dwo"):
            os.remove(os.path.join(options.work, name))
    unit = build("dwo.o", "-gsplit-dwarf", "-c", sources=["chain.c"])
    path = build("dwo", sources=[unit])
    lines = markers("chain.c", "chain.h")
    names = ["innermost", "middle", "outermost", "machine"]
    hit, header = look_up_symbols(path, "probe_inner", "probe_header")
    equal(hit.frames, [frame(name, lines) for name in names], "with the .dwo file")
    check(hit.identity != header.identity, "identity")
    for name in os.listdir(options.work):
        if name.endswith(".dwo"):
            os.remove(os.path.join(options.work, name))
    errors = []
    (hit,) = look_up(path, symbols(path)["probe_inner"][0], errors=errors)
    equal(hit.frames[0], ("??", *lines["innermost"]), "without it")
    check("missing split units: 1" in errors[0], f"count of missing files: {errors[0]!r}")


def dwz():
    """Names that dwz moved to another unit or file are found."""
    need("dwz")
    lines = markers("chain.c", "chain.h")
    names = ["innermost", "middle", "outermost", "machine"]
    first, second = (build(name, sources=["chain.c"]) for name in ("dwz1", "dwz2"))
    common = os.path.join(options.work, "dwz-common")
    run("dwz", "-m", common, first, second)
    for path in (first, second):
        (hit,) = look_up_symbols(path, "probe_inner")
        equal(hit.frames, [frame(name, lines) for name in names], "frames")


def odd():
    """DWARF that no compiler should write; odd.s says what is in it."""
    path = build("odd", "-nostdlib", "-static", "-Wl,-e,low", sources=["odd.s"])
    known = symbols(path)
    low, hole, high = (known[name][0] for name in ("low", "hole", "high"))

    def at(address):
        return look_up(path, address)[0]

    file = "odd.c"
    equal(at(low).frames, [("low", file, 10)], "before the inlines")
    equal(at(low).paths, ["/build/dir/odd.c"], "path")
    equal(at(low + 1).frames, [("a", file, 10), ("low", file, 21)], "in a")
    # call_file of c is missing: its line is still there.
    equal(at(low + 2).frames, [("??", file, 10), ("a", "??", 22), ("low", file, 21)], "in c")
    # Where the siblings overlap, the narrower one is taken.
    equal(at(low + 4).frames, [("a", file, 0), ("low", file, 21)], "line 0")
    equal(at(low + 5).frames, [("b", file, 0), ("low", file, 23)], "overlap")
    equal(at(low + 8).frames, [("b", file, 13), ("low", file, 23)], "last row of one address")
    equal(at(low + 12).frames, [("low", file, 14)], "behind the inlines")
    equal(at(low + 15).frames, [("low", file, 14)], "last byte of a sequence")
    for address in (hole, hole + 15):
        equal(at(address).frames, [("??", "??", 0)], "a hole has no line")
        check(not at(address).has_line and not at(address).has_function, "a hole is not known")
    equal(at(high).frames, [("??", file, 30)], "name that leads to itself")
    check(at(high).has_function and at(high).identity not in (0, at(low).identity), "identity")
    inner = known["inner"][0]
    equal(at(inner).frames, [("inner", "??", 0)], "function in an inlined block")
    check(at(inner).has_function and not at(inner).has_line, "a function without a line")
    equal(at(inner + 1).frames, [("d", "??", 0), ("inner", file, 24)], "inlined into it")
    bare, lines = known["bare"][0], known["lines"][0]
    for address in (bare, bare + 15):
        equal(at(address).frames, [("bare", "??", 0)], "unit without ranges")
    equal(at(lines).frames, [("??", "only.s", 50)], "unit of lines")
    check(at(lines).has_line and not at(lines).has_function, "a line without a function")
    equal(at(lines + 16).frames, [("??", "??", 0)], "behind the end")


def local():
    """A function inside a function is its own."""
    path = build("local", sources=["local.c"])
    lines = markers("local.c")
    inside, outside = look_up_symbols(path, "probe_local", "probe_around")
    check(inside.frames[0][0].startswith("local"), f"name: {inside.frames}")
    equal(inside.frames[0][1:], lines["local"], "inside")
    equal(outside.frames, [frame("around", lines)], "outside")
    check(inside.identity != outside.identity, "identity")


HOSTILE_HEAD = """
    .text
    .globl low
low: .fill 4096, 1, 0x90
    .section .debug_abbrev, "", @progbits
    .uleb128 1; .uleb128 0x11; .byte 1; .uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 6
    .byte 0, 0
    .uleb128 2; .uleb128 0x2e; .byte 1; .uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 6
    .byte 0, 0
    .uleb128 3; .uleb128 0x0b; .byte 1; .byte 0, 0
    .uleb128 4; .uleb128 0x1d; .byte 1; .uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 6
    .byte 0, 0
    .uleb128 5; .uleb128 0x2e; .byte 0; .uleb128 0x55; .uleb128 0x17; .byte 0, 0
    .uleb128 6; .uleb128 0x11; .byte 0; .uleb128 0x10; .uleb128 0x17; .byte 0, 0
    .byte 0
    .section .debug_info, "", @progbits
unit: .long unit_end - unit_start
unit_start: .value 4; .long 0; .byte 8
    .uleb128 1; .quad low; .long 4096
"""
HOSTILE_TAIL = """
unit_end:
    .section .note.GNU-stack, "", @progbits
"""
HOSTILE = {
    # Blocks in blocks; whoever recurses over them runs out of stack.
    "deep blocks": (".uleb128 2; .quad low; .long 4096; .fill 1000000, 1, 3; .fill 1000002, 1, 0",
                    1, None),
    # Inlines in inlines.
    "deep inlines": (".uleb128 2; .quad low; .long 4096\n .rept 60000\n .uleb128 4; .quad low;"
                     " .long 4096\n .endr\n .fill 60002, 1, 0", 1001, "nested more than"),
    # Nothing is closed.
    "open end": (".uleb128 2; .quad low; .long 4096; .fill 100000, 1, 3", 1, None),
    # 30,000 functions with the same 30,000 ranges each.
    "shared ranges": (".rept 30000\n .uleb128 5; .long 0\n .endr\n .byte 0", None,
                      "too many address ranges"),
    # 10,000 units with the same 10,000 line sequences each.
    "shared lines": (".byte 0", None, None),
}
HOSTILE_MORE = {
    "shared ranges": """
    .section .debug_ranges, "", @progbits
    .quad -1, low
    .rept 30000; .quad 1, 4000; .endr
    .quad 0, 0
""",
    "shared lines": """
    .section .debug_info, "", @progbits
    .rept 10000; .long 12; .value 4; .long 0; .byte 8; .uleb128 6; .long 0; .endr
    .section .debug_line, "", @progbits
    .long line_end - line_start
line_start: .value 2; .long 17
    .byte 1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0
    .set k, 0
    .rept 10000; .byte 0, 9, 2; .quad low + 2 * k; .byte 1, 2, 1, 0, 1, 1; .set k, k + 1; .endr
line_end:
""",
}


def hostile():
    """Made to exhaust the stack, the memory or one's patience."""
    for name, (tree, n_frames, complaint) in HOSTILE.items():
        text = HOSTILE_HEAD + tree + HOSTILE_TAIL + HOSTILE_MORE.get(name, "")
        file = os.path.join(options.work, "hostile.s")
        with open(file, "w", encoding="ascii") as output:
            output.write(text)
        path = build("hostile", "-nostdlib", "-static", "-Wl,-e,low", sources=[file])
        low = symbols(path)["low"][0]
        start = time.monotonic()
        errors = []
        hits = look_up(path, *range(low, low + 100), errors=errors)
        check(time.monotonic() - start < 20, f"{name}: takes too long")
        if n_frames:
            equal(len(hits[0].frames), n_frames, f"{name}: frames")
        check(complaint is None or complaint in errors[0], f"{name}: complaint {errors[0]!r}")


def peer_answers(text):
    """[[(function, path:line)]] of what addr2line and its likes print with -a -f -i."""
    found, function = [], None
    for line in text.splitlines():
        if function is not None:
            place = re.sub(r":\?$", ":0", line.split(" (discriminator")[0])
            function = re.sub(r"(\.(cold|isra|constprop|part)(\.\d+)?)+$", "", function)
            found[-1].append((function, place))
            function = None
        elif line.startswith("0x"):
            found.append([])
        else:
            function = line
    return found


def peers():
    """Every byte of a library: what addr2line and llvm-symbolizer say, chain by chain. They answer
    from the symbol table where there is no DWARF; that is not compared."""
    root = os.path.abspath(os.path.join(SOURCES, "..", "..", ".."))
    folder = os.path.join(root, "lib", "dwarf")
    code = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(".c")]
    if len(code) < 5:  # a library of one unit would show nothing
        sys.exit(f"FAILED: only {len(code)} sources in {folder}")
    path = build("peers", "-shared", "-fPIC", "-D_GNU_SOURCE", f"-I{root}/include",
                 f"-I{root}/lib", sources=code)
    section = re.search(r"\] \.text +PROGBITS +(\w+) \w+ (\w+)", run("readelf", "-SW", path).stdout)
    start, size = (int(field, 16) for field in section.groups())
    addresses = "".join(f"{address:#x}\n" for address in range(start, start + size))
    ours = peer_answers(run(options.lookup, path, input=addresses).stdout)
    commands = []
    # addr2line misses inlines whose ranges clang wrote in DWARF 5.
    if shutil.which("addr2line") and (options.compiler, options.dwarf) != ("clang", "5"):
        commands.append(["addr2line"])
    for name in ("llvm-symbolizer", "llvm-symbolizer-19"):
        if shutil.which(name):
            commands.append([name, "--output-style=GNU"])
            break
    if not commands:
        skip("there is no other tool to compare with")
    for command in commands:
        theirs = peer_answers(run(*command, "-a", "-f", "-i", "-e", path, input=addresses).stdout)
        equal((len(ours), len(theirs)), (size, size), "number of answers")
        compared = 0
        for address, (mine, other) in enumerate(zip(ours, theirs), start):
            if mine[-1][0] != "??":
                compared += 1
                equal(mine, other, f"{address:#x}, {command[0]}")
        check(compared > size * 0.9, f"compared only {compared} of {size} addresses")


def debug_sections(image):
    """[(offset, size)] of the .debug_* sections of a 64-bit little-endian ELF."""
    (table,) = struct.unpack_from("<Q", image, 0x28)
    count, names = struct.unpack_from("<HH", image, 0x3C)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, table + 64 * i) for i in range(count)]
    found = []
    for header in headers:
        start = headers[names][4] + header[0]
        name = bytes(image[start:image.index(0, start)])
        if name.startswith(b".debug_") and header[5]:
            found.append((name.decode(), header[4], header[5]))
    return found


def survives(path, what, addresses):
    try:
        process = subprocess.run([options.lookup, path], input=addresses, capture_output=True,
                                 text=True, timeout=60, errors="replace")
    except subprocess.TimeoutExpired:
        sys.exit(f"FAILED: {what}: hangs")
    check(process.returncode in (0, 1) and "Sanitizer" not in process.stderr and
          "runtime error" not in process.stderr,
          f"{what}: status {process.returncode}\n{process.stderr[-3000:]}")
    return process.stderr


def damaged():
    """Damaged DWARF: every answer is allowed, a crash and a hang are not."""
    path = build("damaged", sources=["chain.c"])
    with open(path, "rb") as file:
        good = file.read()
    parts = debug_sections(good)
    known = symbols(path)
    start, end = known["machine"][0] - 64, known["main"][0] + 64
    addresses = "\n".join(hex(a) for a in range(min(start, end), max(start, end)))
    for seed in range(options.rounds):
        rng = random.Random(seed)
        bad = bytearray(good)
        for _ in range(rng.choice((1, 1, 2, 5, 40))):
            _, offset, size = rng.choice(parts)
            bad[offset + rng.randrange(size)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF,
                                                            rng.randrange(256)))
        with open(path, "wb") as file:
            file.write(bad)
        survives(path, f"seed {seed}", addresses)
    for name, offset, size in parts:
        if name != ".debug_info":
            continue
        bad = bytearray(good)
        bad[offset:offset + 12] = b"\xff\xff\xff\xff" + struct.pack("<Q", 1 << 63)
        with open(path, "wb") as file:
            file.write(bad)
        check("complaint" in survives(path, "unit of 2^63 bytes", addresses), "a complaint")
    with open(path, "wb") as file:
        file.write(good)


CASES = {case.__name__: case for case in (chain, tail, split, mixed, sections, lto, nested, dwo,
                                          dwz, odd, local, hostile, peers, damaged)}


def main():
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("--lookup", required=True, help="the elf_lookup program")
    parser.add_argument("--work", required=True, help="directory for what is built")
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--dwarf", default="5")
    parser.add_argument("--optimize", default="-O2")
    parser.add_argument("--rounds", type=int, default=150, help="of the case `damaged`")
    parser.add_argument("case", choices=sorted(CASES))
    options = parser.parse_args()
    need(options.compiler)
    os.makedirs(options.work, exist_ok=True)
    try:
        CASES[options.case]()
    except subprocess.CalledProcessError as error:
        sys.exit(f"FAILED: {' '.join(error.cmd)}\n{error.stderr}")


if __name__ == "__main__":
    main()
