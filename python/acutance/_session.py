"""Sessions: scoring of pictures from memory."""
from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TypeVar

from . import _core
from ._errors import InvalidArgumentError, SessionError
from ._frames import Frame, Plane, planes_of
from ._options import FeatureSpec, ModelSpec, Path, make_options, pixel_format_text, read_models, whole
from ._progress import Progress, ProgressOption, Reporter
from ._result import Result
from ._score import DEFAULT_MODEL, score_names, wait, wait_async

T = TypeVar("T")


class Session:
    """Scores one reference video against one or more distorted videos, picture by picture.

        with acutance.Session("vmaf_v0.6.1", features="psnr") as session:
            for reference, distorted in frames:
                session.add(reference, distorted)
            result = session.finish()

    model, features, backend, device, threads, subsample: as in score(). threads=1 does all work inside add() and
        finish().
    videos: number of distorted videos.
    bit_depth: of uint16 samples: 10, 12 or 16; uint8 samples are always 8 bit.
    pixel_format: "400", "420", "422" or "444"; None: by the shapes of the planes.
    copy: copy the samples. Otherwise arrays are read in place, some frames after add() has returned, and must not change
        until the session is finished. A session that finds them changed raises InvalidArgumentError.
    maps: a folder for the features' pictures, as in score().
    progress, total: as in score(); the function is called in add() and finish(). `total` is the number of frames.
    max_memory, max_device_memory: as in score().

    One thread at a time may use a session, and the GIL is free while it works. Memory is bounded by the frames in
    flight, a few a thread. Raises InvalidArgumentError for unknown names and values, or nothing to compute.
    """

    def __init__(
        self,
        model: None | ModelSpec | Iterable[ModelSpec] = DEFAULT_MODEL,
        features: FeatureSpec | Iterable[FeatureSpec] = (),
        *,
        backend: str = "cpu",
        device: int | None = None,
        threads: int = 0,
        subsample: int = 1,
        videos: int = 1,
        bit_depth: int | None = None,
        pixel_format: str | None = None,
        copy: bool = False,
        maps: Path | None = None,
        progress: ProgressOption = False,
        total: int | None = None,
        max_memory: int | None = None,
        max_device_memory: int | None = None,
    ) -> None:
        models = read_models(model)
        options = make_options(models, features, threads=threads, subsample=subsample, videos=videos, backend=backend,
                               device=device, maps=maps, max_memory=max_memory, max_device_memory=max_device_memory)
        self._core = _core.Stream(options, None if bit_depth is None else whole("bit_depth", bit_depth),
                                  None if pixel_format is None else pixel_format_text(pixel_format), bool(copy))
        self._models = score_names(models)
        self._videos = videos
        self._reporter = Reporter(progress)
        self._total = total
        self._result: Result | None = None
        self._lock: asyncio.Lock | None = None

    def add(self, reference: Frame, distorted: Frame | Sequence[Frame]) -> None:
        """Adds the next frame; waits while many are in flight.

        reference, distorted: luma alone, a 2-d array of shape (height, width); or (y, cb, cr), chroma of shape
            (height/2, width/2) in 4:2:0, (height, width/2) in 4:2:2, (height, width) in 4:4:4; or a PyAV VideoFrame.
            Arrays are numpy's or support DLPack; uint8, or uint16 with the value in the low bits. Tensors on a CUDA
            device are read there, in a session of backend="cuda" on the same device: rows contiguous, no copy=True;
            add() waits for the device's default stream. In a session of several distorted videos, `distorted` is a
            sequence of that many frames.

        Raises InvalidArgumentError for shapes and types that do not fit, NoDeviceError (first frame), UnsupportedError
        for tensors that the session cannot read in place, OutOfMemoryError; SessionError after finish() or
        close() and while another thread uses the session.
        """
        self._core.add(*self._read(reference, distorted))
        self._report()

    def finish(self) -> Result:
        """Waits for all frames and returns the Result. Once, after at least one add(); then the session is closed.

        Raises SessionError otherwise. Ctrl-C drops the work and closes the session.
        """
        task = self._core.finish()
        try:
            self._result = Result(wait(task, self._report), self._models)
            self._report()
        finally:
            self.close()
        return self._result

    def score(self, name: str, frame: int, video: int = 0) -> float | None:
        """A score so far, by its name in a log; None where it does not exist yet."""
        return self._core.score(name, whole("frame", frame), whole("video", video))

    @property
    def result(self) -> Result:
        """The Result of finish(); SessionError before it."""
        if self._result is None:
            raise SessionError("there is no result before finish()")
        return self._result

    @property
    def needs_chroma(self) -> bool:
        """Whether a feature reads chroma; pictures may be luma alone otherwise."""
        return self._core.needs_chroma

    @property
    def frames_added(self) -> int:
        """Number of frames that add() took."""
        return self._core.frames_added

    @property
    def frames_done(self) -> int:
        """Number of frames that were scored; any thread may ask."""
        return self._core.frames_done if self._result is None else self._result.frames

    def close(self) -> None:
        """Drops unfinished work. SessionError while another thread uses the session."""
        self._core.close()
        self._reporter.close()

    async def add_async(self, reference: Frame, distorted: Frame | Sequence[Frame]) -> None:
        """add() for asyncio. Several at once are done in the order of their calls."""
        planes = self._read(reference, distorted)  # here: a GPU's current stream is the thread's
        await self._in_turn(lambda: self._core.add(*planes))
        self._report()

    async def finish_async(self) -> Result:
        """finish() for asyncio."""
        async with self._get_lock():
            task = self._core.finish()
            try:
                self._result = Result(await wait_async(task, self._report), self._models)
                self._report()
            finally:
                self.close()
            return self._result

    def _get_lock(self) -> asyncio.Lock:
        if self._lock is None:
            self._lock = asyncio.Lock()
        return self._lock

    async def _in_turn(self, work: Callable[[], T]) -> T:
        """Runs `work` on a thread and waits for it, also when the coroutine is cancelled."""
        async with self._get_lock():
            future = asyncio.ensure_future(asyncio.to_thread(work))
            try:
                return await asyncio.shield(future)
            except asyncio.CancelledError:
                await asyncio.wait([future])
                raise

    def _read(self, reference: Frame, distorted: Frame | Sequence[Frame]) -> tuple[list[Plane], list[list[Plane]]]:
        if self._videos == 1:
            return planes_of(reference), [planes_of(distorted)]
        if not isinstance(distorted, Iterable):
            raise InvalidArgumentError(f"a session of videos={self._videos} takes as many distorted frames in a sequence")
        return planes_of(reference), [planes_of(frame) for frame in distorted]

    def _report(self) -> None:
        if self._reporter.wanted:
            self._reporter.update(Progress(self.frames_done, self._total))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        async with self._get_lock():
            self.close()

    def __repr__(self) -> str:
        state = "finished" if self._result is not None else f"{self.frames_added} frames added"
        return f"<acutance.Session: {', '.join(self._models) or 'no model'}; {state}>"
