#!/usr/bin/env python3
"""A static FFmpeg on libvmaf.a logs what the static FFmpeg of PyPI's imageio-ffmpeg logs with libvmaf 3.2, byte for byte except
the version and the frames a second; with metrics as models, what `acutance score` computes.

usage: BUILD=FOLDER test_static.py        after build_ffmpeg.sh static, with imageio-ffmpeg in FOLDER/venv and the sample pair in
FOLDER/media

Six digits of logs hide what libvmaf's own floating-point ADM and gain limits differ by from one processor to another, except in
options that are left out here: test_peer.py has them, with their bounds.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from test_peer import BUILD, Clip, filter_options, peer

OURS = BUILD / "clients" / "ffmpeg-static" / "bin" / "ffmpeg"
ACUTANCE = BUILD / "bin" / "acutance"
MEDIA = BUILD / "media"
OWN = ("<fyi fps=", "fps=", '"fps"', "<VMAF version", '"version"', "fps,")

V0, V1, NEG = "version=vmaf_v0.6.1", "version=vmaf_v1.0.16_3d0h", "version=vmaf_v0.6.1neg"
# Format, chroma and depth of generated clips or None for the sample pair, options of the filter, models, features.
RUNS = [
    ("xml", None, "", (), ()),
    ("json", None, "", (V0,), ("psnr", "float_ssim")),
    ("csv", None, "", (V1,), ()),
    ("sub", None, "", (V0,), ()),
    ("json", None, "n_subsample=7", (NEG,), ("psnr_hvs",)),
    ("xml", None, "pool=harmonic_mean", (V0, f"{NEG}:name=neg"), ("psnr=enable_apsnr=true",)),
    ("json", None, "shortest=true", ("version=vmaf_4k_v0.6.1",), ()),
    ("json", ("420", 8), "", (V0,), ("psnr=enable_mse=true", "ciede")),
    ("xml", ("420", 8), "", (NEG, "version=vmaf_4k_v0.6.1:name=four"), ()),
    ("csv", ("420", 8), "", (f"{V0}:enable_transform=true",), ("float_ms_ssim",)),
    ("json", ("420", 8), "", (f"{V0}:disable_clip=true:name=unclipped",), ("vif=debug=true",)),
    ("xml", ("422", 10), "", (V0,), ("psnr", "psnr_hvs")),
    ("json", ("422", 10), "", (V1,), ("cambi",)),
    ("csv", ("422", 10), "pool=min", (V0,), ("float_psnr", "float_moment")),
    ("json", ("444", 12), "", (V0,), ("float_motion=debug=true", "motion=debug=true")),
    ("xml", ("444", 12), "", (NEG,), ("float_ssim=enable_lcs=true",)),
    ("json", ("420", 16), "", (V0,), ("psnr", "float_ms_ssim=enable_db=true")),
    ("xml", ("420", 16), "", (f"path={pathlib.Path(__file__).resolve().parents[2]}/models/vmaf_v0.6.1.json",), ()),
    ("json", ("420", 8), "", (V0,), ("float_vif", "float_ansnr")),
    ("json", ("420", 8), "", (f"{V1}:disable_clip=true",), ("float_ssim=scale=1:enable_db=true:clip_db=true",)),
]


class Static(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.folder = pathlib.Path(place.name)
        cls.log = cls.folder / "log"
        cls.clips = {}

    def run_filter(self, program, form, what):
        """The log, and the lines with scores that FFmpeg prints."""
        if form:
            clip = self.clips.setdefault(form, Clip(self.folder, *form))
            command = clip.filter_command(program, what, self.log)
        else:
            command = [program, "-nostdin", "-i", MEDIA / "distorted.mp4", "-i", MEDIA / "reference.mp4", "-lavfi",
                       f"[0:v][1:v]libvmaf=log_path={self.log}:{what}", "-an", "-f", "null", "-"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=1800)
        self.assertEqual(done.returncode, 0, done.stderr[-800:])
        self.said = done.stderr
        return (self.log.read_bytes(), [line.partition("VMAF score")[2] for line in done.stderr.splitlines() if "VMAF score" in line])

    @staticmethod
    def neutral(log):
        return [line for line in log.splitlines() if not line.strip().startswith(tuple(map(str.encode, OWN)))]

    def test_it_is_static(self):
        self.assertNotIn("NEEDED", subprocess.run(["readelf", "-d", OURS], capture_output=True, text=True, check=True).stdout)

    def test_logs_are_those_of_libvmaf(self):
        self.assertEqual(len(RUNS), 20)
        for form, clip, more, models, features in RUNS:
            what = ":".join(part for part in (f"log_fmt={form}", more, filter_options(models, features)) if part)
            with self.subTest(clip=clip, what=what):
                theirs, their_scores = self.run_filter(peer(), clip, what)
                ours, our_scores = self.run_filter(OURS, clip, what)
                self.assertEqual(self.neutral(ours), self.neutral(theirs))
                self.assertEqual(our_scores, their_scores)
                self.assertGreater(len(theirs), 200)
                self.assertNotRegex(self.said, "(?i)cuda|vulkan|gpu", "it has no GPUs, and says nothing of them")

    def test_metrics_as_models_have_the_commands_scores(self):
        for name, column in (("ssimulacra2", "ssimulacra2"), ("butteraugli", "butteraugli_3norm"), ("psnr_hvs", "psnr_hvs"),
                             ("xpsnr", "xpsnr_y"), ("cambi", "cambi"), ("ciede2000", "ciede2000")):
            done = subprocess.run([ACUTANCE, "score", MEDIA / "reference.mp4", MEDIA / "distorted.mp4", "--feature",
                                   name.replace("2000", ""), "--no-model", "--output", self.folder / "own.json"],
                                  capture_output=True, text=True, check=False, env={**os.environ, "ACUTANCE_BACKEND": "cpu"})
            self.assertEqual(done.returncode, 0, done.stderr)
            own = json.loads((self.folder / "own.json").read_text())["frames"]
            log, _ = self.run_filter(OURS, None, f"log_fmt=json:model=version={name}")
            with self.subTest(name=name):
                self.assertEqual([frame["metrics"]["vmaf"] for frame in json.loads(log)["frames"]],
                                 [frame["metrics"][column] for frame in own])


if __name__ == "__main__":
    unittest.main()
