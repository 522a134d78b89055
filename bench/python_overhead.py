#!/usr/bin/env python3
"""What the Python package adds to the C++ API's time: 1080p luma in memory, one thread. Run it with the package's
interpreter: build/venv/bin/python bench/python_overhead.py (after make test-python).

Both score the same four pictures again and again, in turns; the least of several rounds counts.
"""
import argparse
import json
import pathlib
import subprocess
import time

import numpy as np

import acutance

WIDTH, HEIGHT, PICTURES = 1920, 1080, 4
RUNS = {  # a benchmark of api_bench.cc: the session's options and a number of frames
    "Vmaf": ({"model": "vmaf_v0.6.1"}, 40),
    "Psnr": ({"model": None, "features": {"psnr": {"enable_chroma": False}}}, 800),
}


def picture(frame, noise):
    """The same as in bench/api_bench.cc."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    value = 40 + (3 * x + 2 * y + 5 * frame) % 150 + (x * x + 3 * y * y + 17 * frame) // 8 % 32
    return (value + (31 * x + 17 * y + 5 * frame) % noise).astype(np.uint8)


def time_python(options, frames, pairs):
    """Milliseconds a frame."""
    with acutance.Session(**options, threads=1) as session:
        session.add(*pairs[0])
        begin = time.perf_counter()
        for i in range(1, frames + 1):
            session.add(*pairs[i % PICTURES])
        elapsed = time.perf_counter() - begin
        session.finish()
    return elapsed / frames * 1000


def time_engine(program, name):
    output = subprocess.run([program, f"--benchmark_filter=^{name}/", "--benchmark_format=json"],
                            check=True, capture_output=True, text=True).stdout
    return json.loads(output)["benchmarks"][0]["real_time"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pairs = [(picture(i, 1), picture(i, 16)) for i in range(PICTURES)]
    program = options.build / "bench" / "api_bench"
    for name, (session, frames) in RUNS.items():
        rounds = [(time_engine(program, name), time_python(session, frames, pairs))
                  for _ in range(options.rounds)]
        engine, python = (min(times) for times in zip(*rounds))
        print(f"{name}: C++ {engine:.4f} ms a frame, Python {python:.4f} ms: {python - engine:+.4f} ms, "
              f"{(python / engine - 1) * 100:+.2f} %")


if __name__ == "__main__":
    main()
