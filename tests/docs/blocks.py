# SPDX-License-Identifier: BSD-2-Clause
"""Fenced blocks of Markdown."""
from pathlib import Path


def blocks(text):
    """Yield (language, number of the first line inside, lines) of every fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if language is None and line.startswith("```"):
            language, start, lines = line[3:].strip(), number + 1, []
        elif language is not None and line.startswith("```"):
            yield language, start, lines
            language = None
        elif language is not None:
            lines.append(line)
    if language is not None:
        raise ValueError(f"line {start - 1}: a block without an end")


def documents(root):
    """The Markdown files of the project."""
    root = Path(root)
    return sorted(root.glob("*.md")) + sorted((root / "docs").rglob("*.md")) + \
        sorted((root / "fixtures").glob("*.md"))
