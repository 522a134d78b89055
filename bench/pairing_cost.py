#!/usr/bin/env python3
"""What pairing costs: frame pairs a second by `--align auto` and by `--align index`, in turns.

usage: pairing_cost.py [PROGRAM ...] [--dir DIR] [--backends cuda,vulkan] [--runs vmaf_v0.6.1,xpsnr] [--size WxH]
                       [--frames N] [--threads N] [--repeats N] [--keep]

PROGRAM is an `acutance`, by default build/bin/acutance; several are run in turns. The videos are y4m files in DIR (default
/dev/shm): a textured picture with noise that moves up by two rows a frame, and the same with fewer levels and other noise.
The rate is what the summary says, opening files and devices left out; user time is the whole process's. Logs of all
programs, backends and ways of pairing must be the same, except the frames per second. Standard library only.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import subprocess
import sys

ROWS_A_FRAME = 2
BLOCK = 8


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=pathlib.Path, default=[pathlib.Path("build/bin/acutance")])
    parser.add_argument("--dir", type=pathlib.Path, default=pathlib.Path("/dev/shm"))
    parser.add_argument("--backends", default="cuda,vulkan")
    parser.add_argument("--runs", default="vmaf_v0.6.1,xpsnr", help="models, which begin with vmaf or are auto; features")
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--frames", type=int, default=2400)
    parser.add_argument("--threads", type=int, help="default: the program's")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="leave the files for the next run")
    return parser.parse_args()


def level(x, y):
    """Of a block."""
    return int(120 + 50 * math.sin(x / 5) * math.cos(y / 4) + 40 * math.sin((x + y) / 17) + 20 * math.cos((3 * x - y) / 29))


def canvas(width, height, step, noise_mask):
    """Rows of luma in blocks of levels that are multiples of `step`, and noise, which no byte carries over."""
    rows = bytearray()
    mask = int.from_bytes(bytes([noise_mask]) * width * BLOCK, "big")
    for y in range(-(-height // BLOCK)):
        levels = b"".join(bytes([level(x, y) // step * step]) * BLOCK for x in range(-(-width // BLOCK)))[:width]
        noise = int.from_bytes(os.urandom(width * BLOCK), "big") & mask
        rows += (int.from_bytes(levels * BLOCK, "big") + noise).to_bytes(width * BLOCK, "big")
    return memoryview(rows)


def write_video(path, width, height, frames, step, noise_mask):
    chroma = bytes([128]) * (2 * ((width + 1) // 2) * ((height + 1) // 2))
    header = f"YUV4MPEG2 W{width} H{height} F25:1 Ip C420mpeg2\n".encode()
    if path.exists() and path.stat().st_size == len(header) + frames * (6 + width * height + len(chroma)):
        return
    rows = canvas(width, height + ROWS_A_FRAME * frames, step, noise_mask)
    with open(path, "wb") as file:
        file.write(header)
        for frame in range(frames):
            first = ROWS_A_FRAME * frame * width
            file.write(b"FRAME\n")
            file.write(rows[first:first + width * height])
            file.write(chroma)


def log_digest(path):
    log = json.loads(path.read_text(encoding="utf-8"))
    log["fps"] = 0
    return hashlib.sha256(json.dumps(log, sort_keys=True).encode()).hexdigest()


def score(options, pair, program, backend, run, align):
    """Pairs a second, seconds in user mode a pair, and the log's digest."""
    log = options.dir / "acutance_pairing_cost.json"
    command = [program, "score", *pair, "--align", align, "--backend", backend, "-q", "--output", log]
    command += ["--model", run] if run.startswith("vmaf") or run == "auto" else ["--no-model", "--feature", run]
    command += ["--threads", options.threads] if options.threads else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    frames, rate = re.search(r"^(\d+) frames in .*: ([\d.]+) frames/s", done.stdout, re.M).groups()
    digest = log_digest(log)
    log.unlink()
    return float(rate), user / int(frames), digest


def measure(options, pair, backend, run):
    """Prints a row for each program and way of pairing; returns whether all logs agree."""
    ways = [(program, align) for program in options.programs for align in ("auto", "index")]
    rates = {way: [] for way in ways}
    users = {way: [] for way in ways}
    digests = set()
    for _ in range(options.repeats):
        for program, align in ways:
            rate, user, digest = score(options, pair, program, backend, run, align)
            rates[program, align].append(rate)
            users[program, align].append(user)
            digests.add((run, digest))
    for program, align in ways:
        told = " ".join(f"{rate:.0f}" for rate in rates[program, align])
        print(f"| {program} | {run} | {backend} | {align} | {told} | {1000 * min(users[program, align]):.3f} ms |",
              flush=True)
    return digests


def main():
    options = parse_arguments()
    width, height = map(int, options.size.split("x"))
    pair = [options.dir / f"acutance_pairing_{name}.y4m" for name in ("reference", "distorted")]
    write_video(pair[0], width, height, options.frames, 1, 7)
    write_video(pair[1], width, height, options.frames, 4, 3)
    print("| program | run | backend | align | pairs/s | least user time a pair |")
    print("|---|---|---|---|---|---|")
    same = True
    for run in options.runs.split(","):
        digests = set()
        for backend in options.backends.split(","):
            digests |= measure(options, pair, backend, run)
        if len(digests) > 1:
            print(f"  the logs of {run} DIFFER")
            same = False
    if not options.keep:
        for path in pair:
            path.unlink()
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
