"""Scoring of many pairs of videos on this machine."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent import futures
from typing import Any, NamedTuple

from . import _core
from ._errors import AcutanceError, CancelledError, InvalidArgumentError
from ._options import Path, memory, whole
from ._result import Result
from ._score import score


class Done(NamedTuple):
    """Result or error of a pair."""

    pair: int  # its place in the list
    name: str  # of the distorted video
    result: Result | None
    error: Exception | None


def batch(pairs: Iterable[tuple[Path, Path]], *, jobs: int | None = None, folder: Path | None = None,
          **options: Any) -> Iterator[Done]:
    """Scores pairs (reference, distorted), `jobs` at a time (None: as many as fill the machine), and yields a Done for each as
    it ends, in any order. A pair that fails does not stop the others; leaving the loop stops those that run.

    folder: where each pair has a journal, by its place in the list: the same call continues where it was stopped, also in the
        middle of a video. A journal of other files or other options is an InvalidArgumentError of its pair. None: no journals.
    options: as for score() except journal and progress: model, features, scale, align and so on; `threads` of each pair,
        by default the machine's CPUs divided by the jobs.

    All run in this process, whose devices stay open; `acutance batch` has several, so that a crash ends one pair alone.
    """
    listed = [_pair_of(pair) for pair in pairs]
    cpus = len(os.sched_getaffinity(0))
    count = max(1, cpus // 2) if jobs is None else whole("jobs", jobs, 1)
    options = {"threads": max(1, cpus // count), **options}
    for limit in ("max_memory", "max_device_memory"):  # of all jobs together
        if (size := memory(limit, options.get(limit))) is not None:
            options[limit] = size // count
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
    return _run(listed, count, folder, options)


def _pair_of(pair: tuple[Path, Path]) -> tuple[str, str]:
    try:
        if isinstance(pair, str):  # of two characters
            raise TypeError
        reference, distorted = pair
        return os.fspath(reference), os.fspath(distorted)
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"{pair!r}: a pair is (reference, distorted), two paths") from None


def _run(pairs: list[tuple[str, str]], jobs: int, folder: Path | None, options: dict[str, Any]) -> Iterator[Done]:
    stopped = False

    def watch(_: object) -> None:
        if stopped:
            raise CancelledError("the list was left")  # its journal continues here

    def work(pair: int) -> Done:
        reference, distorted = pairs[pair]
        journal = None if folder is None else os.path.join(folder, f"{pair:05}.journal")
        try:
            return Done(pair, distorted, score(reference, distorted, progress=watch, journal=journal, **options), None)
        except AcutanceError as error:
            return Done(pair, distorted, None, error)

    devices = _core.KeptDevices()
    with futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(work, pair) for pair in range(len(pairs))]
        try:
            for done in futures.as_completed(running):
                yield done.result()
        finally:
            stopped = True
            for task in running:
                task.cancel()
