#!/usr/bin/env python3
"""Checks that each section of docs/spec that a file cites exists.

usage: check_spec.py [--root DIR]

A citation is the page and its sections: `docs/spec/core.md 1.5`, `docs/spec/core.md 2.3, 2.4 and 2.8 to 2.9`. Sources
name the page from the root of the tree, with at least one section; pages of docs/spec may leave out the folder.
Exit status 0 when all citations hold, 1 otherwise.
"""
import argparse
import pathlib
import re
import sys

FOLDERS = ("src", "cli", "include", "python", "tests", "bench", "tools", "cmake", "docs")
EXAMPLES = {"tools/check_spec.py", "tests/structure/checks_test.py"}  # their citations are made up
SUFFIXES = {".cc", ".h", ".py", ".sh", ".md", ".txt", ".cmake", ".glsl", ".sycl"}
SECTION = r"(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)(?!\w)"
HEADING = re.compile(rf"^#+ ({SECTION})\.? ", re.M)
CITATION = re.compile(rf"((?:[\w.-]+/)*)([\w-]+\.md)((?:(?:,| to| and)? {SECTION})*)")
LINE_BREAK = re.compile(r"\s*\n\s*(?:///?|#|\*)?\s*")


def read_sections(folder):
    """Page name -> the numbers of its sections."""
    return {page.name: set(HEADING.findall(page.read_text(encoding="utf-8"))) for page in sorted(folder.glob("*.md"))}


def citations(path, text, pages, is_page):
    """(folder, page, sections) of each citation in a file."""
    for folder, page, sections in CITATION.findall(LINE_BREAK.sub(" ", text)):
        numbers = re.findall(rf"(?<![\w.]){SECTION}", sections)
        is_cited = folder.endswith("spec/") or (numbers and (is_page or page in pages))
        if is_cited and (numbers or path.suffix != ".md"):
            yield folder, page, numbers


def problems_of(path, text, sections, is_page):
    for folder, page, numbers in citations(path, text, sections, is_page):
        if folder != "docs/spec/" and path.suffix != ".md":
            yield f"'{folder}{page}': cite pages as docs/spec/{page}"
        elif page not in sections:
            yield f"docs/spec has no page '{page}'"
        elif not numbers:
            yield f"'{folder}{page}': name the section"
        else:
            yield from (f"docs/spec/{page} has no section {number}" for number in numbers
                        if number not in sections[page])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root

    pages = root / "docs" / "spec"
    sections = read_sections(pages)
    count, problems = 0, []
    for path in sorted(file for folder in FOLDERS for file in (root / folder).rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file() or path.relative_to(root).as_posix() in EXAMPLES:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        is_page = path.parent == pages
        count += sum(1 for _ in citations(path, text, sections, is_page))
        problems += [f"{path.relative_to(root)}: {problem}" for problem in problems_of(path, text, sections, is_page)]
    for problem in problems:
        print(problem)
    print(f"{count} citations checked, {len(problems)} problems")
    return 1 if problems or not sections else 0


if __name__ == "__main__":
    sys.exit(main())
