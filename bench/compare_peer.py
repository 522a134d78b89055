#!/usr/bin/env python3
"""Times acutance against libvmaf on the same raw 1080p pair; prints tables for docs/develop/performance.md.

usage: compare_peer.py [--build DIR] [--peer FFMPEG] [--frames N] [--repeats N] [--threads N] [RUN...]

A RUN is a model (vmaf_v0.6.1), a feature with its options (cambi, float_ssim=enable_db=true), or several features
joined by commas; by default two models, every feature of libvmaf that `acutance features` lists, and all of these at
once. The peer is the ffmpeg of PyPI's imageio-ffmpeg, which carries libvmaf. Both sides read the same two files from
the page cache and are timed as whole processes, in turns. The peer's filter always computes a model: where features are
timed, the cost of a model that needs motion alone is subtracted, and with it the peer's start, reading and log. With one
thread the peer also runs with n_threads=0, and the quicker of the two counts. Scores must agree to 1e-5 (the peer's
logs have six digits). Standard library only.
"""
import argparse
import glob
import json
import pathlib
import sys

import measure

SIZE = "1920x1080"
SCORE_TOLERANCE = 1e-5
NOT_THE_PEERS = {"xpsnr", "ssimulacra2", "butteraugli", "cvvdp"}  # features that libvmaf lacks


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--peer", help="an ffmpeg with libvmaf (default: the one in BUILD/venv)")
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("runs", nargs="*", metavar="RUN")
    options = parser.parse_args()
    if options.peer is None:
        found = glob.glob(str(options.build / "venv/lib/python3*/site-packages/imageio_ffmpeg/binaries/ffmpeg-*"))
        if not found:
            sys.exit("no peer: run `make bench-peer`, or give --peer FFMPEG")
        options.peer = found[0]
    return options


def make_pair(media, frames):
    """A 1080p pair, encoded (reference and distorted .mp4) and decoded (.yuv); the next run reuses it."""
    encode = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", media / "reference.mp4", "-an", "-frames:v", frames,
              "-vf", f"scale={SIZE.replace('x', ':')}:flags=bicubic", "-pix_fmt", "yuv420p", "-c:v", "libx264"]
    qualities = {"reference": ["-preset", "ultrafast", "-qp", "4"], "distorted": ["-preset", "veryfast", "-crf", "35"]}
    for name, quality in qualities.items():
        encoded, raw = media / f"{name}_1080p_{frames}.mp4", media / f"{name}_1080p_{frames}.yuv"
        if raw.exists():
            continue
        measure.run(encode + quality + [encoded])
        part = raw.with_suffix(".part")
        measure.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", encoded, "-pix_fmt", "yuv420p",
                     "-f", "rawvideo", part])
        part.rename(raw)
    return [media / f"{name}_1080p_{frames}.{kind}" for kind in ("yuv", "mp4") for name in ("reference", "distorted")]


def motion_model(path):
    """A model with one support vector that needs motion alone."""
    svm = "svm_type nu_svr\nkernel_type rbf\ngamma 0.04\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:0.5 \n"
    path.write_text(json.dumps({"param_dict": {}, "model_dict": {
        "model": svm, "model_type": "LIBSVMNUSVR", "norm_type": "linear_rescale", "score_clip": [0.0, 100.0],
        "slopes": [1.0, 1.0], "intercepts": [0.0, 0.0], "feature_names": ["VMAF_integer_feature_motion2_score"],
        "feature_opts_dicts": [{}]}}), encoding="utf-8")
    return path


def default_runs(options):
    features = [feature for feature in measure.features_of(options.build) if feature not in NOT_THE_PEERS]
    return ["vmaf_v0.6.1", "vmaf_v1.0.16_3d0h", *features, ",".join(features)]


def peer_command(options, pair, run, threads, log):
    reference, distorted = pair
    raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", SIZE, "-r", "25"]
    if measure.is_model(run):
        what = f"model=version={run}"
    else:
        what = f"model=path={motion_model(options.work / 'motion.json')}"
        if run:
            features = "|".join("name=" + feature.replace("=", ":", 1) for feature in run.split(","))
            what += ":feature='" + features.replace(":", "\\:") + "'"
    graph = f"[0:v][1:v]libvmaf=n_threads={threads}:log_fmt=json:log_path={log}:{what}"
    return ([options.peer, "-nostdin", "-v", "error", "-threads", "1", "-filter_complex_threads", "1"]
            + raw + ["-i", distorted] + raw + ["-i", reference, "-filter_complex", graph, "-f", "null", "-"])


def our_command(options, pair, run, threads, log):
    reference, distorted = pair
    width, height = SIZE.split("x")
    what = ["--model", f"version={run}"] if measure.is_model(run) else ["--no_prediction"]
    for feature in [] if measure.is_model(run) else run.split(","):
        what += ["--feature", feature]
    return [options.build / "bin/vmaf", "-r", reference, "-d", distorted, "-w", width, "-h", height, "-p", "420", "-b", "8",
            "--backend", "cpu", *what, "--threads", threads, "--json", "-o", log, "-q"]


def largest_difference(ours, peers):
    """Over all values that both logs have, and how many these are."""
    mine, theirs = (json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["frames"] for path in (ours, peers))
    if len(mine) != len(theirs):
        sys.exit(f"the logs hold {len(mine)} and {len(theirs)} frames")
    differences = [abs(a["metrics"][key] - b["metrics"][key])
                   for a, b in zip(mine, theirs) for key in a["metrics"].keys() & b["metrics"].keys()]
    return max(differences, default=0.0), len(differences)


def compare(options, run, pair, empty):
    """One table row; returns the largest difference of scores. empty: the peer's costs without any feature."""
    logs = {side: options.work / f"{side}.json" for side in ("acutance", "peer")}
    peers = {f"peer {threads}": peer_command(options, pair, run, threads, logs["peer"])
             for threads in ({0, 1} if options.threads == 1 else {options.threads})}
    ours = our_command(options, pair, run, options.threads, logs["acutance"])
    costs = measure.run_interleaved({**peers, "acutance": ours}, options.repeats)
    difference, values = largest_difference(logs["acutance"], logs["peer"])

    def milliseconds(side, field, pick=measure.least):
        spent = pick(costs[side], field)
        if side != "acutance" and not measure.is_model(run):
            spent -= measure.least(empty, field)
        return 1000 * spent / options.frames

    best = min(peers, key=lambda side: milliseconds(side, "wall"))
    frugal = min(peers, key=lambda side: milliseconds(side, "cpu"))
    wall, cpu = milliseconds("acutance", "wall"), milliseconds("acutance", "cpu")
    name = run if run.count(",") < 4 else "all of these features at once"
    print(f"| {name} | {wall:.2f} ({milliseconds('acutance', 'wall', measure.median):.2f}) | {cpu:.2f} "
          f"| {milliseconds(best, 'wall'):.2f} ({milliseconds(best, 'wall', measure.median):.2f}) "
          f"| {milliseconds(frugal, 'cpu'):.2f} | {milliseconds(best, 'wall') / wall:.2f} "
          f"| {milliseconds(frugal, 'cpu') / cpu:.2f} | {difference:.1g} of {values} |", flush=True)
    return difference


def compare_all(options, pair):
    print(f"| {options.threads} thread{'s' * (options.threads > 1)} | acutance ms/frame, least (median) | its CPU ms "
          "| libvmaf ms/frame, least (median) | its CPU ms | ratio | CPU ratio | largest score difference |")
    print("|---|---|---|---|---|---|---|---|")
    nothing = {"empty": peer_command(options, pair, "", 0, options.work / "empty.json")}
    empty = measure.run_interleaved(nothing, options.repeats)["empty"]
    return max(compare(options, run, pair, empty) for run in options.runs or default_runs(options))


def print_scaling(options, pair):
    """Two threads against one; the logs must be the same bytes, except the frames per second."""
    logs = {threads: options.work / f"threads{threads}.json" for threads in (1, 2)}
    commands = {threads: our_command(options, pair, "vmaf_v0.6.1", threads, log)
                for threads, log in logs.items()}
    costs = measure.run_interleaved(commands, options.repeats)
    one, two = (measure.least(costs[threads], "wall") for threads in (1, 2))
    same = measure.log_without_speed(logs[1]) == measure.log_without_speed(logs[2])
    print(f"\nThreads: {options.frames / one:.1f} fps with one, {options.frames / two:.1f} with two: "
          f"{one / two:.2f}x; the logs are {'the same' if same else 'DIFFERENT'}.")
    return same


def print_memory(options, raw_pair, encoded_pair):
    """Peak memory of a run, and of decoding the same videos without scoring (ffmpeg, one thread)."""
    decode = [word for path in encoded_pair for word in ("-threads", "1", "-i", path)]
    score = [options.build / "bin/acutance", "score", *encoded_pair, "--threads", "1", "--output", options.work / "encoded.xml"]
    raw = measure.run(our_command(options, raw_pair, "vmaf_v0.6.1", 1, options.work / "raw.json")).peak_mb
    encoded = measure.run(score).peak_mb
    drop = ["-map", "0:v", "-map", "1:v", "-f", "null", "-"]
    decoder = measure.run(["ffmpeg", "-nostdin", "-v", "error", *decode, *drop]).peak_mb
    print(f"Peak memory, one thread: {raw:.0f} MB from raw files; {encoded:.0f} MB from H.264, where ffmpeg needs "
          f"{decoder:.0f} MB to decode the two and drop the pictures.")


def main():
    options = parse_arguments()
    media = options.build / "media"
    options.work = options.build / "bench-work"
    options.work.mkdir(parents=True, exist_ok=True)
    *raw_pair, reference, distorted = make_pair(media, options.frames)
    version = measure.run([options.peer, "-version"]).output
    print(f"{measure.cpu_name()}; {options.frames} frames of {SIZE}, {options.repeats} repeats; "
          f"peer: {version.partition(' Copyright')[0]}\n")
    worst = compare_all(options, raw_pair)
    if options.runs:
        return 0 if worst <= SCORE_TOLERANCE else 1
    same = print_scaling(options, raw_pair)
    print_memory(options, raw_pair, (reference, distorted))
    if worst > SCORE_TOLERANCE:
        sys.exit(f"scores differ by {worst:.3g}, more than {SCORE_TOLERANCE}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
