"""`acutance explain` on logs in which something is wrong: the cause is named, and none wrongly with confidence.

Standard library only. It needs an ffmpeg with libvmaf: ACUTANCE_PEER, or the one of imageio-ffmpeg in build/venv.
ACUTANCE_LONG_TESTS=1 makes 90 logs instead of a few.
"""
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from mistaken_logs import ENCODERS, MISTAKES, SOURCES, Clips  # noqa: E402

BIN = pathlib.Path(os.environ.get("ACUTANCE_BIN", "build/bin")).resolve()
LONG = bool(os.environ.get("ACUTANCE_LONG_TESTS"))
QUICK = ["none", "reference one late", "swapped", "NEG", "bilinear", "cropped"]


def peer():
    found = glob.glob(str(BIN.parent / "venv/lib/python3*/site-packages/imageio_ffmpeg/binaries/ffmpeg-*"))
    return os.environ.get("ACUTANCE_PEER") or (found or [None])[0]


def cases():
    """Fifteen of the mistakes for each source and encoder, or a few."""
    if not LONG:
        return [("bars", "x264", name) for name in QUICK]
    pairs, count = [(source, encoder) for source in SOURCES for encoder in ENCODERS], len(MISTAKES)
    return [(source, encoder, name) for i, (source, encoder) in enumerate(pairs)
            for k, name in enumerate(MISTAKES) if (k + 4 * i) % count < 15]


class Explain(unittest.TestCase):
    def explain(self, *paths):
        done = subprocess.run([str(BIN / "acutance"), "explain", "--json", *map(str, paths)], capture_output=True, text=True,
                              check=False, timeout=300)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    @unittest.skipUnless(peer(), "there is no ffmpeg with libvmaf: run `make test-peer`")
    def test_causes(self):
        named, wrong, slowest, missed = 0, [], 0, []
        with tempfile.TemporaryDirectory() as folder:
            clips = Clips(peer(), os.environ.get("EXPLAIN_FOLDER") or folder)
            for case in cases():
                paths = clips.log(*case)
                begin = time.monotonic()
                found = self.explain(*paths)
                slowest = max(slowest, time.monotonic() - begin)
                right = all(words in found["text"] for words in MISTAKES[case[2]].says)
                named += right
                if not right:
                    missed.append((case, found["confidence"], found["text"], found.get("best")))
                    if found["confidence"] > 0.9:
                        wrong.append(case)
        print(f"{named} of {len(cases())} causes named, {len(wrong)} wrongly with confidence, {slowest:.1f} s at most",
              file=sys.stderr)
        for each in missed:
            print("missed:", each, file=sys.stderr)
        self.assertEqual(wrong, [])
        self.assertGreaterEqual(named, len(cases()) * 83 / 90)

    def clip(self, folder, name, seed, count=48, box=0, size=(160, 128)):
        """Moving waves with an encode's errors where seed is 3, and black bars above and below."""
        width, height = size
        path = pathlib.Path(folder) / name
        with open(path, "wb") as file:
            file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip\n".encode())
            for k in range(count):
                rows = [bytes(16 if y < box or y >= height - box else
                              60 + (x * (y + 3 * k) >> 5) % 120 + (x * 7 + y * 5 + k * 3) % seed * 4 for x in range(width))
                        for y in range(height)]
                file.write(b"FRAME\n" + b"".join(rows) + bytes([128]) * (2 * ((width + 1) // 2) * ((height + 1) // 2)))
        return path

    def log(self, folder, reference, distorted, *args):
        path = pathlib.Path(folder) / "log.json"
        subprocess.run([str(BIN / "vmaf"), "-r", reference, "-d", distorted, "--json", "-o", path, "-q", *args], check=True)
        return path

    def test_first_frame_of_a_log(self):
        """Frames before the first, which the run scored or did not, show in the first frame's motion."""
        with tempfile.TemporaryDirectory() as folder:
            videos = self.clip(folder, "ref.y4m", 1), self.clip(folder, "dis.y4m", 3)
            skipped = self.explain(self.log(folder, *videos, "--frame_skip_ref", "5", "--frame_skip_dist", "5"), *videos)
            self.assertIn("both videos without their first 5 frames", skipped["text"])
            self.assertNotIn("begin", skipped)
            log = self.log(folder, *videos)
            text = json.loads(log.read_text())
            text["frames"] = text["frames"][10:]
            log.write_text(json.dumps(text))
            cut = self.explain(log, *videos)
            self.assertIn("a plain comparison, frame by frame; frames before the log's first were scored, too", cut["text"])
            log = self.log(folder, *videos, "--frame_skip_ref", "10", "--frame_skip_dist", "10")
            text = json.loads(log.read_text())
            for frame in text["frames"]:
                frame["frameNum"] += 10
            log.write_text(json.dumps(text))
            self.assertIn("a plain comparison, frame by frame; the run began at frame 10", self.explain(log, *videos)["text"])
            log = self.log(folder, *videos)
            text = json.loads(log.read_text())
            for frame in text["frames"]:
                frame["frameNum"] += 100
            log.write_text(json.dumps(text))
            self.assertIn("frame 100 of the log is the videos' first", self.explain(log, *videos)["text"])

    def test_code_that_is_not_plain_c(self):
        """libvmaf's SIMD changes features of single frames, its CUDA those of motion, by less than 1e-3."""
        with tempfile.TemporaryDirectory() as folder:
            videos = self.clip(folder, "ref.y4m", 1), self.clip(folder, "dis.y4m", 3)
            log = self.log(folder, *videos)
            plain = log.read_text()
            for name, code in (("integer_adm_scale3", "SIMD"), ("integer_motion2", "CUDA")):
                text = json.loads(plain)
                for frame in text["frames"]:
                    frame["metrics"][name] += 5e-4
                log.write_text(json.dumps(text))
                found = self.explain(log, *videos)
                self.assertIn(f"not its plain C: {name} differ by up to 0.0005, as its {code} code does; a plain comparison",
                              found["text"])
                self.assertLessEqual(found["confidence"], 0.9)

    def test_odd_sizes(self):
        """libswscale rounds the chroma of odd sizes up, libvmaf down."""
        with tempfile.TemporaryDirectory() as folder:
            videos = self.clip(folder, "ref.y4m", 1, size=(161, 129)), self.clip(folder, "dis.y4m", 3, size=(161, 129))
            found = self.explain(self.log(folder, *videos), *videos)
            self.assertIn("a plain comparison, frame by frame", found["text"])
            small = self.clip(folder, "small.y4m", 3, size=(81, 65))
            self.explain(self.log(folder, *videos), videos[0], small)

    def test_black_bars(self):
        with tempfile.TemporaryDirectory() as folder:
            videos = self.clip(folder, "ref.y4m", 1, box=22), self.clip(folder, "dis.y4m", 3, box=22)
            cropped = []
            for path in videos:
                data = path.read_bytes()
                header, size = data.index(b"\n") + 1, 160 * 128 * 3 // 2 + 6
                out = [b"YUV4MPEG2 W160 H84 F25:1 Ip\n"]
                for at in range(header, len(data), size):
                    out += [b"FRAME\n", data[at + 6 + 22 * 160:at + 6 + 106 * 160], bytes([128]) * (160 * 84 // 2)]
                cropped.append(path.with_name("cropped_" + path.name))
                cropped[-1].write_bytes(b"".join(out))
            found = self.explain(self.log(folder, *cropped), *videos)
            self.assertIn("both videos cropped by 0 at the left and right, 22 at the top and bottom", found["text"])
            found = self.explain(self.log(folder, *cropped), videos[0], cropped[1])
            self.assertIn("the reference cropped by 0 at the left and right, 22 at the top and bottom", found["text"])

    def test_pooling(self):
        with tempfile.TemporaryDirectory() as folder:
            videos = self.clip(folder, "ref.y4m", 1), self.clip(folder, "dis.y4m", 3)
            log = self.log(folder, *videos)
            pooled = json.loads(log.read_text())["pooled_metrics"]["vmaf"]
            for method, value in pooled.items():
                found = self.explain(log, *videos, "--score", f"{value:.5f}")
                self.assertRegex(found["pooling"], rf"^[0-9.]+ is .*the {method} of vmaf")
            found = self.explain(log, *videos, "--score", "12.25")
            self.assertIn("12.25 is no pooling of the log's scores; those of vmaf: mean ", found["pooling"])
            done = subprocess.run([BIN / "acutance", "explain", log, *videos, "--score", "high"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"--score high is no number", done.stderr)

    def test_other_videos_are_unknown(self):
        """A log of other videos has no explanation."""
        with tempfile.TemporaryDirectory() as folder:
            videos = self.clip(folder, "ref.y4m", 1), self.clip(folder, "dis.y4m", 3)
            log = self.log(folder, *videos)
            text = json.loads(log.read_text())
            for i, frame in enumerate(text["frames"]):
                for k, name in enumerate(frame["metrics"]):
                    frame["metrics"][name] = abs(frame["metrics"][name] - (i * 7 + k * 3) % 5 / 7)
            log.write_text(json.dumps(text))
            found = self.explain(log, *videos)
        self.assertFalse(found["known"], found)
        self.assertIn("unknown", found["text"])


if __name__ == "__main__":
    unittest.main()
