#!/usr/bin/env python3
"""Runs the metrics' benchmarks and says how near they are to what the machine's multipliers and dividers allow.

usage: rooms.py [--build DIR] [--all] [--min-time SECONDS]

BUILD/bench/machine_bench measures the machine's rates, BUILD/bench/<metric>_bench nanoseconds per pixel. The bound of a
metric is what it needs divided by the rates; multipliers and divider work side by side: the slower one counts. --all
prints every benchmark (instruction sets, depths), not only the fastest at 1080p and 8 bits. Standard library only.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import measure

# The benchmarks of a whole 1080p frame of 8 bits (the quickest instruction set counts), and what the definition needs
# per luma pixel, over all scales, without folding symmetric taps: 16-bit multiplications, 32-bit multiplications (to 64
# bits), double divisions. A float is as wide as two 16-bit numbers and counts as such. docs/performance.md counts them.
METRICS = {
    "vif": (r"Vif/[A-Z0-9_]+/all/w:1920/h:1080/bits:8", {"multiply16": 282, "multiply32": 4.0, "divide": 1.33}),
    "adm": (r"Frame/1080p8", {"multiply16": 23.5, "multiply32": 13.7, "divide": 0}),
    "motion": (r"MotionSad/[A-Z0-9_]+/w:1920/h:1080/bits:8", {"multiply16": 10, "multiply32": 0, "divide": 0}),
    "float_motion": (r"FloatMotion/[A-Z0-9_]+/w:1920/h:1080/bits:8", {"multiply16": 40, "multiply32": 0, "divide": 0}),
    "psnr": (r"SquaredError/[A-Z0-9_]+/w:1920/h:1080/bits:8", {"multiply16": 1, "multiply32": 0, "divide": 0}),
}
RATES = {"multiply16": "Multiply16Rate", "multiply32": "Multiply32Rate", "divide": "Divide64Rate"}
PIXELS = 1920 * 1080


def run_benchmark(path, min_time, pattern="."):
    """The results of one Google Benchmark program, of the benchmarks whose name the pattern finds."""
    command = [path, "--benchmark_format=json", f"--benchmark_min_time={min_time}", f"--benchmark_filter={pattern}"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(output)["benchmarks"] if output else []  # empty: no such benchmark


def machine_rates(build, min_time):
    """Operations per nanosecond of one core, by the names in METRICS, and the instruction set that did them."""
    results = {result["name"]: result for result in run_benchmark(build / "bench/machine_bench", min_time)}
    return ({need: results[name]["items_per_second"] / 1e9 for need, name in RATES.items()},
            results[RATES["multiply16"]]["label"])


def bound(needs, rates):
    """The least nanoseconds per pixel: all multiplications share their units, the divider works beside them."""
    multiply = needs["multiply16"] / rates["multiply16"] + needs["multiply32"] / rates["multiply32"]
    return max(multiply, needs["divide"] / rates["divide"])


def nanoseconds(result):
    return result["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[result["time_unit"]]


def print_room(metric, results, rates):
    pattern, needs = METRICS[metric]
    frames = [result for result in results if re.fullmatch(pattern, result["name"])]
    if not frames:
        sys.exit(f"{metric}_bench has no benchmark named {pattern}")
    best = min(frames, key=nanoseconds)
    spent, least = nanoseconds(best) / PIXELS, bound(needs, rates)
    print(f"| {metric} | {best['name']} | {spent:.3f} | {spent * PIXELS / 1e6:.2f} | {least:.3f} "
          f"| {100 * least / spent:.0f}% |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--min-time", type=float, default=0.3)
    options = parser.parse_args()

    rates, instruction_set = machine_rates(options.build, options.min_time)
    print(f"{measure.cpu_name()}; per nanosecond and core ({instruction_set}): "
          + ", ".join(f"{rate:.1f} {need}" for need, rate in rates.items()) + "\n")
    print("| metric | benchmark | ns/pixel | ms/frame | bound ns/pixel | reached |\n|---|---|---|---|---|---|")
    everything = []
    for metric in METRICS:
        pattern = "." if options.all else f"^{METRICS[metric][0]}$"
        results = run_benchmark(options.build / f"bench/{metric}_bench", options.min_time, pattern)
        print_room(metric, results, rates)
        everything += results
    if options.all:
        print()
        for result in everything:
            print(f"{result['name']:60} {nanoseconds(result) / 1e3:12.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
