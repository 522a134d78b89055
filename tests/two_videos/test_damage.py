#!/usr/bin/env python3
"""A damaged file whose frames do not fit one by one: the run ends at the damage, as it does where they fit."""
import csv
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from faulty_pairs import harm  # noqa: E402
from test_formats import FormatTest, ffmpeg  # noqa: E402

ENCODE = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-g", "25")
DAMAGED = "(damaged|could not decode)"
FAULTS = {
    "plain": "null",
    "drops": "select='not(eq(n,20)+eq(n,41))',setpts=N/25/TB",
    "rate": "fps=30",
    "early": "trim=start_frame=7,setpts=PTS-STARTPTS",
}


@unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg's command makes the encodes")
class Damage(FormatTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=192x112:r=25,scroll=horizontal=0.013:vertical=0.007", "-frames:v", "120",
               "-pix_fmt", "yuv420p", "-c:v", "ffv1", cls.source)

    def damaged(self, name, *options):
        path = self.make(name, *options)
        harm(path, "spoil")
        return path

    def score_all(self, reference, distorted, *options):
        return self.score(reference, distorted, "--no-model", "-f", "psnr", *options)

    def assert_damage(self, reference, distorted, *options):
        """The run reports the damage, and scores the frames before it, each with its own."""
        result = self.score_all(reference, distorted, *options)
        self.assert_fails(result, 1, "only the first ")
        self.assertRegex(result.stderr.decode(), DAMAGED)
        table = result.stdout.decode()
        self.assertIn("\npairs  ", table)
        mean = re.search(r"^psnr_y +([0-9.]+)", table, re.MULTILINE)
        self.assertGreater(float(mean.group(1)), 28)

    def test_distorted_videos(self):
        for name, chain in FAULTS.items():
            for container in ("mp4", "ts"):
                with self.subTest(name=name, container=container):
                    self.assert_damage(self.source, self.damaged(f"{name}.{container}", "-vf", chain, *ENCODE))

    def test_pairs_by_times(self):
        rate = self.damaged("rate.mp4", "-vf", FAULTS["rate"], *ENCODE)
        self.assert_damage(self.source, rate, "--align", "time")

    def test_a_reference(self):
        reference = self.damaged("reference.mp4", *ENCODE)
        self.assert_damage(reference, self.make("drops.mkv", "-vf", FAULTS["drops"], *ENCODE))

    def test_a_part_before_the_damage(self):
        rate = self.damaged("rate.mp4", "-vf", FAULTS["rate"], *ENCODE)
        self.assert_ok(self.score_all(self.source, rate, "--frames", "0:20"))

    def test_damage_after_what_both_have(self):
        """A longer video is damaged behind the other's last frame."""
        long = self.damaged("long.mp4", "-vf", FAULTS["early"], *ENCODE)
        short = self.make("short.mkv", "-frames:v", "40", *ENCODE)
        pairs = self.path("pairs.csv")
        self.assert_ok(self.score_all(short, long, "--pairs-out", pairs))
        with open(pairs, encoding="ascii") as file:
            self.assertEqual([(int(row["reference_frame"]), int(row["distorted_frame"])) for row in csv.DictReader(file)],
                             [(k, k - 7) for k in range(7, 40)])

    def test_nothing_fits_before_the_damage(self):
        ffmpeg("-f", "lavfi", "-i", "mandelbrot=s=192x112:r=25", "-frames:v", "120", *ENCODE, self.path("other.ts"))
        harm(self.path("other.ts"), "spoil")
        self.assert_fails(self.score_all(self.source, self.path("other.ts")), 1, "other.ts", "damaged or truncated")


if __name__ == "__main__":
    unittest.main(verbosity=1)
