#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""page.py KCOVTRACE [FOLDER]: the HTML report in headless Chromium: it shows its data, asks for
nothing, its tables sort by mouse and by keyboard, and lines have their signs. With FOLDER
pictures are left there."""
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser
from image import Image, write_list

READY = "document.querySelector('#summary div') && !document.getElementById('waiting')"
SORTED = "document.querySelector('th[aria-sort]').textContent + ' ' + document.querySelector('th[aria-sort]').getAttribute('aria-sort')"
FIRST = "document.querySelector('.sums tbody tr').textContent"


def expect(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got!r}, expected {want!r}")


def check_sorting(browser):
    browser.run("location.hash = '#functions'")
    browser.wait("document.querySelector('h2').textContent === 'All functions'")
    browser.run("[...document.querySelectorAll('th button')][0].click()")
    expect("sorted by name", browser.run(SORTED), "Function ascending")
    if not browser.run(FIRST).startswith("calls_first"):
        sys.exit(f"the first function is {browser.run(FIRST)}")
    browser.run("[...document.querySelectorAll('th button')][0].focus()")
    browser.press("Enter")
    expect("turned round by a key", browser.run(SORTED), "Function descending")
    if not browser.run(FIRST).startswith("two_ways"):
        sys.exit(f"the first function is {browser.run(FIRST)}")


def check_source(browser, image):
    lines = image.source.read_text().splitlines()
    browser.run(f"location.hash = '#/' + encodeURI('{image.source}')")
    browser.wait("document.querySelector('.source')")
    for text, sign in (("\tif (x)", "+"), ("\treturn 2;", "-"),
                       ("\treturn x ? outside(1) : outside(2); /* two blocks on this line */", "±")):
        row = f"document.getElementById('L{lines.index(text) + 1}')"
        expect(text, browser.run(f"{row}.cells[1].firstChild.textContent"), sign)
        expect("its text", browser.run(f"{row}.lastChild.textContent"), text)
    browser.press("n", "n")
    expect("the next missed line", browser.run("document.querySelector('.here').className"), "missed here")


def main():
    program, pictures = Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        image = Image(Path(folder).resolve())
        points = image.points
        hit = [points[name][0][0] for name in ("two_ways", "one_line", "outside")]
        hit += [points["two_ways"][1][0], points["one_line"][1][0]]
        page = Path(folder) / "page.html"
        subprocess.run([program, "cover", "-k", image.path, write_list(Path(folder) / "hit", hit),
                        "-f", "html", "-o", page], check=True, stderr=subprocess.DEVNULL)
        with Browser("chromium") as browser:
            browser.open(page.as_uri(), READY)
            check_sorting(browser)
            check_source(browser, image)
            expect("requests", [url for url in browser.requests if not url.startswith(("file:", "data:"))], [])
            expect("problems", browser.problems, [])
            if pictures:
                browser.screenshot(Path(pictures[0]) / "source.png")
        with Browser("chromium", 360, 800) as browser:
            browser.open(page.as_uri(), READY)
            expect("wider than a narrow window", browser.run(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0)


if __name__ == "__main__":
    main()
