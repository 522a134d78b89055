"""Scores many pairs of videos, and parts of long ones, on the workers of a Ray cluster: pip install acutance[cluster].

    import ray
    from acutance import cluster

    ray.init(address="auto")
    for done in cluster.score_many([("ref.mkv", "a.mkv"), ("ref.mkv", "b.mkv")], frames_per_part=5000):
        print(done.name, done.error or done.result.score)

Each part is a journal that a worker computes; they are joined where the call is made. The scores are those of one machine,
to the last bit, even where workers were lost.
"""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from . import _core
from ._batch import Done
from ._errors import AcutanceError, IoError
from ._options import Path, whole
from ._result import Result
from ._score import join, score

__all__ = ["Done", "score_many"]


_devices: list[_core.KeptDevices] = []  # of a worker, from one part to the next


class _Part(NamedTuple):
    pair: int
    first: int
    frames: int | None  # None: to the end


def _count_frames(reference: str, distorted: str, options: dict[str, Any]) -> int | None:
    """The number of frames, where the files declare it; the first is decoded."""
    totals: list[int | None] = []

    def stop(progress: Any) -> bool:
        # A busy machine calls before anything is known, and a run that was stopped ends with a call of its own.
        if not totals and (progress.frames > 0 or progress.total is not None):
            totals.append(progress.total)
        return not totals

    raw = {name: options[name] for name in ("size", "bit_depth", "pixel_format") if name in options}
    score(reference, distorted, model=None, features="psnr", align="index", threads=1, progress=stop, force=True, **raw)
    return totals[0] if totals else None


def _score_part(reference: str, distorted: str, first: int, count: int | None, folder: str | None, name: str,
                options: dict[str, Any]) -> bytes:
    """A part's journal. One in a folder that workers share continues where a lost worker left it."""
    _devices[:] = _devices or [_core.KeptDevices()]
    with tempfile.TemporaryDirectory(prefix="acutance-") as own:
        path = os.path.join(folder or own, name + ".journal")
        score(reference, distorted, first_frame=first, frame_count=count, journal=path,
              **{"progress": False, **options})
        with open(path, "rb") as file:
            return file.read()


class _Jobs:
    """The tasks of all pairs, and their results."""

    def __init__(self, pairs: list[tuple[str, str]], frames_per_part: int | None, folder: str | None,
                 options: dict[str, Any], cpus: float, retries: int) -> None:
        import ray

        self._ray = ray
        self._pairs = pairs
        self._per_part = frames_per_part
        self._folder = folder
        self._options = options
        remote: Any = ray.remote(num_cpus=cpus, max_retries=retries)
        self._count = remote(_count_frames)
        self._score = remote(_score_part)
        self._counting: dict[Any, int] = {}
        self._scoring: dict[Any, _Part] = {}
        self._journals: dict[int, dict[int, bytes]] = {}  # by pair and first frame
        self._left: dict[int, int] = {}  # parts of a pair

    def run(self) -> Iterator[Done]:
        for pair, (reference, distorted) in enumerate(self._pairs):
            if self._per_part is None:
                self._start(pair, None)
            else:
                self._counting[self._count.remote(reference, distorted, self._options)] = pair
        try:
            while self._counting or self._scoring:
                ready, _ = self._ray.wait([*self._counting, *self._scoring], num_returns=1)
                done = self._take(ready[0])
                if done:
                    yield done
        finally:
            for task in [*self._counting, *self._scoring]:
                self._ray.cancel(task, force=True)

    def _start(self, pair: int, frames: int | None) -> None:
        step = self._per_part
        firsts = [0] if step is None or not frames else list(range(0, frames, step))
        self._left[pair], self._journals[pair] = len(firsts), {}
        for first in firsts:
            # The last part runs to the end, in case the file declares too few frames.
            part = _Part(pair, first, None if first == firsts[-1] else step)
            task = self._score.remote(*self._pairs[pair], part.first, part.frames, self._folder,
                                      f"{pair:05}-{first:09}", self._options)
            self._scoring[task] = part

    def _take(self, task: Any) -> Done | None:
        pair = self._counting[task] if task in self._counting else self._scoring[task].pair
        try:
            value = self._ray.get(task)
        except Exception as error:
            return self._fail(pair, error)
        if task in self._counting:
            del self._counting[task]
            self._start(pair, value)
            return None
        part = self._scoring.pop(task)
        self._journals[pair][part.first] = value
        self._left[pair] -= 1
        if self._left[pair] > 0:
            return None
        try:
            return Done(pair, self._pairs[pair][1], self._join(self._journals.pop(pair)), None)
        except AcutanceError as error:
            return self._fail(pair, error)

    def _fail(self, pair: int, error: Exception) -> Done:
        """Ends the pair's other parts; the other pairs continue."""
        for task, part in list(self._scoring.items()):
            if part.pair == pair:
                self._ray.cancel(task, force=True)
                del self._scoring[task]
        self._counting = {task: each for task, each in self._counting.items() if each != pair}
        self._journals.pop(pair, None)
        if isinstance(error, self._ray.exceptions.RayTaskError):
            error = error.cause
        if isinstance(error, self._ray.exceptions.RayError):
            error = IoError(f"{self._pairs[pair][1]}: the workers that had it were lost: {error}")
        return Done(pair, self._pairs[pair][1], None, error)

    def _join(self, journals: dict[int, bytes]) -> Result:
        with tempfile.TemporaryDirectory(prefix="acutance-") as folder:
            paths = []
            for first, journal in journals.items():
                paths.append(os.path.join(folder, f"{first}.journal"))
                with open(paths[-1], "wb") as file:
                    file.write(journal)
            return join(paths)


def score_many(pairs: Iterable[tuple[Path, Path]], *, frames_per_part: int | None = None, folder: Path | None = None,
               cpus: float = 1, retries: int = 3, **options: Any) -> Iterator[Done]:
    """Scores pairs (reference, distorted) on the Ray cluster that is connected (ray.init), and yields a Done for each as
    it ends, in any order. A pair that fails does not stop the others.

    Paths must lead to the same files on all workers.
    frames_per_part: length of the parts that videos are split into, which may run at the same time; None: a part each. Each
        part of a container decodes the frames before it, too. Unless frames are paired by align="index" or an offset,
        it reads the whole videos.
    folder: a folder that all workers share: parts continue where a lost worker left them. None: they begin again.
    cpus: CPUs and threads of a worker for a part.
    retries: how often a part is started again when its worker is lost.
    options: as for score(): model, features, scale, align and so on.

    Raises ImportError without ray.
    """
    try:
        import ray  # noqa: F401
    except ImportError:
        raise ImportError("acutance.cluster needs ray, which is not installed: pip install acutance[cluster]") from None
    options = {"threads": max(1, int(cpus)), **options}
    listed = [(os.path.abspath(reference), os.path.abspath(distorted)) for reference, distorted in pairs]
    per_part = None if frames_per_part is None else whole("frames_per_part", frames_per_part, 1)
    shared = None if folder is None else os.path.abspath(folder)
    if shared:
        os.makedirs(shared, exist_ok=True)
    return _Jobs(listed, per_part, shared, options, cpus, retries).run()
