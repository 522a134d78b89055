"""From files to a Result in one call."""
from __future__ import annotations

import asyncio
import inspect
import operator
import os
import textwrap
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._errors import InvalidArgumentError
from ._cached import CachedReference
from ._options import (FeatureSpec, Model, ModelSpec, Path, memory, path_bytes, read_choice, read_features, whole)
from ._progress import Progress, ProgressOption, Reporter
from ._result import Result
from ._run_options import ROWS, RunOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_MODEL = "vmaf_v0.6.1"
T = TypeVar("T")
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
    model: None | ModelSpec | Iterable[ModelSpec] = "auto",
    features: FeatureSpec | Iterable[FeatureSpec] = (),
    first_frame: int = 0,
    frame_count: int | None = None,
    maps_video: Path | None = None,
    progress: ProgressOption = None,
    **options: Unpack[RunOptions],
) -> Result:
    """Scores distorted videos against their reference.

    reference, distorted: paths of y4m, raw yuv (with `size`) or any container where FFmpeg's libraries are installed;
        "-" is standard input; or, as the reference, a CachedReference, which stays decoded for the next call. Several
        distorted videos share one reading of the reference. Distorted videos of another size (see `scale`), range,
        chroma format or depth are brought to the reference's, and RGB to YUV, with a warning. HDR against SDR is an
        UnsupportedError without `force`.
    model: "auto": models that suit the videos, by their size, frame rate and `viewing`, as the command chooses them;
        Result.model_reasons says why. Or a built-in model's name (`acutance.models()`), the path of a JSON model, a
        Model, several of these, or None.
    features: more features (`acutance.features()`): "psnr", {"psnr": {"enable_mse": True}}, or several of these.
    first_frame, frame_count: of every file; frame_count=None: to the end of the shortest file.
    maps_video: a folder for where each feature loses points in all frames: videos (NAME.mkv) and arrays of frames x
        rows x columns (NAME.npy). Takes several times as long as the scores.
    progress: a function that is given a Progress about 20 times a second and once at the end; where it returns False
        the frames so far are all, and their scores the Result. True: a bar of tqdm; None: a bar where standard error
        is a terminal and tqdm is installed; False: none.
    @options@

    Returns a Result. Ctrl-C stops the run with KeyboardInterrupt; so does an exception in `progress`, with itself.
    Raises NotFoundError for a file, model or feature that does not exist, BadDataError for a damaged file,
    InvalidArgumentError for videos that do not fit together and values out of range, NoDeviceError, UnsupportedError,
    IoError, OutOfMemoryError: all are AcutanceErrors.
    """
    task = _core.score(*request(reference, distorted, model=model, features=features, first_frame=first_frame,
                                frame_count=frame_count, maps_video=maps_video, **options))
    with Reporter(progress) as reporter:
        core = wait(task, lambda: look(task, reporter))
        result = Result(core, tuple(core.models))
        reporter.update(_end_of(result))
    return result


async def score_async(
    reference: Path | CachedReference,
    distorted: Path | Iterable[Path],
    *,
    model: None | ModelSpec | Iterable[ModelSpec] = "auto",
    features: FeatureSpec | Iterable[FeatureSpec] = (),
    first_frame: int = 0,
    frame_count: int | None = None,
    maps_video: Path | None = None,
    progress: ProgressOption = None,
    **options: Unpack[RunOptions],
) -> Result:
    """score() for asyncio: other tasks run meanwhile, and cancelling the awaiting task stops the run."""
    task = _core.score(*request(reference, distorted, model=model, features=features, first_frame=first_frame,
                                frame_count=frame_count, maps_video=maps_video, **options))
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
    model: None | ModelSpec | Iterable[ModelSpec] = "auto",
    features: FeatureSpec | Iterable[FeatureSpec] = (),
    first_frame: int = 0,
    frame_count: int | None = None,
    maps_video: Path | None = None,
    **options: Unpack[RunOptions],
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
    texts = [(name, read) for name, value in options.items() if (read := option_bytes(name, value)) is not None]
    if chooses:
        texts.append(("model", b"auto"))
    elif not models:
        texts.append(("no_model", b"true"))
    made = _core.score_options([each._core for each in models], read_features(features), texts,
                               whole("first_frame", first_frame),
                               0 if frame_count is None else whole("frame_count", frame_count, 1),
                               path_bytes(maps_video))
    return (reference._core if isinstance(reference, CachedReference) else path_bytes(source),
            [path_bytes(path) for path in paths], made)


def option_bytes(name: str, value: Any) -> bytes | None:
    """The text of an option of a run, as the command takes it; None: it is the default."""
    if name not in ROWS:
        near = get_close_matches(name, ROWS, 1)
        raise TypeError(f"score() got an unexpected keyword argument {name!r}" +
                        (f"; did you mean {near[0]!r}?" if near else ""))
    row = ROWS[name]
    if value is None and row.default is None:
        return None
    if row.kind == "flag":
        return b"true" if value else None
    if row.kind == "switch":
        return b"on" if value else b"off"
    if row.kind == "path":
        return path_bytes(value)
    if row.kind == "number":
        number = whole(name, value)
        return None if number == row.default else str(number).encode()
    if row.kind == "bytes":
        return str(memory(name, value)).encode()
    if row.kind == "size":
        return _size_text(name, value, row.default).encode()
    if row.kind == "alignment":
        return _align_text(value)
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{name}={value!r}: give " + (f"one of {row.choices}" if row.choices else "a text"))
    return None if value == row.default else value.encode()


def _align_text(align: Any) -> bytes:
    if isinstance(align, (str, os.PathLike)):
        return path_bytes(align)
    if not isinstance(align, bool):
        try:
            return f"{operator.index(align):+}".encode()
        except TypeError:
            pass
    raise InvalidArgumentError(f'align={align!r}: give "auto", "time", "index", how many frames late the distorted '
                               "videos start (12 or -3), or a CSV of pairs")


def _size_text(name: str, size: Any, default: str | None) -> str:
    if isinstance(size, str) and default is not None:
        return size
    try:
        if isinstance(size, str):
            raise TypeError
        width, height = size
    except (TypeError, ValueError):
        others = "" if default is None else '"ref", "dis" or '
        raise InvalidArgumentError(f"{name}={size!r}: give {others}(width, height)") from None
    return f"{whole('width', width, 1)}x{whole('height', height, 1)}"


def _show_options(function: Callable[..., Any]) -> None:
    """Puts the options of a run into the signature and the docstring that help() shows."""
    signature = inspect.signature(function)
    shown = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    shown += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=row.default, annotation=row.annotation)
              for name, row in ROWS.items()]
    function.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    lines = []
    for name, row in ROWS.items():
        choices = f" One of {row.choices}." if row.kind == "choice" else ""
        lines.append(textwrap.fill(f"{name}: {row.help}.{choices}", 116, break_on_hyphens=False, initial_indent="    ",
                                   subsequent_indent="        "))
    function.__doc__ = (function.__doc__ or "").replace("    @options@", "\n".join(lines))


for _function in (score, score_async):
    _show_options(_function)
