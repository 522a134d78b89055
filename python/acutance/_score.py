"""From files to a Result in one call."""
from __future__ import annotations

import asyncio
import operator
import os
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from . import _core
from ._errors import InvalidArgumentError
from ._kept import CachedReference
from ._options import (FeatureSpec, Model, ModelSpec, Path, make_options, path_bytes, pixel_format_text, read_choice,
                       text, whole)
from ._progress import Progress, ProgressOption, Reporter
from ._result import Result

DEFAULT_MODEL = "vmaf_v0.6.1"
Scale = str | tuple[int, int]
Align = str | int | os.PathLike[str]
T = TypeVar("T")
_DEINTERLACE = '"auto", "on", "off", "ref", "dis" and "both"'
_FILTERS = '"bicubic", "lanczos", "bilinear" and "area"'
_VIEWINGS = '"auto", "tv", "phone", "4k" and "4k-3h"'
_SEMI_PLANAR = {"nv12": 8, "p010": 10}  # their bits
_STEP = 0.05  # seconds between looks at signals and progress
_GRACE = 1.0  # seconds that a cancelled run gets to end; one that hangs in a read is left behind


def score_names(models: list[Model]) -> tuple[str, ...]:
    """Each model's own score first: a collection's bagging, stddev and interval stand before its members."""
    def own_first(names: list[str]) -> list[str]:
        return names[-4:] + names[:-4] if len(names) > 1 else names

    return tuple(name for model in models for name in own_first(model.score_names))


def wait(task: _core.Task[T], look: Callable[[], None]) -> T:
    """Waits in short steps, between which signals are handled and `look` is called. An exception in there, such as
    KeyboardInterrupt, cancels the task."""
    try:
        while not task.wait(_STEP):
            look()
        return task.result()
    except BaseException:
        task.cancel()
        task.wait(_GRACE)
        raise


async def wait_async(task: _core.Task[T], look: Callable[[], None]) -> T:
    """The same for a coroutine, whose cancellation cancels the task."""
    try:
        while not await asyncio.to_thread(task.wait, _STEP):
            look()
        return task.result()
    except BaseException:
        task.cancel()
        raise


def score(
    reference: Path | CachedReference,
    distorted: Path | Iterable[Path],
    *,
    model: None | ModelSpec | Iterable[ModelSpec] = DEFAULT_MODEL,
    features: FeatureSpec | Iterable[FeatureSpec] = (),
    backend: str = "cpu",
    device: int | None = None,
    threads: int = 0,
    subsample: int = 1,
    first_frame: int = 0,
    frame_count: int | None = None,
    size: tuple[int, int] | None = None,
    bit_depth: int = 8,
    pixel_format: str = "420",
    scale: Scale = "ref",
    scale_filter: str = "bicubic",
    crop: str = "none",
    deinterlace: str = "auto",
    film_grain: bool = True,
    force: bool = False,
    align: Align = "auto",
    journal: Path | None = None,
    maps: Path | None = None,
    viewing: str = "auto",
    worst_frames: int = 0,
    shots: bool = False,
    maps_video: Path | None = None,
    max_memory: int | None = None,
    max_device_memory: int | None = None,
    progress: ProgressOption = None,
) -> Result:
    """Scores distorted videos against their reference.

    reference, distorted: paths of y4m, raw yuv (with `size`) or any container where FFmpeg's libraries are installed;
        "-" is standard input; or, as the reference, a CachedReference, which stays decoded for the next call. Several
        distorted videos share one reading of the reference. Distorted videos of another size (see `scale`), range,
        chroma format or depth are brought to the reference's, and RGB to YUV, with a warning. HDR against SDR is an
        UnsupportedError without `force`.
    model: a built-in model's name (`acutance.models()`), the path of a JSON model, a Model, several of these, or None;
        "auto": models that suit the videos, by `viewing` ("auto", "tv", "phone", "4k" or "4k-3h"), for the reasons in
        Result.model_reasons.
    features: more features (`acutance.features()`): "psnr", {"psnr": {"enable_mse": True}}, or several of these.
    backend: "cpu", "auto" (a GPU where there is one that works), "cuda", "hip", "vulkan", "sycl" or "emu". The scores
        are the same bits everywhere.
    device: which of the backend's devices (`acutance.devices()`); None: the first that works.
    threads: 0: as many as the machine has.
    subsample: score only frames whose number it divides.
    first_frame, frame_count: of every file; frame_count=None: to the end of the shortest file.
    size, bit_depth, pixel_format: of headerless planar yuv: (width, height) in luma samples; 8, 10, 12 or 16;
        "400", "420", "422" or "444"; or "nv12" (8 bits) or "p010" (10 bits), whose Cb and Cr alternate.
    scale, scale_filter: what videos of different sizes are brought to, "ref" (the reference's size), "dis" or
        (width, height), and how: "bicubic", "lanczos", "bilinear" or "area". Each step is a warning.
    crop: the part that is compared: "none" (all), "auto" (without black bars), "W:H:X:Y", or one rectangle of the
        reference and one of the distorted videos with a comma between them.
    deinterlace: which interlaced videos become progressive: "auto" (beside progressive ones), "on" (all that tell it),
        "ref", "dis", "both" (also where they do not tell it) or "off".
    film_grain: False: AV1 is decoded without the grain that is added to it.
    force: score other light, colors or shapes all the same, with a warning.
    align: which frames belong together: "auto" (by signatures, and by times where those cannot tell), "time", "index"
        (frame k with frame k), 12 or -3, also "+12" (frames that the distorted videos are late or early), or the path
        of a file of pairs. Result.alignment tells what was found; videos that share no frames are a BadDataError.
    journal: a file in which results are kept: the same call goes on after the last of them where it was stopped. With
        first_frame above 0 the run is a part without scores, which `acutance join` joins with the others.
    maps: a folder for the features' pictures, such as cambi's heatmaps, a TIFF file each: NAME_FRAME.tif.
    worst_frames: so many of the frames that score worst are kept with their pictures, for Result.report() and
        write_maps().
    maps_video: a folder for where each feature loses points in all frames: films (NAME.mkv) and arrays of frames x
        rows x columns (NAME.npy). Takes several times as long as the scores.
    shots: look where shots of the reference begin, for Result.report() and summary().
    max_memory, max_device_memory: bytes for pictures in flight and features, and of each device; None: the environment's
        ACUTANCE_MAX_MEMORY and ACUTANCE_MAX_VRAM, else half of what the machine has left, and what the device has.
    progress: a function that is given a Progress about 20 times a second and once at the end; where it returns False
        the frames so far are all, and their scores the Result. True: a bar of tqdm; None: a bar where standard error
        is a terminal and tqdm is installed; False: none.

    Returns a Result. Ctrl-C stops the run with KeyboardInterrupt; so does an exception in `progress`, with itself.
    Raises NotFoundError for a file, model or feature that does not exist, BadDataError for a damaged file,
    InvalidArgumentError for videos that do not fit together and values out of range, NoDeviceError, UnsupportedError,
    IoError, OutOfMemoryError: all are AcutanceErrors.
    """
    task = _core.score(*request(
        reference, distorted, model=model, features=features, backend=backend, device=device, threads=threads,
        subsample=subsample, first_frame=first_frame, frame_count=frame_count, size=size, bit_depth=bit_depth,
        pixel_format=pixel_format, scale=scale, scale_filter=scale_filter, crop=crop, deinterlace=deinterlace,
        film_grain=film_grain, force=force, align=align, journal=journal, maps=maps, viewing=viewing,
        worst_frames=worst_frames, shots=shots, maps_video=maps_video, max_memory=max_memory,
        max_device_memory=max_device_memory))
    with Reporter(progress) as reporter:
        core = wait(task, lambda: look(task, reporter))
        result = Result(core, tuple(core.models))
        reporter.update(_end_of(result))
    return result


async def score_async(
    reference: Path | CachedReference,
    distorted: Path | Iterable[Path],
    *,
    model: None | ModelSpec | Iterable[ModelSpec] = DEFAULT_MODEL,
    features: FeatureSpec | Iterable[FeatureSpec] = (),
    backend: str = "cpu",
    device: int | None = None,
    threads: int = 0,
    subsample: int = 1,
    first_frame: int = 0,
    frame_count: int | None = None,
    size: tuple[int, int] | None = None,
    bit_depth: int = 8,
    pixel_format: str = "420",
    scale: Scale = "ref",
    scale_filter: str = "bicubic",
    crop: str = "none",
    deinterlace: str = "auto",
    film_grain: bool = True,
    force: bool = False,
    align: Align = "auto",
    journal: Path | None = None,
    maps: Path | None = None,
    viewing: str = "auto",
    worst_frames: int = 0,
    shots: bool = False,
    maps_video: Path | None = None,
    max_memory: int | None = None,
    max_device_memory: int | None = None,
    progress: ProgressOption = None,
) -> Result:
    """score() for asyncio: other tasks run meanwhile, and cancelling the awaiting task stops the run."""
    task = _core.score(*request(
        reference, distorted, model=model, features=features, backend=backend, device=device, threads=threads,
        subsample=subsample, first_frame=first_frame, frame_count=frame_count, size=size, bit_depth=bit_depth,
        pixel_format=pixel_format, scale=scale, scale_filter=scale_filter, crop=crop, deinterlace=deinterlace,
        film_grain=film_grain, force=force, align=align, journal=journal, maps=maps, viewing=viewing,
        worst_frames=worst_frames, shots=shots, maps_video=maps_video, max_memory=max_memory,
        max_device_memory=max_device_memory))
    with Reporter(progress) as reporter:
        core = await wait_async(task, lambda: look(task, reporter))
        result = Result(core, tuple(core.models))
        reporter.update(_end_of(result))
    return result


def join(journals: Iterable[Path], *, threads: int = 0) -> Result:
    """The scores of one run over all frames of journals (score(journal=...)), in any order. Needs no video.

    Raises InvalidArgumentError where a frame is in none of them, or they are of different runs.
    """
    if isinstance(journals, (str, bytes, os.PathLike)):
        journals = [journals]
    task = _core.join([path_bytes(path) for path in journals], whole("threads", threads))
    core = wait(task, lambda: None)
    return Result(core, tuple(core.models))


def look(task: _core.Task[Any], reporter: Reporter) -> None:
    if reporter.update(Progress(*task.progress())):
        task.stop()


def _end_of(result: Result) -> Progress:
    return Progress(result.frames, result.frames, result.score if set(result.models[:1]) & set(result) else None)


def request(
    reference: Path | CachedReference,
    distorted: Path | Iterable[Path],
    *,
    model: None | ModelSpec | Iterable[ModelSpec] = DEFAULT_MODEL,
    features: FeatureSpec | Iterable[FeatureSpec] = (),
    backend: str = "cpu",
    device: int | None = None,
    threads: int = 0,
    subsample: int = 1,
    first_frame: int = 0,
    frame_count: int | None = None,
    size: tuple[int, int] | None = None,
    bit_depth: int = 8,
    pixel_format: str = "420",
    scale: Scale = "ref",
    scale_filter: str = "bicubic",
    crop: str = "none",
    deinterlace: str = "auto",
    film_grain: bool = True,
    force: bool = False,
    align: Align = "auto",
    journal: Path | None = None,
    maps: Path | None = None,
    viewing: str = "auto",
    worst_frames: int = 0,
    shots: bool = False,
    maps_video: Path | None = None,
    max_memory: int | None = None,
    max_device_memory: int | None = None,
) -> tuple[bytes | _core.CachedReference, list[bytes], _core.ScoreOptions]:
    """The arguments of score() as the engine takes them; types are checked here, and values there."""
    several = isinstance(distorted, Iterable) and not isinstance(distorted, (str, bytes))
    paths: list[Path] = list(distorted) if several else [distorted]  # type: ignore[arg-type, list-item]
    source = reference.path if isinstance(reference, CachedReference) else reference
    for path in [*paths, source]:
        if not isinstance(path, (str, os.PathLike)):
            raise InvalidArgumentError(f"score() takes paths, not {type(path).__name__}; a Session takes pictures")
    if not paths:
        raise InvalidArgumentError("there is no distorted video to score; give at least one")
    chooses, models = read_choice(model)
    session = make_options(models, features, threads=threads, subsample=subsample, videos=len(paths), backend=backend,
                           device=device, maps=maps, max_memory=max_memory, max_device_memory=max_device_memory)
    options = _core.score_options(session, whole("first_frame", first_frame),
                                  0 if frame_count is None else whole("frame_count", frame_count, 1),
                                  None if size is None else _raw_format(size, bit_depth, pixel_format),
                                  _scale_text(scale), text("scale_filter", scale_filter, _FILTERS),
                                  text("crop", crop, "auto, none and W:H:X:Y"),
                                  text("deinterlace", deinterlace, _DEINTERLACE), bool(film_grain), bool(force),
                                  _align_text(align), path_bytes(journal),
                                  text("viewing", viewing, _VIEWINGS) if chooses else "",
                                  whole("worst_frames", worst_frames), bool(shots), path_bytes(maps_video))
    return (reference._core if isinstance(reference, CachedReference) else path_bytes(source),
            [path_bytes(path) for path in paths], options)


def _align_text(align: Align) -> str:
    if isinstance(align, (str, os.PathLike)):
        return os.fspath(align)
    if not isinstance(align, bool):
        try:
            return f"{operator.index(align):+}"
        except TypeError:
            pass
    raise InvalidArgumentError(f'align={align!r}: give "auto", "time", "index", how many frames the distorted videos are '
                               "late (12) or early (-3), or a file of pairs")


def _scale_text(scale: Scale) -> str:
    if isinstance(scale, str):
        return scale
    try:
        width, height = scale
    except (TypeError, ValueError):
        raise InvalidArgumentError(f'scale={scale!r}: give "ref", "dis" or (width, height)') from None
    return f"{whole('width', width, 1)}x{whole('height', height, 1)}"


def _raw_format(size: tuple[int, int], bit_depth: int, pixel_format: str) -> tuple[int, int, int, str, bool]:
    try:
        width, height = size
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"size={size!r}: give (width, height)") from None
    depth = whole("bit_depth", bit_depth)
    name = pixel_format_text(pixel_format)
    if name not in _SEMI_PLANAR:
        return (whole("width", width, 1), whole("height", height, 1), depth, name, False)
    its_depth = _SEMI_PLANAR[name]
    if depth not in (8, its_depth):
        raise InvalidArgumentError(f"pixel_format={name!r} has {its_depth} bits, not {depth}")
    return (whole("width", width, 1), whole("height", height, 1), its_depth, "420", True)
