"""The scores of a finished run."""
from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._errors import InvalidArgumentError, NotFoundError
from ._options import Path, path_bytes

if TYPE_CHECKING:
    import pandas as pd

POOLINGS = ("mean", "harmonic_mean", "min", "max")


class Alignment(NamedTuple):
    """Which frames of two files were paired, and the confidence in it."""

    text: str  # "distorted starts 12 frames late; 3 frames repeated; confidence 0.99"
    by: str  # "signatures", "times", "index" or "given"
    confidence: float | None  # of signatures: 0 to 1
    pairs: list[tuple[int, int]]  # reference frame, distorted frame: one for each scored frame
    unmatched_reference: list[int]
    unmatched_distorted: list[int]
    held: int  # pairs of reference frames that the file lacks with the frame that it shows meanwhile


class Change(NamedTuple):
    """A conversion of a video before it was compared."""

    change: str  # "samples", "deinterlace", "turn", "crop", "rgb", "range", "scale", "chroma" or "bit-depth"
    text: str  # a human-readable sentence


class Damage(NamedTuple):
    """What decoding a damaged video found. Frames are counted from the video's first."""

    reason: str  # the first error in FFmpeg's words
    decoded: int  # frames in all
    lost: int  # packets that gave no frame
    frames: list[int]  # those decoded with errors


class Decoding(NamedTuple):
    """How many decoders decoded a compressed video."""

    segments: int  # decoded side by side; 0: one decoder decoded all
    one_decoder: str | None  # why one decoder decoded all, or what followed the segments; None: none did
    decoder: str  # "cpu"; "nvdec", "vulkan" or "vaapi" where these decoded segments


class Input(NamedTuple):
    """A video as it was opened, and its conversions; None: its stream does not declare it."""

    path: str
    width: int
    height: int
    bit_depth: int
    pixel_format: str
    frame_rate: float | None  # frames/s
    codec: str | None
    range: str | None  # "limited" or "full"
    transfer: str | None
    matrix: str | None
    primaries: str | None
    is_rgb: bool
    is_interlaced: bool
    pixel_aspect: float  # a pixel's width divided by its height
    dolby_vision_profile: int | None
    mastering: tuple[float, float] | None  # least and greatest luminance of the mastering display, in cd/m2
    light_level: tuple[int, int] | None  # MaxCLL and MaxFALL, in cd/m2
    bit_rate: int | None  # bits/s of the video track
    damage: Damage | None  # None: the video is not damaged
    decoding: Decoding | None  # None: the video is not compressed
    changes: list[Change]


class Result(Mapping[str, npt.NDArray[np.float64]]):
    """Scores by name: of models ("vmaf_v0.6.1", usually 0 to 100) and features ("integer_adm2", "psnr_y" in dB).

    A mapping from names, in the order of a log's columns, to read-only float64 arrays of shape (frames,); NaN where a
    frame was not scored (subsampling). An unknown name is a NotFoundError, which suggests the nearest.
    With several distorted videos this is the first; `videos` has all.
    """

    def __init__(self, core: _core.Result, models: tuple[str, ...], video: int = 0) -> None:
        self._core = core
        self._models = models
        self._video = video
        self._names = core.names(video)
        self._scores: dict[str, npt.NDArray[np.float64]] = {}

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        if not isinstance(name, str):
            raise NotFoundError(f"scores have names, not {name!r}: {', '.join(self._names)}")
        if name not in self._scores:
            self._scores[name] = self._core.scores(name, self._video)
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    @property
    def frames(self) -> int:
        """Number of frames that this encode and the reference have in common."""
        return self._core.frames(self._video)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models' scores, in the order in which the models were given. A collection has
        <name>_bagging (its score), <name>_stddev, <name>_ci_p95_lo, <name>_ci_p95_hi, then its members."""
        return self._models

    @property
    def score(self) -> float:
        """Mean of the first model's score over all frames. NotFoundError where there was no model."""
        if not self._models:
            raise NotFoundError("there is no model in this result; use pool() with a feature's name: "
                                + ", ".join(self._names))
        return self.pool(self._models[0])

    @property
    def videos(self) -> tuple[Result, ...]:
        """One Result for each distorted video."""
        return tuple(Result(self._core, self._models, video) for video in range(self._core.videos))

    @property
    def width(self) -> int:
        """Width of the pictures, in luma samples."""
        return self._core.format[0]

    @property
    def height(self) -> int:
        """Height of the pictures, in luma samples."""
        return self._core.format[1]

    @property
    def bit_depth(self) -> int:
        """8, 10, 12 or 16."""
        return self._core.format[2]

    @property
    def pixel_format(self) -> str:
        """"400", "420", "422" or "444"."""
        return self._core.format[3]

    @property
    def seconds(self) -> float:
        """Elapsed time from the first picture to the end."""
        return self._core.seconds

    @property
    def device(self) -> str:
        """"NVIDIA H200 (cuda)"; empty: the CPU. The scores are the same bits everywhere."""
        return self._core.device

    @property
    def warnings(self) -> list[str]:
        """Warnings, such as a file that ended early, or a device that failed and was replaced."""
        return self._core.warnings

    @property
    def alignment(self) -> Alignment | None:
        """The frame alignment; None where frames were paired by number without comparing pictures."""
        found = self._core.alignment(self._video)
        return None if found is None else Alignment(*found)

    @property
    def inputs(self) -> list[Input]:
        """The files as they were opened, the reference first, and their conversions. Empty for a Session's Result."""
        return [Input._make([os.fsdecode(path), *rest, damage and Damage(*damage), decoding and Decoding(*decoding),
                             [Change(*each) for each in changes]])
                for path, *rest, damage, decoding, changes in self._core.inputs]

    @property
    def model_reasons(self) -> list[str]:
        """Why the models of model="auto" suit the videos."""
        return self._core.model_reasons

    @property
    def aggregates(self) -> dict[str, float]:
        """Values of the whole clip that are not pooled scores, such as "apsnr_y"."""
        return dict(self._core.aggregates(self._video))

    @staticmethod
    def _ends(first: int | range, last: int | None) -> tuple[int, int]:
        if isinstance(first, range):
            if last is not None or first.step != 1 or not first:
                raise InvalidArgumentError(f"{first}: a range of frames is not empty, has no steps, and no last next to it")
            last = first.stop - 1
            first = first.start
        if first < 0 or (last is not None and last < first):
            raise InvalidArgumentError(f"frames {first} to {last}: the first is at least 0, the last not before it")
        return first, -1 if last is None else last

    def pool(self, name: str, method: str = "mean", first: int | range = 0,
             last: int | None = None, *, frame_rate: float | None = None) -> float:
        """The pooled score of the frames first..last, both included, that were scored; last=None: to the end.

        first may be a range of frames instead: range(24, 48) has frames 24 to 47.
        method: "mean", "harmonic_mean", "min", "max", "median", "stddev", "p0" to "p100" (percentiles),
        "worst_percent" (the mean of the worst hundredth of the frames) or "worst_second", which needs the frame rate.
        Raises InvalidArgumentError for an empty range or another method, NotFoundError for an unknown name.
        """
        begin, end = self._ends(first, last)
        return self._core.pool(name, method, begin, end, self._video, frame_rate or 0.0)

    def mean_interval(self, name: str, confidence: float = 0.95, first: int | range = 0,
                      last: int | None = None, *, frame_rate: float | None = None) -> tuple[float, float]:
        """Confidence interval of the mean, by resampling blocks of two seconds (50 frames without a frame rate).

        The same scores give the same interval. InvalidArgumentError where there are too few frames.
        """
        begin, end = self._ends(first, last)
        return self._core.mean_interval(name, confidence, begin, end, self._video, frame_rate or 0.0)

    @property
    def pooled(self) -> dict[str, dict[str, float]]:
        """All scores by all methods: pooled["vmaf_v0.6.1"]["harmonic_mean"]."""
        return {name: {method: self.pool(name, method) for method in POOLINGS} for name in self._names}

    def to_pandas(self) -> pd.DataFrame:
        """A DataFrame with one row a frame and one column a score. Raises ImportError where pandas is missing."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas, which is not installed: pip install pandas") from None
        return pandas.DataFrame(dict(self), index=pandas.RangeIndex(self.frames, name="frame"))

    def write_log(self, path: Path, format: str | None = None, *, precision: str = "legacy") -> None:
        """Writes a log; the file is written completely or not at all.

        format: "xml", "json", "csv" or "sub" as libvmaf writes them, "parquet" or "arrow" with a row a frame for queries
        (paths, frames of both videos, seconds, shot, and each score); None: by the path's ending, else xml.
        precision: "legacy" (libvmaf's six decimal places), "max" (round-trip) or "1" to "17" significant digits.
        """
        if format is None:
            ending = os.path.splitext(os.fspath(path))[1][1:]
            format = ending if ending in ("xml", "json", "csv", "sub", "parquet", "arrow") else "xml"
        self._core.write_log(path_bytes(path), format, self._video, precision)

    def report(self, path: Path | None = None) -> str | None:
        """Writes the page of `acutance score --report`, one file of HTML with all videos; None: returns its text.

        It shows the worst frames where score(worst_frames=6) retained them, and shot boundaries where score(shots=True) found them.
        """
        if path is None:
            return self._core.report(False).decode("utf-8", "replace")
        self._core.write_report(path_bytes(path))
        return None

    def write_maps(self, folder: Path) -> None:
        """Writes where the worst frames lost points, by feature, as PNG and NPY files: those of score(worst_frames=6).

        InvalidArgumentError where no frames were retained.
        """
        self._core.write_maps(path_bytes(folder))

    def summary(self, *, require: str = "", segments: str = "", pool: str = "") -> dict[str, Any]:
        """The document of `acutance score --json` (docs/schema/acutance-1.json), with verdicts on requirements such as
        "vmaf_v0.6.1.p5>=90, psnr_y.mean>38", poolings by segments such as "4s", and poolings such as "mean,p5".

        InvalidArgumentError for options that cannot be parsed, and for a requirement on an unknown score.
        """
        return dict(json.loads(self._core.summary(require, segments, pool)))

    def __repr__(self) -> str:
        names = self._models or tuple(self._names[:1])
        scores = ", ".join(f"{name} {self.pool(name):.4f}" for name in names)
        return f"<acutance.Result: {scores}; {self.frames} frame{'s' * (self.frames != 1)}, {self.width}x{self.height}>"

    def _repr_html_(self) -> str:
        return _html.render(self)
