#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""trace_file.py ROOT KCOVTRACE: read a .kct file that the program wrote by the tables of
docs/trace-file.md, and nothing else, and find what was put in."""
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
import kct

FIELDS = {"process": 41, "thread": 42, "syscall": 17, "result": -9, "remote": 0x100000005,
          "begin": 1001, "end": 2002, "overflow": 1, "mode": 3, "os": 0, "endian": 1,
          "word_bytes": 8, "eesum_quirk": 1, "layout_flags": 1, "entry_words": 1,
          "memory_words": 6, "bitmap_words": 0, "capacity_words": 77, "fields": 0x7F,
          "data_bytes": 24, "name_bytes": 3}
SOURCE = """
capture 0x1122334455667788
text tool test
segment mode=mem endian=big quirk=1 slid=1 entry=1 memory=6 overflow=1 capacity=77 process=41 \
 thread=42 syscall=17 args=1,2,3,4,5,6 result=-9 remote=0x100000005 begin=1001 end=2002 name=cat \
 : 2 0xffffffff81000112 0xffffffff81000152
"""


def tables(text):
    """The tables of a document with columns offset and bytes: name -> (offset, width), each."""
    found, table = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[:2] == ["offset", "bytes"]:
            table = {}
            found.append(table)
        elif not line.startswith("|"):
            table = None
        elif table is not None and cells[0].isdigit():
            table[cells[2]] = (int(cells[0]), int(cells[1] or 0))
    return found


def number(data, place):
    offset, width = place
    form = {1: "B", 2: "H", 4: "I", 8: "Q"}[width]
    return struct.unpack_from("=" + form, data, offset)[0]


def blocks(data, header, trailer):
    at = 0
    while at < len(data):
        head = data[at:at + 48]
        assert head[:8] == bytes.fromhex("894b43540d0a1a0a"), "the marker"
        assert number(head, header["order"]) == 0x0102030405060708
        assert number(head, header["version"]) == 1
        assert number(head, header["capture"]) == 0x1122334455667788
        assert number(head, header["header_sum"]) == kct.crc32c(head[:44])
        size = number(head, header["body_bytes"])
        body, tail = data[at + 48:at + 48 + size], data[at + 48 + size:at + 56 + size]
        assert number(tail, trailer["body_sum"]) == kct.crc32c(body)
        assert number(tail, trailer["header_copy"]) == number(head, header["header_sum"])
        yield number(head, header["type"]), body
        at += size + 56


def check_segment(body, segment):
    for name, value in FIELDS.items():
        got = number(body, segment[name])
        if got != value & (1 << 8 * segment[name][1]) - 1:
            sys.exit(f"segment: {name} is {got}, expected {value}")
    offset, width = segment["arguments"]
    assert struct.unpack_from(f"={width // 8}Q", body, offset) == (1, 2, 3, 4, 5, 6)
    name = number(body, segment["name_offset"])
    assert body[name:name + 4] == b"cat\0"
    area = body[number(body, segment["head_bytes"]):]
    assert area == struct.pack(">QQQ", 2, 0xFFFFFFFF81000112, 0xFFFFFFFF81000152)


def main():
    document = (Path(sys.argv[1]) / "docs/trace-file.md").read_text()
    header, trailer, segment, meta = tables(document)
    assert max(sum(place) for place in header.values()) == 48
    assert max(sum(place) for place in segment.values()) == 160
    with tempfile.TemporaryDirectory() as directory:
        source, copy = Path(directory) / "a.kct", Path(directory) / "b.kct"
        # In the other byte order than this machine's, so that the program has to write it anew.
        order = ">" if sys.byteorder == "little" else "<"
        source.write_bytes(kct.encode(SOURCE.splitlines(), order))
        subprocess.run([sys.argv[2], "convert", source, "-o", copy], check=True)
        (kind, body), (second, area) = blocks(copy.read_bytes(), header, trailer)
    assert (kind, second) == (1, 2)
    assert number(body, meta["value_type"]) == 1
    assert number(body, meta["name_length"]) == 4 and number(body, meta["value_length"]) == 4
    assert body[meta["name"][0]:] == b"tool\0\0\0\0test\0\0\0\0"
    check_segment(area, segment)
    # Every item that the header names is described.
    names = set(re.findall(r'#define KCT_META_\w+\s+"([^"]+)"',
                           (Path(sys.argv[1]) / "include/kcovtrace/tracefile.h").read_text()))
    missing = [name for name in names if f"`{name}`" not in document]
    if missing or not names:
        sys.exit(f"not described: {missing}")


if __name__ == "__main__":
    main()
