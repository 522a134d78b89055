"""Comparison of encodes of one reference: tables, rate-quality curves and BD-rates."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import _core
from ._errors import InvalidArgumentError, NotFoundError
from ._cached import CachedReference
from ._options import Path, path_bytes
from ._result import Result
from ._score import request, score

Point = tuple[float, float]  # rate, quality


class Encodes(Mapping[str, Any]):
    """The report of compare(), ladder() or bd(): a mapping as docs/schema/acutance-1.json describes it. print() shows it as the
    command does.

    compare(): "score", "encodes" ("distorted", "bytes", "bit_rate" in bits a second, "mean" with "mean_interval", "p5",
    "best" at its rate) and "differences" ("a" less "b" by frames, the better one first, "sure").
    ladder() and bd(): "score", "curves" ("name", "points" with "on_hull") and "differences" from the first curve: "refusal"
    or, "by" the interpolation, "bd_rate" in percent and "bd_quality" in the score's units, with intervals of 95 %.
    """

    def __init__(self, core: _core.Encodes, result: Result | None = None) -> None:
        self._core = core
        self._fields: dict[str, Any] = json.loads(core.json)
        self._result = result

    @property
    def result(self) -> Result:
        """The scores of all encodes, `result.videos`. NotFoundError for known points, which have none."""
        if self._result is None:
            raise NotFoundError("known points have no scores of frames")
        return self._result

    def report(self, path: Path | None = None) -> str | None:
        """Writes the page of Result.report() with the encodes side by side; None: returns its text."""
        if path is None:
            return self.result._core.report(False, self._core).decode("utf-8", "replace")
        self.result._core.write_report(path_bytes(path), self._core)
        return None

    def ctc_csv(self, path: Path | None = None) -> str | None:
        """Writes the points of a ladder() in the columns of the AOM's common test conditions, as `acutance ladder --ctc-csv`
        does; None: returns the text. NotFoundError for compare() and known points."""
        text = self._core.ctc_csv
        if not text:
            raise NotFoundError("the common test conditions have columns for a ladder alone")
        if path is None:
            return text.decode("utf-8", "replace")
        with open(path, "wb") as file:
            file.write(text)
        return None

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __str__(self) -> str:
        return self._core.text.decode("utf-8", "replace")

    def __repr__(self) -> str:
        names = [encode["distorted"] for encode in self.get("encodes", [])] + [
            curve["name"] for curve in self.get("curves", [])]
        return f"<acutance.Encodes: {self['score']} of {', '.join(names)}>"


def compare(reference: Path | CachedReference, encodes: Iterable[Path], *, by: str | None = None, **options: Any) -> Encodes:
    """Compares encodes of one reference, which is read once: sizes, bit rates, means with intervals, the difference of each
    pair with an interval of its own, and which are best at their rate.

    by: the name of the score that is compared; None: the first model's.
    options: as for score(): model, features, threads, worst_frames, shots, progress and so on.

    Raises InvalidArgumentError for an unknown score, and what score() raises.
    """
    result = score(reference, encodes, **options)
    return Encodes(result._core.compare(by or ""), result)


def ladder(reference: Path | CachedReference, curves: Mapping[str, Path | Iterable[Path]], *, anchor: str | None = None,
           by: str | None = None, **options: Any) -> Encodes:
    """Draws rate-quality curves of encodes, and compares each with the first by BD-rate and BD-quality.

    curves: names, and for each the files, four at least, or a folder of them: {"x264": "x264/", "svt": ["a.mkv", "b.mkv"]}.
        A folder's files that do not open as a video, such as an encoder's log, are passed over with a UserWarning.
    anchor: the name of the curve that others are compared with; None: the first.
    by: the name of the score that is compared; None: the first model's.
    options: as for score().

    A pair of curves that are too short, not monotone or hardly overlap has a "refusal" and no numbers.
    Raises InvalidArgumentError for videos without a bit rate and for an unknown anchor or score, and what score() raises.
    """
    files: dict[str, Sequence[Path]] = {}
    for name, paths in _anchored(curves, anchor).items():
        files[name] = _files_of(paths, options)
    result = score(reference, [path for paths in files.values() for path in paths], **options)
    return Encodes(result._core.ladder([(name, len(paths)) for name, paths in files.items()], by or ""), result)


def bd(curves: Mapping[str, Iterable[Point]], *, anchor: str | None = None) -> Encodes:
    """ladder() for known points.

    curves: names, and for each its points (rate, quality), in any order and any unit of rates that all have in common.
    anchor: as for ladder().

    Raises InvalidArgumentError for a curve without points, and for an unknown anchor.
    """
    known: list[tuple[str, list[Point]]] = []
    for name, points in _anchored(curves, anchor).items():
        try:
            known.append((name, [(float(rate), float(quality)) for rate, quality in points]))
        except (TypeError, ValueError):
            raise InvalidArgumentError(f"curve {name}: give points (rate, quality), such as (1250, 91.5)") from None
    return Encodes(_core.compare_curves(known))


def _anchored(curves: Mapping[str, Any], anchor: str | None) -> dict[str, Any]:
    """The curves, the anchor first."""
    if not isinstance(curves, Mapping) or not curves:
        raise InvalidArgumentError('curves have names: {"x264": [...], "svt-av1": [...]}')
    if anchor is not None and anchor not in curves:
        raise InvalidArgumentError(f"anchor={anchor!r}: there is no such curve (there are {', '.join(curves)})")
    first = next(iter(curves)) if anchor is None else anchor
    return {first: curves[first], **curves}


def _files_of(paths: Path | Iterable[Path], options: Mapping[str, Any]) -> Sequence[Path]:
    """The files; of a folder those that open as a video."""
    if not isinstance(paths, (str, os.PathLike)):
        return list(paths)
    if not os.path.isdir(paths):
        return [paths]
    raw = {name: options[name] for name in ("size", "bit_depth", "pixel_format") if name in options}
    files, passed_over = _core.videos_in(path_bytes(paths), request(paths, paths, **raw)[2])
    for reason in passed_over:
        warnings.warn("passed over, no video: " + reason.decode("utf-8", "replace"), stacklevel=3)
    return [os.fsdecode(file) for file in files]
