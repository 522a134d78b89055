"""Small synthetic clips, and runs of the commands on them. Standard library only."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import schema

BIN = os.environ.get("ACUTANCE_BIN", os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin"))
ACUTANCE = os.path.join(BIN, "acutance")
VMAF = os.path.join(BIN, "vmaf")
needs_ffmpeg = unittest.skipUnless(shutil.which("ffmpeg"), "the ffmpeg command is not installed")


def reference_sample(x, y, k):
    """The pattern of docs/spec/core.md 5: a moving saddle with a ramp on it."""
    return (128 + (x - 32 + 2 * k) * (y - 20 - k) * 3 // 16 + (x * x + 3 * y * y + 17 * k) // 8 % 64) % 256


def distorted_sample(x, y, k):
    return min(max(reference_sample(x, y, k) * 7 // 8 + 12 + (31 * x + 17 * y + 5 * k) % 16 - 8, 0), 255)


def plane(width, height, k, sample):
    return bytes(sample(x, y, k) for y in range(height) for x in range(width))


def frames(width, height, count, sample, chroma=True):
    grey = bytes([128]) * (2 * ((width + 1) // 2) * ((height + 1) // 2)) if chroma else b""
    return [plane(width, height, k, sample) + grey for k in range(count)]


def noise(dice, width, height, count):
    """Random 4:2:0 frames."""
    return [dice.randbytes(width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)) for _ in range(count)]


def deepened(pictures):
    """The same pictures in 10 bits."""
    return [b"".join((4 * sample).to_bytes(2, "little") for sample in picture) for picture in pictures]


def without_speed(log):
    return re.sub(r'fps=?"?:? ?"?[0-9.]+"?', "", log)


def y4m(width, height, pictures, tags="F25:1 Ip A1:1 C420jpeg"):
    header = f"YUV4MPEG2 W{width} H{height} {tags}\n".encode()
    return header + b"".join(b"FRAME\n" + picture for picture in pictures)


class CommandTest(unittest.TestCase):
    """A temporary folder per test, with ref.y4m and dis.y4m of the class's size."""

    WIDTH, HEIGHT, FRAMES = 64, 48, 6
    _cache = {}

    @classmethod
    def clip(cls, kind):
        key = kind, cls.WIDTH, cls.HEIGHT, cls.FRAMES
        if key not in cls._cache:
            sample = reference_sample if kind == "ref" else distorted_sample
            cls._cache[key] = frames(cls.WIDTH, cls.HEIGHT, cls.FRAMES, sample)
        return cls._cache[key]

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ref, self.dis = self.video("ref.y4m", self.clip("ref")), self.video("dis.y4m", self.clip("dis"))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def video(self, name, pictures, tags="F25:1 Ip A1:1 C420jpeg", size=None):
        return self.write(name, y4m(*(size or (self.WIDTH, self.HEIGHT)), pictures, tags))

    def fifo(self, name):
        os.mkfifo(self.path(name))
        return self.path(name)

    def ffmpeg(self, *args):
        self.assert_ok(self.run_command("ffmpeg", "-nostdin", "-v", "error", "-y", *args))
        return args[-1]

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_command(self, *args, stdin=None, **options):
        return subprocess.run([str(a) for a in args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, check=False, **options)

    def acutance(self, *args, **options):
        return self.run_command(ACUTANCE, *args, **options)

    def score(self, *args, **options):
        return self.acutance("score", *args, **options)

    def vmaf(self, *args, **options):
        return self.run_command(VMAF, *args, **options)

    def assert_fails(self, result, status, *fragments):
        """The exit status, a message with every fragment, and no sign of a crash."""
        text = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, status, text)
        for fragment in fragments:
            self.assertIn(fragment, text)

    def assert_ok(self, result):
        self.assertEqual(result.returncode, 0, result.stderr.decode(errors="replace"))
        return result.stdout.decode()

    def document(self, *args, status=0, **options):
        """What a command prints with --json, checked against the schema."""
        result = self.acutance(*args, "--json", **options)
        self.assertEqual(result.returncode, status, result.stderr.decode(errors="replace"))
        return schema.check(json.loads(result.stdout))

    def summary(self, *args, **options):
        return self.document("score", *args, "-q", **options)

    def events(self, *args):
        """The lines of --progress ndjson, checked against the schema."""
        return [schema.check(json.loads(line)) for line in
                self.assert_ok(self.score(*args, "--progress", "ndjson")).splitlines()]

    def mean(self, *args):
        """The mean of the only model."""
        return next(iter(self.summary(*args)["results"][0]["models"].values()))["mean"]

    def log(self, *args, run=None):
        """A log with all digits, of `acutance score` unless another command runs."""
        self.assert_ok((run or self.score)(*args, "-o", self.path("log.json"), "--precision", "max"))
        return json.loads(self.read("log.json"))

    def vmaf_log(self, *args):
        return self.log("-r", self.ref, "-d", self.dis, "--json", *args, run=self.vmaf)

    @staticmethod
    def asked(*features):
        """Options for these features alone."""
        return ("--no-model", "--align", "index", *(word for feature in features for word in ("-f", feature)))

    def columns(self, *args):
        """The scores of each feature, by its name, and the numbers of the whole clip."""
        log = self.log(*args, "-q")
        columns = {}
        for frame in log["frames"]:
            for name, value in frame["metrics"].items():
                columns.setdefault(name, []).append(value)
        return columns, log["aggregate_metrics"]
