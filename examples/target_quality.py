#!/usr/bin/env python3
"""Finds the smallest encode that looks good enough: the greatest CRF at which a video reaches a score.

    target_quality.py original.mkv out.mkv --encoder libsvtav1 --target 93
    target_quality.py original.mkv out.mkv --metric butteraugli --target 1.2
    target_quality.py original.mkv out.mkv --metric ssimulacra2 --pool p5 --target 70 -- --threads 4

It encodes with ffmpeg (libx264, libx265 or libsvtav1; Debian: apt install ffmpeg) and scores with `acutance serve`, which
caches the decoded original between the probes; --command scores with `acutance score` instead, --vship with libvship.so.
What follows -- are options of `acutance score`; another model is one of them: -- -m vmaf_v0.6.1neg. Of Butteraugli lower
is better, and the target is the most that is allowed. A line for each probe goes to standard error, the result to standard
output as JSON. The exit status is 3 where even the best quality misses the target; the file is then that encode. Needs
Python alone.
"""
import argparse
import collections
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# Arguments, the CRFs of the search, and the one to begin with.
ENCODERS = {
    "libx264": (["-preset", "medium"], (4, 51), 24),
    "libx265": (["-preset", "medium", "-x265-params", "log-level=error"], (4, 51), 26),
    "libsvtav1": (["-preset", "8"], (8, 63), 34),
}


# What a metric asks of `acutance score`; the score of a frame and, where there is one, of the whole clip, which --pool mean
# stands for; whether lower is better; a usual target. Names are without the options that follow them in a summary.
Metric = collections.namedtuple("Metric", "options score clip lower target")
METRICS = {
    "vmaf": Metric(["-m", "vmaf_v0.6.1"], None, None, False, 93),
    "xpsnr": Metric(["--no-model", "--feature", "xpsnr"], "xpsnr_y", "xpsnr_weighted", False, 42),
    "ssimulacra2": Metric(["--no-model", "--feature", "ssimulacra2"], "ssimulacra2", None, False, 75),
    "butteraugli": Metric(["--no-model", "--feature", "butteraugli=intensity_target=203"], "butteraugli_p3", None, True, 1),
    "butteraugli-max": Metric(["--no-model", "--feature", "butteraugli=intensity_target=203"], "butteraugli_max", None, True,
                              3),
    "cvvdp": Metric(["--no-model", "--feature", "cvvdp=display=standard_fhd:conversion=common"], "cvvdp_frame", "cvvdp_clip",
                    False, 9.5),
}


class Command:
    """Each probe is a run of `acutance score`."""

    def __init__(self, acutance, options):
        self.command, self.options = acutance, options

    def summary(self, reference, distorted):
        done = subprocess.run([self.command, "score", reference, distorted, "--json", "--quiet", *self.options],
                              stdout=subprocess.PIPE, check=False)
        if done.returncode not in (0, 3):
            raise SystemExit(done.returncode)
        return json.loads(done.stdout)

    def close(self):
        pass


class Server:
    """One `acutance serve` for all probes."""

    def __init__(self, acutance, options):
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="acutance-")
        path = os.path.join(self.folder.name, "socket")
        self.process = subprocess.Popen([acutance, "serve", path, "--quiet"])
        self.socket = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit("acutance serve did not start") from None
                time.sleep(0.005)
        self.lines = self.socket.makefile("rw", encoding="utf-8")

    def summary(self, reference, distorted):
        request = {"reference": os.path.abspath(reference), "distorted": os.path.abspath(distorted),
                   "options": self.options}
        print(json.dumps(request), file=self.lines, flush=True)
        reply = json.loads(self.lines.readline())
        if "error" in reply:
            raise SystemExit(f"acutance: {reply['error']}")
        return reply["summary"]

    def close(self):
        self.lines.close()
        self.socket.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.folder.cleanup()


class Vship:
    """Each probe is scored by libvship.so, frame by frame: vship.py."""

    def __init__(self, library, metric):
        import vship  # next to this file

        self.scores = vship.Scorer(library, metric).scores

    def summary(self, reference, distorted):
        scores = self.scores(reference, distorted)
        return {"scores": scores}

    def close(self):
        pass


def percentile(scores, percent):
    """Interpolated between neighbours, as `acutance score` does."""
    scores = sorted(scores)
    place = (len(scores) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(scores) - 1)
    return scores[below] + (scores[above] - scores[below]) * (place - below)


def pooled_here(scores, metric, pool):
    if metric == "cvvdp":
        if pool != "mean":
            raise SystemExit("libvship gives cvvdp's score of the whole clip, --pool mean")
        return scores[-1]
    named = {"mean": lambda: sum(scores) / len(scores), "min": lambda: min(scores), "max": lambda: max(scores),
             "median": lambda: percentile(scores, 50)}
    return named[pool]() if pool in named else percentile(scores, float(pool.removeprefix("p")))


def pooled(summary, metric, pool):
    """The score that the target is for."""
    if "scores" in summary:
        return pooled_here(summary["scores"], metric, pool)
    result, (_, score, clip, _, _) = summary["results"][0], METRICS[metric]
    if score is None:
        statistics = next(iter(result["models"].values()))
    elif clip and pool == "mean":
        return next(value for name, value in result["aggregates"].items() if name.startswith(clip))
    else:
        statistics = next(value for name, value in result["features"].items() if name.startswith(score))
    value = statistics["pools"].get(pool)
    return statistics[pool] if value is None else value


def guess(known, target, low, high):
    """A CRF strictly between: where a line through the two known neighbours meets the target, else the middle."""
    middle = (low + high) // 2
    if low in known and high in known and known[low] > known[high]:
        middle = round(low + (known[low] - target) / (known[low] - known[high]) * (high - low))
    return min(max(middle, low + 1), high - 1)


def search(probe, target, first, last, start):
    """The greatest CRF from first to last whose score reaches the target, or None; scores fall as CRF grows."""
    known = {}

    def reaches(crf):
        known[crf] = probe(crf)
        return known[crf] >= target

    low, high = first - 1, last + 1  # low reaches the target, high does not, of those that were tried
    crf = start
    while True:
        if reaches(crf):
            low = crf
        else:
            high = crf
        if high - low <= 1:
            return low if low >= first else None
        crf = guess(known, target, low, high)


def main():
    parser = argparse.ArgumentParser(description="The greatest CRF at which a video reaches a score.",
                                     epilog="What follows -- are options of `acutance score`.")
    parser.add_argument("reference")
    parser.add_argument("output")
    parser.add_argument("--encoder", choices=ENCODERS, default="libx264")
    parser.add_argument("--metric", choices=METRICS, default="vmaf")
    parser.add_argument("--target", type=float, help="the metric's usual one where it is left out")
    parser.add_argument("--pool", default="mean", help="mean, p5, harmonic_mean, worst_second, ... (default: mean)")
    parser.add_argument("--preset", help="of the encoder")
    parser.add_argument("--crf", metavar="FIRST:LAST", help="what is searched (default: all that is usual)")
    parser.add_argument("--command", action="store_true", help="score with `acutance score`, not `acutance serve`")
    parser.add_argument("--vship", metavar="LIBRARY", help="score with libvship.so: ssimulacra2, butteraugli, cvvdp")
    parser.add_argument("--acutance", default="acutance", help="the acutance command")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:split])
    metric = METRICS[args.metric]
    target = metric.target if args.target is None else args.target
    options = words[split + 1:]
    if args.metric != "vmaf" or not {"-m", "--model"} & set(options):
        options = [*metric.options, *options]
    options += ["--pool", args.pool]
    settings, (first, last), start = ENCODERS[args.encoder]
    if args.preset:
        settings = [*settings, "-preset", args.preset]
    if args.crf:
        first, last = map(int, args.crf.split(":"))
        start = min(max(start, first), last)
    if args.vship:
        scorer = Vship(args.vship, args.metric)
    else:
        scorer = (Command if args.command else Server)(args.acutance, options)
    sign = -1 if metric.lower else 1
    try:
        with tempfile.TemporaryDirectory(prefix="acutance-") as folder:
            def path_of(crf):
                return os.path.join(folder, f"{crf}.mkv")

            def probe(crf):
                subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", args.reference, "-map", "0:v:0", "-c:v",
                                args.encoder, *settings, "-crf", str(crf), path_of(crf)], check=True,
                               env={**os.environ, "SVT_LOG": "1"})
                began = time.monotonic()
                scores[crf] = pooled(scorer.summary(args.reference, path_of(crf)), args.metric, args.pool)
                size = os.path.getsize(path_of(crf))
                print(f"crf {crf}: {args.metric} {args.pool} {scores[crf]:.3f}, {size} bytes, scored in "
                      f"{time.monotonic() - began:.2f} s", file=sys.stderr)
                return sign * scores[crf]

            scores = {}
            found = search(probe, sign * target, first, last, start)
            crf = first if found is None else found
            shutil.copyfile(path_of(crf), args.output)
            print(json.dumps({"crf": crf, "metric": args.metric, "score": scores[crf], "target": target, "pool": args.pool,
                              "reached": found is not None, "probes": len(scores),
                              "bytes": os.path.getsize(args.output)}))
    finally:
        scorer.close()
    return 0 if found is not None else 3


if __name__ == "__main__":
    sys.exit(main())
