"""Verdicts on a mean score from a part of the frames."""
from __future__ import annotations

import math
import os
from typing import Any, NamedTuple

from . import _core
from ._errors import InvalidArgumentError
from ._options import Path, path_bytes, whole
from ._progress import ProgressOption, Reporter
from ._score import look, request, wait


class MeanVerdict(NamedTuple):
    """Whether the mean of a model's score reaches a bound; as a condition it is `holds`."""

    holds: bool
    certain: bool  # it holds for any scores of the frames that were not read
    confidence: float  # 0 to 1; 1 where it is certain
    score: str  # the model's name
    mean_of_read: float  # mean score of the frames that were read
    least_mean: float  # a bound of the mean of all frames
    greatest_mean: float
    frames: int
    frames_read: int
    text: str  # a sentence with all that
    warnings: list[str]

    def __bool__(self) -> bool:
        return self.holds


def at_least(reference: Path, distorted: Path, bound: float, *, confidence: float = 0.999, certain: bool = False,
             seed: int = 1, progress: ProgressOption = None, **options: Any) -> MeanVerdict:
    """Whether the mean of the first model's score is `bound` or more, from as few frames as settle it.

    Parts of the video are scored in a random order until the verdict is settled (docs/use/decisions.md). With a margin
    of five points, a fifth of the frames is usual.

    bound: in the model's range, usually 0 to 100.
    confidence: the share of verdicts that are right, above 0 and below 1, for any scores.
    certain: accept only a verdict that holds for any scores of the frames that were not read.
    seed: of the order; the same seed reads the same frames.
    progress: as for score(), of frames read; where it returns False the call ends with CancelledError.
    options: as for score(): model, features, threads, scale, frame_count and so on. There are no maps or journals.

    Raises InvalidArgumentError for several videos, subsampling and values out of range, UnsupportedError for a model without
    a range of scores and for videos whose frames have no fixed partner, and what score() raises.
    """
    return _judge(True, reference, distorted, bound, confidence, certain, seed, progress, options)


def at_most(reference: Path, distorted: Path, bound: float, *, confidence: float = 0.999, certain: bool = False,
            seed: int = 1, progress: ProgressOption = None, **options: Any) -> MeanVerdict:
    """Whether the mean of the first model's score is `bound` or less; see at_least()."""
    return _judge(False, reference, distorted, bound, confidence, certain, seed, progress, options)


def _judge(is_least: bool, reference: Path, distorted: Path, bound: float, confidence: float, certain: bool, seed: int,
           progress: ProgressOption, options: dict[str, Any]) -> MeanVerdict:
    for path in (reference, distorted):
        if not isinstance(path, (str, os.PathLike)):
            raise InvalidArgumentError(f"a verdict on the mean takes two paths, not {type(path).__name__}")
    first, others, read = request(reference, distorted, **options)
    task = _core.judge_mean(path_bytes(reference), others[0], read, is_least, _number("bound", bound),
                            _number("confidence", confidence), bool(certain), whole("seed", seed, end=2**64))
    with Reporter(progress) as reporter:
        fields = wait(task, lambda: look(task, reporter)).fields()
    return MeanVerdict(*fields[:-2], fields[-2].decode("utf-8", "replace"), fields[-1])


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"{name}={value!r}: give a number") from None
    if not math.isfinite(number):
        raise InvalidArgumentError(f"{name}={value!r}: give a finite number")
    return number
