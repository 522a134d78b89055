"""Scores of batches of clips in tensors."""
from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from . import _core
from ._errors import InvalidArgumentError
from ._frames import _CUDA_DEVICES, _lent
from ._libraries import ArrayLibrary, Tensor, library_of, to_integers, yuv_of_rgb
from ._options import FeatureSpec, ModelSpec, make_options, read_models, whole
from ._score import DEFAULT_MODEL, wait

# Sessions on a device by the samples of a picture up to which they suit: enough that the device has work while one session
# writes the scores of its clip, and fewer where pictures fill the device, since each session takes memory for its own.
_DEVICE_SESSIONS = ((512 * 512, 16), (1920 * 1088, 4))
_LEAST_DEVICE_SESSIONS = 2
_COLORS = ("yuv", "rgb")

Clips = Any  # one tensor, or three: (y, cb, cr)


class ClipScores:
    """Scores of a batch of N clips of T frames, tensors of float64 of the clips' library and device.

    frames: those of frames, by the names that logs print: shape (N, T).
    clips: those of whole clips that are no mean of frames, such as "cvvdp" and "xpsnr_weighted": shape (N,).
    """

    def __init__(self, frames: dict[str, Tensor], clips: dict[str, Tensor]) -> None:
        self.frames = frames
        self.clips = clips

    def __getitem__(self, name: str) -> Tensor:
        return self.frames[name]

    def __repr__(self) -> str:
        return f"<acutance.ClipScores: {', '.join([*self.frames, *self.clips])}>"


class ClipScorer:
    """Scores batches of short clips, for training loops and data sets.

        scorer = acutance.ClipScorer("vmaf_v0.6.1", features=["ssimulacra2"])
        scores = scorer.score(reference, distorted)     # tensors of shape (N, T, C, H, W)
        scores["vmaf_v0.6.1"]                           # a tensor of shape (N, T)

    Each clip is a video of its own: its first frame has no frame before it, and its scores are the bits that `acutance
    score` writes for a file of it. Many clips are scored at the same time.

    model, features: as in Session.
    color: "yuv": C is 1, luma alone, or 3, YUV 4:4:4; "rgb": C is 3, full range, which becomes YUV 4:4:4 of BT.709 and
        limited range, as it does where the command compares two RGB videos.
    bit_depth: of uint16 samples, 10, 12 or 16, and the depth to which floats of 0 to 1 are rounded: 8 where none is given.
    frame_rate: for features that read it (xpsnr, cvvdp).
    range, matrix: what YUV declares, as y4m files and streams do, for features that read it: "limited" or "full"; "bt601",
        "bt709" or "bt2020". None: by the size of the pictures, as for files that declare nothing.
    backend, device: as in Session; None: the CUDA device that the tensors lie on, and otherwise the CPU.
    threads: of the CPU, 0 for all; sessions: how many clips are scored at the same time; None: as many as suit.
    max_memory, max_device_memory: bytes, for all clips in flight.

    Sessions, memory and devices are kept from one call to the next of the same size. One thread at a time uses a scorer.
    """

    def __init__(
        self,
        model: None | ModelSpec | Iterable[ModelSpec] = DEFAULT_MODEL,
        features: FeatureSpec | Iterable[FeatureSpec] = (),
        *,
        color: str = "yuv",
        bit_depth: int | None = None,
        frame_rate: float | None = None,
        range: str | None = None,
        matrix: str | None = None,
        backend: str | None = None,
        device: int | None = None,
        threads: int = 0,
        sessions: int | None = None,
        max_memory: int | None = None,
        max_device_memory: int | None = None,
    ) -> None:
        if color not in _COLORS:
            raise InvalidArgumentError(f'color={color!r}: there are "yuv" and "rgb"')
        if bit_depth not in (None, 8, 10, 12, 16):
            raise InvalidArgumentError(f"bit_depth={bit_depth!r}: there are 8, 10, 12 and 16")
        self._model, self._features, self._color, self._bit_depth = model, features, color, bit_depth
        self._frame_rate = None if frame_rate is None else float(frame_rate)
        if color == "rgb":
            if range is not None or matrix is not None:
                raise InvalidArgumentError('range and matrix are those of color="yuv"; RGB has the full range')
            range, matrix = "limited", "bt709"
        self._declared = {name: value for name, value in (("range", range), ("matrix", matrix)) if value is not None}
        self._backend, self._device = backend, device
        self._threads = whole("threads", threads)
        self._sessions = None if sessions is None else whole("sessions", sessions, 1, 1025)
        self._memory, self._device_memory = max_memory, max_device_memory
        self._cores: dict[tuple[Any, ...], _core.ClipScorer] = {}
        self._kept: _core.KeptDevices | None = None
        self._core(backend or "cpu", device, None, "444", 1, 1)  # raises where a name is unknown

    def score(self, reference: Clips, distorted: Clips) -> ClipScores:
        """Scores clip n of `distorted` against clip n of `reference`, and waits for the scores.

        Tensors of torch, cupy, jax or numpy, of shape (N, T, C, H, W), uint8, uint16, float16 or float32; or three of
        (N, T, height, width) each, (y, cb, cr), for 4:2:0 and 4:2:2. Those on a CUDA device are read there, after the work
        that their library has queued; nothing is copied to the host. When the call returns, they may be overwritten.

        Raises InvalidArgumentError for shapes and types that do not fit, UnsupportedError for tensors that cannot be read,
        NoDeviceError, OutOfMemoryError.
        """
        first = reference[0] if isinstance(reference, (tuple, list)) else reference
        library = library_of(first)
        planes, depth = self._planes(library, reference, "reference")
        other, other_depth = self._planes(library_of(distorted[0] if isinstance(distorted, (tuple, list)) else distorted),
                                          distorted, "distorted")
        if depth != other_depth:
            raise InvalidArgumentError(f"the reference has {depth} bits a sample, and the distorted clips have {other_depth}")
        backend, device = self._place(planes[0])
        clips, frames, height, width = (int(size) for size in planes[0].shape)
        core = self._core(backend, device, depth, _pixel_format(planes), clips, height * width)
        if self._kept is None and backend != "cpu":
            self._kept = _core.KeptDevices()
        found = wait(core.score([_lent(plane) for plane in planes], [_lent(plane) for plane in other]), lambda: None)
        return ClipScores(
            {name: library.scores(values.reshape(clips, frames), first) for name, values in found.of_frames.items()},
            {name: library.scores(values, first) for name, values in found.of_clips.items()})

    def _planes(self, library: ArrayLibrary, clips: Clips, what: str) -> tuple[list[Tensor], int]:
        """Planes of shape (N, T, height, width), of integers with contiguous rows, and their depth."""
        if isinstance(clips, (tuple, list)):
            if len(clips) != 3 or self._color != "yuv" or any(len(plane.shape) != 4 for plane in clips):
                raise InvalidArgumentError(f"{what}: several tensors are (y, cb, cr) of color=\"yuv\", each of shape "
                                           "(N, T, height, width)")
            pairs = [to_integers(library, plane, self._bit_depth) for plane in clips]
            planes, depth = [plane for plane, _ in pairs], pairs[0][1]
        else:
            if len(clips.shape) != 5 or clips.shape[2] not in ((3,) if self._color == "rgb" else (1, 3)):
                raise InvalidArgumentError(f"{what}: a tensor of shape {tuple(clips.shape)}; give (N, T, C, H, W), C = 3"
                                           + ("" if self._color == "rgb" else " or 1"))
            samples, depth = to_integers(library, clips, self._bit_depth)
            planes = [samples[:, :, channel] for channel in range(samples.shape[2])]
            if self._color == "rgb":
                planes = yuv_of_rgb(library, planes, depth)
        if 0 in planes[0].shape:
            raise InvalidArgumentError(f"{what}: a tensor of shape {tuple(planes[0].shape)} has no picture")
        return [library.with_rows(plane) for plane in planes], depth

    def _place(self, plane: Tensor) -> tuple[str, int | None]:
        if self._backend is not None:
            return self._backend, self._device
        kind, index = plane.__dlpack_device__()
        return ("cuda", int(index)) if int(kind) in _CUDA_DEVICES else ("cpu", self._device)

    def _core(self, backend: str, device: int | None, depth: int | None, pixel_format: str, clips: int,
              samples: int) -> _core.ClipScorer:
        processors = self._threads or len(os.sched_getaffinity(0))
        suited = next((sessions for most, sessions in _DEVICE_SESSIONS if samples <= most), _LEAST_DEVICE_SESSIONS)
        sessions = min(clips, self._sessions or (processors if backend == "cpu" else suited))
        key = backend, device, depth, pixel_format, sessions
        if key not in self._cores:
            def share(memory: int | None) -> int | None:
                return None if memory is None else max(1, memory // sessions)

            options = make_options(read_models(self._model), self._features, threads=max(1, processors // sessions),
                                   subsample=1, videos=1, backend=backend, device=device, maps=None,
                                   max_memory=share(self._memory), max_device_memory=share(self._device_memory))
            self._cores.clear()  # the memory of sessions of another kind
            self._cores[key] = _core.ClipScorer(options, depth, pixel_format, self._frame_rate, self._declared,
                                                 sessions)
        return self._cores[key]

    def __getstate__(self) -> dict[str, Any]:
        """Without what is of this process, so that copies and workers have sessions of their own."""
        return self.__dict__ | {"_cores": {}, "_kept": None}


def _pixel_format(planes: list[Tensor]) -> str:
    if len(planes) == 1:
        return "400"
    height, width = planes[0].shape[2:]
    for name, size in (("444", (height, width)), ("422", (height, width // 2)), ("420", (height // 2, width // 2))):
        if all(tuple(plane.shape[2:]) == size for plane in planes[1:]):
            return name
    shapes = " and ".join(str(tuple(plane.shape[2:])) for plane in planes)
    raise InvalidArgumentError(f"planes of {shapes} are none of 4:2:0, 4:2:2 and 4:4:4")
