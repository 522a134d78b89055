#!/usr/bin/env python3
"""Frame pairs a second from raw files in memory to scores, on this machine's devices.

usage: end_to_end.py [--build DIR] [--dir DIR] [--backends cuda,vulkan,cpu] [--devices 0 --devices 0,1]
                     [--sizes 576x324,1920x1080,960x540:1920x1080] [--runs motion,vmaf_v0.6.1] [--align auto,index]
                     [--moving] [--threads N] [--gigabytes N] [--repeats N] [--keep]

Writes a raw 8-bit 4:2:0 pair for each size into DIR (default /dev/shm), of --gigabytes each, and scores it with every
run (a feature, or a model by its name; by default each feature, then the default model). A size 960x540:1920x1080 is a
rung of a ladder: y4m files whose distorted one is scaled to the reference's 1920x1080; what scaling costs is its
rate next to that of 1920x1080. Each side may declare its form, as y4m does: 1920x1080-444p10:1920x1080-420p10 is a pair
of 10 bits whose distorted chroma is converted to 4:2:0, and 1920x1080-420-full has full range, which is converted to the
reference's. The pictures are noise, or with --moving a textured picture that moves up, whose frames --align auto can
align: `--moving --align auto,index` shows what alignment costs.

The rate is what `acutance score --json` reports, without opening files and devices; "wall" and "CPU" are of the whole
process. The last column is what uploading planes of 8 bits of the scored size alone would allow at 55 GB/s. Logs of all
backends, device lists and alignments must be the same, except the frames per second. Standard library only.
"""
import argparse
import json
import math
import os
import pathlib
import re
import sys

import measure

UPLOAD_BYTES_PER_SECOND = 55e9
MODEL = "vmaf_v0.6.1"
ROWS_A_FRAME = 2  # by which a moving picture moves
BLOCK = 8  # rows and columns of one level


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--dir", type=pathlib.Path, default=pathlib.Path("/dev/shm"))
    parser.add_argument("--backends", default="cuda,cpu")
    parser.add_argument("--devices", action="append", help="for --device; may be repeated (default: not given)")
    parser.add_argument("--sizes", default="576x324,1920x1080,3840x2160")
    parser.add_argument("--runs", help="default: all")
    parser.add_argument("--align", default="index")
    parser.add_argument("--moving", action="store_true", help="pictures that can be aligned")
    parser.add_argument("--threads", type=int, help="default: the program's")
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="leave the files for the next run")
    return parser.parse_args()


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
    if measure.is_model(run):
        return 2 * width * height
    plan = measure.run([options.build / "bin/acutance", "plan", "--feature", run, "--size", scored]).output
    planes = set(re.findall(r"\b(reference|distorted) (y|cb|cr)\b", plan))
    return sum(width * height if plane == "y" else (width // 2) * (height // 2) for _, plane in planes)


def scored_size(size):
    return size.rpartition(":")[2]


def frame_bytes(size):
    width, height, step, depth = read_form(size)
    chroma = 2 * -(-width // step[0]) * -(-height // step[1]) if step else 0
    return (width * height + chroma) * (2 if depth > 8 else 1)


def noise(size, frames, step):
    """Frames of noise that moves on by `step` bytes from frame to frame."""
    _, _, _, depth = read_form(size)
    frame = frame_bytes(size)
    samples = bytearray(os.urandom(frame + 64 * step))
    if depth > 8:
        samples[1::2] = bytes(byte & ((1 << depth - 8) - 1) for byte in samples[1::2])
    for index in range(frames):
        yield samples[index % 64 * step:index % 64 * step + frame]


def level(x, y):
    """The level of a block."""
    return int(120 + 50 * math.sin(x / 5) * math.cos(y / 4) + 40 * math.sin((x + y) / 17) + 20 * math.cos((3 * x - y) / 29))


def moving(size, frames, step):
    """Frames of a textured picture that moves up, with levels that are multiples of `step` and 3 bits of noise."""
    width, height, _, _ = read_form(size)
    mask = int.from_bytes(bytes([7]) * width * BLOCK, "big")
    rows = bytearray()
    for y in range(-(-(height + ROWS_A_FRAME * frames) // BLOCK)):
        levels = b"".join(bytes([level(x, y) // step * step]) * BLOCK for x in range(-(-width // BLOCK)))[:width]
        grain = int.from_bytes(os.urandom(width * BLOCK), "big") & mask  # no byte carries over
        rows += (int.from_bytes(levels * BLOCK, "big") + grain).to_bytes(width * BLOCK, "big")
    chroma = bytes([128]) * (frame_bytes(size) - width * height)
    for frame in range(frames):
        first = ROWS_A_FRAME * frame * width
        yield rows[first:first + width * height] + chroma


def write_video(path, size, frames, pictures, is_y4m):
    """Writes the pictures, unless the file is there."""
    width, height, _, _ = read_form(size)
    form = size.partition("-")[2]
    text = f"YUV4MPEG2 W{width} H{height} F25:1 Ip C{form.removesuffix('-full') or '420mpeg2'}"
    text += " XCOLORRANGE=FULL" if form.endswith("-full") else ""
    # Samples of two bytes at odd addresses are copied by the thread that reads, which is another case.
    text += " XA" if len(text) % 2 == 0 else ""
    header = f"{text}\n".encode() if is_y4m else b""
    marker = b"FRAME\n" if is_y4m else b""
    if path.exists() and path.stat().st_size == len(header) + frames * (len(marker) + frame_bytes(size)):
        return
    with open(path, "wb") as file:
        file.write(header)
        for picture in pictures:
            file.write(marker + picture)


def write_pair(options, size):
    """Returns two paths and the number of frames."""
    distorted, is_rung, reference = size.rpartition(":")
    frames = max(int(options.gigabytes * 1e9 / frame_bytes(reference)), 32)
    suffix = ("moving." if options.moving else "") + ("y4m" if is_rung else "yuv")
    paths = [options.dir / f"acutance_{name}_{size.replace(':', '_to_')}.{suffix}" for name in ("reference", "distorted")]
    make, steps = (moving, (1, 4)) if options.moving else (noise, (4096, 4160))
    for step, path, its_size in zip(steps, paths, (reference, distorted or reference)):
        write_video(path, its_size, frames, make(its_size, frames, step), is_rung)
    return paths, frames


def score(options, pair, size, run, backend, devices, align):
    """The summary, the process's cost, and what the log holds."""
    log = options.dir / "acutance_end_to_end.json"
    command = [options.build / "bin/acutance", "score", *pair, "--align", align]
    command += [] if ":" in size else ["--size", size]
    command += ["--backend", backend, "--json", "-q", "--output", log]
    command += ["--model", run] if measure.is_model(run) else ["--no-model", "--feature", run]
    command += ["--device", devices] if devices else []
    command += ["--threads", options.threads] if options.threads else []
    cost = measure.run(command)
    content = json.dumps(measure.log_without_speed(log), sort_keys=True)
    log.unlink()
    return json.loads(cost.output), cost, content


def measure_run(options, pair, frames, size, run):
    """Table rows of one size and run; returns whether all logs agree."""
    bound = UPLOAD_BYTES_PER_SECOND / upload_bytes(options, size, run)
    logs = set()
    ways = [(backend, devices, align) for backend in options.backends.split(",")
            for devices in (options.devices or [None] if backend not in ("cpu", "auto") else [None])
            for align in options.align.split(",")]
    results = {way: [] for way in ways}
    for _ in range(options.repeats):  # in turns, so that a slow spell of the machine hits all of them
        for way in ways:
            summary, cost, content = score(options, pair, size, run, *way)
            results[way].append((summary, cost))
            logs.add(content)
    for (backend, devices, align), measured in results.items():
        rates = sorted(summary["frames"] / summary["seconds"] for summary, _ in measured)
        costs = [cost for _, cost in measured]
        print(f"| {size} | {run} | {backend}{' ' + devices if devices else ''} | {align} | {frames} | {rates[-1]:.0f} "
              f"| {rates[len(rates) // 2]:.0f} | {measure.least(costs, 'wall'):.2f} s "
              f"| {1000 * measure.least(costs, 'cpu') / frames:.3f} ms | {bound:.0f} |", flush=True)
        for warning in measured[-1][0].get("warnings", []):
            print(f"  warning: {warning}")
    return len(logs) == 1


def main():
    options = parse_arguments()
    same = True
    print("| size | run | backend | align | pairs | best pairs/s | median | wall | CPU a pair | upload bound |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for size in options.sizes.split(","):
        pair, frames = write_pair(options, size)
        for run in options.runs.split(",") if options.runs else [*measure.features_of(options.build), MODEL]:
            if not measure_run(options, pair, frames, size, run):
                print(f"  the logs of {size} {run} DIFFER")
                same = False
        if not options.keep:
            for path in pair:
                path.unlink()
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
