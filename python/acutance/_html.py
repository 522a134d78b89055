"""A Result in a notebook: a plot of the score per frame and a table of pooled scores. Plain HTML and SVG."""
from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._result import Result

_WIDTH, _HEIGHT = 640, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 30  # margins, for the axes' labels
_COLORS = ("#2f6fde", "#d1495b", "#2a9d6f", "#b8860b")
_WARNING = "#d1871b"
_NUMBER = "style='text-align:right;padding:0 .6em'"
_STEPS = (1, 2, 2.5, 5, 10)


def render(result: Result) -> str:
    """HTML of a result."""
    names = list(result.models) or list(result)[:1]
    plotted = [name for name in names if np.isfinite(result[name]).any()][: len(_COLORS)]
    return "<div style='max-width:680px'>" + _head(result) + _plot(result, plotted) + _table(result, plotted) + "</div>"


def _head(result: Result) -> str:
    """What was scored, and all warnings."""
    count = len(result.videos)
    which = f"video {result._video + 1} of {count}, " if count > 1 else ""
    lines = [f"{which}{result.frames} frame{'s' * (result.frames != 1)}, {result.width}&times;{result.height}, "
             f"{result.bit_depth} bit, {result.pixel_format}, {_speed(result)}"]
    lines += [f"<span style='color:{_WARNING}'>&#9888;</span> {html.escape(warning)}" for warning in result.warnings]
    return "".join(f"<p style='margin:0 0 .4em'>{line}</p>" for line in lines)


def _speed(result: Result) -> str:
    device = html.escape(result.device or "CPU")
    return f"{result.frames / result.seconds:.1f} frames/s on {device}" if result.seconds > 0 else f"on {device}"


def _ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers from low to high, about `count` of them."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _STEPS if factor * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _range(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The values' range with some air; never empty."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    air = (high - low) * 0.08 or max(abs(high) * 0.01, 0.5)
    return low - air, high + air


def _envelope(scores: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Points of the line. Of more frames than the plot has columns, each column keeps its least and its greatest."""
    frames = np.flatnonzero(np.isfinite(scores))
    columns = _WIDTH - _LEFT - _RIGHT
    if len(frames) <= 2 * columns:
        return frames, scores[frames]
    kept = [part[k] for part in np.array_split(frames, columns)
            for k in sorted({int(np.argmin(scores[part])), int(np.argmax(scores[part]))})]
    chosen = np.array(kept, dtype=np.int64)
    return chosen, scores[chosen]


def _plot(result: Result, names: list[str]) -> str:
    if not names:
        return ""
    values = np.concatenate([result[name][np.isfinite(result[name])] for name in names])
    low, high = _range(values)
    last = result.frames - 1

    def x_of(frame: float) -> float:
        return _LEFT + (frame / last if last else 0.5) * (_WIDTH - _LEFT - _RIGHT)

    def y_of(value: float) -> float:
        return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' width='{_WIDTH}' "
             f"height='{_HEIGHT}' style='max-width:100%' font-family='sans-serif' font-size='11' fill='currentColor' "
             f"role='img'><title>{html.escape(', '.join(names))} per frame</title>"]
    for tick in _ticks(low, high, 5):
        parts.append(f"<line x1='{_LEFT}' x2='{_WIDTH - _RIGHT}' y1='{y_of(tick):.1f}' y2='{y_of(tick):.1f}' "
                     "stroke='currentColor' stroke-opacity='.18'/>"
                     f"<text x='{_LEFT - 6}' y='{y_of(tick) + 4:.1f}' text-anchor='end'>{tick:.6g}</text>")
    for tick in (tick for tick in _ticks(0, max(last, 0.5), 8) if tick == int(tick)):
        parts.append(f"<text x='{x_of(tick):.1f}' y='{_HEIGHT - 14}' text-anchor='middle'>{tick:.0f}</text>")
    parts.append(f"<text x='{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}' y='{_HEIGHT - 2}' text-anchor='middle' "
                 "fill-opacity='.65'>frame</text>")
    for name, color in zip(names, _COLORS):
        mean = y_of(result.pool(name))
        frames, scores = _envelope(result[name])
        points = " ".join(f"{x_of(frame):.1f},{y_of(score):.1f}" for frame, score in zip(frames, scores))
        parts.append(f"<line x1='{_LEFT}' x2='{_WIDTH - _RIGHT}' y1='{mean:.1f}' y2='{mean:.1f}' stroke='{color}' "
                     "stroke-dasharray='4 4' stroke-opacity='.7'/>"
                     + (f"<polyline points='{points}' fill='none' stroke='{color}' stroke-width='1.6' "
                        "stroke-linejoin='round'/>" if len(frames) > 1 else
                        f"<circle cx='{x_of(frames[0]):.1f}' cy='{y_of(scores[0]):.1f}' r='3' fill='{color}'/>"))
    return "".join(parts) + "</svg>"


def _table(result: Result, plotted: list[str]) -> str:
    """All scores, the plotted ones first and marked with their line's colour."""
    pooled, rows = result.pooled, []
    for name in [*plotted, *(name for name in result if name not in plotted)]:
        mark = f"<span style='color:{_COLORS[plotted.index(name)]}'>&#9632;</span> " if name in plotted else ""
        cells = "".join(f"<td {_NUMBER}>{value:.4f}</td>" for value in pooled[name].values())
        rows.append(f"<tr><td style='text-align:left'>{mark}{html.escape(name)}</td>{cells}</tr>")
    heads = "".join(f"<th {_NUMBER}>{method.replace('_', ' ')}</th>" for method in next(iter(pooled.values())))
    return f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
