#!/usr/bin/env python3
"""Frame pairs a second from raw files in memory to scores, on this machine's devices.

usage: end_to_end.py [--build DIR] [--dir DIR] [--backends cuda,vulkan,cpu] [--devices 0 --devices 0,1]
                     [--sizes 576x324,1920x1080,960x540:1920x1080] [--runs motion,vmaf_v0.6.1] [--gigabytes N]
                     [--repeats N] [--keep]

Writes a raw 8-bit 4:2:0 pair for each size into DIR (default /dev/shm), a given amount of gigabytes each, and scores it
with every run (a feature, or a model by its name; by default each feature, then the default model). A size
960x540:1920x1080 is a rung of a ladder: y4m files, of which the distorted one is scaled to the reference's 1920x1080;
what scaling costs is its rate next to that of 1920x1080. Each side may tell its form, as y4m does:
1920x1080-444p10:1920x1080-420p10 is a pair of 10 bits whose distorted chroma is brought to 4:2:0, and 1920x1080-420-full
has full range, which is brought to the reference's.

The rate is what `acutance score --json` says, opening files and devices left out; "wall" has the whole process. The last
column is what uploading planes of 8 bits of the scored size alone would allow at 55 GB/s. Logs of all backends and
device lists must be the same, except the frames per second. Standard library only.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

UPLOAD_BYTES_PER_SECOND = 55e9
MODEL = "vmaf_v0.6.1"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--dir", type=pathlib.Path, default=pathlib.Path("/dev/shm"))
    parser.add_argument("--backends", default="cuda,cpu")
    parser.add_argument("--devices", action="append", help="for --device; may be repeated (default: not given)")
    parser.add_argument("--sizes", default="576x324,1920x1080,3840x2160")
    parser.add_argument("--runs", help="default: all")
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="leave the files for the next run")
    return parser.parse_args()


def acutance(options, *words):
    command = [str(word) for word in (options.build / "bin/acutance", *words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def all_runs(options):
    """The names that `acutance features` lists before its first empty line, and the default model."""
    listed = acutance(options, "features").partition("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()] + [MODEL]


def is_model(run):
    return run.startswith("vmaf")


def read_form(size):
    """Width, height, (columns, rows) of luma for each chroma sample or None, and bit depth: of 1920x1080-422p10-full."""
    sides, form = (size.split("-") + [""])[:2]
    chroma, _, depth = form.partition("p")
    steps = {"": (2, 2), "420": (2, 2), "422": (2, 1), "444": (1, 1), "mono": None}
    width, height = map(int, sides.split("x"))
    return width, height, steps[chroma], int(depth or 8)


def upload_bytes(options, size, run):
    """Of the planes of 8-bit 4:2:0 that a feature's plan reads, for one pair; models read luma."""
    scored = scored_size(size).partition("-")[0]
    width, height = map(int, scored.split("x"))
    if is_model(run):
        return 2 * width * height
    plan = acutance(options, "plan", "--feature", run, "--size", scored)
    planes = set(re.findall(r"\b(reference|distorted) (y|cb|cr)\b", plan))
    return sum(width * height if plane == "y" else (width // 2) * (height // 2) for _, plane in planes)


def scored_size(size):
    return size.rpartition(":")[2]


def frame_bytes(size):
    width, height, step, depth = read_form(size)
    chroma = 2 * -(-width // step[0]) * -(-height // step[1]) if step else 0
    return (width * height + chroma) * (2 if depth > 8 else 1)


def write_video(path, size, frames, step, is_y4m):
    """Frames of noise that move on by `step` bytes from frame to frame, unless the file is there."""
    width, height, _, depth = read_form(size)
    form = size.partition("-")[2]
    text = f"YUV4MPEG2 W{width} H{height} F25:1 Ip C{form.removesuffix('-full') or '420mpeg2'}"
    text += " XCOLORRANGE=FULL" if form.endswith("-full") else ""
    # Samples of two bytes at odd addresses are copied by the thread that reads, which is another case.
    text += " XA" if len(text) % 2 == 0 else ""
    header = f"{text}\n".encode() if is_y4m else b""
    marker = b"FRAME\n" if is_y4m else b""
    frame = frame_bytes(size)
    if path.exists() and path.stat().st_size == len(header) + frames * (len(marker) + frame):
        return
    noise = bytearray(os.urandom(frame + 64 * step))
    if depth > 8:
        noise[1::2] = bytes(byte & ((1 << depth - 8) - 1) for byte in noise[1::2])
    with open(path, "wb") as file:
        file.write(header)
        for index in range(frames):
            start = index % 64 * step
            file.write(marker + noise[start:start + frame])


def write_pair(folder, size, gigabytes):
    """Returns two paths and the number of frames."""
    distorted, is_rung, reference = size.rpartition(":")
    frames = max(int(gigabytes * 1e9 / frame_bytes(reference)), 32)
    suffix = "y4m" if is_rung else "yuv"
    paths = [folder / f"acutance_{name}_{size.replace(':', '_to_')}.{suffix}" for name in ("reference", "distorted")]
    for step, path, its_size in zip((4096, 4160), paths, (reference, distorted or reference)):
        write_video(path, its_size, frames, step, is_rung)
    return paths, frames


def log_digest(path):
    log = json.loads(path.read_text(encoding="utf-8"))
    log["fps"] = 0
    return hashlib.sha256(json.dumps(log, sort_keys=True).encode()).hexdigest()


def score(options, pair, size, run, backend, devices, log):
    command = [options.build / "bin/acutance", "score", *pair, "--align", "index"]
    command += [] if ":" in size else ["--size", size]
    command += ["--backend", backend, "--json", "-q", "--output", log]
    command += ["--model", run] if is_model(run) else ["--no-model", "--feature", run]
    command += ["--device", devices] if devices and backend not in ("cpu", "auto") else []
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    summary = json.loads(done.stdout)
    return summary["frames"] / summary["seconds"], wall, summary.get("warnings", [])


def measure_run(options, pair, frames, size, run):
    """Table rows of one size and run; returns whether all logs agree."""
    bound = UPLOAD_BYTES_PER_SECOND / upload_bytes(options, size, run)
    digests = set()
    for backend in options.backends.split(","):
        for devices in options.devices or [None]:
            if backend in ("cpu", "auto") and devices != (options.devices or [None])[0]:
                continue
            log = options.dir / "acutance_end_to_end.json"
            results = [score(options, pair, size, run, backend, devices, log) for _ in range(options.repeats)]
            digests.add(log_digest(log))
            rates = sorted(rate for rate, _, _ in results)
            wall = min(seconds for _, seconds, _ in results)
            print(f"| {size} | {run} | {backend}{' ' + devices if devices else ''} | {frames} | {rates[-1]:.0f} "
                  f"| {rates[len(rates) // 2]:.0f} | {wall:.2f} s | {bound:.0f} |", flush=True)
            for warning in results[-1][2]:
                print(f"  warning: {warning}")
            log.unlink()
    return len(digests) == 1


def main():
    options = parse_arguments()
    same = True
    print("| size | run | backend | pairs | best pairs/s | median | wall | upload bound |")
    print("|---|---|---|---|---|---|---|---|")
    for size in options.sizes.split(","):
        pair, frames = write_pair(options.dir, size, options.gigabytes)
        for run in options.runs.split(",") if options.runs else all_runs(options):
            if not measure_run(options, pair, frames, size, run):
                print(f"  the logs of {size} {run} DIFFER")
                same = False
        if not options.keep:
            for path in pair:
                path.unlink()
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
