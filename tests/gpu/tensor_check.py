#!/usr/bin/env python3
"""Batches of clips in tensors of torch, cupy and jax on an NVIDIA GPU, through acutance.ClipScorer and acutance.metrics, against the
same clips as arrays on the CPU: all scores must be equal to the last bit. Needs the package acutance and those of the three
libraries that are wanted. Prints tables and ends with 1 where something is wrong.

    python3 tests/gpu/tensor_check.py [--with torch,cupy,jax] [--no-speed]
"""
import argparse
import contextlib
import importlib
import os
import sys
import threading
import time

import numpy as np

import acutance
from acutance.metrics import VideoQuality

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # jax would take most of the memory

METRICS = {"vmaf_v1": ("vmaf_v1.0.16_3d0h", ()), "vmaf_v0.6.1": ("vmaf_v0.6.1", ()),
           **{name: (None, [name]) for name in ("ssimulacra2", "cvvdp", "xpsnr", "float_ms_ssim", "ciede", "psnr")}}
KINDS = ("uint8", "uint16", "float16", "float32")
STEPS = (("vmaf_v0.6.1", 256, 256, 16), ("ssimulacra2", 256, 256, 16), ("cvvdp", 256, 256, 16), ("xpsnr", 256, 256, 16),
         ("vmaf_v0.6.1", 1920, 1080, 16), ("ssimulacra2", 1920, 1080, 16))


class Torch:
    def __init__(self):
        import torch

        self.torch, self.name = torch, f"torch {torch.__version__}"
        self.stream = torch.cuda.Stream()

    def upload(self, array):
        return self.torch.from_numpy(array).cuda()

    def download(self, tensor):
        return tensor.cpu().numpy()

    def is_on_gpu(self, tensor):
        return tensor.is_cuda

    def late(self, array):
        """A tensor that is written on another stream, after work that takes a while and that is not waited for."""
        source, tensor = self.upload(array), self.upload(np.zeros_like(array))
        self.torch.cuda.synchronize()
        with self.torch.cuda.stream(self.stream):
            self.torch.cuda._sleep(50_000_000)
            tensor.copy_(source)
        return tensor

    def side_stream(self):
        return self.torch.cuda.stream(self.stream)


class Cupy:
    def __init__(self):
        import cupy

        self.cupy, self.name = cupy, f"cupy {cupy.__version__}"
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.square = cupy.ones((4096, 4096), cupy.float32)

    def upload(self, array):
        return self.cupy.asarray(array)

    def download(self, tensor):
        return tensor.get()

    def is_on_gpu(self, tensor):
        return isinstance(tensor, self.cupy.ndarray)

    def late(self, array):
        source, tensor = self.upload(array), self.upload(np.zeros_like(array))
        self.cupy.cuda.Device().synchronize()
        with self.stream:
            for _ in range(4):
                self.square @ self.square
            tensor[...] = source
        return tensor

    def side_stream(self):
        return self.stream


class Jax:
    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)  # scores are float64
        self.jax, self.name = jax, f"jax {jax.__version__}"
        self.gpu = jax.devices("gpu")[0]

    def upload(self, array):
        return self.jax.device_put(array, self.gpu)

    def download(self, tensor):
        return np.asarray(tensor)

    def is_on_gpu(self, tensor):
        return next(iter(tensor.devices())).platform == "gpu"


def make_clips(noise, clips=5, frames=7, channels=3, width=353, height=289, depth=8):
    """(N, T, C, H, W): a moving ramp under random noise, another for each clip."""
    rng = np.random.default_rng(width + depth + noise)
    scale = 2 ** (depth - 8)
    y, x = np.ogrid[0:height, 0:width]
    ramps = np.stack([[[(3 * x + 2 * y + 5 * t + 41 * n + 9 * c) % 200 for c in range(channels)] for t in range(frames)]
                      for n in range(clips)])
    samples = ramps * scale + rng.integers(0, (noise + 1) * scale, ramps.shape)
    return samples.astype(np.uint8 if depth == 8 else np.uint16)


def as_kind(array, kind):
    return (array.astype(np.float32) / 255).astype(kind) if kind.startswith("float") else array


def count_different(gpu, scores, expected):
    differ = 0
    for of in ("frames", "clips"):
        found, wanted = getattr(scores, of), getattr(expected, of)
        if set(found) != set(wanted):
            return -1
        for name, values in wanted.items():
            if not gpu.is_on_gpu(found[name]):
                return -2
            differ += int(np.sum(gpu.download(found[name]).view(np.int64) != np.ascontiguousarray(values).view(np.int64)))
    return differ


def check_bits(gpu):
    print(f"\n{gpu.name}\n\n| metric | samples | color | tensors | differ |\n|---|---|---|---|---|")
    failures = 0
    for metric, (model, features) in METRICS.items():
        for kind in KINDS:
            for color in ("yuv", "rgb") if kind in ("uint8", "float32") else ("yuv",):
                depth = 10 if kind == "uint16" else 8
                arrays = [as_kind(make_clips(noise, depth=depth), kind) for noise in (0, 24)]
                options = {"color": color, "bit_depth": None if depth == 8 else depth, "frame_rate": 25}
                expected = acutance.ClipScorer(model, features, **options).score(*arrays)
                scorer = acutance.ClipScorer(model, features, **options)
                for way in ("uploaded", "again", "late") if hasattr(gpu, "late") else ("uploaded", "again"):
                    tensors = [gpu.late(array) if way == "late" else gpu.upload(array) for array in arrays]
                    with gpu.side_stream() if way == "late" else contextlib.nullcontext():
                        scores = scorer.score(*tensors)
                    differ = count_different(gpu, scores, expected)
                    failures += differ != 0
                    print(f"| {metric} | {kind} | {color} | {way} | {differ} |", flush=True)
    return failures


def check_host_copies(torch):
    """No picture goes to the host: of the copies in torch's profile, those from the device are smaller than a picture."""
    from torch.profiler import ProfilerActivity, profile

    gpu = Torch()
    clips = [gpu.upload(as_kind(make_clips(noise), "float32")) for noise in (0, 24)]
    scorer = acutance.ClipScorer("vmaf_v0.6.1", color="rgb")
    scorer.score(*clips)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        scorer.score(*clips)
    copies = [event.name for event in found.events() if "Memcpy DtoH" in event.name]
    print(f"\ncopies to the host in one call of 5 clips with 7 frames: {len(copies)} (results of batches, not pictures)")


def check_metric(torch):
    """On the GPU: states on the device, and the mean of the scores."""
    failures = 0
    print("\n| VideoQuality | value | mean of the CPU's scores |\n|---|---|---|")
    for metric in ("vmaf_v1", "vmaf_v0.6.1", "ssimulacra2", "cvvdp", "xpsnr", "ms_ssim", "ciede2000", "psnr"):
        arrays = [make_clips(noise) for noise in (0, 24)]
        on_cpu = VideoQuality(metric)
        on_cpu.update(arrays[1], arrays[0])
        quality = VideoQuality(metric)
        if hasattr(quality, "to"):
            quality = quality.to("cuda")
        quality.update(*(torch.from_numpy(array).cuda() for array in arrays[::-1]))
        values = float(quality.compute()), float(on_cpu.compute())
        failures += not np.isclose(*values, rtol=1e-12)
        print(f"| {metric} | {values[0]!r} | {values[1]!r} |")
    return failures


def show_speed(torch):
    """One batch of clips of 16 frames again and again, and two threads with a scorer each. The best of three rounds."""
    print("\n| metric | pictures | clips a call | threads | frames/s |\n|---|---|---|---|---|")
    for metric, width, height, frames in STEPS:
        model, features = METRICS[metric]
        for clips in (16, 64, 256) if width == 256 else (4,):
            tensors = [torch.from_numpy(make_clips(noise, clips, frames, 3 if metric == "xpsnr" or model is None else 1, width,
                                                   height)).cuda() for noise in (0, 24)]
            for count in (1, 2):
                scorers = [acutance.ClipScorer(model, features) for _ in range(count)]
                for scorer in scorers:
                    scorer.score(*tensors)
                best, calls = 0.0, max(1, 512 // clips)
                for _ in range(3):
                    threads = [threading.Thread(target=lambda own=scorer: [own.score(*tensors) for _ in range(calls)])
                               for scorer in scorers]
                    begin = time.perf_counter()
                    for thread in threads:
                        thread.start()
                    for thread in threads:
                        thread.join()
                    best = max(best, count * calls * clips * frames / (time.perf_counter() - begin))
                print(f"| {metric} | {width}x{height} | {clips} | {count} | {best:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="libraries", default="torch,cupy,jax")
    parser.add_argument("--no-speed", action="store_true")
    options = parser.parse_args()
    print(f"acutance {acutance.__version__}; numpy {np.__version__}; Python {sys.version.split()[0]}")
    failures = 0
    for name in options.libraries.split(","):
        failures += check_bits({"torch": Torch, "cupy": Cupy, "jax": Jax}[name]())
    if "torch" in options.libraries:
        torch = importlib.import_module("torch")
        failures += check_metric(torch)
        check_host_copies(torch)
        if not options.no_speed:
            show_speed(torch)
    print(f"\nFAILED: {failures}" if failures else "\nall good")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
