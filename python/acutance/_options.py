"""Models and features as users write them, and the options that score() and Session share."""
from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._errors import InvalidArgumentError

Path = str | os.PathLike[str]
OptionValue = str | bool | int | float
FeatureSpec = str | Mapping[str, Mapping[str, OptionValue]]


def option_text(name: str, value: OptionValue) -> str:
    """A value as the engine reads it: true and false, and numbers with all digits, also numpy's."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    raise InvalidArgumentError(f"option {name}={value!r}: give text, a number, True or False")


def option_texts(feature: str, options: Mapping[str, OptionValue]) -> dict[str, str]:
    if not isinstance(options, Mapping):
        raise InvalidArgumentError(f"options of feature {feature}: {options!r}: give a mapping, such as "
                                   '{"psnr": {"enable_mse": True}}')
    return {option: option_text(option, value) for option, value in options.items()}


def whole(name: str, value: Any, least: int = 0, end: int = 2**31) -> int:
    """A whole number of Python's or numpy's that fits the engine's integers."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidArgumentError(f"{name}={value!r}: give a whole number") from None
    if not least <= number < end:
        raise InvalidArgumentError(f"{name}={number}: give a number from {least}")
    return number


def memory(name: str, value: int | None) -> int | None:
    return None if value is None else whole(name, value, 1, 2**63)


def text(name: str, value: Any, known: str) -> str:
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{name}={value!r}: there are {known}")
    return value


def path_bytes(path: Path | None) -> bytes:
    """A path as the engine takes it; a null character would truncate it."""
    encoded = b"" if path is None else os.fsencode(path)
    if b"\0" in encoded:
        raise InvalidArgumentError(f"{path!r}: there is a null character in it")
    return encoded


def pixel_format_text(value: Any) -> str:
    return text("pixel_format", value, '"400", "420", "422" and "444"')


class Model:
    """Fuses the features of a frame into one score, usually 0 to 100.

    source: a built-in model by its name (`acutance.models()`), or the path of a JSON model or a collection of them.
    name: of its scores in a Result; by default the built-in model's name or the file's without its ending. Two models
        of a session need two names.
    disable_clip: scores may leave the model's range.
    enable_transform, disable_transform: the "phone model" of vmaf_v0.6.1 on, or off where the model has it on.
    options: options of the features that the model uses, by feature: {"adm": {"adm_enhn_gain_limit": 1.0}}.

    Raises NotFoundError for an unknown model or file, BadDataError for a file that is not a model, InvalidArgumentError
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
        if not isinstance(source, (str, os.PathLike)):
            raise InvalidArgumentError(f"a model is the name of a built-in one, a path or a Model, not {source!r}")
        path = os.fspath(source)
        is_file = not isinstance(source, str) or path.endswith(".json") or os.path.exists(path)
        if name is None:
            name = os.path.splitext(os.path.basename(path))[0] if is_file else path
        self._core = _core.Model.load(path_bytes(path), is_file, name, disable_clip, enable_transform,
                                      disable_transform)
        for feature, values in (options or {}).items():
            for option, value in option_texts(feature, values).items():
                self._core.set_option(feature, option, value)

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
    several = isinstance(spec, Iterable) and not isinstance(spec, str)
    specs: Iterable[ModelSpec] = spec if several else [spec]  # type: ignore[assignment, list-item]
    return [item if isinstance(item, Model) else Model(item) for item in specs]


def read_choice(spec: None | ModelSpec | Iterable[ModelSpec]) -> tuple[bool, list[Model]]:
    """Whether "auto" is among the models, and the others."""
    several = isinstance(spec, Iterable) and not isinstance(spec, str)
    specs: list[None | ModelSpec] = list(spec) if several else [spec]  # type: ignore[arg-type, list-item]
    others = [item for item in specs if item is not None and item != "auto"]
    return "auto" in specs, read_models(others)


def read_features(spec: FeatureSpec | Iterable[FeatureSpec]) -> list[tuple[str, dict[str, str]]]:
    """A name, a mapping of names to options, or several of these."""
    if isinstance(spec, str):
        return [(spec, {})]
    if isinstance(spec, Mapping):
        return [(name, option_texts(name, options)) for name, options in spec.items()]
    if not isinstance(spec, Iterable):
        raise InvalidArgumentError(f"a feature is a name or a mapping from names to options, not {spec!r}")
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
    maps: Path | None,
    max_memory: int | None = None,
    max_device_memory: int | None = None,
) -> _core.SessionOptions:
    """Checked for types; the engine checks the rest."""
    return _core.options([model._core for model in models], read_features(features), whole("threads", threads),
                         whole("subsample", subsample, 1), whole("videos", videos, 1),
                         text("backend", backend, '"cpu", "auto" and those of acutance.backends()'),
                         None if device is None else whole("device", device), path_bytes(maps),
                         memory("max_memory", max_memory), memory("max_device_memory", max_device_memory))
