#!/usr/bin/env python3
"""Compiles and runs the C++ examples of docs/use/cpp.md.

usage: ACUTANCE_LIBRARY=FOLDER ACUTANCE_INCLUDE=FOLDER ACUTANCE_BIN=FOLDER [CXX=c++] test_examples.py
"""
import json
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
from clips import CommandTest  # noqa: E402

EXAMPLES = re.findall(r"^```cpp\n(.*?)^```", (ROOT / "docs" / "use" / "cpp.md").read_text(encoding="utf-8"), re.M | re.S)


class Examples(CommandTest):
    def run_example(self, number, *args):
        source, program = self.write("example.cc", EXAMPLES[number]), self.path("example")
        library = os.environ["ACUTANCE_LIBRARY"]
        self.assert_ok(self.run_command(
            *os.environ.get("CXX", "c++").split(), "-std=c++20", "-Wall", "-Wextra", "-Werror",
            f"-I{os.environ['ACUTANCE_INCLUDE']}", source, "-o", program, f"-L{library}", "-lacutance",
            f"-Wl,-rpath,{library}"))
        return self.assert_ok(self.run_command(program, *args, cwd=self.folder.name))

    def vmaf_mean(self, name, *options):
        self.assert_ok(self.vmaf("-r", self.ref, "-d", self.dis, "--json", "-o", self.path("log"), *options))
        return json.loads(self.read("log"))["pooled_metrics"][name]

    def test_there_are_three(self):
        self.assertEqual(len(EXAMPLES), 3)

    def test_two_files(self):
        text = self.run_example(0, self.ref, self.dis)
        vmaf, psnr = self.vmaf_mean("vmaf"), self.vmaf_mean("psnr_y", "--feature", "psnr")
        self.assertEqual(text, f"VMAF {vmaf['mean']:.4f}, worst PSNR {psnr['min']:.2f} dB\n")
        self.assertEqual(len(json.loads(self.read("scores.json"))["frames"]), self.FRAMES)

    def test_pictures(self):
        lines = dict(line.split() for line in self.run_example(1).splitlines())
        self.assertIn("integer_motion2", lines)
        self.assertTrue(0.1 < float(lines["integer_vif_scale0"]) < 1, lines)

    def test_encodes(self):
        lines = self.run_example(2, self.ref, self.dis, self.ref).splitlines()
        quality = self.vmaf_mean("vmaf", "--subsample", "2", "-m",
                                 "version=vmaf_v0.6.1:disable_clip:adm.adm_enhn_gain_limit=1")
        self.assertEqual(lines[0], f"{self.dis}: {quality['harmonic_mean']:.3f}")
        self.assertGreater(float(lines[1].split()[-1]), quality["max"])


if __name__ == "__main__":
    unittest.main()
