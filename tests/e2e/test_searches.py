"""examples/target_quality.py with Debian's ffmpeg: x264 and SVT-AV1 by each metric, by the server, the command, libvship."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import unittest

from clips import ACUTANCE, BIN, CommandTest, frames, needs_ffmpeg, reference_sample

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "target_quality.py"
SPEC = importlib.util.spec_from_file_location("target_quality", SCRIPT)
VSHIP = pathlib.Path(BIN).resolve().parent / "lib" / "libvship.so"
target_quality = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(target_quality)


def has_encoder(name):
    listed = subprocess.run(["ffmpeg", "-v", "error", "-encoders"], stdout=subprocess.PIPE, check=False).stdout
    return name.encode() in listed


class Bisection(unittest.TestCase):
    def test_every_target(self):
        """Curves that fall in steps, on a line and all at once, for every CRF that may be the answer."""
        for curve in (lambda crf: 100 - crf, lambda crf: 100 - (crf // 5) * 5, lambda crf: 100 if crf < 30 else 0,
                      lambda crf: 100 - (crf / 10) ** 2.5):
            for target in range(-1, 103):
                tried = []

                def probe(crf):
                    self.assertNotIn(crf, tried)
                    self.assertTrue(4 <= crf <= 51)
                    tried.append(crf)
                    return curve(crf)

                good = [crf for crf in range(4, 52) if curve(crf) >= target]
                self.assertEqual(target_quality.search(probe, target, 4, 51, 24), max(good, default=None))
                if target % 10 == 3:
                    self.assertLess(len(tried), 24)


@needs_ffmpeg
class Searches(CommandTest):
    WIDTH, HEIGHT = 128, 96
    SCORING = ("--", "--threads", "1", "--align", "index")

    def setUp(self):
        super().setUp()
        clip = self.video("clip.y4m", frames(128, 96, 6, reference_sample) * 2)
        self.source = self.ffmpeg("-i", clip, "-c:v", "ffv1", self.path("source.mkv"))

    def find(self, *args, status=0):
        result = self.run_command(sys.executable, "-B", SCRIPT, self.source, self.path("out.mkv"), "--acutance", ACUTANCE,
                                  *args)
        self.assert_fails(result, status)
        return json.loads(result.stdout)

    def search(self, *args, status=0):
        return self.find(*args, *self.SCORING, "-m", "vmaf_v0.6.1", status=status)

    def test_encoders(self):
        for encoder, preset in (("libx264", "ultrafast"), ("libsvtav1", "12")):
            if not has_encoder(encoder):
                continue
            with self.subTest(encoder):
                found = self.search("--encoder", encoder, "--preset", preset, "--target", "80", "--pool", "p5")
                self.assertTrue(found["reached"])
                self.assertGreaterEqual(found["score"], 80)
                document = self.summary(self.source, self.path("out.mkv"), "-m", "vmaf_v0.6.1", "--pool", "p5")
                pools = document["results"][0]["models"]["vmaf_v0.6.1"]["pools"]
                self.assertAlmostEqual(pools["p5"], found["score"], delta=1e-9)

    def test_server_and_command_agree(self):
        args = ("--preset", "ultrafast", "--target", "85")
        self.assertEqual(self.search(*args), self.search(*args, "--command"))
        missed = self.search("--preset", "ultrafast", "--target", "101", status=3)
        self.assertEqual((missed["reached"], missed["crf"]), (False, 4))

    def test_metrics(self):
        """By the server; by libvship where it has the metric, with the same score."""
        common = ("--preset", "ultrafast", "--crf", "24:36", "--metric")
        targets = {"vmaf": 85, "xpsnr": 32, "ssimulacra2": 70, "butteraugli": 3, "cvvdp": 9}
        for metric, target in targets.items():
            with self.subTest(metric):
                args = (*common, metric, "--target", str(target))
                found = self.find(*args, *self.SCORING)
                self.assertTrue(found["reached"])
                self.assertTrue(24 <= found["crf"] < 36, found)
                if metric == "butteraugli":
                    self.assertLessEqual(found["score"], target)
                else:
                    self.assertGreaterEqual(found["score"], target)
                if metric in ("ssimulacra2", "butteraugli", "cvvdp") and VSHIP.exists():
                    here = self.find(*args, "--vship", str(VSHIP))
                    self.assertAlmostEqual(here["score"], found["score"], delta=1e-12)
                    self.assertEqual(here["crf"], found["crf"])
        missed = self.find(*common, "butteraugli", "--target", "0.001", *self.SCORING, status=3)
        self.assertEqual((missed["reached"], missed["crf"]), (False, 24))
