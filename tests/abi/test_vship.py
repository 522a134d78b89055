#!/usr/bin/env python3
"""libvship.so, called by two C programs that were written from its interface's description alone.

usage: ACUTANCE_LIBRARY=FOLDER VMAF_COMMAND=vmaf [CC=cc] test_vship.py

Their scores equal those of the command that prints all digits; misuse gives codes.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = pathlib.Path(os.environ["ACUTANCE_LIBRARY"])
COMMAND = os.environ["VMAF_COMMAND"]
CC = os.environ.get("CC", "cc").split()
FRAMES = 3

SYMBOLS = set("""
GetVersion GetDeviceCount GetDeviceInfo GPUFullCheck GetErrorMessage GetDetailedLastError GetDetailedLastErrorHandler
InitHandler ComputeHandler FreeHandler Reset ResetScore PinnedMalloc2 PinnedFree2 SetDevice PinnedMalloc PinnedFree
SSIMU2Init SSIMU2Init2 SSIMU2Free ComputeSSIMU2 SSIMU2GetDetailedLastError ButteraugliInit ButteraugliInit2
ButteraugliFree ComputeButteraugli ButteraugliGetDetailedLastError CVVDPInit CVVDPInit2 CVVDPInit3 CVVDPFree
CVVDPGetDistmapResolution ResetCVVDP ResetScoreCVVDP LoadTemporalCVVDP ComputeCVVDP CVVDPGetDetailedLastError
""".split())


def run(*command, backend=""):
    """backend: the value of VSHIP_BACKEND; empty: the CPU alone, regardless of what the machine has."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, VSHIP_BACKEND=backend or "cpu", ACUTANCE_CUDA_LIBRARY="/no/driver"),
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def clip(width, height, bits, noise):
    """Planar 4:2:0: waves, and on them a pattern that a distorted video has."""
    bytes_each, frames = (2 if bits > 8 else 1), []
    for frame in range(FRAMES):
        planes = b""
        for plane in range(3):
            w, h = (width, height) if plane == 0 else ((width + 1) // 2, (height + 1) // 2)
            rows = bytearray()
            for y in range(h):
                for x in range(w):
                    value = 40 + (3 * x + 2 * y + 5 * frame + 60 * plane) % 150 + (x * 7 + y * 13 + frame) % noise
                    rows += (value << (bits - 8)).to_bytes(bytes_each, "little")
            planes += bytes(rows)
        frames.append(planes)
    return frames


def write(folder, name, width, height, bits, frames):
    """As raw frames for the clients, as y4m for the command."""
    raw, y4m = folder / f"{name}.yuv", folder / f"{name}.y4m"
    raw.write_bytes(b"".join(frames))
    tag = "420jpeg" if bits == 8 else f"420p{bits}"
    header = f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{tag} XCOLORRANGE=LIMITED\n".encode()
    y4m.write_bytes(header + b"".join(b"FRAME\n" + frame for frame in frames))
    return raw, y4m


class Vship(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)
        cls.programs = {}
        for name, standard in (("vship_client", "c99"), ("vship4_client", "c99"), ("vship_formats", "c99"),
                               ("vship_stress", "c11")):
            cls.programs[name] = cls.out / name
            run(*CC, f"-std={standard}", "-D_POSIX_C_SOURCE=200112L", "-Wall", "-Wextra", "-Werror", "-pthread",
                HERE / f"{name}.c", "-o", cls.programs[name], LIBRARY / "libvship.so", f"-Wl,-rpath,{LIBRARY}")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_an_unknown_backend_is_an_error(self):
        calls = ("import ctypes, sys; vship = ctypes.CDLL(sys.argv[1]); text = ctypes.create_string_buffer(200); "
                 "print(vship.Vship_GetDeviceCount(ctypes.byref(ctypes.c_int())) != 0, vship.Vship_SetDevice(0) != 0); "
                 "vship.Vship_GetDetailedLastError(text, 200); print(text.value.decode())")
        said = run(sys.executable, "-B", "-c", calls, LIBRARY / "libvship.so", backend="cudda")
        self.assertIn("True True", said)
        self.assertIn("did you mean 'cuda'?", said)

    def test_exported_symbols(self):
        listing = run("nm", "-D", "--defined-only", LIBRARY / "libvship.so")
        exported = {line.split()[-1] for line in listing.splitlines()}
        self.assertEqual(exported - {"VapourSynthPluginInit2"}, {f"Vship_{name}" for name in SYMBOLS})

    def test_no_client_takes_it_for_a_build_that_needs_vulkan(self):
        """Some ask the loader first where the file has its name."""
        self.assertNotIn(b"libvulkan", (LIBRARY / "libvship.so").read_bytes())

    def test_many_threads(self):
        self.assertEqual(run(self.programs["vship_stress"]), "")

    def scores_of_command(self, reference, distorted):
        """By name, of each frame, with all digits."""
        log = self.out / "log.json"
        features = ["ssimulacra2=matrix=bt709", "cvvdp=display=standard_fhd:conversion=common:matrix=bt709",
                    "butteraugli=matrix=bt709:intensity_target=203"]
        words = [word for feature in features for word in ("--feature", feature)]
        run(COMMAND, "-r", reference, "-d", distorted, "--no_prediction", *words, "--quiet", "--precision", "max",
            "--json", "-o", log)
        return [frame["metrics"] for frame in json.loads(log.read_text())["frames"]]

    def check(self, width, height, bits, backend=""):
        reference = write(self.out, "reference", width, height, bits, clip(width, height, bits, 1))
        distorted = write(self.out, "distorted", width, height, bits, clip(width, height, bits, 24))
        frames = self.scores_of_command(reference[1], distorted[1])

        def column(start):
            return [next(value for key, value in frame.items() if key.startswith(start)) for frame in frames]

        jods = [next(value for key, value in frame.items()
                     if key.startswith("cvvdp") and not key.startswith("cvvdp_frame")) for frame in frames]
        for name in ("vship_client", "vship4_client"):
            program = self.programs[name]
            with self.subTest(client=name, bits=bits):
                lines = run(program, reference[0], distorted[0], width, height, bits, FRAMES, backend=backend)
                found = {}
                for line in lines.splitlines():
                    key, *values = line.split()
                    found.setdefault(key, []).append(values)
                self.assertEqual([float(v[0]) for v in found["ssimulacra2"]], column("ssimulacra2"))
                # The first frame of a client may be the only one, and counts as an image until the next.
                self.assertEqual([float(v[0]) for v in found["cvvdp"]][1:], jods[1:])
                self.assertEqual(found.get("cvvdp_again", found["cvvdp"]), found["cvvdp"])
                if name == "vship_client":
                    self.assertEqual(found["version"], [["5.1.2", "3"]])
                for position, start in enumerate(("butteraugli_qnorm", "butteraugli_p3", "butteraugli_max")):
                    self.assertEqual([float(v[position]) for v in found["butteraugli"]], column(start))

    def test_8_bits(self):
        self.check(96, 64, 8)

    def test_10_bits(self):
        self.check(66, 50, 10)

    def test_a_device_has_the_same_scores(self):
        self.check(48, 32, 8, backend="emu")
        self.check(34, 18, 10, backend="emu")

    def test_the_benchmark_of_clients(self):
        """It compares their scores with the CPU's."""
        tool = HERE.parents[1] / "tools" / "gpu" / "vship_clients.py"
        lines = run(sys.executable, "-B", tool, LIBRARY / "libvship.so", "ssimulacra2", "butteraugli", "cvvdp", "--pinned",
                    "--clients", "2", "--streams", "2", "--size", "64x32", "--seconds", "0.2", backend="emu").splitlines()
        self.assertEqual(lines[0], "0: emulation on the CPU; 1: CPU (acutance)")
        self.assertEqual([line.split()[0] for line in lines[1:]], ["ssimulacra2", "butteraugli", "cvvdp"])

    def test_without_a_driver_there_is_the_cpu(self):
        self.check(48, 32, 8, backend="cuda")

    def test_odd_sizes(self):
        """Clients have ceil(n/2) chroma samples, as files have."""
        self.check(97, 65, 8)
        self.check(67, 50, 10)


FLOAT, HALF = 0, 1  # Sample_t
SAMPLES = {8: 2, 9: 3, 10: 5, 12: 7, 14: 9, 16: 11}
LIMITED, FULL = 0, 1
RGB, BT709 = 0, 1
GAMMA, LINEAR, SRGB = 1, 8, 13
METRICS = {1: "ssimulacra2", 2: "butteraugli", 3: "cvvdp"}


def single(value):
    """Rounded to binary32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def colors(sample, matrix=RGB, range_=FULL, transfer=SRGB, sub=(0, 0), target=(-1, -1), left=0, location=0):
    return ",".join(str(v) for v in (sample, range_, *sub, location, matrix, transfer, *target, left))


class Formats(unittest.TestCase):
    """Red, green and blue, floats, and videos of unlike formats, by the client that names each video's colors."""
    WIDTH, HEIGHT, FRAMES = 40, 24, 2

    @classmethod
    def setUpClass(cls):
        Vship.setUpClass()
        cls.out, cls.program = Vship.out, Vship.programs["vship_formats"]

    @classmethod
    def tearDownClass(cls):
        Vship.tearDownClass()

    def video(self, name, bits, noise, shape=None, encode=None):
        """Planes of whole codes up to 2^bits - 1, written by `encode`(code, plane); `shape` is a plane's size."""
        width, height = self.WIDTH, self.HEIGHT
        data = bytearray()
        for frame in range(self.FRAMES):
            for plane in range(3):
                w, h = shape(plane) if shape else (width, height)
                for y in range(h):
                    for x in range(w):
                        code = 30 + (3 * x + 2 * y + 5 * frame + 70 * plane) % 150 + (x * 7 + y * 13 + frame) % noise
                        code <<= bits - 8
                        data += encode(code, plane) if encode else code.to_bytes(2 if bits > 8 else 1, "little")
        path = self.out / name
        path.write_bytes(bytes(data))
        return path

    def run_client(self, metric, first, second, resize=0):
        """The client's lines, split at blanks."""
        words = [self.program, metric, resize, self.WIDTH, self.HEIGHT, self.FRAMES]
        return [line.split() for line in run(*words, *first, *second).splitlines()]

    def scores(self, metric, first, second, resize=0):
        lines = self.run_client(metric, first, second, resize)
        self.assertEqual([line for line in lines if line[0] == "error"], [])
        return [[float(v) for v in line[1:]] for line in lines if line[0] == "score"]

    def pair(self, bits, encode=None, tag=""):
        return [self.video(f"{tag}{name}", bits, noise, encode=encode) for name, noise in (("r", 1), ("d", 24))]

    def command(self, metric, paths, bits, options, shape=None):
        """The same of the command that prints all digits, of planes in 4:4:4."""
        log = self.out / "log.json"
        if metric == 2:
            options = f"intensity_target=203:{options}"
        elif metric == 3:
            options = f"display=standard_fhd:conversion=common:fps=25:{options}"
        run(COMMAND, "-r", paths[0], "-d", paths[1], "-w", self.WIDTH, "-h", self.HEIGHT, "-p", "444", "-b", bits,
            "--no_prediction", "--feature", f"{METRICS[metric]}={options}", "--quiet", "--precision", "max", "--json",
            "-o", log)
        frames = [frame["metrics"] for frame in json.loads(log.read_text())["frames"]]

        def of(frame, start):
            return next(v for k, v in frame.items() if k.startswith(start) and not k.startswith("cvvdp_frame"))

        starts = ["butteraugli_max", "butteraugli_p3", "butteraugli_qnorm"] if metric == 2 else [METRICS[metric]]
        return [[of(frame, start) for start in starts] for frame in frames]

    def check(self, metric, found, expected):
        first = 1 if metric == 3 else 0  # a client's first frame may be the only one, and is an image until the next
        self.assertEqual(found[first:], expected[first:])

    def options(self, metric, matrix="rgb", range_="full"):
        return f"matrix={matrix}:range={range_}" + ("" if metric == 3 else ":transfer=srgb")

    def test_red_green_and_blue_of_integers(self):
        for bits in (8, 10, 12, 16):
            paths = self.pair(bits)
            for metric in METRICS:
                for range_ in (FULL, LIMITED):
                    with self.subTest(bits=bits, metric=METRICS[metric], range=range_):
                        form = colors(SAMPLES[bits], range_=range_)
                        expected = self.command(metric, paths, bits,
                                                self.options(metric, range_="full" if range_ else "limited"))
                        self.check(metric, self.scores(metric, (paths[0], form), (paths[1], form)), expected)

    def test_floats_of_the_same_values(self):
        """Sample and form as red, green and blue of 8 bits in full range, and as floats: k * fl(1 / 255)."""
        integers = self.pair(8)
        floats = self.pair(8, lambda code, _: struct.pack("f", single(code * single(1 / 255))), "f")
        for metric in METRICS:
            with self.subTest(metric=METRICS[metric]):
                whole = [(path, colors(SAMPLES[8])) for path in integers]
                parts = [(path, colors(FLOAT)) for path in floats]
                expected = self.scores(metric, *whole)
                self.assertEqual(self.scores(metric, *parts), expected)
                self.assertEqual(self.scores(metric, whole[0], parts[1]), expected)

    def test_halves(self):
        halves = self.pair(8, lambda code, _: struct.pack("e", code / 256), "h")
        floats = self.pair(8, lambda code, _: struct.pack("f", code / 256), "f")
        for metric in METRICS:
            self.assertEqual(self.scores(metric, *[(path, colors(HALF)) for path in halves]),
                             self.scores(metric, *[(path, colors(FLOAT)) for path in floats]))

    def test_luma_and_chroma_of_floats(self):
        def level(code, plane):
            return struct.pack("f", single((code - (128 if plane else 16)) * single(1 / (224 if plane else 219))))
        integers, floats = self.pair(8), self.pair(8, level, "f")
        for metric in METRICS:
            expected = self.command(metric, integers, 8, self.options(metric, "bt709", "limited"))
            form = colors(FLOAT, matrix=BT709)
            self.check(metric, self.scores(metric, (floats[0], form), (floats[1], form)), expected)

    def test_light_of_floats_is_not_clipped(self):
        bright = self.pair(8, lambda code, _: struct.pack("f", code / 16), "b")
        brighter = self.pair(8, lambda code, _: struct.pack("f", code / 4), "c")
        form = colors(FLOAT, transfer=LINEAR)
        for metric in METRICS:
            low = self.scores(metric, *[(path, form) for path in bright])
            self.assertNotEqual(low, self.scores(metric, *[(path, form) for path in brighter]))
            self.assertNotEqual(low[0][0], {1: 100, 2: 0, 3: 10}[metric])

    def test_9_and_14_bits_in_full_range(self):
        for bits in (9, 14):
            paths = self.pair(bits)
            top = (1 << bits) - 1
            floats = self.pair(bits, lambda code, _: struct.pack("f", single(code * single(1 / top))), "f")
            self.assertEqual(self.scores(1, *[(path, colors(SAMPLES[bits])) for path in paths]),
                             self.scores(1, *[(path, colors(FLOAT)) for path in floats]))

    def test_unlike_formats(self):
        """Gray chroma is the same at any size, and range and depth are only another scale."""
        def clip(name, bits, sub, offset=0):
            shift = bits - 8

            def shape(plane):
                return (self.WIDTH >> (sub[0] if plane else 0), self.HEIGHT >> (sub[1] if plane else 0))

            def encode(code, plane):
                value = 128 << shift if plane else code + (offset << shift)
                return value.to_bytes(2 if bits > 8 else 1, "little")
            return self.video(name, bits, 1, shape, encode)

        forms = []
        for bits in (8, 10):
            for sub in ((0, 0), (1, 0), (1, 1), (2, 0), (0, 1), (2, 2)):
                form = colors(SAMPLES[bits], matrix=BT709, range_=LIMITED, transfer=GAMMA, sub=sub)
                forms.append((clip(f"{bits}{sub[0]}{sub[1]}", bits, sub), form))
        whole = [(clip("full0", 8, (1, 1)), colors(SAMPLES[8], matrix=BT709, transfer=GAMMA, sub=(1, 1))),
                 (clip("full1", 8, (1, 1), 3), colors(SAMPLES[8], matrix=6, transfer=GAMMA, sub=(1, 1)))]
        for metric, best in ((1, 100), (2, 0), (3, 10)):
            for form in forms:
                for score in self.scores(metric, forms[0], form):
                    self.assertAlmostEqual(score[0], best, delta=0.05)
            self.assertNotEqual(self.scores(metric, *whole)[0][0], best)

    def test_other_sizes(self):
        paths = self.pair(8)
        floats = self.pair(8, lambda code, _: struct.pack("f", single(code * single(1 / 255))), "f")
        for target, left in (((64, 48), 0), ((64, 48), 3), ((20, 12), 1)):
            whole = [(path, colors(SAMPLES[8], target=target, left=left)) for path in paths]
            parts = [(path, colors(FLOAT, target=target, left=left)) for path in floats]
            for a, b in zip(self.scores(2, *whole), self.scores(2, *parts)):
                self.assertAlmostEqual(a[0], b[0], delta=0.15 * a[0])

    def test_resized_to_the_display(self):
        for bits, sample in ((8, SAMPLES[8]), (10, SAMPLES[10])):
            paths = self.pair(bits)
            expected = self.command(3, paths, bits, "matrix=rgb:range=full:resize=bicubic:keep_aspect=true")
            lines = self.run_client(3, (paths[0], colors(sample)), (paths[1], colors(sample)), resize=1)
            self.assertEqual({tuple(line[1:3]) for line in lines if line[0] == "map"}, {("1800", "1080")})
            self.assertEqual(float([line for line in lines if line[0] == "score"][-1][1]), expected[-1][0])
            self.assertNotEqual(expected, self.command(3, paths, bits, "matrix=rgb:range=full"))

    def test_misuse(self):
        good = (self.pair(8)[0], colors(SAMPLES[8]))
        floats = self.pair(8, lambda code, _: struct.pack("f", float("nan") if code > 170 else 0.5), "n")
        light = self.pair(8, lambda code, _: struct.pack("f", code / 256), "f")
        cases = {
            "samples of no type": (good[0], colors(4)),
            "subsampled red": (good[0], colors(SAMPLES[8], sub=(1, 1))),
            "chroma of no size": (good[0], colors(SAMPLES[8], matrix=BT709, sub=(3, 0))),
            "a negative subsampling": (good[0], colors(SAMPLES[8], matrix=BT709, sub=(-1, 0))),
            "an unknown matrix": (good[0], colors(SAMPLES[8], matrix=14)),
            "an unknown range": (good[0], colors(SAMPLES[8], range_=2)),
            "another transfer function": (good[0], colors(SAMPLES[8], transfer=GAMMA)),
            "no number": (floats[1], colors(FLOAT)),
            "too large": (light[0], colors(FLOAT, target=(40 * 65, 24 * 65))),
        }
        for name, case in cases.items():
            for metric in METRICS:
                with self.subTest(name, metric=METRICS[metric]):
                    line = self.run_client(metric, good, case)[-1]
                    self.assertEqual(line[0], "error", line)
                    self.assertIn(int(line[1]), (4, 15), line)


if __name__ == "__main__":
    unittest.main()
