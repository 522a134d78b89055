#!/usr/bin/env python3
"""Checks the include graph against the layer table of docs/develop/architecture.md, which is the only place that states it.

usage: check_includes.py [--root DIR] [--part]

--part: the tree lacks files, so permissions may be unused.

- A file includes its own folder, the foundation named above the table, and what its row allows. The row of a file, and
  that of what it includes, is the one with the longest matching path: `api/libvmaf/` before `api/`.
- A row has at most MOST_NAMES names, and each is used by a product file. Folders do not form a cycle.
- A test may, in addition, include every folder that does not depend on the test's own.
- A metric folder includes no other metric folder, and nothing includes a metric folder: metric/metrics.inc names its
  Metric.
Exit status 0 when all hold, 1 otherwise.
"""
import argparse
import pathlib
import re
import sys

PAGE = "docs/develop/architecture.md"
FOUNDATION = re.compile(r"^The foundation is ((?:[^.\n]|\n(?!\n))+)\.", re.M)
ROW = re.compile(r"^\| `([\w/]+)/` \|.*\|([^|]*)\|$", re.M)
NAME = re.compile(r"`([\w/]+)/`")
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+HWY_TARGET_INCLUDE)\s+"([^"]+)"', re.M)
TEST = re.compile(r"_(test|bench)\.|(^|/)testing/")
SHARED_METRIC_FOLDERS = {"blocks", "testing"}
MOST_NAMES = 8


class Table:
    """The rows of the page: folder -> the folders it may include, without the foundation."""

    def __init__(self, text):
        self.rows = {folder: NAME.findall(names) for folder, names in ROW.findall(text)}
        self.foundation = NAME.findall("".join(FOUNDATION.findall(text)))
        self.used = set()

    def row_of(self, path):
        """The folder of a path below src/ (or cli/...) by the longest row that matches, or None."""
        return next((str(parent) for parent in path.parents if str(parent) in self.rows), None)

    def allowed(self, folder):
        return {*self.rows.get(folder, ()), *(self.foundation if folder not in self.foundation else ())}

    def below(self, folder):
        """All folders that `folder` depends on, directly or not."""
        found, queue = set(), [folder]
        while queue:
            new = self.allowed(queue.pop()) - found
            found |= new
            queue += new
        return found

    def problems(self, is_part):
        if not self.rows:
            yield f"{PAGE}: no layer table found"
        for folder, names in self.rows.items():
            if len(names) > MOST_NAMES:
                yield f"{PAGE}: `{folder}/` may include {len(names)} folders; a row has at most {MOST_NAMES}"
            for name in names:
                if folder not in self.foundation and name in self.foundation:
                    yield f"{PAGE}: `{folder}/` names `{name}/`, which belongs to the foundation of all"
                elif not is_part and (folder, name) not in self.used:
                    yield f"{PAGE}: `{folder}/` may include `{name}/`, and no product file does: remove it"
            if folder in self.below(folder):
                yield f"{PAGE}: the table has a cycle through `{folder}/`"

    def check(self, source, target):
        """Why `source` (a path below src/, or cli/...) may not include `target`, or None."""
        folder, other = self.row_of(source), self.row_of(target)
        if folder is None:
            return f"folder '{source.parent}' is not in the layer table"
        is_test = TEST.search(str(source))
        if not is_test:
            self.used.add((folder, other))
        if other != folder and other not in self.allowed(folder):
            if not is_test:
                return f"'{folder}' may not include '{other or target.parent}'"
            if other is None or folder in self.below(other):
                return f"a test of '{folder}' may not include '{other or target.parent}', which depends on it"
        room = metric_folder(target)
        if room is None or room == metric_folder(source):
            return None
        if metric_folder(source):
            return f"metric folder '{metric_folder(source)}' includes the metric folder '{room}'"
        return f"nothing may include the metric folder '{room}'; metric/metrics.inc names its Metric"


def metric_folder(path):
    """The metric folder of a path below src/, or None."""
    parts = path.parts
    is_metric = len(parts) >= 3 and parts[0] == "metric" and parts[1] not in SHARED_METRIC_FOLDERS
    return parts[1] if is_metric else None


def sources(root):
    """(path on disk, path as the table sees it) of all files the rules cover."""
    for top in ("src", "cli", "python", "plugins"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".cc", ".h"):
                yield path, path.relative_to(root / "src" if top == "src" else root)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--part", action="store_true")
    options = parser.parse_args()
    root = options.root

    table = Table((root / PAGE).read_text(encoding="utf-8"))
    problems, checked = [], 0
    for path, seen_as in sources(root):
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = pathlib.PurePosixPath(name)
            inside = any((root / place).is_file() for place in (f"src/{name}", name, f"src/{name}.in", f"{name}.in"))
            if len(target.parts) < 2 or not inside:
                problems.append(f'{path.relative_to(root)}: "{name}" is no file below src/; '
                                "write own headers from there, others with <>")
                continue
            reason = table.check(seen_as, target)
            checked += 1
            if reason:
                problems.append(f'{path.relative_to(root)}: "{name}": {reason}')
    problems += table.problems(options.part)
    for problem in problems:
        print(problem)
    print(f"{checked} includes checked, {len(problems)} problems")
    return 1 if problems or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
