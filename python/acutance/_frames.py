"""Conversion of numpy arrays, tensors and PyAV frames to planes: 2-d arrays."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgumentError, UnsupportedError

Plane = Any  # a 2-d array of uint8 or uint16: numpy's, or one that supports DLPack
Frame = Plane | Sequence[Plane]  # luma alone, (y, cb, cr), or a PyAV frame

_SAMPLE_TYPES = (np.dtype(np.uint8), np.dtype(np.uint16))
# DLPack's kDLCUDA and kDLCUDAManaged.
_CUDA_DEVICES = (2, 13)
# DLPack's name for CUDA's legacy default stream, which a session waits for.
_DEFAULT_STREAM = 1
# Planar formats of FFmpeg: number of planes and bytes a sample.
_AV_FORMATS: dict[str, tuple[int, int]] = {
    "gray": (1, 1), "gray10le": (1, 2), "gray12le": (1, 2), "gray16le": (1, 2),
    **{f"yuv{layout}p": (3, 1) for layout in ("420", "422", "444")},
    **{f"yuvj{layout}p": (3, 1) for layout in ("420", "422", "444")},
    **{f"yuv{layout}p{depth}le": (3, 2) for layout in ("420", "422", "444") for depth in (10, 12, 16)},
}


def planes_of(frame: Frame) -> list[Plane]:
    """The planes of a frame, luma first. Raises InvalidArgumentError or UnsupportedError."""
    if isinstance(frame, np.ndarray):
        return [_checked(frame)]
    if hasattr(frame, "planes") and hasattr(frame, "format"):
        return _planes_of_av(frame)
    if hasattr(frame, "__dlpack__"):
        return [_lent(frame)]
    if isinstance(frame, (tuple, list)):
        return [_plane_of(plane) for plane in frame]
    raise InvalidArgumentError(
        f"a frame is a 2-d array of luma, a tuple of planes (y, cb, cr) or a PyAV frame, not {_describe(frame)}"
    )


def _describe(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _plane_of(plane: Plane) -> Plane:
    if isinstance(plane, np.ndarray):
        return _checked(plane)
    if hasattr(plane, "__dlpack__"):
        return _lent(plane)
    raise InvalidArgumentError(f"a plane is a numpy array or a tensor that supports DLPack, not {_describe(plane)}")


def _checked(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype not in _SAMPLE_TYPES:
        raise InvalidArgumentError(
            f"samples of type {array.dtype.name} ({array.dtype.byteorder} byte order): give uint8, or uint16 in this "
            f"machine's order ({sys.byteorder}) with the value in the low bits"
        )
    return array


def _lent(tensor: Any) -> Any:
    """The tensor itself, or a DLPack capsule for a tensor on a CUDA device: the default stream waits for its samples."""
    try:
        on_cuda = tensor.__dlpack_device__()[0] in _CUDA_DEVICES
        return tensor.__dlpack__(stream=_DEFAULT_STREAM) if on_cuda else tensor
    except (AttributeError, TypeError, ValueError, BufferError, RuntimeError) as error:
        raise UnsupportedError(f"{_describe(tensor)} does not lend its samples through DLPack ({error}); copy it to "
                               "the host, into a numpy array") from error


def _planes_of_av(frame: Any) -> list[npt.NDArray[Any]]:
    """Views of the memory of a PyAV VideoFrame, which they reference."""
    name = frame.format.name
    if name not in _AV_FORMATS or sys.byteorder != "little":
        raise UnsupportedError(
            f"PyAV frame of format {name}: only planar grey and yuv of 8, 10, 12 and 16 bit can be read in place; "
            "convert it with frame.reformat(format='yuv420p')"
        )
    count, sample_bytes = _AV_FORMATS[name]
    views = []
    for plane in list(frame.planes)[:count]:
        rows: npt.NDArray[Any] = np.frombuffer(plane, np.uint8, plane.line_size * plane.height)
        samples = rows.reshape(plane.height, plane.line_size)[:, : plane.width * sample_bytes]
        views.append(samples.view(np.uint16) if sample_bytes == 2 else samples)
    return views
