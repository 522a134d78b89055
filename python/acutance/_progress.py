"""Progress: a callback of the user's, tqdm's bar on a terminal, or nothing."""
from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Progress:
    """Frames scored so far, of how many (None: not known), and the first model's mean so far (None: not known)."""

    frames: int
    total: int | None = None
    score: float | None = None


ProgressOption = bool | Callable[["Progress"], object] | None


class Reporter:
    """Forwards progress, only where it changed."""

    def __init__(self, option: ProgressOption) -> None:
        self._callback = option if callable(option) else None
        self._bar: Any = None
        self._make_bar = None if callable(option) else _find_tqdm(option)
        self.wanted = self._callback is not None or self._make_bar is not None
        self._last: Progress | None = None

    def update(self, progress: Progress) -> bool:
        """Whether the user has seen enough."""
        if progress == self._last:
            return False
        self._last = progress
        if self._callback is not None:
            return self._callback(progress) is False
        if self._make_bar is not None:
            self._show(progress)
        return False

    def _show(self, progress: Progress) -> None:
        if self._bar is None and self._make_bar is not None:
            self._bar = self._make_bar(total=progress.total, unit="frame")
        if progress.score is not None:
            self._bar.set_postfix_str(f"{progress.score:.3f}", refresh=False)
        self._bar.update(progress.frames - self._bar.n)

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _find_tqdm(option: bool | None) -> Callable[..., Any] | None:
    """True: a bar; None: a bar on a terminal, where tqdm is installed; False: none."""
    if option is False or (option is None and not (sys.stderr is not None and sys.stderr.isatty())):
        return None
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        if option:
            raise ImportError("progress=True shows a bar of tqdm, which is not installed: pip install tqdm") from None
        return None
    bar: Callable[..., Any] = tqdm
    return bar
