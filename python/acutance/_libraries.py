"""What scoring of tensors needs of the library that they belong to: integers of floats, YUV of RGB, and tensors of scores.
All of it happens on the tensors' device."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgumentError, UnsupportedError

Tensor = Any  # of numpy, torch, cupy or jax

# The weights of YUV are whole numbers of 24 bits. They are applied 12 bits at a time, so that 32-bit integers suffice:
# jax has no others by default.
_HALF = 12
_ONE = 1 << 2 * _HALF
# The shares of red and blue in luma by ITU-R BT.709, in ten-thousandths.
_RED, _BLUE, _ALL = 2126, 722, 10000


class ArrayLibrary:
    """numpy, cupy or jax.numpy."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def type_name(self, tensor: Tensor) -> str:
        return str(np.dtype(tensor.dtype).name)

    def cast(self, tensor: Tensor, name: str) -> Tensor:
        return tensor.astype(name)

    def round(self, tensor: Tensor) -> Tensor:
        """To whole numbers, halves to even ones."""
        return self.module.rint(tensor)

    def clip(self, tensor: Tensor, low: int, high: int) -> Tensor:
        return self.module.clip(tensor, low, high)

    def zero_for_nan(self, tensor: Tensor) -> Tensor:
        return self.module.where(tensor == tensor, tensor, self.module.zeros_like(tensor))

    def with_rows(self, plane: Tensor) -> Tensor:
        """The plane, or a copy of it where its rows are not contiguous."""
        strides = getattr(plane, "strides", None)  # jax's arrays are contiguous
        whole = strides is None or plane.shape[-1] == 1 or strides[-1] == plane.dtype.itemsize
        return plane if whole else self.module.ascontiguousarray(plane)

    def scores(self, values: npt.NDArray[np.float64], like: Tensor) -> Tensor:
        return values


class Cupy(ArrayLibrary):
    def scores(self, values: npt.NDArray[np.float64], like: Tensor) -> Tensor:
        with like.device:
            return self.module.asarray(values)


class Jax(ArrayLibrary):
    def scores(self, values: npt.NDArray[np.float64], like: Tensor) -> Tensor:
        import jax

        return jax.device_put(values, next(iter(like.devices())))


class Torch(ArrayLibrary):
    def type_name(self, tensor: Tensor) -> str:
        return str(tensor.dtype).rpartition(".")[2]

    def cast(self, tensor: Tensor, name: str) -> Tensor:
        return tensor.to(getattr(self.module, name))

    def round(self, tensor: Tensor) -> Tensor:
        return self.module.round(tensor)

    def clip(self, tensor: Tensor, low: int, high: int) -> Tensor:
        return self.module.clamp(tensor, low, high)

    def with_rows(self, plane: Tensor) -> Tensor:
        return plane if plane.shape[-1] == 1 or plane.stride(-1) == 1 else plane.contiguous()

    def scores(self, values: npt.NDArray[np.float64], like: Tensor) -> Tensor:
        return self.module.from_numpy(np.array(values)).to(like.device)


def library_of(tensor: Tensor) -> ArrayLibrary:
    """Of a tensor, by the module of its class: nothing is imported that the caller has not imported."""
    import sys

    name = type(tensor).__module__.partition(".")[0]
    if isinstance(tensor, np.ndarray):
        return ArrayLibrary(np)
    if name == "torch" or "torch" in sys.modules and isinstance(tensor, sys.modules["torch"].Tensor):
        return Torch(sys.modules["torch"])
    if name == "cupy":
        return Cupy(sys.modules["cupy"])
    if name in ("jax", "jaxlib"):
        import jax.numpy

        return Jax(jax.numpy)
    raise UnsupportedError(f"a tensor of {type(tensor).__module__}.{type(tensor).__qualname__}: give one of torch, cupy, jax "
                           "or numpy; all others convert by DLPack: torch.from_dlpack(tensor)")


def to_integers(library: ArrayLibrary, tensor: Tensor, bit_depth: int | None) -> tuple[Tensor, int]:
    """Samples as uint8 or uint16, and their depth. Floats are 0 to 1."""
    kind = library.type_name(tensor)
    if kind == "uint8":
        if bit_depth not in (None, 8):
            raise InvalidArgumentError(f"uint8 samples and bit_depth={bit_depth}; give uint16")
        return tensor, 8
    if kind == "uint16":
        if bit_depth not in (10, 12, 16):
            raise InvalidArgumentError("uint16 samples: give bit_depth=10, 12 or 16")
        return tensor, bit_depth
    if kind not in ("float16", "float32"):
        raise InvalidArgumentError(f"samples of type {kind}: there are uint8, uint16, float16 and float32")
    depth = 8 if bit_depth is None else bit_depth
    top = (1 << depth) - 1
    values = library.clip(library.zero_for_nan(library.cast(tensor, "float32")), 0, 1)
    return library.cast(library.round(values * top), "uint8" if depth == 8 else "uint16"), depth


def _divided(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def yuv_weights(bit_depth: int) -> list[tuple[list[int], int]]:
    """Of red, green and blue in Y, Cb and Cr of limited range, and what is added: the command's, of 24 bits."""
    unit, top = 1 << (bit_depth - 8), (1 << bit_depth) - 1
    luma, chroma = 219 * unit, 224 * unit

    def weight(share: int, of: int, span: int) -> int:
        return _divided(_ONE * share * span, of * top)

    every, half = weight(1, 1, luma), weight(1, 2, chroma)
    red, blue = weight(_RED, _ALL, luma), weight(_BLUE, _ALL, luma)
    cb, cr = weight(_RED, 2 * (_ALL - _BLUE), chroma), weight(_BLUE, 2 * (_ALL - _RED), chroma)
    return [([red, every - red - blue, blue], 16 * unit * _ONE + _ONE // 2),
            ([-cb, cb - half, half], 128 * unit * _ONE + _ONE // 2),
            ([half, cr - half, -cr], 128 * unit * _ONE + _ONE // 2)]


def yuv_of_rgb(library: ArrayLibrary, rgb: list[Tensor], bit_depth: int) -> list[Tensor]:
    """Planes of 4:4:4: (sum of weights x samples + bias) >> 24, in two steps of 12 bits, which no sum of 32 bits leaves."""
    samples = [library.cast(plane, "int32") for plane in rgb]
    top, low_bits = (1 << bit_depth) - 1, (1 << _HALF) - 1

    def mixed(weights: list[int], bias: int) -> Tensor:
        low, high = bias & low_bits, bias >> _HALF
        for weight, plane in zip(weights, samples):
            low, high = low + plane * (weight & low_bits), high + plane * (weight >> _HALF)
        return library.cast(library.clip(((low >> _HALF) + high) >> _HALF, 0, top), "uint8" if bit_depth == 8 else "uint16")

    return [mixed(weights, bias) for weights, bias in yuv_weights(bit_depth)]
