#!/usr/bin/env python3
"""The commands with which encoder programs (ab-av1, Av1an) ask ffmpeg for VMAF, and what they read of its answer.

usage: BUILD=FOLDER test_encoders.py        after build_ffmpeg.sh sid, with the sample pair in FOLDER/media

Scores are those of the `vmaf` command over the pictures that the same filters write. Standard library only.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
FFMPEG = BUILD / "clients" / "ffmpeg-sid" / "bin" / "ffmpeg"
VMAF = BUILD / "bin" / "vmaf"
MEDIA = BUILD / "media"
FRAMES = 8
CRFS = range(18, 43, 3)


class Encoders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        self.reference, self.encode = (self.cut(name) for name in ("reference", "distorted"))

    def cut(self, name):
        path = self.out / f"{name}.mkv"
        self.run_ffmpeg("-i", MEDIA / f"{name}.mp4", "-frames:v", FRAMES, "-an", "-c:v", "ffv1", path)
        return path

    def run_ffmpeg(self, *words, stdin=None):
        command = [str(word) for word in (FFMPEG, "-y", *words)]
        with open(stdin or os.devnull, "rb") as pipe:
            done = subprocess.run(command, stdin=pipe, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def pictures(self, path, name, filters):
        """What a filter chain makes of a video, as y4m."""
        target = self.out / f"{name}.y4m"
        self.run_ffmpeg("-r", 25, "-i", path, "-vf", filters, "-an", "-strict", "-1", "-f", "yuv4mpegpipe", target)
        return target

    def vmaf(self, filters, *options):
        """The command's log over both videos behind the same filters."""
        reference, encode = self.pictures(self.reference, "r", filters), self.pictures(self.encode, "e", filters)
        log = self.out / "vmaf.json"
        subprocess.run([VMAF, "-r", reference, "-d", encode, "--json", "-o", log, *options], check=True, capture_output=True)
        return json.loads(log.read_text())

    def ab_av1(self, chain, arguments):
        """The number that ab-av1 reads: the rest of the last line with 'VMAF score: '."""
        ends = "setpts=PTS-STARTPTS,settb=AVTB"
        graph = (f"[0:v]{chain}{ends}[dis];[1:v]{chain}{ends}[ref];"
                 f"[dis][ref]libvmaf=shortest=true:ts_sync_mode=nearest:{arguments}")
        said = self.run_ffmpeg("-r", 25, "-i", self.encode, "-r", 25, "-i", self.reference, "-filter_complex", graph,
                               "-an", "-sn", "-dn", "-f", "null", "-")
        return float([line for line in said.splitlines() if "VMAF score: " in line][-1].partition("VMAF score: ")[2].strip())

    def test_ab_av1(self):
        plain, full_hd = "format=yuv420p,", "format=yuv420p,scale=1920:-1:flags=bicubic,"
        deep = "format=yuv420p10le,"
        for chain, arguments, options in (
                (plain, "n_threads=2:model=version=vmaf_v0.6.1neg", ["-m", "version=vmaf_v0.6.1neg"]),
                (full_hd, "n_threads=2", []),
                (plain, r"n_subsample=3:pool=harmonic_mean:n_threads=1", ["--subsample", "3"]),
                (deep, r"model=version=vmaf_v1.0.16_3d0h:n_threads=2", ["-m", "version=vmaf_v1.0.16_3d0h"]),
                (plain, "n_threads=2:model=version=vmaf_4k_v0.6.1", ["-m", "version=vmaf_4k_v0.6.1"]),
                (plain, "n_threads=2:model=version=ssimulacra2", ["-m", "version=ssimulacra2"]),
                (plain, "n_threads=2:model=version=xpsnr", ["-m", "version=xpsnr"]),
                (deep, r"model=version=cvvdp\\:cvvdp.display=standard_fhd", ["-m", "version=cvvdp:cvvdp.display=standard_fhd"])):
            with self.subTest(chain=chain, arguments=arguments):
                pooled = self.vmaf(chain.rstrip(","), *options)["pooled_metrics"]["vmaf"]
                expected = pooled["harmonic_mean" if "harmonic" in arguments else "mean"]
                self.assertAlmostEqual(self.ab_av1(chain, arguments), expected, delta=1.01e-6)

    def encode_at(self, crf):
        """An encode of the reference by Debian's ffmpeg: the one under test has no encoder of H.264."""
        path = self.out / f"{crf}.mkv"
        if not path.exists():
            subprocess.run([shutil.which("ffmpeg"), "-nostdin", "-v", "error", "-i", self.reference, "-c:v", "libx264",
                            "-crf", str(crf), "-threads", "1", path], check=True)
        return path

    def test_searches_end_at_the_same_crf(self):
        """The highest CRF that reaches a score: by halving through ffmpeg, and by the command's scores of all of them."""
        for model, least in (("ssimulacra2", 60), ("xpsnr", 38)):
            with self.subTest(model=model):
                scores = {}
                for crf in CRFS:
                    self.encode = self.encode_at(crf)
                    scores[crf] = self.vmaf("format=yuv420p", "-m", f"version={model}")["pooled_metrics"]["vmaf"]["mean"]
                expected = max(crf for crf in CRFS if scores[crf] >= least)
                low, high = 0, len(CRFS) - 1
                while low < high:
                    middle = (low + high + 1) // 2
                    self.encode = self.encode_at(CRFS[middle])
                    if self.ab_av1("format=yuv420p,", f"n_threads=2:model=version={model}") >= least:
                        low = middle
                    else:
                        high = middle - 1
                self.assertEqual(CRFS[low], expected, scores)
                self.assertTrue(CRFS[0] < expected < CRFS[-1], scores)

    def av1an(self, chain, arguments):
        """The frames of Av1an's log; the reference comes through a pipe as y4m."""
        ends = "setpts=PTS-STARTPTS,setsar=1"
        log = self.out / "av1an.json"
        graph = (f"[0:v]{chain},{ends}[distorted];[1:v]{chain},{ends}[ref];"
                 f"[distorted][ref]libvmaf=log_fmt='json':eof_action=endall:log_path={log}{arguments}:n_threads=2")
        self.run_ffmpeg("-loglevel", "error", "-hide_banner", "-nostdin", "-thread_queue_size", "1024", "-r", 25, "-i",
                        self.encode, "-r", 25, "-i", "-", "-filter_complex", graph, "-f", "null", "-",
                        stdin=self.pictures(self.reference, "pipe", "null"))
        return [frame["metrics"]["vmaf"] for frame in json.loads(log.read_text())["frames"]]

    def test_av1an(self):
        chain = "scale=1280x720:flags=bicubic:force_original_aspect_ratio=decrease"
        zero = r"version=vmaf_v0.6.1neg\:motion.motion_force_zero=true"
        path = pathlib.Path(__file__).resolve().parents[2] / "models" / "vmaf_v0.6.1.json"
        for arguments, options in (("", []), (":model='version=vmaf_4k_v0.6.1'", ["-m", "version=vmaf_4k_v0.6.1"]),
                                   (f":model='path={path}'", []),
                                   (f":model='{zero}'", ["-m", zero.replace("\\", "")])):
            with self.subTest(arguments=arguments):
                expected = [frame["metrics"]["vmaf"] for frame in self.vmaf(chain, *options)["frames"]]
                self.assertEqual(self.av1an(chain, arguments), expected)
                self.assertEqual(len(expected), FRAMES)

    def test_av1an_weighted(self):
        """Three runs over grey planes of luma and chroma."""
        for plane in "yuv":
            with self.subTest(plane=plane):
                chain = f"format=yuv420p,extractplanes={plane},format=yuv420p"
                expected = [frame["metrics"]["vmaf"] for frame in self.vmaf(chain)["frames"]]
                self.assertEqual(self.av1an(chain, ":n_subsample=1"), expected)

    def test_ffmpeg_says_that_it_has_libvmaf(self):
        """Av1an looks for this before it starts."""
        done = subprocess.run([FFMPEG, "-h"], capture_output=True, text=True, check=True)
        self.assertTrue(re.search("--enable-libvmaf", done.stderr))


if __name__ == "__main__":
    unittest.main()
