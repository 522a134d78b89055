"""Every metric on every kind of picture, by the `vmaf` command and the C API: a score, or an error message."""
import ctypes
import os
import pathlib
import subprocess

from clips import ACUTANCE, BIN, CommandTest, distorted_sample, plane, reference_sample
from libvmaf_structs import Configuration, Picture

LIBRARY = pathlib.Path(os.environ.get("ACUTANCE_LIBRARY", pathlib.Path(BIN).parent / "lib")) / "libvmaf.so.3"

# The smallest side of a 4:2:0 picture with scores, as the refusal states it; other metrics accept any.
SMALLEST = {"adm": 33, "float_adm": 17, "vif": 16, "float_vif": 16, "motion": 3, "float_motion": 3, "float_ansnr": 3,
            "psnr_hvs": 8, "psnr": 2, "ciede": 2, "float_ms_ssim": 176, "cambi": 216, "speed_chroma": 160,
            "speed_temporal": 80, "xpsnr": 2, "ssimulacra2": 8, "butteraugli": 2, "cvvdp": 2,
            "pu_psnr": 2, "pu_ssim": 2, "delta_e_itp": 2}
# What these must be told of raw files and of the C API's pictures.
OPTIONS = {name: ("transfer", "pq") for name in ("pu_psnr", "pu_ssim", "delta_e_itp")}
# These read the last column and row of odd pictures' chroma, which files have and the C API's pictures lack.
READ_ALL_CHROMA = {"butteraugli", "cvvdp", "ssimulacra2", "xpsnr", *OPTIONS}
NEEDS_CHROMA = {"psnr_hvs", "ciede", "speed_chroma"}
MOST_BITS = {"psnr_hvs": 12}
INFINITE = {"psnr_hvs", "ciede", "xpsnr", "pu_psnr"}  # of identical pictures, as libvmaf's and FFmpeg's
PIXEL_FORMATS = {"400": (4, None), "420": (1, (1, 1)), "422": (2, (1, 0)), "444": (3, (0, 0))}
CONTENTS = {
    "film": (reference_sample, distorted_sample),
    "identical": (reference_sample, reference_sample),
    "black": (lambda x, y, k: 0, lambda x, y, k: 0),
    "white on black": (lambda x, y, k: 0, lambda x, y, k: 255),
}
SIZES = ((217, 223), (218, 216))  # odd and even, as large as every metric needs
FRAMES = 2
WARNINGS = 2  # of libvmaf's levels of messages


def metrics():
    listed = subprocess.run([ACUTANCE, "features"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.partition("\n\n")[0].splitlines() if not line.startswith("null ")]


class Pictures:
    """Two videos: cached planes of 8 bits as samples of any depth."""

    made = {}

    def __init__(self, size, chroma, depth, content):
        self.size, self.chroma, self.depth, self.content = size, chroma, depth, content

    def plane_sizes(self, for_file=False):
        """In files the chroma of an odd side is rounded up, in libvmaf's pictures down."""
        shifts = PIXEL_FORMATS[self.chroma][1]
        if shifts is None:
            return [self.size]
        return [self.size] + [tuple((side + for_file * shift) >> shift for side, shift in zip(self.size, shifts))] * 2

    def samples(self, video, frame, which, size):
        key = self.content, video, frame, which, size, self.depth
        if key not in self.made:
            self.made[key] = self.deepen(plane(*size, frame + 9 * which, CONTENTS[self.content][video]))
        return self.made[key]

    def deepen(self, samples):
        if self.depth == 8:
            return samples
        low = self.depth - 8
        return b"".join((s << low | (s >> (8 - low) if low < 8 else s)).to_bytes(2, "little") for s in samples)

    def make(self, video, for_file=False):
        """The samples of all planes."""
        sizes = self.plane_sizes(for_file)
        return b"".join(self.samples(video, k, p, size) for k in range(FRAMES) for p, size in enumerate(sizes))


def score_by_the_api(feature, pictures, log):
    """Raises OSError where a call fails; libvmaf then prints why."""
    api = ctypes.CDLL(LIBRARY)

    def call(name, *arguments):
        if getattr(api, name)(*arguments):
            raise OSError(name)

    context = ctypes.c_void_p()
    call("vmaf_init", ctypes.byref(context), Configuration(WARNINGS, 0, 1, 0, 0))
    options = ctypes.c_void_p()
    if feature in OPTIONS:
        call("vmaf_feature_dictionary_set", ctypes.byref(options), *(word.encode() for word in OPTIONS[feature]))
    call("vmaf_use_feature", context, feature.encode(), options)
    for k in range(FRAMES):
        pair = [Picture(), Picture()]
        for video, picture in enumerate(pair):
            form = PIXEL_FORMATS[pictures.chroma][0]
            call("vmaf_picture_alloc", ctypes.byref(picture), form, pictures.depth, *pictures.size)
            for p, (width, height) in enumerate(pictures.plane_sizes()):
                samples = pictures.samples(video, k, p, (width, height))
                row = width * (1 if pictures.depth == 8 else 2)
                for y in range(height):
                    ctypes.memmove(picture.data[p] + y * picture.stride[p], samples[y * row:(y + 1) * row], row)
        call("vmaf_read_pictures", context, ctypes.byref(pair[0]), ctypes.byref(pair[1]), k)
    call("vmaf_read_pictures", context, None, None, 0)
    call("vmaf_write_output", context, str(log).encode(), 3)
    call("vmaf_close", context)


def table(log):
    """Scores of a CSV log, frame by frame; json has no infinity."""
    lines = [line.rstrip(",").split(",") for line in pathlib.Path(log).read_text().splitlines()]
    return [dict(zip(lines[0][1:], map(float, line[1:]))) for line in lines[1:]]


class EveryMetric(CommandTest):
    def by_the_command(self, feature, pictures):
        for video, name in enumerate(("ref.yuv", "dis.yuv")):
            self.write(name, pictures.make(video, for_file=True))
        return self.vmaf("-r", self.path("ref.yuv"), "-d", self.path("dis.yuv"), "-w", pictures.size[0], "-h", pictures.size[1],
                         "-p", pictures.chroma, "-b", pictures.depth, "-n", "--feature",
                         "=".join((feature, *OPTIONS.get(feature, ()))), "--csv", "-o", self.path("log"))

    def by_the_api(self, feature, pictures):
        """In a process of its own, which may crash; it inherits the pictures."""
        for video in (0, 1):
            pictures.make(video)
        with open(self.path("errors"), "wb") as errors:
            child = os.fork()
            if child == 0:
                status = 70
                try:
                    os.dup2(errors.fileno(), 2)
                    score_by_the_api(feature, pictures, self.path("log"))
                    status = 0
                except OSError:
                    status = 1
                finally:  # a child that continued would run the tests that follow, with children of its own
                    os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return subprocess.CompletedProcess([feature], status, b"", self.read("errors").encode())

    def scores(self, feature, pictures):
        """The scores by the API; the command's must be equal, or near where its pictures have more chroma."""
        self.assert_ok(self.by_the_api(feature, pictures))
        scores = table(self.path("log"))
        self.assertEqual(len(scores), FRAMES)
        if pictures.chroma != "400":
            os.remove(self.path("log"))
            self.assert_ok(self.by_the_command(feature, pictures))
            self.compare(table(self.path("log")), scores, feature, pictures)
        return scores

    def compare(self, scores, of_the_api, feature, pictures):
        if feature not in READ_ALL_CHROMA or pictures.plane_sizes() == pictures.plane_sizes(for_file=True):
            self.assertEqual(scores, of_the_api)
            return
        for frame, other in zip(scores, of_the_api, strict=True):
            self.assertEqual(frame.keys(), other.keys())
            for name, score in frame.items():
                self.assertTrue(score == other[name] or abs(score - other[name]) < 0.1, f"{name}: {score}, {other[name]}")

    def refuse(self, feature, pictures, *words):
        self.assert_fails(self.by_the_api(feature, pictures), 1, feature, *words)
        if pictures.chroma != "400":
            self.assert_fails(self.by_the_command(feature, pictures), 234, "problem reading pictures", feature, *words)

    def check_scores(self, feature, pictures):
        may_be_infinite = feature in INFINITE and pictures.content in ("identical", "black")
        for frame in self.scores(feature, pictures):
            self.assertTrue(frame)
            for name, score in frame.items():
                self.assertTrue(abs(score) < 1e9 or (may_be_infinite and score == float("inf")), f"{name} is {score}")

    def test_pixel_formats_and_depths(self):
        for chroma in PIXEL_FORMATS:
            for depth in (8, 10, 12, 16):
                for feature in metrics():
                    with self.subTest(feature=feature, chroma=chroma, depth=depth):
                        pictures = Pictures(SIZES[depth % 4 // 2], chroma, depth, "film")
                        if chroma == "400" and feature in NEEDS_CHROMA:
                            self.refuse(feature, pictures, "chroma")
                        elif depth > MOST_BITS.get(feature, 16):
                            self.refuse(feature, pictures, f"at most {MOST_BITS[feature]} bits")
                        else:
                            self.check_scores(feature, pictures)

    def test_contents(self):
        for content in CONTENTS:
            for feature in metrics():
                with self.subTest(feature=feature, content=content):
                    self.check_scores(feature, Pictures(SIZES[0], "420", 8, content))

    def test_sizes(self):
        for feature in metrics():
            side = SMALLEST.get(feature, 1)
            for size in ((side, side), (side + 1, side), (side, side + 1)):
                with self.subTest(feature=feature, size=size):
                    said = self.by_the_api(feature, Pictures(size, "420", 8, "film"))
                    self.assert_ok(said)
                    undefined = any(score != score for frame in table(self.path("log")) for score in frame.values())
                    self.assertEqual(undefined, b"is not a number" in said.stderr)
            if side > 1:
                with self.subTest(feature=feature, size="below"):
                    below = (side - 1) // 2 if feature == "speed_chroma" else side - 1
                    self.refuse(feature, Pictures((side - 1, side - 1), "420", 8, "film"), f"{below}x{below}")

    def test_scores_that_are_not_numbers(self):
        """psnr_hvs has no block in chroma of 4x4, nor float_ssim a window in 10x10: a warning says so."""
        for feature, side in (("psnr_hvs", 8), ("float_ssim", 10)):
            pictures = Pictures((side, side), "420", 8, "film")
            for run in (self.by_the_api, self.by_the_command):
                result = run(feature, pictures)
                self.assert_ok(result)
                self.assertIn(feature + " is not a number in 2 of 2 frames; the first is frame 0", result.stderr.decode())
