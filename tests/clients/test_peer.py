#!/usr/bin/env python3
"""acutance against libvmaf 3.2, option by option: the logs of one table of runs, over clips of every depth and chroma.

usage: BUILD=FOLDER test_peer.py [-k PATTERN]        after `make test-ffmpeg`, with imageio-ffmpeg in FOLDER/venv

The peer is the ffmpeg of PyPI's imageio-ffmpeg, which carries libvmaf 3.2. The table has the options and models that
libvmaf's own Python tests and encoder programs use, and every option of every feature once. Each run goes through the
peer, through acutance's `vmaf` command, and through the ffmpeg that is built on acutance's libvmaf.so.3, when there is
one. All must log the same columns in the same order, with the same scores, or all must refuse. ACUTANCE_PEER names
another peer. Standard library only.
"""
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from clips import distorted_sample, plane, reference_sample  # noqa: E402
from runs import (FEATURES, MODELS, NOT_OF_16_BITS, PRESETS, READS_OUTSIDE_OF_ODD_SIZES,  # noqa: E402
                  REFUSED_FEATURES, REFUSED_MODELS, bound)

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
VMAF = BUILD / "bin" / "vmaf"
OURS = BUILD / "clients" / "ffmpeg-sid" / "bin" / "ffmpeg"
WIDTH, HEIGHT, FRAMES = 392, 328, 3
SHIFT = {"420": (1, 1), "422": (1, 0), "444": (0, 0)}
CONTENTS = {"film": (reference_sample, distorted_sample), "identical": (reference_sample, reference_sample),
            "black": (lambda x, y, k: 0, lambda x, y, k: 0), "white on black": (lambda x, y, k: 0, lambda x, y, k: 255)}
ODD_SIZES = [(217, 223), (641, 225)]
FORMATS = [("420", 8), ("422", 10), ("444", 12), ("420", 16)]


def peer():
    found = glob.glob(str(BUILD / "venv/lib/python3*/site-packages/imageio_ffmpeg/binaries/ffmpeg-*"))
    return os.environ.get("ACUTANCE_PEER") or (found or [None])[0]


def deepen(samples, depth):
    """Samples of 8 bits in more: with low bits that are not 0."""
    return b"".join((sample << (depth - 8) | sample >> 3).to_bytes(2, "little") for sample in samples)


class Clip:
    """A pair of raw files, made once. Chroma of odd sides is rounded up, as in files."""

    def __init__(self, folder, chroma, depth, size=(WIDTH, HEIGHT), content="film"):
        self.chroma, self.depth, self.size = chroma, depth, size
        (width, height), (x_shift, y_shift) = size, SHIFT[chroma]
        sizes = [(*size, 0)] + [((width + x_shift) >> x_shift, (height + y_shift) >> y_shift, lag) for lag in (0, 9)]
        self.paths = [folder / f"{kind}_{chroma}_{depth}_{width}_{content}.yuv" for kind in ("ref", "dis")]
        for path, sample in zip(self.paths, CONTENTS[content]):
            planes = (plane(w, h, k + lag, sample) for k in range(FRAMES) for w, h, lag in sizes)
            path.write_bytes(b"".join(p if depth == 8 else deepen(p, depth) for p in planes))

    def filter_command(self, program, what, log):
        form = f"yuv{self.chroma}p" + (f"{self.depth}le" if self.depth > 8 else "")
        raw = ["-f", "rawvideo", "-pix_fmt", form, "-s", "{}x{}".format(*self.size), "-r", "25"]
        graph = f"[0:v][1:v]libvmaf=log_path={log}:{what}"
        return [program, "-nostdin", "-v", "info", *raw, "-i", self.paths[1], *raw, "-i", self.paths[0], "-lavfi", graph,
                "-f", "null", "-"]

    def vmaf_command(self, log, *options):
        return [VMAF, "-r", self.paths[0], "-d", self.paths[1], "-w", self.size[0], "-h", self.size[1], "-p", self.chroma, 
                "-b", self.depth, "-o", log, *options]


def filter_options(models, features):
    """libvmaf's filter options in a filter graph, where ':' in a value has a backslash and the list is quoted."""
    parts = []
    if models:
        parts.append("model='" + "|".join(models).replace(":", r"\:") + "'")
    if features:
        parts.append("feature='" + "|".join("name=" + f.replace("=", ":", 1) for f in features).replace(":", r"\:") + "'")
    return ":".join(parts)


class Peer(unittest.TestCase):
    clips = {}

    @classmethod
    def setUpClass(cls):
        if not peer():
            raise unittest.SkipTest("there is no peer: run `make test-peer`")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.clips = {form: Clip(pathlib.Path(cls.folder.name), *form) for form in FORMATS}
        cls.log = pathlib.Path(cls.folder.name) / "log"

    def run_once(self, command):
        """The log, or None where the program refused."""
        self.log.unlink(missing_ok=True)
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300)
        if command[0] != peer():
            self.assertGreaterEqual(done.returncode, 0, f"died of a signal: {command}\n{done.stderr[-800:]}")
        self.said = done.stderr
        return self.log.read_text() if done.returncode == 0 and self.log.exists() else None

    def frames(self, command, sort=False):
        log = self.run_once(command)
        if not log:
            return None
        frames = [frame["metrics"] for frame in json.loads(log)["frames"]]
        return [dict(sorted(frame.items())) for frame in frames] if sort else frames

    def programs(self, clip, models=(), features=(), extra=(), filter_extra=""):
        """The commands of one run by the programs under test; the peer's comes first."""
        what = ":".join(part for part in ("log_fmt=json", filter_extra, filter_options(models, features)) if part)
        options = [word for model in models or ["version=vmaf_v0.6.1"] for word in ("--model", model)]
        options += [word for feature in features for word in ("--feature", feature)]
        yield "peer", clip.filter_command(peer(), what, self.log)
        yield "vmaf", clip.vmaf_command(self.log, "--json", *options, *extra)
        if OURS.exists():
            yield "ffmpeg", clip.filter_command(OURS, what, self.log)

    def assert_same(self, ours, theirs, label):
        self.assertIsNotNone(ours, f"{label}: refused: {self.said[-600:]}")
        self.assertEqual([list(frame) for frame in ours], [list(frame) for frame in theirs], label)
        for index, (a, b) in enumerate(zip(ours, theirs)):
            for name in a:
                if a[name] is None or b[name] is None:
                    self.assertEqual(a[name], b[name], f"{label}: {name} of frame {index}")
                else:
                    self.assertAlmostEqual(a[name], b[name], delta=bound(b, name),
                                           msg=f"{label}: {name} of frame {index}")

    def compare(self, clip, *run, sort=False, **more):
        theirs = None
        for program, command in self.programs(clip, *run, **more):
            frames = self.frames(command, sort)
            if program == "peer":
                theirs = frames
                self.assertIsNotNone(theirs, f"the peer refuses {run}: {self.said[-600:]}")
            else:
                self.assert_same(frames, theirs, f"{program} {run}")

    def refuse(self, clip, *run):
        for program, command in self.programs(clip, *run):
            self.assertIsNone(self.run_once(command), f"{program} continues")

    def test_features(self):
        for form in FORMATS:
            for feature in FEATURES:
                with self.subTest(format=form, feature=feature):
                    if form[1] == 16 and feature in NOT_OF_16_BITS:
                        self.refuse(self.clips[form], (), (feature,))
                    else:
                        self.compare(self.clips[form], (), (feature,))

    def test_models(self):
        for form in FORMATS:
            for models in MODELS:
                with self.subTest(format=form, models=models):
                    self.compare(self.clips[form], models)

    def test_contents_and_odd_sizes(self):
        names = [feature for feature in FEATURES if "=" not in feature and feature not in READS_OUTSIDE_OF_ODD_SIZES]
        for size in ODD_SIZES:
            for content in CONTENTS:
                clip = Clip(pathlib.Path(self.folder.name), "420", 8, size, content)
                for name in names:
                    with self.subTest(size=size, content=content, feature=name):
                        self.compare(clip, (), (name,))

    def test_subsampling_and_threads(self):
        clip = self.clips["420", 8]
        features = ("psnr=enable_apsnr=true", "float_motion=debug=true", "ciede")
        for threads in ("0", "3"):
            for step in ("1", "2"):
                with self.subTest(threads=threads, step=step):
                    # The order of libvmaf's columns depends on its threads.
                    self.compare(clip, ("version=vmaf_v0.6.1", "version=vmaf_v1.0.16_3d0h:name=v1"), features,
                                 sort=threads != "0", extra=("--threads", threads, "--subsample", step),
                                 filter_extra=f"n_threads={threads}:n_subsample={step}")

    def test_presets(self):
        """Of the command; the peer gets the models and features that they stand for."""
        for form in (("420", 8), ("422", 10)):
            clip = self.clips[form]
            for preset, (models, features) in PRESETS.items():
                what = "log_fmt=json:" + filter_options(models, features)
                theirs = self.frames(clip.filter_command(peer(), what, self.log))
                with self.subTest(format=form, preset=preset):
                    self.assert_same(self.frames(clip.vmaf_command(self.log, "--json", *preset)), theirs, preset)

    def test_what_is_refused(self):
        clip = self.clips["420", 8]
        runs = [((), (feature,)) for feature in REFUSED_FEATURES] + [((model,), ()) for model in REFUSED_MODELS]
        for run in runs:
            with self.subTest(run=run):
                self.refuse(clip, *run)

    def test_log_formats(self):
        """Every format, byte for byte except the version and the frames a second."""
        clip = self.clips["420", 8]
        what = filter_options(("version=vmaf_v0.6.1",), ("psnr=enable_apsnr=true", "float_ms_ssim"))
        options = ("--feature", "psnr=enable_apsnr=true", "--feature", "float_ms_ssim")
        for form in ("xml", "json", "csv", "sub"):
            commands = [clip.filter_command(peer(), f"log_fmt={form}:{what}", self.log),
                        clip.vmaf_command(self.log, f"--{form}", *options)]
            theirs, ours = (self.neutral(self.run_once(command)) for command in commands)
            with self.subTest(form=form):
                self.assertEqual(ours, theirs)

    @staticmethod
    def neutral(log):
        own = ("fps=", '"fps"', "<VMAF version", '"version"', "fps,")
        return [line for line in log.splitlines() if not line.strip().startswith(own) and "fyi" not in line]

    def test_pool(self):
        """The score that the filter prints, by every way to pool."""
        if not OURS.exists():
            self.skipTest("there is no ffmpeg on acutance: run `make test-clients`")
        for pool in ("mean", "min", "harmonic_mean"):
            said = []
            for program in (peer(), OURS):
                self.run_once(self.clips["420", 8].filter_command(program, f"pool={pool}", self.log))
                said.append([line.partition("VMAF score")[2] for line in self.said.splitlines() if "VMAF score" in line])
            with self.subTest(pool=pool):
                self.assertEqual(said[0], said[1])
                self.assertEqual(len(said[0]), 1)


if __name__ == "__main__":
    unittest.main()
