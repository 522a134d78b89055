#!/usr/bin/env python3
"""Debian's ffmpeg, built with --enable-libvmaf against the installed acutance, scores as acutance's command does.

usage: BUILD=FOLDER test_ffmpeg.py [SUITE]        after build_ffmpeg.sh [SUITE], with the sample pair in FOLDER/media
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from clips import distorted_sample, plane, reference_sample, y4m  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
SUITE = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else "here"
FFMPEG = BUILD / "clients" / f"ffmpeg-{SUITE}" / "bin" / "ffmpeg"
VMAF = BUILD / "bin" / "vmaf"
WIDTH, HEIGHT = 208, 120
CHROMA = {"420": (WIDTH // 2, HEIGHT // 2), "422": (WIDTH // 2, HEIGHT), "444": (WIDTH, HEIGHT)}


def clip(sample, chroma, frames):
    width, height = CHROMA[chroma]
    pictures = [plane(WIDTH, HEIGHT, k, sample) + plane(width, height, k, sample) + plane(width, height, k + 9, sample)
                for k in range(frames)]
    return y4m(WIDTH, HEIGHT, pictures, f"F25:1 Ip A1:1 C{chroma}")


class Ffmpeg(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def make_pair(self, chroma="420", frames=5):
        pair = self.out / "reference.y4m", self.out / "distorted.y4m"
        for path, sample in zip(pair, (reference_sample, distorted_sample)):
            path.write_bytes(clip(sample, chroma, frames))
        return pair

    def run_ffmpeg(self, pair, options, **environment):
        reference, distorted = pair
        graph = f"[0:v][1:v]libvmaf=log_fmt=json:log_path={self.out}/ffmpeg.json:{options}"
        return subprocess.run([FFMPEG, "-nostdin", "-hide_banner", "-i", distorted, "-i", reference, "-lavfi", graph,
                               "-an", "-f", "null", "-"], capture_output=True, text=True, check=False, timeout=300,
                              env={**os.environ, **environment})

    def ffmpeg(self, pair, options, **environment):
        """The log of the libvmaf filter, and what ffmpeg said."""
        done = self.run_ffmpeg(pair, options, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read_log("ffmpeg.json"), done.stderr

    def vmaf(self, pair, *options):
        subprocess.run([VMAF, "-r", pair[0], "-d", pair[1], "--json", "-o", self.out / "vmaf.json", "--threads", "2",
                        *options], check=True, capture_output=True)
        return self.read_log("vmaf.json")

    def read_log(self, name):
        log = json.loads((self.out / name).read_text())
        del log["fps"]
        return log

    def check(self, pair):
        ours = self.vmaf(pair, "--feature", "psnr")
        for threads in (0, 3):
            theirs, said = self.ffmpeg(pair, f"model=version=vmaf_v0.6.1:feature=name=psnr:n_threads={threads}")
            self.assertEqual(theirs, ours)
            score = float(said.rsplit("VMAF score:", 1)[1].split()[0])
            self.assertAlmostEqual(score, ours["pooled_metrics"]["vmaf"]["mean"], places=5)

    def test_generated_clips(self):
        for chroma in CHROMA:
            with self.subTest(chroma=chroma):
                self.check(self.make_pair(chroma))

    def test_sample_pair(self):
        """A film clip and its H.264 encode, decoded by either program."""
        self.check((BUILD / "media" / "reference.mp4", BUILD / "media" / "distorted.mp4"))

    def test_models_and_subsampling(self):
        pair = self.make_pair(frames=7)
        theirs, _ = self.ffmpeg(pair, "n_subsample=3:model=version=vmaf_v0.6.1neg\\\\:name=neg|"
                                "version=vmaf_4k_v0.6.1\\\\:name=four|version=vmaf_v0.6.1\\\\:disable_clip=true")
        ours = self.vmaf(pair, "--subsample", "3", "-m", "version=vmaf_v0.6.1neg:name=neg", "-m",
                         "version=vmaf_4k_v0.6.1:name=four", "-m", "version=vmaf_v0.6.1:disable_clip")
        self.assertEqual(theirs["frames"], ours["frames"])
        self.assertEqual({"neg", "four", "vmaf"} - set(theirs["pooled_metrics"]), set())

    def test_another_backend_by_environment(self):
        pair = self.make_pair(frames=2)
        plain, _ = self.ffmpeg(pair, "feature=name=psnr")
        emulated, said = self.ffmpeg(pair, "feature=name=psnr", ACUTANCE_BACKEND="emu")
        self.assertEqual(emulated, plain)
        self.assertIn("emu", said)

    def test_errors_reach_the_user(self):
        pair = self.make_pair(frames=2)
        for options, words in (("feature=name=psnrr", 'could not initialize feature extractor "psnrr"'),
                               ("model=version=vmaf_v9", 'no such built-in model: "vmaf_v9"')):
            failed = self.run_ffmpeg(pair, options)
            self.assertNotEqual(failed.returncode, 0)
            self.assertIn(words, failed.stderr)


if __name__ == "__main__":
    unittest.main()
