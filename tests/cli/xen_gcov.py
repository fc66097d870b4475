#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""xen_gcov.py KCOVTRACE: counter files of a real program of gcc, put into a blob as a hypervisor
does, come out byte for byte, gcov reads them, and `info` says what gcov says."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = {
    "main.c": "int add(int); int half(int); int never(int);\n"
              "int main(void)\n{\n\tint i, sum = 0;\n\n"
              "\tfor (i = 0; i < 10; i++)\n\t\tsum += add(half(i));\n"
              "\treturn sum ? 0 : never(sum);\n}\n",
    "add.c": "int add(int a)\n{\n\treturn a ? a + 1 : 0;\n}\n",
    "half.c": "int half(int a)\n{\n\tif (a < 0)\n\t\treturn -half(-a);\n\treturn a / 2;\n}\n",
    "never.c": "int never(int a)\n{\n\treturn a * 2;\n}\n",
}


def check(condition, *what):
    if not condition:
        print("FAILED:", *what)
        sys.exit(1)


def build(folder):
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    subprocess.run(["gcc", "--coverage", "-O0", "-o", "program", *SOURCES], cwd=folder, check=True)
    subprocess.run(["./program"], cwd=folder, check=True)
    files = sorted(folder.glob("*.gcda"))
    check(len(files) == len(SOURCES), "gcc wrote", files)
    return files


def blob_of(files, order):
    """As formats.md 2.2 says; the payloads keep their own byte order."""
    data = struct.pack(order + "I", 0x58434F56)
    for file in files:
        payload = file.read_bytes()
        data += str(file).encode() + b"\0" + struct.pack(order + "I", len(payload)) + payload
    return data


def gcov(gcda):
    """Executed lines by gcov from a counter file and its notes."""
    run = subprocess.run(["gcov", "--json-format", "--stdout", str(gcda)], cwd=gcda.parent,
                         capture_output=True, text=True, check=True)
    check(not run.stderr, gcda, run.stderr)
    lines = [line for file in json.loads(run.stdout)["files"] for line in file["lines"]]
    check(lines, gcda, "has no lines")
    return [(line["line_number"], line["count"]) for line in lines]


def main():
    kcovtrace = os.path.abspath(sys.argv[1])
    version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary, "source")
        source.mkdir()
        files = build(source)
        wanted = {file.name: (file.read_bytes(), gcov(file)) for file in files}
        for order in "<>":
            out = Path(temporary, "out" + ("little" if order == "<" else "big"))
            Path(temporary, "blob").write_bytes(blob_of(files, order))
            run = subprocess.run([kcovtrace, "convert", "--from", "xen", "--output-dir", str(out),
                                  "blob"], cwd=temporary, capture_output=True, text=True)
            check(run.returncode == 0, run.stderr)
            for name, (data, lines) in wanted.items():
                written = out / str(source).lstrip("/") / name
                check(written.read_bytes() == data, name, "differs")
                shutil.copy(source / (written.stem + ".gcno"), written.parent)
                check(gcov(written) == lines, name, "gcov reads something else")
        info = subprocess.run([kcovtrace, "info", "-f", "json", "blob"], cwd=temporary,
                              capture_output=True, text=True)
        objects = json.loads(info.stdout)["objects"]
        check([o["name"] for o in objects] == [str(f) for f in files], objects)
        for entry in objects:
            ran = any(count for _, count in wanted[Path(entry["name"]).name][1])
            check(entry["functions"] == 1, entry)
            check((entry["hit"] > 0) == ran and (entry["sum"] != "0x0") == ran, entry)
        print(f"{len(files)} counter files of gcc {version.strip()}, in both byte orders of the blob")


if __name__ == "__main__":
    main()
