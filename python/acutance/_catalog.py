"""Catalog of this build's models and features, and of this machine's backends and devices."""
from __future__ import annotations

import dataclasses

from . import _core


@dataclasses.dataclass(frozen=True)
class ModelInfo:
    """A built-in model: `name` is what `model=` takes, `viewing` the conditions it was made for."""

    name: str
    viewing: str
    description: str


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """An option of a feature. `min` and `max` bound numbers, both included; `default` is text, as logs print it."""

    name: str
    help: str
    default: str
    min: float
    max: float


@dataclasses.dataclass(frozen=True)
class FeatureInfo:
    """A feature: `name` is what `features=` takes, `outputs` are the scores it gives per frame.

    `lower_is_better` lists the outputs of which a lower value is better.
    """

    name: str
    summary: str
    outputs: tuple[str, ...]
    options: tuple[OptionInfo, ...]
    lower_is_better: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Device:
    """A device of a backend: `score(..., backend=device.backend, device=device.index)` runs on it."""

    backend: str
    index: int
    name: str
    driver: str


@dataclasses.dataclass(frozen=True)
class Backend:
    """A backend that computes scores; `missing` says why there are no devices, where there are none."""

    name: str
    summary: str
    devices: tuple[Device, ...]
    missing: str


def models() -> list[ModelInfo]:
    """The built-in models, the default one first."""
    return [ModelInfo(*model) for model in _core.models()]


def features() -> list[FeatureInfo]:
    """The features, each with its outputs and options."""
    return [
        FeatureInfo(name, summary, tuple(outputs), tuple(OptionInfo(*option) for option in options), tuple(lower))
        for name, summary, outputs, options, lower in _core.features()
    ]


def backends() -> list[Backend]:
    """The backends in addition to the CPU, with the devices found on this machine now."""
    return [
        Backend(name, summary, tuple(Device(*device) for device in found), missing)
        for name, summary, found, missing in _core.backends()
    ]


def devices() -> list[Device]:
    """All devices found on this machine now; the CPU, which is always there, is not among them."""
    return [device for backend in backends() for device in backend.devices]
