"""A metric for training loops, with the interface of torchmetrics: `torchmetrics.Metric` where that is installed, and the same
methods without it otherwise.

    from acutance.metrics import VideoQuality

    quality = VideoQuality("ssimulacra2", color="rgb")
    quality.update(decoded, original)      # tensors of shape (N, T, C, H, W): the distorted clips first
    quality.compute()                      # the mean over all frames so far, of all processes
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ._clips import Clips, ClipScorer
from ._errors import InvalidArgumentError

try:
    import torch
    from torchmetrics import Metric as _Metric

    _HAS_TORCHMETRICS = True
except ImportError:
    _HAS_TORCHMETRICS = False


class _Kind(NamedTuple):
    model: str | None
    feature: str | None
    score: str
    of_clips: bool = False


_KINDS = {
    "vmaf_v1": _Kind("vmaf_v1.0.16_3d0h", None, "vmaf_v1.0.16_3d0h"),
    "vmaf_v0.6.1": _Kind("vmaf_v0.6.1", None, "vmaf_v0.6.1"),
    "ssimulacra2": _Kind(None, "ssimulacra2", "ssimulacra2"),
    "cvvdp": _Kind(None, "cvvdp", "cvvdp_clip", of_clips=True),
    "xpsnr": _Kind(None, "xpsnr", "xpsnr_weighted", of_clips=True),
    "ms_ssim": _Kind(None, "float_ms_ssim", "float_ms_ssim"),
    "ciede2000": _Kind(None, "ciede", "ciede2000"),
    "psnr": _Kind(None, "psnr", "psnr_y"),
}


class _PlainMetric:
    """The methods of torchmetrics.Metric that need no torch; states are numbers, of this process alone."""

    def __init__(self) -> None:
        self._defaults: dict[str, float] = {}

    def add_state(self, name: str, default: float, dist_reduce_fx: str) -> None:
        self._defaults[name] = default
        setattr(self, name, default)

    def reset(self) -> None:
        for name, default in self._defaults.items():
            setattr(self, name, default)

    def forward(self, *arguments: Any) -> Any:
        """The value of these clips alone, which are also added to the states."""
        before = {name: getattr(self, name) for name in self._defaults}
        self.reset()
        self.update(*arguments)
        value = self.compute()
        for name, number in before.items():
            setattr(self, name, getattr(self, name) + number)
        return value

    __call__ = forward
    update: Callable[..., None]
    compute: Callable[[], Any]


_Base: Any = _Metric if _HAS_TORCHMETRICS else _PlainMetric


class VideoQuality(_Base):  # type: ignore[misc]
    """The mean of one metric over clips, as torchmetrics counts: over batches, and over processes.

    metric: "vmaf_v1", "vmaf_v0.6.1", "ssimulacra2", "ms_ssim", "ciede2000" or "psnr" (of luma), whose value is the mean over
        all frames; or "cvvdp" or "xpsnr", which are numbers of a clip: the mean over all clips.
    options: those of acutance.ClipScorer, such as color and bit_depth; others go to torchmetrics.Metric.

    States are `total`, a sum of float64, and `count`, a whole number. Processes add them up (dist_reduce_fx="sum"), so that
    each frame, or clip, counts once, also where processes have batches of different sizes.
    """

    full_state_update = False
    is_differentiable = False

    def __init__(self, metric: str = "vmaf_v0.6.1", **options: Any) -> None:
        if metric not in _KINDS:
            raise InvalidArgumentError(f"no metric {metric!r}: there are {', '.join(_KINDS)}")
        kind = _KINDS[metric]
        own = {name: options.pop(name) for name in _SCORER_OPTIONS & set(options)}
        super().__init__(**options)
        self.metric = metric
        self._scorer = ClipScorer(kind.model, [kind.feature] if kind.feature else (), **own)
        if _HAS_TORCHMETRICS:
            self.add_state("total", default=torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")
            self.add_state("count", default=torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")
        else:
            self.add_state("total", default=0.0, dist_reduce_fx="sum")
            self.add_state("count", default=0, dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:
        return self.metric != "ciede2000"

    def update(self, preds: Clips, target: Clips) -> None:
        """Adds clips: preds, the distorted ones, and target, the reference, as ClipScorer.score takes them."""
        kind = _KINDS[self.metric]
        found = self._scorer.score(target, preds)
        scores = found.clips[kind.score] if kind.of_clips else found.frames[kind.score]
        total, count = scores.sum(), 1
        for size in scores.shape:
            count *= int(size)
        self.total += total.to(self.total.device) if hasattr(total, "to") and _HAS_TORCHMETRICS else float(total)
        self.count += count

    def compute(self) -> Any:
        """The mean so far; not a number before the first clip."""
        if not _HAS_TORCHMETRICS and self.count == 0:
            return float("nan")
        return self.total / self.count


_SCORER_OPTIONS = {"color", "bit_depth", "frame_rate", "range", "matrix", "backend", "device", "threads", "sessions", "max_memory",
                   "max_device_memory"}
