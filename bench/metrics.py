#!/usr/bin/env python3
"""Runs the benchmark of all metrics and says how near they are to what the machine's multipliers and dividers allow.

usage: metrics.py [--build DIR] [--all] [--min-time SECONDS]

BUILD/bench/machine_bench measures the machine's rates, BUILD/bench/metric_bench the metrics. The bound of a metric is
what it needs divided by the rates; multipliers and divider work side by side: the slower one counts. What it needs is
the line "Work per luma pixel" in its folder's README.md, over all scales, without folding symmetric taps; divisions are
of doubles, and a float is as wide as two 16-bit numbers and counts as such. Without that line there is no bound. --all
prints every benchmark (instruction sets, depths, stages), not only the fastest at 8 bits. Standard library only.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import measure

METRICS = pathlib.Path(__file__).resolve().parents[1] / "src/metric"
WORK = re.compile(r"^Work per luma pixel: ([\d.]+) multiplications of 16 bits, ([\d.]+) of 32 bits, ([\d.]+) divisions\.$",
                  re.M)
NEEDS = ("multiply16", "multiply32", "divide")
RATES = {"multiply16": "Multiply16Rate", "multiply32": "Multiply32Rate", "divide": "Divide64Rate"}
PIXELS = 1920 * 1080


def run_benchmark(path, min_time, pattern="."):
    """The results of one Google Benchmark program, of the benchmarks whose name the pattern finds."""
    command = [path, "--benchmark_format=json", f"--benchmark_min_time={min_time}", f"--benchmark_filter={pattern}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["benchmarks"] if output else []  # empty: no such benchmark


def machine_rates(build, min_time):
    """Operations per nanosecond of one core, by the names in NEEDS, and the instruction set that did them."""
    results = {result["name"]: result for result in run_benchmark(build / "bench/machine_bench", min_time)}
    return ({need: results[name]["items_per_second"] / 1e9 for need, name in RATES.items()},
            results[RATES["multiply16"]]["label"])


def needs_of(metric):
    """Operations per pixel by the names in NEEDS; None where the metric's folder does not say."""
    path = METRICS / metric / "README.md"
    found = WORK.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    return dict(zip(NEEDS, map(float, found.groups()))) if found else None


def bound(needs, rates):
    """The least nanoseconds per pixel: all multiplications share their units, the divider works next to them."""
    multiply = needs["multiply16"] / rates["multiply16"] + needs["multiply32"] / rates["multiply32"]
    return max(multiply, needs["divide"] / rates["divide"])


def nanoseconds(result):
    return result["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[result["time_unit"]]


def fastest_frames(results):
    """Metric -> the result of its fastest instruction set on a whole frame of 8 bits."""
    best = {}
    for result in results:
        metric, part, _, bits = result["name"].split("/")
        if part == "frame" and bits == "bits:8":
            best[metric] = min(best.get(metric, result), result, key=nanoseconds)
    return best


def print_metric(metric, result, rates):
    spent, needs = nanoseconds(result) / PIXELS, needs_of(metric)
    least = bound(needs, rates) if needs else None
    share = f"{least:.3f} | {100 * least / spent:.0f}%" if needs else "- | -"
    print(f"| {metric} | {result['name']} | {spent:.3f} | {spent * PIXELS / 1e6:.2f} | {share} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--min-time", type=float, default=0.3)
    options = parser.parse_args()

    rates, instruction_set = machine_rates(options.build, options.min_time)
    print(f"{measure.cpu_name()}; per nanosecond and core ({instruction_set}): "
          + ", ".join(f"{rate:.1f} {need}" for need, rate in rates.items()) + "\n")
    results = run_benchmark(options.build / "bench/metric_bench", options.min_time,
                            "." if options.all else "/frame/.*/bits:8$")
    print("| metric | benchmark | ns/pixel | ms/frame | bound ns/pixel | reached |\n|---|---|---|---|---|---|")
    for metric, result in fastest_frames(results).items():
        print_metric(metric, result, rates)
    if options.all:
        print()
        for result in results:
            print(f"{result['name']:60} {nanoseconds(result) / 1e3:12.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
