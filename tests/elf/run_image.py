#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Build images of one kind and check what `kcovtrace symbolize` says of them: modules of other
machines, packed sections, debug information in other files.

Expected functions and lines come from the sources (`LINE:name`, see run_case.py), addresses from
symbols that the sources define. Exit status 77: skipped."""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys

import run_case
from run_case import check, equal, frame, markers, need, run, skip, source

TEXT = 0xFFFFFFFFC0000000
CHAIN = ["innermost", "middle", "outermost", "machine"]
options = None


def path_of(name):
    return os.path.join(options.work, name)


def write(name, data):
    os.makedirs(os.path.dirname(path_of(name)), exist_ok=True)
    with open(path_of(name), "wb") as file:
        file.write(data)
    return path_of(name)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compile_chain(name, *arguments, compiler="gcc"):
    """chain.c, as an executable or with -c as an object file."""
    run(compiler, "-g", "-O2", *arguments, source("chain.c"), "-o", path_of(name),
        cwd=options.work)
    return path_of(name)


def program(*names):
    """The first of these that is installed, or None."""
    return next((name for name in names if shutil.which(name)), None)


def symbolize(*arguments, addresses, environment=None):
    """(answers as objects, what was said)"""
    process = subprocess.run(
        [options.kcovtrace, "symbolize", "--pc-kind=call", "-f", "json", *arguments,
         *map(hex, addresses)], capture_output=True, text=True, cwd=options.work, timeout=120,
        env={**os.environ, **(environment or {})})
    check(process.returncode in (0, 1) and "Sanitizer" not in process.stderr, process.stderr)
    return [json.loads(line) for line in process.stdout.splitlines()], process.stderr


def frames(answer):
    return [(f.get("func", "??"), os.path.basename(f.get("file", "??")), f.get("line", 0))
            for f in answer["frames"]]


def expected():
    lines = markers("chain.c", "chain.h")
    return [frame(name, lines) for name in CHAIN], [frame("in_header", lines)]


def sections_of(name, module="mod", text=TEXT):
    return write(name, f"{module} .text {text:x}\n".encode())


def check_linked(path, what, *arguments, known=None, environment=None):
    """An executable has all names, lines and inlines."""
    known = known or run_case.symbols(path)
    inner, header = expected()
    answers, said = symbolize("-k", path, *arguments, environment=environment,
                              addresses=[known["probe_inner"][0], known["probe_header"][0]])
    equal([frames(answer) for answer in answers], [inner, header], f"{what}: frames\n{said}")
    return said


def check_module(path, what, *arguments, known=None, text=TEXT):
    """The same of a module at an address."""
    known = known or run_case.symbols(path)
    inner, header = expected()
    answers, said = symbolize(
        "--module", f"mod={path}", "--module-sections", sections_of("sections", text=text),
        *arguments, addresses=[text + known["probe_inner"][0], text + known["probe_header"][0]])
    equal([frames(answer) for answer in answers], [inner, header], f"{what}: frames\n{said}")
    check("reloc" not in said, f"{what}: {said}")
    return said


# Triple, where a module may lie, more options.
TARGETS = [
    ("x86_64-linux-gnu", TEXT, []), ("aarch64-linux-gnu", TEXT, []),
    ("riscv64-linux-gnu", TEXT, []), ("riscv64-linux-gnu", TEXT, ["-mno-relax"]),
    ("s390x-linux-gnu", 0x3FF80000000, []), ("powerpc64-linux-gnu", TEXT, []),
    ("powerpc64le-linux-gnu", TEXT, []), ("mips64el-linux-gnu", TEXT, []),
    ("mips64-linux-gnu", TEXT, []), ("i386-linux-gnu", 0xF8000000, []),
    ("armv7-linux-gnueabi", 0xBF000000, []), ("loongarch64-linux-gnu", TEXT, []),
]


def targets():
    """Modules of all machines: byte orders, word sizes, RELA and REL, differences of RISC-V."""
    compilers = [c for c in ("clang", "clang-19") if shutil.which(c)]
    if not compilers:
        skip("clang is not installed")
    built = 0
    for compiler in compilers:
        for triple, text, more in TARGETS:
            for dwarf in "45":
                try:
                    path = compile_chain("target.o", f"--target={triple}", f"-gdwarf-{dwarf}",
                                         "-ffreestanding", "-c", *more, compiler=compiler)
                except subprocess.CalledProcessError:
                    print(f"{compiler} does not know {triple} {more}")
                    continue
                built += 1
                check_module(path, f"{compiler} {triple} {more} DWARF {dwarf}", text=text)
    check(built >= 10, f"only {built} were built")


def uleb():
    """Numbers in ULEB128 that RISC-V sets and subtracts from, as newer assemblers write them."""
    if not shutil.which("clang-19"):
        skip("clang-19 is not installed")
    path = compile_chain("uleb.o", "--target=riscv64-linux-gnu", "-ffreestanding", "-c",
                         "-gdwarf-5", "-mrelax", compiler="clang-19")
    readelf = program("llvm-readelf-19", "llvm-readelf")
    if not readelf or "ULEB128" not in run(readelf, "-r", path).stdout:
        skip("clang-19 writes no such relocations here")
    check_module(path, "ULEB128")


def big():
    """Linked images in big-endian order."""
    linker = program("ld.lld-19", "ld.lld")
    compiler = program("clang-19", "clang")
    if not linker or not compiler:
        skip("clang and lld are not installed")
    done = 0
    for triple in ("powerpc64-linux-gnu", "s390x-linux-gnu"):
        unit = compile_chain("big.o", f"--target={triple}", "-ffreestanding", "-c",
                             compiler=compiler)
        try:
            run(linker, "-e", "main", unit, "-o", path_of("big"))
        except subprocess.CalledProcessError:
            print(f"{linker} does not know {triple}")
            continue
        done += 1
        check_linked(path_of("big"), triple)
    check(done, "nothing was linked")


def compressed():
    """Packed sections, linked and in a module, where relocations count in what is unpacked."""
    objcopy = program("llvm-objcopy-19", "llvm-objcopy")
    kinds = [("gcc", "zlib"), ("gcc", "zlib-gnu")]
    for compiler, kind in kinds:
        for dwarf in "45":
            what = f"{kind} DWARF {dwarf}"
            path = compile_chain("packed", f"-gz={kind}", f"-gdwarf-{dwarf}")
            check(("zdebug" in run("readelf", "-SW", path).stdout) == (kind == "zlib-gnu"), what)
            check_linked(path, what)
            path = compile_chain("packed.o", "-c", f"-gz={kind}", f"-gdwarf-{dwarf}")
            check_module(path, f"{what} module")
    if not objcopy:
        skip("zlib is fine; llvm-objcopy is not installed to pack with zstd")
    for name, more in (("zstd", []), ("zstd.o", ["-c"])):
        path = compile_chain(name, *more)
        try:
            run(objcopy, "--compress-debug-sections=zstd", path)
        except subprocess.CalledProcessError:
            skip(f"zlib is fine; {objcopy} cannot pack with zstd")
        (check_module if more else check_linked)(path, "zstd")
    # A byte of the packed data is wrong: a message, and symbols are left.
    data = bytearray(read(path_of("zstd")))
    at = data.index(b"\x28\xb5\x2f\xfd")
    data[at + 8] ^= 0xFF
    data[at + 9] ^= 0xFF
    (answer,), said = symbolize("-k", write("damaged", bytes(data)),
                                addresses=[run_case.symbols(path_of("zstd"))["machine"][0]])
    equal(answer.get("func"), "machine", "symbols")


def build_id(path):
    for line in run("readelf", "-n", path).stdout.splitlines():
        if "Build ID:" in line:
            return line.split()[-1]
    return None


def strip_to(name, path, debug=None, link=None):
    """A copy without debug information; `debug` gets that, `link` is the name it is linked by."""
    if debug:
        os.makedirs(os.path.dirname(debug), exist_ok=True)
        run("objcopy", "--only-keep-debug", path, debug)
    shutil.copy(path, path_of(name))
    run("strip", "--strip-debug", path_of(name))
    if link:
        run("objcopy", f"--add-gnu-debuglink={link}", path_of(name))
    return path_of(name)


def fresh(name):
    """An empty directory."""
    shutil.rmtree(path_of(name), ignore_errors=True)
    os.makedirs(path_of(name))
    return path_of(name)


def separate():
    """Where a debug file may be, and that a wrong one is not taken."""
    whole = compile_chain("whole", "-Wl,--build-id=0xabcdef0123")
    other = compile_chain("other", "-Wl,--build-id=0xabcdef9999")
    nameless = compile_chain("nameless", "-Wl,--build-id=none")
    known = run_case.symbols(whole)
    root = fresh("root")
    places = {
        "by build ID": (f"{root}/.build-id/ab/cdef0123.debug", None),
        "beside": ("a/whole.debug", None), "below": ("a/.debug/whole.debug", None),
        "same name": (root + path_of("a") + "/whole", None),
        "linked": ("a/x.dbg", "x.dbg"), "linked below": ("a/.debug/x.dbg", "x.dbg"),
        "linked in a root": (root + path_of("a") + "/x.dbg", "x.dbg"),
    }
    for what, (debug, link) in places.items():
        fresh("root")
        fresh("a")
        debug = path_of(debug)
        # objcopy wants to see the file that it links.
        image = strip_to("a/whole", whole, debug, link and debug)
        said = check_linked(image, what, "--debug-dir", root, known=known)
        check(f"debug information from {debug}" in said, f"{what}: {said}")
        for packer, suffix in (("gzip", ".gz"), ("xz", ".xz"), ("zstd", ".zst")):
            if shutil.which(packer) and what == "beside":
                run(packer, "-kf", image)
                check_linked(image + suffix, suffix, known=known)
    fresh("root")
    fresh("a")
    image = strip_to("a/whole", whole, path_of("a/x.dbg"), path_of("a/x.dbg"))
    run("objcopy", "--only-keep-debug", other, path_of("a/x.dbg"))
    (answer,), said = symbolize("-k", image, addresses=[known["machine"][0]])
    check("has another build ID" in said and answer["func"] == "machine" and
          "file" not in answer["frames"][0], f"another build ID: {said}")
    # Without build IDs the checksum tells.
    known = run_case.symbols(nameless)
    image = strip_to("a/nameless", nameless, path_of("a/n.dbg"), path_of("a/n.dbg"))
    check_linked(image, "checksum", known=known)
    write("a/n.dbg", read(path_of("a/n.dbg")) + b"\0")
    _, said = symbolize("-k", image, addresses=[known["machine"][0]])
    check("another checksum" in said, f"wrong checksum: {said}")


def modules():
    """Stripped modules with the debug file beside them; packed ones; a directory of both."""
    whole = compile_chain("my-mod.ko", "-c", "-Wa,--noexecstack")
    run("objcopy", "--add-section", f".note.gnu.build-id={write('id', id_note())}",
        "--set-section-flags", ".note.gnu.build-id=alloc,readonly", whole)
    known = run_case.symbols(whole)
    fresh("mods")
    image = strip_to("mods/my-mod.ko", whole, path_of("mods/my-mod.ko.debug"))
    said = check_module(image, "stripped", known=known)
    check("my-mod.ko.debug" in said, said)
    run("strip", "--strip-all", "--keep-symbol=machine", image)
    inner, _ = expected()
    for packer, suffix in (("gzip", ".gz"), ("xz", ".xz"), ("zstd", ".zst")):
        if not shutil.which(packer):
            continue
        fresh("packed/kernel/drivers")
        shutil.copy(whole, path_of("packed/kernel/drivers/my-mod.ko"))
        run(packer, "-q", path_of("packed/kernel/drivers/my-mod.ko"))
        if os.path.exists(path_of("packed/kernel/drivers/my-mod.ko")):
            os.remove(path_of("packed/kernel/drivers/my-mod.ko"))
        (answer,), said = symbolize(
            "-m", path_of("packed"), "--module-sections", sections_of("sections", "my_mod"),
            addresses=[TEXT + known["probe_inner"][0]])
        equal((frames(answer), answer["module"]), (inner, "my_mod"), f"{suffix}: {said}")
        check(os.path.exists(path_of(f"packed/kernel/drivers/my-mod.ko{suffix}")), suffix)
    # By /proc/modules: .text is the first code section, and the answer is marked.
    proc = write("proc", f"my_mod 16384 0 - Live {TEXT:#x} (O)\n".encode())
    (answer,), said = symbolize("--module", f"my_mod={whole}", "--proc-modules", proc,
                                addresses=[TEXT + known["probe_inner"][0]])
    equal((frames(answer), answer.get("approximate")), (inner, True), f"/proc/modules: {said}")
    check("approximate" in said, said)


def id_note():
    return (4).to_bytes(4, "little") + (4).to_bytes(4, "little") + (3).to_bytes(4, "little") + \
        b"GNU\0" + b"\x11\x22\x33\x44"


def minidebug():
    """Symbols that are packed in .gnu_debugdata alone."""
    need("xz")
    whole = compile_chain("mini", "-Wl,--build-id=0x010203")
    known = run_case.symbols(whole)
    packed = path_of("symbols")
    run("objcopy", "-S", "--remove-section", ".comment", "--keep-symbol=machine",
        "--keep-symbol=in_header", whole, packed)
    run("objcopy", "--only-keep-debug", packed)
    run("xz", "-f", packed)
    run("strip", "--strip-all", whole)
    (before,), _ = symbolize("-k", whole, addresses=[known["machine"][0]])
    check("func" not in before, f"nothing was meant to be known: {before}")
    run("objcopy", "--add-section", f".gnu_debugdata={packed}.xz", whole)
    answers, said = symbolize("-k", whole, addresses=[known["machine"][0],
                                                      known["in_header"][0]])
    equal([answer.get("func") for answer in answers], ["machine", "in_header"], said)


def dwz():
    """The common file of dwz: beside, by build ID, missing, wrong."""
    need("dwz")
    fresh("dwz/bin")
    root = fresh("root")
    first, second = (compile_chain(f"dwz/bin/{name}") for name in "ab")
    known = run_case.symbols(first)
    common = path_of("dwz/common.debug")
    run("dwz", "-m", common, "-M", "../common.debug", first, second)
    for path in (first, second):
        check_linked(path, "common file")
    inner, _ = expected()
    identity = build_id(common)
    os.makedirs(f"{root}/.build-id/{identity[:2]}")
    by_id = f"{root}/.build-id/{identity[:2]}/{identity[2:]}.debug"
    shutil.move(common, by_id)
    check_linked(first, "common file by build ID", "--debug-dir", root)
    (answer,), said = symbolize("-k", first, addresses=[known["probe_inner"][0]])
    equal(frames(answer)[0][1:], inner[0][1:], "lines without the common file")
    equal(answer["func"], "machine", "function without the common file")
    equal(said.count("the common file of dwz"), 1, said)
    data = bytearray(read(by_id))
    data[data.index(bytes.fromhex(identity))] ^= 1
    write("dwz/common.debug", bytes(data))
    (answer,), said = symbolize("-k", first, addresses=[known["probe_inner"][0]])
    check("../common.debug, the common file of dwz, is not there" in said, f"wrong one: {said}")


FAKE = """
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
void *debuginfod_begin(void) { return malloc(1); }
void debuginfod_end(void *client) { free(client); }
int debuginfod_find_debuginfo(void *client, const unsigned char *id, int n, char **path)
{
	const char *file = getenv("FAKE_DEBUG_FILE");
	if (!file || n != 4 || memcmp(id, "\\x0a\\x0b\\x0c\\x0d", 4) != 0)
		return -2;
	int fd = open(file, O_RDONLY);
	if (fd < 0)
		return -2;
	*path = strdup(file);
	return fd;
}
"""


def debuginfod():
    """Servers are asked when the user wants it, through a library that stands for the real one."""
    need("gcc")
    fresh("fake")
    run("gcc", "-shared", "-fPIC", write("fake/fake.c", FAKE.encode()), "-o",
        path_of("fake/libdebuginfod.so.1"))
    whole = compile_chain("served", "-Wl,--build-id=0x0a0b0c0d")
    known = run_case.symbols(whole)
    image = strip_to("image", whole, path_of("fake/of-server"))
    environment = {"LD_LIBRARY_PATH": path_of("fake"),
                   "FAKE_DEBUG_FILE": path_of("fake/of-server")}
    check_linked(image, "server", "--debuginfod", known=known, environment=environment)
    _, said = symbolize("-k", image, addresses=[known["machine"][0]], environment=environment)
    check("of-server" not in said, f"nobody asked for servers: {said}")
    environment["FAKE_DEBUG_FILE"] = whole + "-not-there"
    _, said = symbolize("-k", image, "--debuginfod", addresses=[known["machine"][0]],
                        environment=environment)
    check("debuginfod: No such file" in said, f"a server without it: {said}")


def split():
    """A .dwp file is named; the lines of the skeletons are left."""
    dwp = program("dwp", "llvm-dwp-19", "llvm-dwp")
    if not dwp:
        skip("there is no dwp")
    fresh("dwp")
    unit = path_of("dwp/chain.o")
    run("gcc", "-g", "-O2", "-gsplit-dwarf", "-c", source("chain.c"), "-o", unit,
        cwd=path_of("dwp"))
    image = path_of("dwp/image")
    run("gcc", unit, "-o", image)
    known = run_case.symbols(image)
    check_linked(image, "with .dwo")
    run(dwp, path_of("dwp/chain.dwo"), "-o", image + ".dwp")
    os.remove(path_of("dwp/chain.dwo"))
    (answer,), said = symbolize("-k", image, addresses=[known["probe_inner"][0]])
    equal(frames(answer)[0][1:], expected()[0][0][1:], "line")
    check("image.dwp" in said, f"the .dwp is not named: {said}")


def child_seconds():
    """Processor time of all programs that ran so far: others may use the machine, too."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cut():
    """Stripped, cut off and foreign images: one message that names the cause, and symbols."""
    whole = compile_chain("whole2")
    known = run_case.symbols(whole)["machine"][0]
    data = bytearray(read(whole))
    for section in run("readelf", "-SW", whole).stdout.splitlines():
        if " .debug_info " in section:
            offset = int(section.split("PROGBITS")[1].split()[1], 16)
    (answer,), said = symbolize("-k", write("cut", bytes(data[:offset + 20])), addresses=[known])
    check("cut off" in said, f"cut: {said}")
    start = child_seconds()
    for at in range(0, len(data), max(1, len(data) // 50)):
        symbolize("-k", write("cut", bytes(data[:at])), addresses=[known])
    check(child_seconds() - start < 60, "cut images take too long")


CASES = {case.__name__: case for case in (targets, uleb, big, compressed, separate, modules,
                                          minidebug, dwz, debuginfod, split, cut)}


def main():
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("--kcovtrace", required=True)
    parser.add_argument("--work", required=True, help="directory for what is built")
    parser.add_argument("case", choices=sorted(CASES))
    options = parser.parse_args()
    need("gcc")
    options.work = os.path.realpath(options.work)
    os.makedirs(options.work, exist_ok=True)
    try:
        CASES[options.case]()
    except subprocess.CalledProcessError as error:
        sys.exit(f"FAILED: {' '.join(error.cmd)}\n{error.stderr}")


if __name__ == "__main__":
    main()
