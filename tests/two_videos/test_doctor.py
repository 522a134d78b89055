#!/usr/bin/env python3
"""`acutance doctor` on a sample of faulty pairs (faulty_pairs.py has them all), and on what is no pair."""
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import faulty_pairs  # noqa: E402
from clips import ACUTANCE, CommandTest, frames, reference_sample, y4m  # noqa: E402

faulty_pairs.ACUTANCE = ACUTANCE


@unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg's command makes the pairs")
class Pairs(unittest.TestCase):
    def test_names_the_cause(self):
        with tempfile.TemporaryDirectory() as folder:
            pairs, wrong = faulty_pairs.check(faulty_pairs.make_source(folder), folder, every=6)
        self.assertGreater(pairs, 6)
        self.assertEqual(wrong, [])


class Files(CommandTest):
    def doctor(self, *args):
        return self.run_command(ACUTANCE, "doctor", *args)

    def test_a_still_pair_is_not_sure(self):
        still = self.write("still.y4m", y4m(64, 48, frames(64, 48, 1, reference_sample) * 6))
        answer = json.loads(self.assert_ok(self.doctor(still, still, "--json")))
        self.assertEqual(answer["cause"], "none")
        self.assertLess(answer["findings"][0]["confidence"], 0.6)

    def test_interlaced_and_damaged_files(self):
        both = y4m(64, 48, self.clip("dis"), "F25:1 It")
        self.assertIn("interlaced (98 % sure)", self.assert_ok(self.doctor(self.ref, self.write("it.y4m", both))))
        with open(self.dis, "rb") as file:
            cut = self.write("cut.y4m", file.read()[:-100])
        self.assertRegex(self.assert_ok(self.doctor(self.ref, cut)), r"^damage .*truncated")
        self.assert_fails(self.doctor(self.ref, self.path("absent.y4m")), 1, "absent.y4m")
        raw = self.write("raw.yuv", b"".join(self.clip("ref")))
        self.assert_ok(self.doctor(self.ref, raw, "--size", "64x48"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
