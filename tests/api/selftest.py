#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The rules themselves: each must find its offence, and let the decent line pass."""
import sys

import layers
import silent
import style

SPDX = f"/* {style.SPDX} */\n"


def body(lines):
    return SPDX + "int f(void)\n{\n" + "\tg();\n" * lines + "}\n"


# (name, what the rule says about it, number of complaints expected)
ROWS = [
    ("decode includes stack", layers.complaints("x.c", "decode", '#include "stack/frames.h"'), 1),
    ("stack includes decode", layers.complaints("x.c", "stack", '#include "decode/bits.h"'), 1),
    ("base includes record.h", layers.complaints("x.c", "base", "#include <kcovtrace/record.h>"), 1),
    ("symbol includes stack.h", layers.complaints("x.c", "symbol", "#include <kcovtrace/stack.h>"), 0),
    ("symbol includes the stack", layers.complaints("x.c", "symbol", '#include "stack/x.h"'), 1),
    ("symbol includes base", layers.complaints("x.c", "symbol", '#include "base/map.h"'), 0),
    ("the umbrella in lib", layers.complaints("x.c", "stack", "#include <kcovtrace/kcovtrace.h>"), 1),
    ("cli includes base", layers.cli_complaints("x.c", '#include "base/map.h"'), 1),
    ("cli includes its own", layers.cli_complaints("x.c", '#include "out.h"'), 0),
    ("no SPDX line", style.complaints("lib/x.c", "int a;\n"), 1),
    ("SPDX after #!", style.complaints("tests/x.sh", f"#!/bin/sh\n# {style.SPDX}\n"), 0),
    ("59 lines", style.complaints("lib/x.c", body(59)), 0),
    ("60 lines", style.complaints("lib/x.c", body(60)), 1),
    ("600 lines", style.complaints("lib/x.c", SPDX + "\n" * 599), 0),
    ("601 lines", style.complaints("lib/x.c", SPDX + "\n" * 600), 1),
    ("left to do", style.complaints("lib/x.c", SPDX + "/* TODO */\n"), 1),
    ("bare prototype", style.complaints("include/x.h", SPDX + "\nKCT_API int f(void);\n"), 1),
    ("blank at the end", style.complaints("lib/x.c", SPDX + "int a; \n"), 1),
    ("prints", silent.forbidden_calls("x.o:\n                 U printf\n"), 1),
    ("fortified print", silent.forbidden_calls("x.o:\n                 U __fprintf_chk\n"), 1),
    ("asserts", silent.forbidden_calls("x.o:\n                 U __assert_fail\n"), 1),
    ("formats", silent.forbidden_calls("x.o:\n                 U snprintf\n"), 0),
    ("a counter in .bss",
     silent.writable_data("x.o:  file\n0000000000000000 l     O .bss\t0000000000000004 n\n"), 1),
    ("a table of pointers",
     silent.writable_data("x.o:  file\n0000000000000000 l     O .data.rel.ro.local\t0008 t\n"), 0),
    ("thread-local",
     silent.writable_data("x.o:  file\n0000000000000000 l     O .tbss\t0000000000000004 n\n"), 1),
]


def main():
    status = 0
    for name, found, expected in ROWS:
        found = list(found)
        if len(found) != expected:
            print(f"row '{name}': {len(found)} complaints, expected {expected}: {found}")
            status = 1
    return status


sys.exit(main())
