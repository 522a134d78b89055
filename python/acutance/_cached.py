"""A reference that stays decoded."""
from __future__ import annotations

import os

from . import _core
from ._errors import InvalidArgumentError
from ._options import Path, path_bytes, whole


class CachedReference:
    """A reference whose pictures stay in memory, decoded, from one score() to the next, in place of its path.

    path: of the video; y4m and raw yuv are mapped and need no memory here.
    max_memory: bytes for its pictures, all of which or none are cached; None: half of the available memory.
    max_device_memory: bytes of each device's memory, for as many of its pictures as fit; None: half of the free memory.

    Nothing is read before the first score(). A changed file is decoded again. One of several simultaneous runs uses the
    pictures, and the others decode the file. Devices of its runs stay open, and their copies of pictures stay cached.
    """

    def __init__(self, path: Path, *, max_memory: int | None = None, max_device_memory: int | None = None) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise InvalidArgumentError(f"a CachedReference takes a path, not {type(path).__name__}")
        self._path = os.fspath(path)
        self._core = _core.CachedReference(
            path_bytes(path),
            None if max_memory is None else whole("max_memory", max_memory, end=2**63),
            None if max_device_memory is None else whole("max_device_memory", max_device_memory, end=2**63))

    @property
    def path(self) -> str:
        """The path as it was given."""
        return self._path

    @property
    def frames(self) -> int:
        """The number of cached pictures."""
        return self._core.frames

    @property
    def bytes(self) -> int:
        """Their size."""
        return self._core.bytes

    @property
    def device_frames(self) -> int:
        """The number of pictures in a device's memory; 0 while a run uses it."""
        return self._core.device_frames

    def __repr__(self) -> str:
        return f"<acutance.CachedReference: {self._path}, {self.frames} frames cached>"
