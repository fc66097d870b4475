#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""reports.py KCOVTRACE: every format of `cover` on a small image made here. What is expected comes
from objdump and addr2line, and from reading kernel.c."""
import base64
import html.parser
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

import lcov_check
from image import BASE, Image, run, write_list

PROGRAM = Path(sys.argv.pop(1)).resolve()


def kcovtrace(*words, status=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, timeout=120)
    assert done.returncode == status, f"{words}: {done.returncode} {done.stderr.decode()}"
    return done


def objects(*words):
    return [json.loads(line) for line in kcovtrace("cover", *words, "-f", "json").stdout.splitlines()]


def of_kind(rows, kind):
    return [row for row in rows if row["kind"] == kind]


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = Path(cls.folder.name).resolve()
        cls.image = Image(cls.dir)
        # two_ways(1) twice, one_line(1), which calls outside().
        points = cls.image.points
        cls.hit = ([points["two_ways"][0][0], points["two_ways"][1][0]] * 2 +
                   [points["one_line"][0][0], points["one_line"][1][0]] +
                   [pc for pc, _ in points["outside"]] * 3)
        text = cls.image.source.read_text().splitlines()
        cls.records = {line: sum(cls.hit.count(pc) for pc, call in cls.image.all()
                                 if cls.image.place(call).endswith(f"kernel.c:{i + 1}"))
                       for i, line in enumerate(text)}
        cls.list = write_list(cls.dir / "hit", cls.hit)
        cls.arguments = ["-k", cls.image.path, cls.list]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_json_agrees_everywhere(self):
        rows = objects(*self.arguments)
        summary = rows[0]
        self.assertEqual((summary["schema"], summary["version"]), ("kcovtrace-cover", 1))
        total = len(self.image.all())
        self.assertEqual(summary["points"], {"total": total, "hit": len(set(self.hit))})
        self.assertEqual(summary["records"], len(self.hit))
        for kind in ("module", "file", "function"):
            for key in ("total", "hit"):
                self.assertEqual(sum(row["points"][key] for row in of_kind(rows, kind)),
                                 summary["points"][key], (kind, key))
        for name, points in self.image.points.items():
            rows_of = [row for row in of_kind(rows, "function") if row["func"] == name]
            self.assertEqual(sum(row["points"]["total"] for row in rows_of), len(points), name)

    def test_lines_of_points(self):
        rows = {row["file"]: row for row in of_kind(objects(*self.arguments), "file")}
        lines = {line["line"]: line for line in rows[str(self.image.source)]["line"]}
        for pc, call in self.image.all():
            number = self.image.line(call)
            if number in lines and pc in self.hit:
                self.assertEqual(lines[number]["state"], "hit", number)
        # `return x ? outside(1) : outside(2)` was taken one way; two_ways() returned early.
        text = self.image.source.read_text().splitlines()
        partly = text.index("\treturn x ? outside(1) : outside(2); /* two blocks on this line */") + 1
        self.assertTrue(lines[partly]["partly"])
        self.assertEqual(lines[text.index("\treturn 2;") + 1]["state"], "missed")
        for i, line in enumerate(text):
            if self.records[line] and line not in "{}":
                self.assertEqual(lines[i + 1]["records"], self.records[line], line)
        header = rows[str(self.image.source.parent / "kernel.h")]
        self.assertEqual({line["state"] for line in header["line"]}, {"hit"})
        self.assertEqual(header["points"]["total"], 0)

    def test_text(self):
        text = kcovtrace("cover", *self.arguments).stdout.decode()
        total, hit = len(self.image.all()), len(set(self.hit))
        self.assertRegex(text, rf"points +{hit} of +{total} +{hit * 1000 // total / 10} %")
        self.assertRegex(text, rf" {hit}/{total} .* kernel\.c")

    def test_filters(self):
        done = kcovtrace("cover", *self.arguments, "--function", "nosuch", status=1)
        self.assertIn(b"'nosuch' matches nothing", done.stderr)
        rows = objects(*self.arguments, "--function", "two_ways")
        self.assertEqual([row["func"] for row in of_kind(rows, "function")], ["two_ways"])
        self.assertEqual(rows[0]["points"]["total"], len(self.image.points["two_ways"]))
        self.assertEqual(objects(*self.arguments, "--file", "*/kernel.c")[0]["points"],
                         objects(*self.arguments)[0]["points"])
        self.assertEqual(objects(*self.arguments, "--hide", "two_ways")[0]["points"]["total"],
                         len(self.image.all()) - len(self.image.points["two_ways"]))

    def test_pcs_can_be_read_again(self):
        text = kcovtrace("cover", *self.arguments, "-f", "pcs").stdout
        again = self.dir / "again"
        again.write_bytes(text)
        found = [int(line, 16) for line in text.decode().splitlines() if line[0] != "#"]
        self.assertEqual(found, sorted(set(self.hit)))
        self.assertEqual(objects("-k", self.image.path, again)[0]["points"],
                         objects(*self.arguments)[0]["points"])

    def test_sancov(self):
        data = kcovtrace("cover", *self.arguments, "-f", "sancov").stdout
        words = struct.unpack(f"<{len(data) // 8}Q", data)
        self.assertEqual(words[0], 0xc0bfffffffffff64)
        calls = [call for pc, call in self.image.all() if pc in self.hit]
        self.assertEqual(list(words[1:]), calls)
        tool = next(filter(None, map(shutil.which, ("sancov", "sancov-19", "sancov-14"))), None)
        if tool:
            (self.dir / "x.1.sancov").write_bytes(data)
            printed = run(tool, "-print", self.dir / "x.1.sancov").split()
            self.assertEqual([int(word, 16) for word in printed], calls)

    def test_drcov(self):
        data = kcovtrace("cover", *self.arguments, "-f", "drcov").stdout
        modules, blocks = read_drcov(data)
        self.assertEqual([path for _, _, path in modules], [str(self.image.path)])
        found = [modules[module][0] + start for start, size, module in blocks]
        self.assertEqual(found, sorted(set(self.hit)))
        following = dict(zip([pc for pc, _ in self.image.all()], [pc for pc, _ in self.image.all()][1:]))
        for start, size, _ in blocks:
            self.assertGreaterEqual(size, 1)
            pc = modules[0][0] + start
            self.assertLessEqual(pc + size, following.get(pc, pc + 1))

    def test_drcov_has_32_bits(self):
        far = Image(self.dir, "far", base=BASE - 0x81000000)
        low = self.dir / "low.s"
        low.write_text(".section .low, \"ax\"\nret\n")
        run("gcc", "-c", low, "-o", self.dir / "low.o")
        run("ld", f"-Ttext={BASE:#x}", f"--section-start=.low={BASE - (5 << 30):#x}", "-e", "0",
            "-o", far.path, self.dir / "far-MAIN.o", self.dir / "far-OTHER.o", self.dir / "low.o")
        far.points = {}
        far.read()
        pcs = write_list(self.dir / "far-pcs", [far.all()[0][0]])
        out = self.dir / "far.drcov"
        done = kcovtrace("cover", "-k", far.path, pcs, "-f", "drcov", "-o", out, status=1)
        self.assertIn(b"more than 4 GiB", done.stderr)
        self.assertFalse(out.exists())

    def test_lcov(self):
        for option in ([], ["--lcov2"]):
            text = kcovtrace("cover", *self.arguments, "-f", "lcov", *option).stdout.decode()
            sections = lcov_check.parse(text)
            section = sections[str(self.image.source)]
            lines = self.image.source.read_text().splitlines()
            twins = [i + 1 for i, line in enumerate(lines) if line.startswith("static int same_name")]
            names = [name for name in section.functions if name.startswith("same_name")]
            self.assertEqual(len(twins), 2)
            self.assertEqual(len(set(names)), 2)
            for start in twins:  # gcc begins a function on the line of its name or of its brace
                self.assertTrue(set(section.starts[name] for name in names) & {start, start + 1})
            brace = lines.index("}", section.starts["two_ways"]) + 1
            self.assertEqual(section.ends.get(section.starts["two_ways"]), brace if option else None)
            self.assertEqual(section.functions["two_ways"], 2)
            self.assertEqual(section.functions["calls_first"], 0)
            self.assertEqual(section.lines[lines.index("\treturn 2;") + 1], 0)
            self.assertEqual(section.lines[lines.index("\tif (x)") + 1], self.records["\tif (x)"])

    def test_lcov_programs(self):
        info = self.dir / "x.info"
        kcovtrace("cover", *self.arguments, "-f", "lcov", "-o", info)
        if not shutil.which("lcov"):
            self.skipTest("see cover.lcov")
        done = subprocess.run(["lcov", "--summary", info], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stdout + done.stderr, "(?i)warning|error")
        if shutil.which("genhtml"):
            done = subprocess.run(["genhtml", "-q", "-o", self.dir / "pages", info],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_stale_source(self):
        short = self.dir / "short"
        short.mkdir()
        lines = self.image.source.read_text().splitlines(keepends=True)
        (short / "kernel.c").write_text("".join(lines[:20]))
        mapped = ["--path-map", f"{self.image.source.parent}={short}"]
        done = kcovtrace("cover", *self.arguments, "-f", "lcov", *mapped)
        self.assertIn(b"lines are left out", done.stderr)
        section = lcov_check.parse(done.stdout.decode())[str(short / "kernel.c")]
        self.assertLessEqual(max(section.lines), 20)

    def test_odd_paths(self):
        odd = Image(self.dir, "odd", flags=[f"-ffile-prefix-map={self.dir}=/a\nb"])
        pcs = write_list(self.dir / "odd-pcs", [odd.all()[0][0]])
        done = kcovtrace("cover", "-k", odd.path, pcs, "-f", "lcov", status=1)
        self.assertIn(b"control characters", done.stderr)
        self.assertEqual(done.stdout, b"")
        for name in ("text", "json", "html"):
            kcovtrace("cover", "-k", odd.path, pcs, "-f", name)

    def test_no_input(self):
        """What cannot be read is said, and nothing of the image, which is there."""
        gone = self.dir / "gone"
        for words, said in (((gone,), (b"No such file",)),
                            ((gone, "--diff", gone), (b"No such file", b"No such file"))):
            lines = kcovtrace("cover", "-k", self.image.path, *words, status=1).stderr.splitlines()
            self.assertEqual(len(lines), len(said), lines)
            for line, part in zip(lines, said):
                self.assertIn(part, line)
        lines = kcovtrace("cover", "-k", gone, self.list, status=1).stderr.splitlines()
        self.assertIn(b"there is no image", lines[-1])

    def test_odd_names(self):
        """Names of functions that would be read as something else, in the place of `two_ways`."""
        plain = self.image.path.read_bytes()
        for what, name, kept in (("a last line", b"7,2_ways", False),
                                 ("a number in front", b"72,_ways", False),
                                 ("a record of its own", b"w\nDA:1,1", False),
                                 ("no name", b"\0wo_ways", False),
                                 ("a comma later", b"two,ways", True)):
            odd = self.dir / "odd-name"
            odd.write_bytes(plain.replace(b"two_ways", name))
            for option in ([], ["--lcov2"]):
                text = kcovtrace("cover", "-k", odd, self.list, "-f", "lcov", *option).stdout
                self.assertNotRegex(text, rb"(?m)^FN[:A].*(,|7,2_ways|72,_ways|w)$", what)
                self.assertEqual(b"two,ways\n" in text, kept, what)
                self.assertEqual(text.count(b"DA:1,1\n"), 0, what)

    def test_diff(self):
        points = self.image.points
        last = points["two_ways"][-1]
        # Its callback has no line of its own, but the one of the code in front; it is that of the brace.
        number = self.image.line(last[1]) + 1
        other = write_list(self.dir / "other", [points["two_ways"][0][0], last[0]])
        diff = kcovtrace("cover", *self.arguments, "--diff", other).stdout.decode()
        here, there = len(set(self.hit)) - 1, 1
        self.assertRegex(diff, rf"points +{here} +{there} +1\n")
        self.assertRegex(diff, rf"> lines {number}\b")
        self.assertIn("< function one_line", diff)
        rows = objects(*self.arguments, "--diff", other)
        self.assertEqual(rows[0]["schema"], "kcovtrace-cover-diff")
        self.assertEqual(of_kind(rows, "points")[0]["there"], [hex(last[0])])
        there = [row["there"] for row in of_kind(rows, "file") if row["there"]]
        self.assertEqual(there, [[number]])
        kcovtrace("cover", *self.arguments, "--diff", other, "-f", "lcov", status=2)

    def test_html(self):
        other = write_list(self.dir / "other", [self.image.points["two_ways"][2][0]])
        for extra in ([], ["--diff", other]):
            page = kcovtrace("cover", *self.arguments, "-f", "html", *extra).stdout.decode()
            parser = Page(page)
            self.assertEqual(parser.open, [])
            self.assertEqual(parser.links - {"#content"}, set())
            data = json.loads(parser.blob("data"))
            self.assertEqual(data["points"], [len(set(self.hit)), len(self.image.all())])
            self.assertEqual(data["diff"], bool(extra))
            files = {file[0]: file for file in data["files"]}
            number = files[str(self.image.source)][4]
            self.assertEqual(parser.blob(f"s{number}"), self.image.source.read_text())

    def test_sets(self):
        halves = [write_list(self.dir / f"half{i}", self.hit[i::2]) for i in (0, 1)]
        sets = []
        for i, half in enumerate(halves):
            sets.append(self.dir / f"set{i}")
            kcovtrace("merge", "-k", self.image.path, half, "-o", sets[-1])
        both = [self.dir / "ab", self.dir / "ba", self.dir / "direct"]
        kcovtrace("merge", *sets, "-o", both[0])
        kcovtrace("merge", *reversed(sets), "-o", both[1])
        kcovtrace("merge", "-k", self.image.path, *halves, "-o", both[2])
        self.assertEqual(len({path.read_bytes() for path in both}), 1)
        want, got = objects(*self.arguments), objects("-k", self.image.path, both[0])
        want[0]["traces"] = 2
        self.assertEqual(want, got)
        done = kcovtrace("decode", both[0], status=1)
        self.assertIn(b"a set of PCs", done.stderr)

    def test_damaged_set(self):
        whole, cut = self.dir / "whole.set", self.dir / "cut.set"
        kcovtrace("merge", "-k", self.image.path, self.list, "-o", whole)
        cut.write_bytes(whole.read_bytes()[:-3])
        for words in (["cover", "-k", self.image.path, cut], ["merge", cut, "-o", self.dir / "none"]):
            done = kcovtrace(*words, status=1)
            self.assertRegex(done.stderr.decode(), r"cut\.set: offset \d+: .*cut or damaged")

    def test_places_do_not_matter(self):
        """A module at two addresses, in the second kernel with a KASLR offset that the driver took off."""
        module = self.dir / "vmlinux-MAIN.o"
        offsets, made = (0x10, 0x35, 0x35), []
        for base, slide in ((0xffffffffc0000000, 0), (0xffffffffc0345000, 0x1c000000)):
            places = self.dir / f"places{slide}"
            places.write_text(f"m .text {base:#x}\n")
            pcs = write_list(self.dir / f"pcs{slide}", [base + offset - slide for offset in offsets])
            made.append(self.dir / f"module{slide}.set")
            kcovtrace("merge", "--module", f"m={module}", "--module-sections", places, "--kaslr",
                      f"{slide:x}", pcs, "-o", made[-1])
        self.assertEqual(made[0].read_bytes(), made[1].read_bytes())
        # Offsets in .text of m, 0x35 twice: see docs/coverage.md.
        self.assertIn(b"\x01m\x05.text", made[0].read_bytes())
        self.assertTrue(made[0].read_bytes()[:-4].endswith(b"\x02\x10\x01\x25\x02"))

    def test_other_builds(self):
        other = Image(self.dir, "other-build", build_id="bb22")
        sets = []
        for image in (self.image, other):
            sets.append(self.dir / f"{image.path.name}.set")
            kcovtrace("merge", "-k", image.path, self.list, "-o", sets[-1])
        out = self.dir / "refused"
        done = kcovtrace("merge", *sets, "-o", out, status=1)
        self.assertRegex(done.stderr.decode(), "bb22.*aa11|aa11.*bb22")
        self.assertFalse(out.exists())
        kcovtrace("merge", "--force", *sets, "-o", out)
        swapped = self.dir / "swapped"
        kcovtrace("merge", "--force", *reversed(sets), "-o", swapped)
        self.assertEqual(out.read_bytes(), swapped.read_bytes())
        kcovtrace("cover", "-k", self.image.path, sets[1], status=1)
        kcovtrace("cover", "-k", self.image.path, sets[1], "--force")

    def test_embedded_module(self):
        """A trace carries the symbols of a module, whose code and so whose points are not here: said, no
        failure, and everything else is as without that module."""
        module, places = self.dir / "vmlinux-MAIN.o", self.dir / "places"
        places.write_text("m .text 0xffffffffc0000000\n")
        pcs = self.hit + [0xffffffffc0000010, 0xffffffffc0000035]
        raw, carried = self.dir / "raw", self.dir / "carried.kct"
        raw.write_bytes(struct.pack(f"={len(pcs) + 1}Q", len(pcs), *pcs))
        kcovtrace("convert", "--embed-symbols", "-l", "linux-pc", "-k", self.image.path, "--module",
                  f"m={module}", "--module-sections", places, raw, "-o", carried)
        done = kcovtrace("cover", "-k", self.image.path, carried, "-f", "json")
        self.assertIn(b"symbols of m: symbols without code", done.stderr)
        self.assertIn(f"2 of {len(set(pcs))} PCs lie in images whose points are not here".encode(),
                      done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(rows[0]["pcs"],
                         {"total": len(set(pcs)), "matched": len(set(self.hit)), "elsewhere": 2})
        expected = objects(*self.arguments)
        self.assertEqual([row for row in rows if row["kind"] != "summary"],
                         [row for row in expected if row["kind"] != "summary"])
        kcovtrace("cover", "-k", self.image.path, carried, "--strict", status=1)
        # Given by name it is the module's points that are missing.
        done = kcovtrace("cover", "-k", self.image.path, carried, "--module", f"m={module}",
                         "--module-sections", places)
        self.assertNotIn(b"without code", done.stderr)
        self.assertNotIn(b"points are not here", done.stderr)
        # Symbols alone are nothing to compare with.
        done = kcovtrace("cover", "-k", carried, carried, status=1)
        self.assertIn(b"no coverage points to compare with", done.stderr)

    def test_unmatched(self):
        good = [pc for pc, _ in self.image.all()[:9]]
        nine = write_list(self.dir / "nine", good + [good[0] + 1])
        done = kcovtrace("cover", "-k", self.image.path, nine)
        self.assertIn(b"1 of 10 PCs", done.stderr)
        kcovtrace("cover", "-k", self.image.path, nine, "--strict", status=1)
        calls = write_list(self.dir / "calls", [call for _, call in self.image.all()])
        done = kcovtrace("cover", "-k", self.image.path, calls)
        self.assertIn(b"addresses of calls", done.stderr)
        row = objects("-k", self.image.path, calls, "--pc-kind", "call")[0]
        self.assertEqual(row["points"]["hit"], len(self.image.all()))


def read_drcov(data):
    """Modules as (base, end, path) and blocks as (start, size, module), as Lighthouse reads them."""
    head, table = re.match(rb"(?s)(.*?BB Table: \d+ bbs\n)(.*)", data).groups()
    lines = head.decode().splitlines()
    assert lines[:2] == ["DRCOV VERSION: 2", "DRCOV FLAVOR: drcov-64"]
    n = int(re.fullmatch(r"Module Table: version 2, count (\d+)", lines[2]).group(1))
    assert lines[3] == "Columns: id, base, end, entry, path"
    modules = []
    for i, line in enumerate(lines[4:4 + n]):
        number, base, end, entry, path = line.split(", ", 4)
        assert int(number) == i
        modules.append((int(base, 16), int(end, 16), path))
    count = int(re.fullmatch(r"BB Table: (\d+) bbs", lines[4 + n]).group(1))
    assert len(table) == 8 * count
    return modules, list(struct.iter_unpack("<IHH", table))


class Page(html.parser.HTMLParser):
    """Tags that are not closed, links, and what is packed in script elements."""

    EMPTY = {"meta", "br", "link", "img", "input", "hr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.blobs, self.now = [], set(), {}, None
        self.feed(text)
        self.close()
        # Nothing of the page may go to a network.
        scripts = re.sub(r"<script type=\"text/plain\".*?</script>", "", text, flags=re.S)
        assert not re.search(r"https?:|//[a-z]+\.[a-z]|url\(|@import|fetch\(|XMLHttpRequest|WebSocket",
                             scripts)
        assert "default-src 'none'" in text

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.EMPTY:
            self.open.append(tag)
        for name in ("src", "href", "action", "srcset"):
            if attributes.get(name):
                self.links.add(attributes[name])
        if attributes.get("type") == "text/plain":
            self.now = attributes["id"]
            self.blobs[self.now] = (attributes["data-form"], "")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open}"
        self.open.pop()
        self.now = None

    def handle_data(self, data):
        if self.now:
            form, text = self.blobs[self.now]
            self.blobs[self.now] = (form, text + data)

    def blob(self, name):
        form, text = self.blobs[name]
        data = base64.b64decode(text, validate=True)
        return (zlib.decompress(data) if form == "deflate" else data).decode()


if __name__ == "__main__":
    unittest.main()
