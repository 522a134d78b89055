#!/usr/bin/env python3
"""Compares the logs of two builds of `vmaf` over libvmaf's golden vectors, byte for byte except the line of speed.

usage: vector_logs.py VMAF OTHER_VMAF [--minutes N] [--jobs N] [--skip N]

Of the runs that the command line can express, each feature, option and model comes first, on the smallest clip that libvmaf scores
by it and that has 64 samples a side, texture and pictures that differ; then each feature and the default model on each clip; then
the rest, from small clips to large ones. --minutes ends this order early, --skip begins it after the first N. The vectors lie in
$ACUTANCE_VECTORS, or in shared/vectors next to the repository; without them nothing is compared.
"""
import argparse
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SMALLEST = 64  # Below, some features refuse the clip.


def find_vectors():
    repository = pathlib.Path(__file__).resolve().parents[2]
    return pathlib.Path(os.environ.get("ACUTANCE_VECTORS", repository.parent / "shared" / "vectors"))


def load_driver(vectors):
    spec = importlib.util.spec_from_file_location("run_vectors", vectors / "run_vectors.py")
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    return driver


def list_runs(vectors):
    """(clip's name, run's name, words of the command line) of each, in the order that the usage describes."""
    driver = load_driver(vectors)
    clips = []
    for path in sorted((vectors / "golden").glob("*.json")):
        golden = json.loads(path.read_text())
        clips.append((os.path.getsize(vectors / "clips" / golden["clip"]["ref"]), golden))
    clips.sort(key=lambda clip: clip[0])
    seen, first, second, rest = set(), [], [], []
    for _, golden in clips:
        clip = golden["clip"]
        for name, run in golden["runs"].items():
            flags = driver.cli_args(run, str(vectors / "models"))
            if flags is None or not run.get("features") or run.get("crash") or run.get("errors"):
                continue
            one = (clip["name"], name, [*driver.inputs(clip, str(vectors / "clips")), *flags])
            telling = min(clip["width"], clip["height"]) >= SMALLEST and clip["ref"] != clip["dis"] and "flat" not in clip["name"]
            if telling and name not in seen:
                seen.add(name)
                first.append(one)
            elif ":" not in name or name == "model:vmaf_v0.6.1":
                second.append(one)
            else:
                rest.append(one)
    return first + second + rest


def log(vmaf, words, path):
    done = subprocess.run([vmaf, *words, "--json", "-o", path, "--precision", "max", "-q"], capture_output=True, text=True,
                          check=False)
    return re.sub(r'\n *"fps": .*', "", path.read_text()) if done.returncode == 0 else f"{done.returncode} {done.stderr}"


def compare(commands, run, end):
    """Whether both commands did the same, and how many values the log has; None where the time is over."""
    if time.monotonic() > end:
        return None
    with tempfile.TemporaryDirectory() as temporary:
        ours, other = (log(command, run[2], pathlib.Path(temporary, str(k))) for k, command in enumerate(commands))
    values = sum(len(frame["metrics"]) for frame in json.loads(ours)["frames"]) if ours.startswith("{") else 0
    return ours == other, values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs=2)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--skip", type=int, default=0)
    options = parser.parse_args()
    vectors = find_vectors()
    if not (vectors / "run_vectors.py").is_file():
        print(f"vector_logs: skipped: no golden vectors in {vectors}; set ACUTANCE_VECTORS to their folder")
        return 0
    runs = list_runs(vectors)
    end = time.monotonic() + 60 * options.minutes
    made = refused = different = values = 0
    clips = set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = runs[options.skip:]
        for run, result in zip(todo, pool.map(lambda run: compare(options.commands, run, end), todo)):
            if result is None:
                continue
            made += 1
            values += result[1]
            refused += result[1] == 0
            clips.add(run[0])
            if not result[0]:
                different += 1
                print(f"different: {run[0]} {run[1]}: {' '.join(run[2])}", flush=True)
    print(f"vector_logs: {made} of {len(runs)} runs on {len(clips)} clips, {values} values, {refused} refused by both alike, "
          f"{different} different")
    return 1 if different or not made else 0


if __name__ == "__main__":
    sys.exit(main())
