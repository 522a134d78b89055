#!/usr/bin/env python3
"""Scores a video through libvship.so's C interface, frame by frame: the calls of an encoder's client in Python.

    vship.py libvship.so ssimulacra2 original.mkv encode.mkv

A line for each frame: ssimulacra2, butteraugli (the 3-norm at 203 nits), butteraugli-max, or cvvdp (standard_fhd; the
score of the clip up to there). ffmpeg decodes. Needs Python alone.
"""
import contextlib
import ctypes
import subprocess
import sys

UINT8, UINT10, UINT12 = 2, 5, 7
BT709, ST170M = 1, 6
LOCATIONS = {"left": 0, "center": 1, "topleft": 2, "top": 3}
SUBSAMPLING = {"420": (1, 1), "422": (1, 0), "444": (0, 0)}


class Colorspace(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("width", "height", "target_width", "target_height")] + [
        (name, ctypes.c_int) for name in ("sample", "range", "subw", "subh", "chroma_location", "family", "matrix",
                                          "transfer", "primaries", "top", "bottom", "left", "right")]


class InitSsimulacra2(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("reference", Colorspace), ("distorted", Colorspace), ("gpu", ctypes.c_int)]


class InitButteraugli(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("reference", Colorspace), ("distorted", Colorspace), ("norm", ctypes.c_int),
                ("intensity", ctypes.c_float), ("gpu", ctypes.c_int)]


class InitCvvdp(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("reference", Colorspace), ("distorted", Colorspace), ("fps", ctypes.c_float),
                ("resize_to_display", ctypes.c_bool), ("model", ctypes.c_char_p), ("config", ctypes.c_char_p),
                ("gpu", ctypes.c_int)]


class ScoreSsimulacra2(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("score", ctypes.c_double)]


class ScoreButteraugli(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("norm_q", ctypes.c_double), ("norm_3", ctypes.c_double),
                ("norm_inf", ctypes.c_double), ("map", ctypes.c_void_p), ("map_stride", ctypes.c_int64)]


class ScoreCvvdp(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("score", ctypes.c_double), ("map", ctypes.c_void_p),
                ("map_stride", ctypes.c_int64)]


class Video:
    """A file's frames by ffmpeg, each a list of planes of bytes."""

    def __init__(self, path):
        self.process = subprocess.Popen(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-strict", "-1",
                                         "-f", "yuv4mpegpipe", "-"], stdout=subprocess.PIPE)
        words = self.process.stdout.readline().decode().split()
        if not words:
            raise SystemExit(f"ffmpeg could not decode {path}")
        fields = {word[0]: word[1:] for word in words[1:] if word[0] != "X"}
        self.width, self.height = int(fields["W"]), int(fields["H"])
        numerator, denominator = map(int, fields["F"].split(":"))
        self.fps = numerator / denominator
        layout = fields.get("C", "420")
        self.full_range = "XCOLORRANGE=FULL" in words
        self.depth = int(layout.split("p")[1]) if "p" in layout and layout.split("p")[1].isdigit() else 8
        self.subw, self.subh = SUBSAMPLING[layout[:3]]
        chroma = (-(-self.width >> self.subw), -(-self.height >> self.subh))
        self.sizes = [(self.width, self.height), chroma, chroma]

        # y4m has one word for the center and for what is not known.
        location = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=chroma_location",
                               "-of", "csv=p=0", path], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        self.chroma_location = 0 if path.endswith(".y4m") else LOCATIONS.get(location, 0)

    def __iter__(self):
        sample = 2 if self.depth > 8 else 1
        with self.process:
            while self.process.stdout.readline().startswith(b"FRAME"):
                yield [self.process.stdout.read(w * h * sample) for w, h in self.sizes]

    def strides(self):
        return [w * (2 if self.depth > 8 else 1) for w, _ in self.sizes]

    def colors(self, chroma_location):
        """The matrix that `acutance score` assumes for files that declare none."""
        return Colorspace(width=self.width, height=self.height, target_width=-1, target_height=-1,
                          sample={8: UINT8, 10: UINT10, 12: UINT12}[self.depth], range=int(self.full_range), subw=self.subw,
                          subh=self.subh, chroma_location=chroma_location,
                          matrix=BT709 if self.height > 650 else ST170M, transfer=1, primaries=1)


class Scorer:
    def __init__(self, library, metric):
        self.library, self.metric = ctypes.CDLL(library), metric
        if metric not in ("ssimulacra2", "butteraugli", "butteraugli-max", "cvvdp"):
            raise SystemExit(f"libvship has no {metric}")
        for name in ("Vship_ResetScore", "Vship_FreeHandler"):
            getattr(self.library, name).argtypes = [ctypes.c_void_p]

    def check(self, code):
        if code == 0:
            return
        text = ctypes.create_string_buffer(1024)
        self.library.Vship_GetDetailedLastError(text, len(text))
        raise SystemExit(f"libvship: {text.value.decode()}")

    @contextlib.contextmanager
    def handler(self, reference, distorted):
        colors = [video.colors(reference.chroma_location) for video in (reference, distorted)]
        if self.metric == "ssimulacra2":
            init, score = InitSsimulacra2(1, *colors, 0), ScoreSsimulacra2(4)
        elif self.metric == "cvvdp":
            init, score = InitCvvdp(3, *colors, reference.fps, False, b"standard_fhd", None, 0), ScoreCvvdp(6)
        else:
            init, score = InitButteraugli(2, *colors, 2, 203.0, 0), ScoreButteraugli(5)
        handler = ctypes.c_void_p()
        self.check(self.library.Vship_InitHandler(ctypes.byref(handler), ctypes.byref(init)))
        try:
            yield handler, score
        finally:
            self.check(self.library.Vship_FreeHandler(handler))

    def scores(self, reference_path, distorted_path):
        """The score of each frame; of cvvdp that of the clip so far."""
        reference, distorted = Video(reference_path), Video(distorted_path)
        planes, strides = ctypes.c_char_p * 3, ctypes.c_int64 * 3
        pitches = strides(*reference.strides()), strides(*distorted.strides())
        found = []
        with self.handler(reference, distorted) as (handler, score):
            for first, second in zip(reference, distorted, strict=True):
                self.check(self.library.Vship_ComputeHandler(handler, ctypes.byref(score), planes(*first), planes(*second),
                                                             *pitches))
                found.append({"butteraugli": lambda: score.norm_3, "butteraugli-max": lambda: score.norm_inf}.get(
                    self.metric, lambda: score.score)())
        return found


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    for value in Scorer(sys.argv[1], sys.argv[2]).scores(sys.argv[3], sys.argv[4]):
        print(repr(value))
