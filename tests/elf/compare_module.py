#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare `kcovtrace symbolize` on a kernel module, whose sections get made-up addresses, with
llvm-symbolizer on a copy that ld linked to the same addresses, and with addr2line section by section.

usage: compare_module.py KCOVTRACE LLVM_SYMBOLIZER MODULE.ko [EVERY]

Every EVERYth byte of all code sections is asked of llvm-symbolizer, and of those every 40th of
addr2line. Names are compared without clone suffixes. What may differ from llvm-symbolizer is named by
the rules of compare_symbolizer.py and counted, at most 1 %. addr2line answers from the symbol table
where there is no line, and misses inline frames: its innermost line is compared, where both know one.
"""

import os
import subprocess
import sys
import tempfile

from compare_symbolizer import Functions, compare, timed
from peer import Image, answers

SHF_EXECINSTR = 4
BASE = 0xFFFFFFFFC0200000
STEP = 0x400000


def code_sections(image):
    """[(name, size, address)]: far from each other, as the loader may put them."""
    found = [(name, header[5]) for name, header in image.sections.items()
             if header[2] & SHF_EXECINSTR and header[5]]
    return [(name, size, BASE + n * STEP + 0x40) for n, (name, size) in enumerate(found)]


def link(path, sections, output):
    """What a linker makes of the relocations is what ours must come to. Symbols of the kernel are
    missing, which matters to code alone."""
    script = output + ".ld"
    with open(script, "w", encoding="ascii") as file:
        file.write("SECTIONS {\n")
        for name, _, address in sections:
            file.write(f"  . = {address:#x};\n  {name} : SUBALIGN(1) {{ *({name}) }}\n")
        file.write("}\n")
    subprocess.run(["ld", "-T", script, "-e", "0", "--noinhibit-exec", "--no-warnings",
                    "--unresolved-symbols=ignore-all", "-o", output, path],
                   stderr=subprocess.DEVNULL, check=False)


def inner_lines(answer):
    """The place of the innermost frame, None if it is not known."""
    place = answer[1][0][1]
    return None if place.startswith("??") or place.endswith(":0") else place


def compare_addr2line(path, sections, addresses, ours):
    """(compared, other files, differences): section by section, with offsets as binutils want
    them. addr2line puts some lines of headers into the unit's own file."""
    compared, other_file, different = 0, 0, []
    for name, size, base in sections:
        mine = [(a - base, o) for a, o in zip(addresses, ours) if base <= a < base + size][::40]
        text = "".join(f"{offset:#x}\n" for offset, _ in mine)
        done = subprocess.run(["addr2line", "-a", "-f", "-i", "-j", name, "-e", path], input=text,
                              stdout=subprocess.PIPE, text=True, check=False)
        for (offset, our), their in zip(mine, answers(done.stdout)):
            places = inner_lines(our), inner_lines(their)
            if None in places:
                continue
            compared += 1
            if places[0] != places[1] and places[0].split(":")[-1] == places[1].split(":")[-1]:
                other_file += 1
            elif places[0] != places[1]:
                different.append(f"{name}+{offset:#x}\n  ours {our[1]}\n  addr2line {their[1]}")
    return compared, other_file, different


def main(kcovtrace, llvm_symbolizer, path, every="16"):
    sections = code_sections(Image(path))
    addresses = [base + at for _, size, base in sections for at in range(0, size, int(every))]
    text = "".join(f"{address:#x}\n" for address in addresses)
    with tempfile.TemporaryDirectory() as work:
        places = os.path.join(work, "sections")
        linked = os.path.join(work, "linked")
        with open(places, "w", encoding="ascii") as file:
            file.writelines(f"m {name} {base:x}\n" for name, _, base in sections)
        link(path, sections, linked)
        functions = Functions(Image(linked))
        ours, our_time = timed([kcovtrace, "symbolize", "-f", "addr2line", "--pc-kind=call",
                                "--module", f"m={path}", "--module-sections", places], text)
        theirs, their_time = timed([llvm_symbolizer, "-a", "-f", "-i", "--output-style=GNU", "-e",
                                    linked], text)
        if not addresses or not len(addresses) == len(ours) == len(theirs):
            sys.exit(f"{len(addresses)} addresses, {len(ours)} and {len(theirs)} answers")
        agree, accepted, rest = compare(functions, addresses, ours, theirs)
    compared, other_file, different = compare_addr2line(path, sections, addresses, ours)
    print(f"{os.path.basename(path)}: {len(sections)} code sections, {len(addresses)} addresses: "
          f"{agree} agree ({100 * agree / len(addresses):.3f} %), {our_time:.2f} s, "
          f"llvm-symbolizer on the linked copy {their_time:.2f} s")
    for rule, count in accepted.items():
        print(f"{count} differ by {rule}")
    for difference in rest[:10]:
        print(difference)
    print(f"addr2line: {compared} lines compared, {other_file} with the same line of another file, "
          f"{len(different)} differ")
    for difference in different[:5]:
        print(difference)
    wrong = len(rest) > 0.001 * len(addresses) or agree < 0.99 * len(addresses)
    return 1 if wrong or different or other_file > 0.05 * compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
