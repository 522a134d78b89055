#!/usr/bin/env python3
"""Damaged files: one answer on any number of threads, with a warning, or an end at the damage."""
import csv
import json
import os
import re
import shutil
import sys
import unittest
from xml.etree import ElementTree

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
        """The run warns of the damage. Where it is to stop, it scores the frames before the damage, each with its own."""
        result = self.score_all(reference, distorted, *options)
        self.assert_ok(result)
        self.assertIn(" is damaged (", result.stderr.decode())
        result = self.score_all(reference, distorted, *options, "--on-damage", "stop")
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
        self.assert_fails(self.score_all(self.source, self.path("other.ts")), 1, "other.ts", "is damaged", "no frames in common")

    def test_one_answer(self):
        """FFmpeg's decoders conceal damage differently on different numbers of threads, and some leave memory as it was."""
        encoders = {"avc.mkv": ENCODE,
                    "hevc.mkv": ("-c:v", "libx265", "-preset", "veryfast", "-x265-params", "log-level=none:ctu=16"),
                    "vp9.webm": ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k"),
                    "mpeg2.ts": ("-c:v", "mpeg2video", "-bf", "2", "-q:v", "6")}
        for name, options in encoders.items():
            whole = self.make(name, "-frames:v", "48", "-pix_fmt", "yuv420p", *options)
            with open(whole, "rb") as file:
                data = bytearray(file.read())
            for seed in range(3):
                first = len(data) * (2 + seed) // 6
                path = self.write(f"{seed}{name}", bytes(data[:first]) + bytes(255 - b for b in data[first:first + 9]) +
                                  bytes(data[first + 9:]))
                answers = {self.answer(path, threads) for threads in (1, 3, 8, 8)}
                with self.subTest(name=name, seed=seed):
                    self.assertEqual(len(answers), 1, answers)

    def answer(self, path, threads):
        result = self.score_all(self.source, path, "-q", "--threads", str(threads), "--align", "index")
        table = re.sub(r" in [0-9.]+ s.*", "", result.stdout.decode())
        return result.returncode, table, result.stderr.decode()

    def test_a_recording_that_begins_between_key_frames_is_not_damaged(self):
        whole = self.make("recording.ts", *ENCODE, "-bf", "2")
        with open(whole, "rb") as file:
            packets = file.read()
        first = len(packets) // 188 // 6
        recording = self.write("begun.ts", packets[188 * first:])
        for threads in (1, 8):
            status, _, messages = self.answer(recording, threads)
            self.assertEqual(status, 0, messages)
            self.assertIn("starts between key frames", messages)
            self.assertNotIn("damaged", messages)

    def test_the_summary_names_the_frames(self):
        result = self.score_all(self.source, self.damaged("named.mp4", *ENCODE), "--json", "-q")
        damage = json.loads(self.assert_ok(result))["inputs"][1]["damage"]
        self.assertEqual(damage["decoded"] + damage["lost"], 120)
        self.assertTrue(damage["reason"])
        self.assertTrue(damage["frames"] or damage["lost"])
        self.assertIsNone(json.loads(result.stdout)["inputs"][0]["damage"])
        for log in ("l.json", "l.xml"):
            self.assert_ok(self.score_all(self.source, self.path("named.mp4"), "-q", "-o", self.path(log)))
        self.assertEqual(json.loads(self.read("l.json"))["damage"], [{"path": self.path("named.mp4"), **damage}])
        element = ElementTree.fromstring(self.read("l.xml")).find("damage")
        self.assertEqual([int(frame) for frame in element.get("frames").split()], damage["frames"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
