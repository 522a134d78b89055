"""Models and features as users write them, and the options that score() and Session share."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from . import _core
from ._errors import InvalidArgumentError

Path = str | os.PathLike[str]
OptionValue = str | bool | int | float
FeatureSpec = str | Mapping[str, Mapping[str, OptionValue]]


def option_text(value: OptionValue) -> str:
    """A value as the engine reads it: true and false, and numbers that lose nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


class Model:
    """Fuses the features of a frame into one score, usually 0 to 100.

    source: a built-in model by its name (`acutance.models()`), or the path of a JSON model or a collection of them.
    name: of its scores in a Result; by default the built-in model's name or the file's without its ending. Two models
        of a session need two names.
    disable_clip: scores may leave the model's range.
    enable_transform, disable_transform: the "phone model" of vmaf_v0.6.1 on, or off where the model has it on.
    options: options of the features that the model uses, by feature: {"adm": {"adm_enhn_gain_limit": 1.0}}.

    Raises NotFoundError for an unknown model or file, BadDataError for a file that is no model, InvalidArgumentError
    for an unknown feature or option or a value out of its range.
    """

    def __init__(
        self,
        source: Path,
        *,
        name: str | None = None,
        disable_clip: bool = False,
        enable_transform: bool = False,
        disable_transform: bool = False,
        options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    ) -> None:
        text = os.fspath(source)
        is_file = not isinstance(source, str) or text.endswith(".json") or os.path.exists(text)
        if name is None:
            name = os.path.splitext(os.path.basename(text))[0] if is_file else text
        self._core = _core.Model.load(os.fsencode(text), is_file, name, disable_clip, enable_transform,
                                      disable_transform)
        for feature, values in (options or {}).items():
            for option, value in values.items():
                self._core.set_option(feature, option, option_text(value))

    @property
    def name(self) -> str:
        """Name of its score in a Result."""
        return self._core.name

    @property
    def source(self) -> str:
        """The built-in model's name, or the path."""
        return self._core.source

    @property
    def score_names(self) -> list[str]:
        """Names of all its scores; a collection has <name>_bagging, <name>_stddev and others."""
        return self._core.score_names

    def __repr__(self) -> str:
        return f"acutance.Model({self.source!r}, name={self.name!r})"


ModelSpec = Path | Model


def read_models(spec: None | ModelSpec | Iterable[ModelSpec]) -> list[Model]:
    """None, one model, or several."""
    if spec is None:
        return []
    one = isinstance(spec, (str, os.PathLike, Model))
    specs: Iterable[ModelSpec] = [spec] if one else spec  # type: ignore[assignment, list-item]
    return [item if isinstance(item, Model) else Model(item) for item in specs]


def read_features(spec: FeatureSpec | Iterable[FeatureSpec]) -> list[tuple[str, dict[str, str]]]:
    """A name, a mapping of names to options, or several of these."""
    if isinstance(spec, str):
        return [(spec, {})]
    if isinstance(spec, Mapping):
        return [(name, {option: option_text(value) for option, value in options.items()})
                for name, options in spec.items()]
    return [feature for item in spec for feature in read_features(item)]


def make_options(
    models: list[Model],
    features: FeatureSpec | Iterable[FeatureSpec],
    *,
    threads: int,
    subsample: int,
    videos: int,
    backend: str,
    device: int | None,
) -> _core.SessionOptions:
    """Checked for what would not fit the engine's integers; the engine checks the rest."""
    for name, value in (("threads", threads), ("subsample", subsample), ("videos", videos)):
        if not 0 <= value < 2**31:
            raise InvalidArgumentError(f"{name}={value}: give a number from {0 if name == 'threads' else 1}")
    return _core.options([model._core for model in models], read_features(features), threads, subsample, videos,
                         backend, device)
