# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of .kct files, written from docs/trace-file.md alone.

It shares no code with the library, so that nothing of it stands between a capture and what the
tests say of it. It reads whole files only and raises ValueError on anything odd.
"""

import struct
import subprocess

MARKER = bytes.fromhex("894b43540d0a1a0a")
ORDER = 0x0102030405060708
HEADER_BYTES, TRAILER_BYTES, SEGMENT_BYTES = 48, 8, 160
METADATA, SEGMENT = 1, 2
MODES = ("pc", "cmp", "ext", "mem", "unique")
HAS_THREAD, HAS_OVERFLOW, HAS_SYSCALL, HAS_RESULT, HAS_REMOTE = 1, 4, 8, 16, 32


class Segment:
    """One area with what the file says of it."""

    def __init__(self, body, order):
        head_bytes, fields, data_bytes, mode = struct.unpack_from(order + "IIQI", body)
        if head_bytes < SEGMENT_BYTES or head_bytes + data_bytes > len(body) or mode > 4:
            raise ValueError("a segment that is not one")
        self.mode = MODES[mode]
        endian, word_bytes = body[24], body[25]
        if word_bytes != 8:
            raise ValueError("words that are not of 8 bytes")
        self.entry_words, self.memory_words, overflow = struct.unpack_from(order + "III", body, 28)
        self.capacity, _, thread, syscall, result = struct.unpack_from(order + "QIIqq", body, 48)
        remote, = struct.unpack_from(order + "Q", body, 128)
        self.thread = thread if fields & HAS_THREAD else None
        self.overflow = bool(overflow) if fields & HAS_OVERFLOW else None
        self.syscall = syscall if fields & HAS_SYSCALL else None
        self.result = result if fields & HAS_RESULT else None
        self.remote = remote if fields & HAS_REMOTE else None
        area = body[head_bytes:head_bytes + data_bytes]
        self.words = list(struct.unpack(f"{'>' if endian else '<'}{len(area) // 8}Q",
                                        area[:len(area) // 8 * 8]))


def blocks(data):
    """(type, body, byte order) of every block of a file."""
    at = 0
    while at < len(data):
        head = data[at:at + HEADER_BYTES]
        if head[:8] != MARKER:
            raise ValueError(f"byte {at}: no marker")
        order = next((o for o in "<>" if struct.unpack_from(o + "Q", head, 8)[0] == ORDER), None)
        if order is None:
            raise ValueError(f"byte {at}: no byte order")
        version, kind = struct.unpack_from(order + "HH", head, 16)
        size, = struct.unpack_from(order + "Q", head, 32)
        total, = struct.unpack_from(order + "I", head, 44)
        end = at + HEADER_BYTES + size
        if version != 1 or end + TRAILER_BYTES > len(data):
            raise ValueError(f"byte {at}: version {version}, {size} bytes")
        if struct.unpack_from(order + "I", data, end + 4)[0] != total:
            raise ValueError(f"byte {end}: the trailer does not belong to the header")
        yield kind, data[at + HEADER_BYTES:end], order
        at = end + TRAILER_BYTES


def metadata(body, order):
    """(name, value) of a metadata block: text, numbers or bytes."""
    kind, name_length, value_length = struct.unpack_from(order + "IIQ", body)
    name = body[16:16 + name_length].decode()
    start = 16 + (name_length + 1 + 7) // 8 * 8
    value = body[start:start + value_length]
    if kind == 1:
        return name, value.decode()
    if kind == 2:
        return name, list(struct.unpack(f"{order}{value_length // 8}Q", value))
    return name, value


def read(path):
    """(metadata by name, segments) of a file (zstd unpacks one that ends in .zst)."""
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
    else:
        with open(path, "rb") as file:
            data = file.read()
    facts, segments = {}, []
    for kind, body, order in blocks(data):
        if kind == METADATA:
            name, value = metadata(body, order)
            facts[name] = value
        elif kind == SEGMENT:
            segments.append(Segment(body, order))
    return facts, segments
