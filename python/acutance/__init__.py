"""Perceptual video quality: VMAF and its features, with libvmaf's numbers to the bit, in a fraction of its time.

    result = acutance.score("reference.mp4", "encode.mp4")
    result.score                 # mean of the model's score over all frames
    result["vmaf_v0.6.1"]        # one score a frame, a numpy array

Session takes pictures from memory: numpy arrays, PyAV frames, DLPack tensors.
"""
from ._batch import Done, batch
from ._catalog import Backend, Device, FeatureInfo, ModelInfo, OptionInfo, backends, devices, features, models
from ._clips import ClipScorer, ClipScores
from ._core import version as _version
from ._encodes import Encodes, bd, compare, ladder
from ._errors import (
    AcutanceError,
    BadDataError,
    CancelledError,
    InvalidArgumentError,
    IoError,
    NoDeviceError,
    NotFoundError,
    OutOfMemoryError,
    SessionError,
    UnsupportedError,
)
from ._cached import CachedReference
from ._options import Model
from ._progress import Progress
from ._result import Result
from ._score import join, score, score_async
from ._session import Session
from ._verdict import MeanVerdict, at_least, at_most

__version__ = _version()

__all__ = [
    "AcutanceError",
    "Backend",
    "BadDataError",
    "CancelledError",
    "ClipScorer",
    "ClipScores",
    "Device",
    "Done",
    "Encodes",
    "FeatureInfo",
    "InvalidArgumentError",
    "IoError",
    "CachedReference",
    "MeanVerdict",
    "Model",
    "ModelInfo",
    "NoDeviceError",
    "NotFoundError",
    "OptionInfo",
    "OutOfMemoryError",
    "Progress",
    "Result",
    "Session",
    "SessionError",
    "UnsupportedError",
    "at_least",
    "at_most",
    "backends",
    "batch",
    "bd",
    "compare",
    "devices",
    "features",
    "join",
    "ladder",
    "models",
    "score",
    "score_async",
]

# Tracebacks and help() show the classes in the module where users find them.
for _name in __all__:
    globals()[_name].__module__ = __name__
