# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of raw KCOV areas, written from docs/formats.md alone.

It shares no code with the library and takes no short cut for speed: the tests hold the library's
answers against it. It reads well-formed traces only and raises ValueError on anything odd.
"""

import struct
import subprocess

TEXT_MASK = 0xFF00000000000000
ADDRESS_MASK = 0x00FFFFFFFFFFFFFF


def read_words(path, endian="<"):
    """The 64-bit words of a file (zstd unpacks one that ends in .zst), word 0 first."""
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout
    else:
        with open(path, "rb") as file:
            data = file.read()
    return list(struct.unpack(f"{endian}{len(data) // 8}Q", data[: len(data) // 8 * 8]))


def address(word):
    return (word & ADDRESS_MASK) | TEXT_MASK


def signed16(value):
    return value - 0x10000 if value & 0x8000 else value


def pc_records(words):
    for index in range(1, 1 + words[0]):
        yield {"i": index, "kind": "pc", "pc": words[index]}


def cmp_records(words):
    for number in range(words[0]):
        index = 1 + 4 * number
        kind, arg1, arg2, pc = words[index : index + 4]
        size = 1 << ((kind >> 1) & 3)
        mask = (1 << (8 * size)) - 1
        yield {"i": index, "kind": "cmp", "pc": pc, "size": size, "const": bool(kind & 1),
               "arg1": arg1 & mask, "arg2": arg2 & mask}


def memory_record(words, index, memory_words):
    ip, addr, size_flags, time = words[index : index + 4]
    record = {"i": index, "kind": "memory", "pc": address(ip), "addr": addr,
              "size": size_flags & 0xFFFFFFFF, "flags": size_flags >> 32, "time": time}
    if memory_words > 4 and record["flags"] & 0x100:
        record["value"] = words[index + 4]
    return record


def ext_records(words, entry_words=2, memory_words=5):
    index, end = 1, 1 + words[0]
    while index < end:
        word = words[index]
        nibble = word >> 60
        if nibble == 0x0:
            record = {"i": index, "kind": "entry", "pc": address(word)}
            if entry_words == 2:
                record["caller"] = words[index + 1]
            step = entry_words
        elif nibble == 0x1:
            record, step = {"i": index, "kind": "exit", "pc": address(word)}, 1
        elif nibble == 0x2:
            record = {"i": index, "kind": "eesum", "delta": signed16(word & 0xFFFF),
                      "min": signed16(word >> 16 & 0xFFFF)}
            step = 1
        elif nibble == 0x3:
            record, step = memory_record(words, index, memory_words), memory_words
        elif nibble == 0xF:
            record, step = {"i": index, "kind": "pc", "pc": word}, 1
        else:
            raise ValueError(f"word {index}: {word:#x} has no known type")
        yield record
        index += step
    if index != end:
        raise ValueError(f"the last record runs {index - end} words past the end")


def records(words, mode):
    """The records of an area of mode pc, cmp, ext or mem."""
    if mode == "pc":
        return list(pc_records(words))
    if mode == "cmp":
        return list(cmp_records(words))
    return list(ext_records(words))


def calls(trace):
    """The calls of a trace whose entries and exits pair up, in order of their entries.

    Each is a dict i, end, depth, pc, caller, records: the keys of `tree -f json`.
    """
    result, stack = [], []
    for record in trace:
        if record["kind"] == "entry":
            call = {"i": record["i"], "end": None, "depth": len(stack), "pc": record["pc"],
                    "caller": record["caller"], "records": 0}
            result.append(call)
            stack.append(call)
        if stack:
            stack[-1]["records"] += 1
        if record["kind"] == "exit":
            if not stack:
                raise ValueError(f"word {record['i']}: exit without entry")
            stack.pop()["end"] = record["i"]
        if record["kind"] == "eesum" and (record["delta"] or record["min"]):
            raise ValueError(f"word {record['i']}: eesum that changes the depth")
    return result


def summary(trace):
    """What `info -f json` says of records, PCs and depth."""
    kinds = {}
    for record in trace:
        kinds[record["kind"]] = kinds.get(record["kind"], 0) + 1
    unique = {record["pc"] for record in trace if record["kind"] in ("pc", "entry")}
    depth = deepest = 0
    for record in trace:
        depth = max(0, depth + {"entry": 1, "exit": -1}.get(record["kind"], 0))
        deepest = max(deepest, depth)
    return {"kinds": kinds, "unique_pcs": len(unique), "max_depth": deepest, "end_depth": depth}
