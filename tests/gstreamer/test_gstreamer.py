#!/usr/bin/env python3
"""The GStreamer element `acutance` in pipelines of gst-launch-1.0, against the command. usage: test_gstreamer.py PLUGINS BIN"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLUGINS, BIN = map(pathlib.Path, sys.argv[1:3])
WIDTH, HEIGHT, FRAMES = 224, 216, 12
FORMATS = {"i420": ("420", 8, 2, 2), "y42b": ("422", 8, 2, 1), "y444": ("444", 8, 1, 1), "i420-10le": ("420", 10, 2, 2)}


def samples(width, height, frame, noise, depth):
    values = bytearray()
    for y in range(height):
        for x in range(width):
            value = ((x * 2 + 3 * y + 5 * frame + x * y // 50) % 190 + 20 + (31 * x + 17 * y + 5 * frame) % (noise + 1)) << (depth - 8)
            values += value.to_bytes(1 if depth == 8 else 2, "little")
    return bytes(values)


def write_raw(path, name, noise, frames=FRAMES):
    _, depth, columns, rows = FORMATS[name]
    with open(path, "wb") as file:
        for frame in range(frames):
            chroma = samples(WIDTH // columns, HEIGHT // rows, frame + 3, noise, depth)
            file.write(samples(WIDTH, HEIGHT, frame, noise, depth) + chroma + chroma)
    return path


class Element(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def launch(self, *pipeline):
        return subprocess.run(["gst-launch-1.0", "--messages", *" ".join(pipeline).split()], capture_output=True, text=True,
                              timeout=200, env=os.environ | {"GST_PLUGIN_PATH": f"{PLUGINS}:{os.environ.get('GST_PLUGIN_PATH', '')}",
                                                             "GST_REGISTRY": str(self.folder / "registry")})

    def source(self, path, name, pad, width=WIDTH):
        return (f"filesrc location={path} ! rawvideoparse width={width} height={HEIGHT} format={name} framerate=25/1 ! "
                f"queue ! a.{pad}")

    def compare(self, name, options="", frames=FRAMES):
        files = [write_raw(self.folder / f"{noise}.yuv", name, noise, count) for noise, count in ((0, FRAMES), (24, frames))]
        done = self.launch(f"acutance name=a {options} ! fakesink", self.source(files[0], name, "reference"),
                           self.source(files[1], name, "distorted"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        messages = []
        for line in re.findall(r"acutance, kind=.*?;", done.stdout):
            fields = dict(re.findall(r"([\w.]+)=\((?:string|gint64|double)\)([^,;]+)", line))
            messages.append({key: value if key == "kind" else float(value) for key, value in fields.items()})
        return files, messages

    def command(self, files, name, *options):
        log = self.folder / "log.json"
        chroma, depth, _, _ = FORMATS[name]
        subprocess.run([BIN / "acutance", "score", *files, "--size", f"{WIDTH}x{HEIGHT}", "--pixel-format", chroma,
                        "--bit-depth", str(depth), "--align", "index", "--precision", "max", "--quiet", "--output", log, *options],
                       check=True, stdout=subprocess.DEVNULL)
        return json.loads(log.read_text())

    def test_scores_are_the_command_s(self):
        for name in FORMATS:
            files, messages = self.compare(name, "features=psnr,ssimulacra2")
            log = self.command(files, name, "--model", "version=vmaf_v0.6.1:name=vmaf_v0.6.1", "--feature", "psnr",
                               "--feature", "ssimulacra2")
            total, = messages
            self.assertEqual((total.pop("kind"), total.pop("first"), total.pop("frames")), ("total", 0, FRAMES))
            expected = {key: values["mean"] for key, values in log["pooled_metrics"].items()}
            self.assertEqual(total, expected | log["aggregate_metrics"], name)

    def test_windows_are_means_of_their_frames(self):
        files, messages = self.compare("i420", "window=4")
        log = self.command(files, "i420", "--model", "version=vmaf_v0.6.1:name=vmaf_v0.6.1")
        scores = [frame["metrics"]["vmaf_v0.6.1"] for frame in log["frames"]]
        windows = [message for message in messages if message["kind"] == "window"]
        self.assertEqual([message["first"] for message in windows], [0, 4, 8])
        for message in windows:
            first = int(message["first"])
            self.assertAlmostEqual(message["vmaf_v0.6.1"], sum(scores[first:first + 4]) / 4, 10)
        self.assertEqual(messages[-1]["kind"], "total")

    def test_the_shorter_video_ends_it(self):
        _, (total,) = self.compare("i420", frames=5)
        self.assertEqual(total["frames"], 5)

    def test_errors_end_the_pipeline(self):
        path = write_raw(self.folder / "r.yuv", "i420", 0)
        for options, width, text in (("model=vmaf_v9", WIDTH, "vmaf_v9"), ("features=psnrr", WIDTH, "psnrr"),
                                     ("", WIDTH // 2, "its size, pixel format or bit depth")):
            done = self.launch(f"acutance name=a {options} ! fakesink", self.source(path, "i420", "reference"),
                               self.source(path, "i420", "distorted", width))
            self.assertNotEqual(done.returncode, 0, options)
            self.assertIn(text, done.stdout + done.stderr)


if __name__ == "__main__":
    if not shutil.which("gst-launch-1.0"):
        print("skipped: no gst-launch-1.0 (apt: gstreamer1.0-tools, gstreamer1.0-plugins-base)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
