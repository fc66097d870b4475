# SPDX-License-Identifier: BSD-2-Clause
"""A validator of lcov tracefiles, stricter than lcov."""
import os
import re


class Section:
    def __init__(self, path):
        self.path, self.lines, self.functions, self.starts = path, {}, {}, {}
        self.ends = {}  # by start; in the old form there are none


def number(text):
    assert re.fullmatch(r"0|[1-9][0-9]*", text), text
    return int(text)


def check_section(section, totals):
    assert totals["LF"] == len(section.lines), section.path
    assert totals["LH"] == sum(count > 0 for count in section.lines.values()), section.path
    assert totals["FNF"] == len(section.functions), section.path
    assert totals["FNH"] == sum(count > 0 for count in section.functions.values()), section.path
    starts = sorted(set(section.starts.values())) + [1 << 32]
    for name, start in section.starts.items():
        assert start in section.lines, f"{section.path}: {name} starts on a line without DA"
        assert name in section.functions, f"{section.path}: {name} has no count"
        # What lcov 2 takes for the lines of the function if no end is there: those before the next one.
        following = starts[starts.index(start) + 1]
        end = section.ends.get(start, following - 1)
        assert start <= end < following, f"{section.path}: {name} ends on line {end}"
        assert start not in section.ends or end in section.lines, f"{name} ends on a line without DA"
        ran = any(count for line, count in section.lines.items() if start <= line <= end)
        assert ran == (section.functions[name] > 0), f"{section.path}: {name} and its lines disagree"


def parse(text):
    """Sections by path; AssertionError for what lcov 1.16 or 2.x may refuse."""
    sections, section, totals, by_index = {}, None, {}, {}
    for line in text.splitlines():
        if line == "end_of_record":
            check_section(section, totals)
            section = None
            continue
        kind, rest = line.split(":", 1)
        if kind == "TN":
            assert section is None and re.fullmatch(r"[A-Za-z0-9_]*", rest)
        elif kind == "SF":
            assert section is None and rest not in sections and rest.isprintable()
            assert rest.startswith("/") and rest == os.path.normpath(rest), rest
            section = sections[rest] = Section(rest)
            totals, by_index = {}, {}
        elif kind == "FN":
            start, name = rest.split(",", 1)
            # lcov 1.16 would take an end for a part of the name.
            assert not re.match(r"\d", name) and name not in section.starts, f"{name} twice"
            section.starts[name] = number(start)
        elif kind == "FNDA":
            count, name = rest.split(",", 1)
            assert name in section.starts and name not in section.functions
            section.functions[name] = number(count)
        elif kind == "FNL":
            index, start, end = map(number, rest.split(","))
            assert index not in by_index and section.ends.setdefault(start, end) == end
            by_index[index] = start
        elif kind == "FNA":
            index, count, name = rest.split(",", 2)
            assert name not in section.starts
            section.starts[name] = by_index[number(index)]
            section.functions[name] = number(count)
        elif kind == "DA":
            at, count = map(number, rest.split(","))
            assert at > 0 and at not in section.lines, f"DA {at}"
            section.lines[at] = count
        else:
            assert kind in ("LF", "LH", "FNF", "FNH"), line
            totals[kind] = number(rest)
    assert section is None
    return sections
