#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""kct.py [--big] FILE: write a .kct file by the numbers of docs/trace-file.md.

Shares nothing with the library; run.py makes the files of its cases with it. Standard input says
what is in the file, a line a block:

  capture ID                            the ID of the blocks that follow (1 before the first)
  text NAME VALUE...                    metadata
  numbers NAME NUMBER...
  bytes NAME HEX
  segment KEY=VALUE... : WORD...        an area of words, see SEGMENT; data=FILE instead of words
  block TYPE [version=N] [flags=N] HEX  anything
  cut N                                 take the last N bytes away
  flip OFFSET                           invert a byte; negative: from the end
  raw HEX                               bytes without a block"""
import shlex
import struct
import sys

MARKER = b"\x89KCT\r\n\x1a\n"
MODES = {"pc": 0, "cmp": 1, "ext": 2, "mem": 3, "unique": 4}
SYSTEMS = {"linux": 0, "freebsd": 1, "netbsd": 2, "openbsd": 3}
# Keys of a segment, with what they are if nothing is said.
SEGMENT = {"mode": "pc", "os": "linux", "endian": "little", "word": "8", "quirk": "0", "slid": "0",
           "entry": None, "memory": None, "overflow": None, "bitmap": "0", "capacity": "0",
           "process": None, "thread": None, "syscall": None, "args": "", "result": None,
           "remote": None, "begin": None, "end": None, "name": None, "data": None}


def crc32c_of_byte(total):
    for _ in range(8):
        total = total >> 1 ^ (0x82F63B78 if total & 1 else 0)
    return total


CRC32C = [crc32c_of_byte(byte) for byte in range(256)]


def crc32c(data):
    total = 0xFFFFFFFF
    for byte in data:
        total = CRC32C[(total ^ byte) & 0xFF] ^ total >> 8
    return total ^ 0xFFFFFFFF


def filled(data):
    return data + bytes(-len(data) % 8)


class Writer:
    def __init__(self, order):
        self.order = order  # of struct: < or >
        self.capture = 1
        self.data = b""

    def pack(self, form, *numbers):
        return struct.pack(self.order + form, *numbers)

    def block(self, kind, body, version=1, flags=0):
        header = MARKER + self.pack("QHHIQQI", 0x0102030405060708, version, kind, flags,
                                    self.capture, len(body), 0)
        total = self.pack("I", crc32c(header))
        self.data += header + total + body + self.pack("I", crc32c(body)) + total

    def meta(self, kind, name, value):
        self.block(1, self.pack("IIQ", kind, len(name), len(value)) +
                   filled(name.encode() + b"\0") + filled(value + b"\0"))

    def segment(self, settings, words):
        keys = dict(SEGMENT)
        for setting in settings:
            key, value = setting.split("=", 1)
            if key not in keys:
                raise ValueError(f"no key {key}")
            keys[key] = value
        mode = keys["mode"]
        calls = mode in ("ext", "mem")
        bits = (("thread", 1), ("process", 2), ("overflow", 4), ("syscall", 8), ("result", 16),
                ("remote", 32), ("begin", 64))
        fields = sum(bit for key, bit in bits if keys[key] is not None)
        number = {key: int(keys[key] or "0", 0) for key in
                  ("word", "quirk", "slid", "bitmap", "capacity", "process", "thread", "syscall",
                   "result", "remote", "begin", "end", "overflow")}
        entry = int(keys["entry"] or ("2" if calls else "0"))
        memory = int(keys["memory"] or ("5" if mode == "mem" else "0"))
        arguments = [int(argument, 0) for argument in keys["args"].split(",") if argument]
        arguments += [0] * (6 - len(arguments))
        name = keys["name"]
        tail = filled(name.encode() + b"\0") if name is not None else b""
        if keys["data"]:
            with open(keys["data"], "rb") as file:
                area = file.read()
        else:
            form = ("<" if keys["endian"] == "little" else ">") + "0IQ"[number["word"] // 4]
            area = b"".join(struct.pack(form, int(word, 0)) for word in words)
        head = self.pack("IIQII", 160 + len(tail), fields, len(area), MODES[mode],
                         SYSTEMS[keys["os"]])
        head += bytes([keys["endian"] == "big", number["word"], number["quirk"], number["slid"]])
        head += self.pack("IIIQQIIqq", entry, memory, number["overflow"], number["bitmap"],
                          number["capacity"], number["process"], number["thread"],
                          number["syscall"], number["result"])
        head += self.pack("6QQQQII", *arguments, number["remote"], number["begin"], number["end"],
                          160 if name is not None else 0, len(name or ""))
        assert len(head) == 160
        self.block(2, head + tail + filled(area))

    def line(self, text):
        kind, *rest = shlex.split(text, comments=True)
        if kind == "capture":
            self.capture = int(rest[0], 0)
        elif kind == "text":
            self.meta(1, rest[0], " ".join(rest[1:]).replace("\\n", "\n").encode())
        elif kind == "numbers":
            self.meta(2, rest[0], b"".join(self.pack("Q", int(n, 0)) for n in rest[1:]))
        elif kind == "bytes":
            self.meta(3, rest[0], bytes.fromhex(rest[1]))
        elif kind == "segment":
            colon = rest.index(":") if ":" in rest else len(rest)
            self.segment(rest[:colon], rest[colon + 1:])
        elif kind == "block":
            settings = dict(word.split("=") for word in rest[1:] if "=" in word)
            body = bytes.fromhex("".join(word for word in rest[1:] if "=" not in word))
            self.block(int(rest[0], 0), filled(body),
                       **{key: int(value, 0) for key, value in settings.items()})
        elif kind == "cut":
            self.data = self.data[:-int(rest[0])]
        elif kind == "flip":
            data = bytearray(self.data)
            data[int(rest[0])] ^= 0xFF
            self.data = bytes(data)
        elif kind == "raw":
            self.data += bytes.fromhex("".join(rest))
        else:
            raise ValueError(f"no block {kind}")


def encode(lines, order="<"):
    writer = Writer(order)
    for line in lines:
        if line.split("#")[0].strip():
            writer.line(line)
    return writer.data


def main():
    big = sys.argv[1] == "--big"
    with open(sys.argv[-1], "wb") as file:
        file.write(encode(sys.stdin, ">" if big else "<"))


if __name__ == "__main__":
    main()
