#!/usr/bin/env python3
"""PyPI's clients of libvmaf on acutance: pyvmaf, vmaf-mcp, easyvmaf, ffmpeg-quality-metrics.

usage: BUILD=FOLDER FOLDER/clients/venv/bin/python test_clients.py        after install_clients.sh and build_ffmpeg.sh sid
"""
import json
import os
import pathlib
import shutil
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

    def vmaf(self, reference, distorted):
        """Per-frame scores of the command itself."""
        log = self.out / "own.json"
        self.run_program(PREFIX / "bin" / "vmaf", "-r", reference, "-d", distorted, "--json", "-o", log, "--threads", "2")
        return [frame["metrics"]["vmaf"] for frame in json.loads(log.read_text())["frames"]]

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
        # The last frame's motion knows no successor where the clip is cut; the tool rounds to three places.
        for ours, theirs in zip(expected[:-1], scores[:-1]):
            self.assertAlmostEqual(ours, theirs, delta=0.0006)

    def test_easyvmaf(self):
        """It scales to 1080p by ffmpeg and logs beside the distorted file."""
        if "vmaf_v1" not in self.run_program(PREFIX / "bin" / "acutance", "models"):
            self.skipTest("easyvmaf starts only where the v1 models are built in")
        pair = [shutil.copy(path, self.out) for path in PAIR]
        self.run_program("easyvmaf", "-r", pair[0], "-d", pair[1], "--vmaf-version", "0.6", "--frame-count", "10")
        logs = [path for path in self.out.glob("distorted*vmaf*.json") if "summary" not in path.name]
        self.assertEqual(len(logs), 1, list(self.out.iterdir()))
        scores = [frame["metrics"] for frame in json.loads(logs[0].read_text())["frames"]]
        self.assertEqual(len(scores), 10)
        self.assertTrue(all(any(0 < value <= 100 for name, value in frame.items() if "vmaf" in name) for frame in scores),
                        scores[0])


if __name__ == "__main__":
    unittest.main()
