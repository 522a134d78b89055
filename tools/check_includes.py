#!/usr/bin/env python3
"""Checks the include graph against the layer table of docs/develop/architecture.md, which is the only place that states it.

usage: check_includes.py [--root DIR]

Rules: a file includes its own folder and what its row of the table allows; no cycle of folders; a metric folder
includes no other metric folder, and nothing includes a metric folder: metric/metrics.inc names its Metric.
Exit status 0 when all hold, 1 otherwise.
"""
import argparse
import pathlib
import re
import sys

ROW = re.compile(r"^\| `([\w/]+)/` \|.*\|([^|]*)\|$")
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+HWY_TARGET_INCLUDE)\s+"([^"]+)"', re.M)
SHARED_METRIC_FOLDERS = {"blocks", "testing"}


def read_table(text):
    """Folder -> the folders it may include."""
    table = {}
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            table[match.group(1)] = set(re.findall(r"`([\w/]+)/`", match.group(2)))
    return table


def find_cycle(table):
    """A list of folders that include each other in a ring, or []."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        path.append(folder)
        for other in sorted(table.get(folder, ())):
            ring = visit(other)
            if ring:
                return ring
        path.pop()
        done.add(folder)
        return []

    return next((ring for ring in map(visit, sorted(table)) if ring), [])


def room_of(path):
    """The metric folder of a path below src/, or None."""
    parts = path.parts
    if len(parts) >= 3 and parts[0] == "metric" and parts[1] not in SHARED_METRIC_FOLDERS:
        return parts[1]
    return None


def check_include(source, target, table):
    """Why `source` (a path below src/, or cli/...) may not include `target`, or None."""
    layer, other = source.parts[0], target.parts[0]
    if layer not in table:
        return f"folder '{layer}' is not in the layer table"
    if other != layer and other not in table[layer]:
        return f"'{layer}' may not include '{other}'"
    room = room_of(target)
    if room is None or room == room_of(source):
        return None
    if room_of(source):
        return f"metric folder '{room_of(source)}' includes the metric folder '{room}'"
    return f"nothing may include the metric folder '{room}'; metric/metrics.inc names its Metric"


def sources(root):
    """(path on disk, path as the table sees it) of all files the rules cover."""
    for top in ("src", "cli", "python"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".cc", ".h"):
                yield path, path.relative_to(root / "src" if top == "src" else root)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root

    table = read_table((root / "docs" / "develop" / "architecture.md").read_text(encoding="utf-8"))
    problems, checked = [], 0
    if not table:
        problems.append("docs/develop/architecture.md: no layer table found")
    ring = find_cycle(table)
    if ring:
        problems.append("docs/develop/architecture.md: the table has a cycle: " + " -> ".join(ring))
    for path, seen_as in sources(root):
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = pathlib.PurePosixPath(name)
            inside = any((root / place).is_file() for place in (f"src/{name}", name, f"src/{name}.in", f"{name}.in"))
            if len(target.parts) < 2 or not inside:
                problems.append(f'{path.relative_to(root)}: "{name}" is no file below src/; '
                                "write own headers from there, others with <>")
                continue
            reason = check_include(seen_as, target, table)
            checked += 1
            if reason:
                problems.append(f'{path.relative_to(root)}: "{name}": {reason}')
    for problem in problems:
        print(problem)
    print(f"{checked} includes checked, {len(problems)} problems")
    return 1 if problems or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
