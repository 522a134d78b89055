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
    """Fifteen of twenty mistakes for each source and encoder, or a few."""
    if not LONG:
        return [("bars", "x264", name) for name in QUICK]
    pairs = [(source, encoder) for source in SOURCES for encoder in ENCODERS]
    return [(source, encoder, name) for i, (source, encoder) in enumerate(pairs)
            for k, name in enumerate(MISTAKES) if (k + i) % 4]


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

    def test_other_videos_are_unknown(self):
        """A log of other videos has no explanation."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, seed in (("ref", 1), ("dis", 3)):
                path = pathlib.Path(folder) / f"{name}.y4m"
                frames = (bytes((x * seed + y * 5 + k * 3 + (x * y >> 3)) % 256 for y in range(96) for x in range(128))
                          + bytes([128]) * (128 * 96 // 2) for k in range(40))
                path.write_bytes(b"YUV4MPEG2 W128 H96 F25:1 Ip\n" + b"".join(b"FRAME\n" + frame for frame in frames))
                paths.append(path)
            log = pathlib.Path(folder) / "log.json"
            subprocess.run([str(BIN / "vmaf"), "-r", paths[0], "-d", paths[1], "--json", "-o", log], check=True)
            text = json.loads(log.read_text())
            for i, frame in enumerate(text["frames"]):
                for k, name in enumerate(frame["metrics"]):
                    frame["metrics"][name] = abs(frame["metrics"][name] - (i * 7 + k * 3) % 5 / 7)
            log.write_text(json.dumps(text))
            found = self.explain(log, *paths)
        self.assertFalse(found["known"], found)
        self.assertIn("unknown", found["text"])


if __name__ == "__main__":
    unittest.main()
