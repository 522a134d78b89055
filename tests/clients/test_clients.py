#!/usr/bin/env python3
"""PyPI's clients of libvmaf on acutance: pyvmaf, vmaf-mcp, easyvmaf, ffmpeg-quality-metrics, ffvm.

usage: BUILD=FOLDER FOLDER/clients/venv/bin/python test_clients.py        after install_clients.sh and build_ffmpeg.sh sid
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
CLIENTS = BUILD / "clients"
PREFIX = CLIENTS / "prefix"
BIN = CLIENTS / "venv" / "bin"
FFMPEG = CLIENTS / "ffmpeg-sid" / "bin"  # easyvmaf and ffmpeg-quality-metrics ask for a newer one than Debian 12's
MODELS = {"vmaf": "version=vmaf_v0.6.1"}
EASYVMAF_MODELS = {"vmaf_hd": "version=vmaf_v0.6.1", "vmaf_hd_neg": "version=vmaf_v0.6.1neg",
                   "vmaf_hd_phone": "version=vmaf_v0.6.1:enable_transform"}
PAIR = BUILD / "media" / "reference.mp4", BUILD / "media" / "distorted.mp4"


class Clients(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def run_program(self, *command, **environment):
        path = f"{BIN}:{FFMPEG}:{os.environ['PATH']}"
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=600,
                              cwd=self.out, env={**os.environ, "PATH": path, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def vmaf(self, reference, distorted, models=MODELS):
        """Per-frame scores of the command itself, by the models' names."""
        log = self.out / "own.json"
        options = [word for name, model in models.items() for word in ("-m", f"{model}:name={name}")]
        self.run_program(PREFIX / "bin" / "vmaf", "-r", reference, "-d", distorted, "--json", "-o", log, "--threads", "2",
                         *options)
        return [{name: frame["metrics"][name] for name in models} for frame in json.loads(log.read_text())["frames"]]

    def test_pyvmaf(self):
        """Its own tests, whose expected scores are libvmaf's."""
        text = self.run_program(sys.executable, "-m", "pytest", "-q", CLIENTS / "pyvmaf-1.0.0a1" / "tests")
        self.assertIn("4 passed", text)

    def test_vmaf_mcp(self):
        self.run_program(sys.executable, HERE / "mcp_smoke.py", VMAF_BIN=str(PREFIX / "bin" / "vmaf"))

    def test_ffmpeg_quality_metrics(self):
        text = self.run_program("ffmpeg-quality-metrics", PAIR[1], PAIR[0], "--metrics", "vmaf", "psnr", "--num-frames",
                                "24", "--vmaf-model-path", ROOT / "models" / "vmaf_v0.6.1.json")
        scores = [frame["vmaf"] for frame in json.loads(text)["vmaf"]]
        expected = self.vmaf(*PAIR)[:len(scores)]
        self.assertEqual(len(scores), 24)
        # The last frame's motion has no successor where the clip ends; the tool rounds to three
        # places.
        for ours, theirs in zip(expected[:-1], scores[:-1]):
            self.assertAlmostEqual(ours["vmaf"], theirs, delta=0.0006)

    def test_ffvm(self):
        """The score that its searches for a quality take their decisions by, of two places."""
        reference, distorted = self.hd_pair()
        script = ("from ffvm.cli import build_vmaf_cmd, run_vmaf; "
                  f"print(run_vmaf(build_vmaf_cmd({str(distorted)!r}, {str(reference)!r}), 1, 'vmaf'))")
        score = float(self.run_program(sys.executable, "-c", script).splitlines()[-1])
        scores = [frame["vmaf"] for frame in self.vmaf(reference, distorted)]
        self.assertEqual(score, round(sum(scores) / len(scores), 2))

    def hd_pair(self):
        """Twelve frames at 1080p, which easyvmaf does not scale."""
        pair = [self.out / f"{path.stem}.mkv" for path in PAIR]
        for source, target in zip(PAIR, pair):
            self.run_program("ffmpeg", "-i", source, "-frames:v", "12", "-vf", "scale=1920:1080", "-an", "-c:v", "ffv1",
                             target)
        return pair

    def test_easyvmaf(self):
        """Its three models of 0.6, over ten frames, have the command's scores."""
        reference, distorted = self.hd_pair()
        script = (f"from easyvmaf import Vmaf; print(Vmaf({str(distorted)!r}, {str(reference)!r}, "
                  "vmaf_versions=('0.6',), loglevel='quiet', frame_count=10).compute().log_path)")
        log = self.run_program(sys.executable, "-c", script).splitlines()[-1]
        scores = [frame["metrics"] for frame in json.loads(pathlib.Path(log).read_text())["frames"]]
        expected = self.vmaf(reference, distorted, EASYVMAF_MODELS)[:10]
        self.assertEqual([{name: frame[name] for name in EASYVMAF_MODELS} for frame in scores], expected)

    def test_easyvmaf_command(self):
        reference, distorted = self.hd_pair()
        self.run_program("easyvmaf", "-r", reference, "-d", distorted, "--vmaf-version", "0.6", "--frame-count", "10")
        logs = [path for path in self.out.glob("distorted*vmaf*.json") if "summary" not in path.name]
        self.assertEqual([len(json.loads(path.read_text())["frames"]) for path in logs], [10])


if __name__ == "__main__":
    unittest.main()
