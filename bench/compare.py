#!/usr/bin/env python3
"""Compares two stored benchmarks and names what got slower.

usage: compare.py A.json B.json [--limit PERCENT]
       compare.py --store FILE [--build DIR] [--rounds N] [--filter REGEX]

--store runs BUILD/bench/metric_bench N times and stores the least processor time of each benchmark, which other
processes disturb least, with the processor's name. Comparing prints every benchmark whose time differs by more than
the limit (3 %) and ends with status 1 when one got slower, 2 when the two files have no benchmark in common. Files of
different processors compare with a warning. Standard library only.
"""
import argparse
import json
import pathlib
import sys

import measure
from metrics import nanoseconds, run_benchmark


def store(path, build, rounds, pattern):
    least = {}
    for _ in range(rounds):
        for result in run_benchmark(build / "bench/metric_bench", 0.2, pattern):
            name, spent = result["name"], nanoseconds(result)
            least[name] = min(least.get(name, spent), spent)
    path.write_text(json.dumps({"processor": measure.cpu_name(), "nanoseconds": least}, indent=1) + "\n", encoding="utf-8")
    print(f"{len(least)} benchmarks stored in {path}")
    return 0


def load(path):
    stored = json.loads(path.read_text(encoding="utf-8"))
    return stored["processor"], stored["nanoseconds"]


def compare(before, after, limit):
    """(name, ratio) of the benchmarks that changed by more than `limit`, the slowest first."""
    ratios = ((name, after[name] / before[name]) for name in before.keys() & after.keys())
    return sorted((pair for pair in ratios if abs(pair[1] - 1) > limit), key=lambda pair: (-pair[1], pair[0]))


def report(before_path, after_path, limit):
    (before_processor, before), (after_processor, after) = load(before_path), load(after_path)
    if before_processor != after_processor:
        print(f"warning: measured on {before_processor} and on {after_processor}", file=sys.stderr)
    common = before.keys() & after.keys()
    if not common:
        print("the two files have no benchmark in common", file=sys.stderr)
        return 2
    changed = compare(before, after, limit)
    for name, ratio in changed:
        print(f"{name:60} {before[name] / 1e3:12.1f} us {after[name] / 1e3:12.1f} us  {100 * (ratio - 1):+.1f} %")
    slower = sum(ratio > 1 for _, ratio in changed)
    print(f"{len(common)} benchmarks, {slower} slower and {len(changed) - slower} faster by more than {100 * limit:g} %")
    for name in sorted(before.keys() ^ after.keys()):
        print(f"only in {before_path if name in before else after_path}: {name}")
    return 1 if slower else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="A.json B.json")
    parser.add_argument("--limit", type=float, default=3.0, metavar="PERCENT")
    parser.add_argument("--store", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--filter", default="/frame/.*/bits:8$", metavar="REGEX")
    options = parser.parse_args()
    if options.store and not options.files:
        return store(options.store, options.build, options.rounds, options.filter)
    if options.store or len(options.files) != 2:
        parser.error("name two stored files, or --store FILE alone")
    return report(*options.files, options.limit / 100)


if __name__ == "__main__":
    sys.exit(main())
