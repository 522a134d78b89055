#!/usr/bin/env python3
"""Finds the smallest encode that looks good enough: the greatest CRF at which a video reaches a score.

    target_quality.py original.mkv out.mkv --encoder libsvtav1 --target 93
    target_quality.py original.mkv out.mkv --pool p5 --target 90 -- -m vmaf_v0.6.1 --threads 4

It encodes with ffmpeg (libx264, libx265 or libsvtav1; Debian: apt install ffmpeg) and scores with `acutance serve`, which
keeps the original decoded between the probes; --command scores with `acutance score` instead. What follows -- are options
of `acutance score`. A line for each probe goes to standard error, the result to standard output as JSON. The exit status
is 3 where even the best quality misses the target; the file is then that encode. Needs Python alone.
"""
import argparse
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


def pooled(summary, pool):
    """The pooled score of the first model."""
    statistics = next(iter(summary["results"][0]["models"].values()))
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

    low, high = first - 1, last + 1  # low reaches the target, high does not, as far as they were tried
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
    parser.add_argument("--target", type=float, default=93)
    parser.add_argument("--pool", default="mean", help="mean, p5, harmonic_mean, worst_second, ... (default: mean)")
    parser.add_argument("--preset", help="of the encoder")
    parser.add_argument("--command", action="store_true", help="score with `acutance score`, not `acutance serve`")
    parser.add_argument("--acutance", default="acutance", help="the acutance command")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    args = parser.parse_args(words[:split])
    options = [*(words[split + 1:] or ["-m", "vmaf_v0.6.1"]), "--pool", args.pool]
    settings, (first, last), start = ENCODERS[args.encoder]
    if args.preset:
        settings = [*settings, "-preset", args.preset]
    scorer = (Command if args.command else Server)(args.acutance, options)
    try:
        with tempfile.TemporaryDirectory(prefix="acutance-") as folder:
            def path_of(crf):
                return os.path.join(folder, f"{crf}.mkv")

            def probe(crf):
                subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", args.reference, "-map", "0:v:0", "-c:v",
                                args.encoder, *settings, "-crf", str(crf), path_of(crf)], check=True,
                               env={**os.environ, "SVT_LOG": "1"})
                began = time.monotonic()
                scores[crf] = pooled(scorer.summary(args.reference, path_of(crf)), args.pool)
                size = os.path.getsize(path_of(crf))
                print(f"crf {crf}: {args.pool} {scores[crf]:.3f}, {size} bytes, scored in "
                      f"{time.monotonic() - began:.2f} s", file=sys.stderr)
                return scores[crf]

            scores = {}
            found = search(probe, args.target, first, last, start)
            crf = first if found is None else found
            shutil.copyfile(path_of(crf), args.output)
            print(json.dumps({"crf": crf, "score": scores[crf], "target": args.target, "pool": args.pool,
                              "reached": found is not None, "probes": len(scores),
                              "bytes": os.path.getsize(args.output)}))
    finally:
        scorer.close()
    return 0 if found is not None else 3


if __name__ == "__main__":
    sys.exit(main())
