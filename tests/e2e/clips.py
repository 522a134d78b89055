"""Small clips made by formulas, and runs of the commands over them. Standard library only."""
import os
import subprocess
import tempfile
import unittest

BIN = os.environ.get("ACUTANCE_BIN", os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin"))
ACUTANCE = os.path.join(BIN, "acutance")
VMAF = os.path.join(BIN, "vmaf")


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


def y4m(width, height, pictures, tags="F25:1 Ip A1:1 C420jpeg"):
    header = f"YUV4MPEG2 W{width} H{height} {tags}\n".encode()
    return header + b"".join(b"FRAME\n" + picture for picture in pictures)


class CommandTest(unittest.TestCase):
    """Gives each test a folder of its own with ref.y4m and dis.y4m, 64x48, six frames."""

    WIDTH, HEIGHT, FRAMES = 64, 48, 6
    _cache = {}

    @classmethod
    def clip(cls, kind):
        if kind not in cls._cache:
            sample = reference_sample if kind == "ref" else distorted_sample
            cls._cache[kind] = frames(cls.WIDTH, cls.HEIGHT, cls.FRAMES, sample)
        return cls._cache[kind]

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.ref = self.write("ref.y4m", y4m(self.WIDTH, self.HEIGHT, self.clip("ref")))
        self.dis = self.write("dis.y4m", y4m(self.WIDTH, self.HEIGHT, self.clip("dis")))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_command(self, *args, stdin=None, **options):
        return subprocess.run([str(a) for a in args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, check=False, **options)

    def score(self, *args, **options):
        return self.run_command(ACUTANCE, "score", *args, **options)

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
