#!/usr/bin/env python3
"""Tensors on an NVIDIA GPU through acutance.Session(backend="cuda"), against the same pictures as arrays on the CPU:
all scores must be equal to the last bit. Needs the package acutance, and torch or cupy. Prints tables and ends with 1
where something is wrong.

    python3 tests/gpu/torch_check.py [--with torch|cupy] [--no-speed]
"""
import argparse
import gc
import sys
import time

import numpy as np

import acutance

SIZES = ((178, 176), (353, 289), (1280, 720), (1920, 1080), (3840, 2160))
DEPTHS = (8, 10, 16)
SPEED_SIZES = (("576p", 1024, 576), ("1080p", 1920, 1080), ("2160p", 3840, 2160))
FRAMES = 7  # no multiple of a batch
FEATURES = [feature.name for feature in acutance.features()]


class Torch:
    def __init__(self):
        import torch

        self.torch, self.name = torch, f"torch {torch.__version__}, {torch.cuda.get_device_name()}"
        self.stream = torch.cuda.Stream()

    def upload(self, array):
        return self.torch.from_numpy(array).cuda()

    def copy(self, tensor, into):
        into.copy_(tensor)

    def on_side_stream(self):
        return self.torch.cuda.stream(self.stream)

    def keep_busy(self):
        """Work of some milliseconds on the current stream."""
        self.torch.cuda._sleep(20_000_000)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def bytes_in_use(self):
        """(the framework's tensors, all on the device next to what the framework has reserved)"""
        free, total = self.torch.cuda.mem_get_info()
        return self.torch.cuda.memory_allocated(), total - free - self.torch.cuda.memory_reserved()


class Cupy:
    def __init__(self):
        import cupy

        self.cupy = cupy
        self.name = f"cupy {cupy.__version__}, {cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}"
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.square = cupy.ones((4096, 4096), cupy.float32)

    def upload(self, array):
        return self.cupy.asarray(array)

    def copy(self, tensor, into):
        into[...] = tensor

    def on_side_stream(self):
        return self.stream

    def keep_busy(self):
        for _ in range(4):
            self.square @ self.square

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()

    def bytes_in_use(self):
        free, total = self.cupy.cuda.runtime.memGetInfo()
        pool = self.cupy.get_default_memory_pool()
        return pool.used_bytes(), total - free - pool.total_bytes()


def make_video(width, height, depth, noise, frames=FRAMES):
    """4:2:0 pictures of a moving ramp under random noise; planes as numpy arrays."""
    rng = np.random.default_rng(width + depth + noise)
    kind, scale = (np.uint8, 1) if depth == 8 else (np.uint16, 2 ** (depth - 8))

    def plane(columns, rows, frame):
        y, x = np.ogrid[0:rows, 0:columns]
        ramp = (3 * x + 2 * y + 5 * frame) % 200 * scale
        return (ramp + rng.integers(0, (noise + 1) * scale, (rows, columns))).astype(kind)

    return [tuple(plane(*size, frame) for size in ((width, height), *[(width // 2, height // 2)] * 2))
            for frame in range(frames)]


def score(pairs, backend, depth, features=FEATURES):
    options = {} if depth == 8 else {"bit_depth": depth}
    with acutance.Session("vmaf_v0.6.1", features, backend=backend, pixel_format="420", **options) as session:
        for pair in pairs:
            session.add(*pair)
        return session.finish()


def each_plane(pair, function):
    return tuple(tuple(function(plane) for plane in planes) for planes in pair)


def uploaded(gpu, pair):
    return each_plane(pair, gpu.upload)


def views(gpu, pair):
    """Rows apart, at addresses that are multiples of nothing."""
    return each_plane(pair, lambda plane: gpu.upload(np.pad(plane, ((1, 0), (3, 5))))[1:, 3:-5])


def late(gpu, pair):
    """A tensor written on the current stream after work that takes a while, which this function does not wait for."""
    sources = uploaded(gpu, pair)
    tensors = each_plane(pair, lambda plane: gpu.upload(np.zeros_like(plane)))
    gpu.synchronize()
    gpu.keep_busy()
    for frame, planes in zip(sources, tensors):
        for source, tensor in zip(frame, planes):
            gpu.copy(source, into=tensor)
    return tensors


def distorted_only(gpu, pair):
    return pair[0], tuple(map(gpu.upload, pair[1]))


def produce(gpu, videos, kind):
    """Pairs of frames, each made when the session asks for it, as a decoder would."""
    for pair in zip(*videos):
        if kind is not late:
            yield kind(gpu, pair)
            continue
        with gpu.on_side_stream():  # also while the session takes them
            yield kind(gpu, pair)


def count_different(result, expected):
    if set(result) != set(expected):
        return len(set(result) ^ set(expected))
    return sum(int(np.sum(result[name].view(np.int64) != expected[name].view(np.int64))) for name in expected)


def check_bits(gpu):
    print("\n| size | bits a sample | tensors | scores | differ |\n|---|---|---|---|---|")
    failures = 0
    for width, height in SIZES:
        for depth in DEPTHS:
            videos = [make_video(width, height, depth, noise) for noise in (0, 24)]
            expected = score(zip(*videos), "cpu", depth)
            for kind in (uploaded, views, late, distorted_only):
                result = score(produce(gpu, videos, kind), "cuda", depth)
                differ = count_different(result, expected)
                failures += differ > 0
                print(f"| {width}x{height} | {depth} | {kind.__name__} | {len(expected) * FRAMES} | {differ} |",
                      flush=True)
    return failures


def check_errors(gpu):
    """Misuse raises, and the session continues."""
    frame = gpu.upload(make_video(96, 64, 8, 0, 1)[0][0])
    wide = gpu.upload(np.zeros((64, 192), np.uint8))
    cases = [({"backend": "cpu"}, frame, acutance.UnsupportedError), ({"copy": True}, frame, acutance.UnsupportedError),
             ({}, wide[:, ::2], acutance.InvalidArgumentError)]
    failures = 0
    print("\n| misuse | raises |\n|---|---|")
    for options, tensor, wanted in cases:
        with acutance.Session(**{"backend": "cuda"} | options) as session:
            try:
                session.add(tensor, tensor)
                answer = "nothing"
                failures += 1
            except acutance.AcutanceError as error:
                answer = f"{type(error).__name__}: {error}"
                failures += not isinstance(error, wanted)
        print(f"| {options or 'columns apart'} | {answer} |")
    return failures


def check_memory(gpu, sessions=50, frames=2000):
    """All tensors are given back, and the device's memory does not grow."""
    video = make_video(640, 360, 8, 9, 4)

    def run(count):
        with acutance.Session("vmaf_v0.6.1", backend="cuda") as session:
            for i in range(count):
                session.add(gpu.upload(video[i % 4][0]), gpu.upload(video[(i + 1) % 4][0]))
            session.finish()
        gc.collect()
        gpu.synchronize()

    print("\n| work | tensors left, bytes | device memory grew by, KiB |\n|---|---|---|")
    failures = 0
    for name, work in ((f"{sessions} sessions", lambda: [run(20) for _ in range(sessions)]),
                       (f"{frames} frames", lambda: run(frames))):
        run(100)
        before = gpu.bytes_in_use()
        work()
        left, grown = (now - then for now, then in zip(gpu.bytes_in_use(), before))
        failures += left != 0 or grown > 2 << 20
        print(f"| {name} | {left} | {grown // 1024} |", flush=True)
    return failures


def show_speed(gpu):
    """Eight pairs of luma again and again; the better of two runs."""
    print("\n| size | tensors, pairs/s | arrays, pairs/s |\n|---|---|---|")
    for name, width, height in SPEED_SIZES:
        videos = [[planes[0] for planes in make_video(width, height, 8, noise, 8)] for noise in (0, 24)]
        arrays = list(zip(*videos))
        tensors = [tuple(map(gpu.upload, pair)) for pair in arrays]
        frames = 4 * 10**9 // (width * height)
        rates = []
        for pairs in (tensors, arrays):
            seconds = []
            for _ in range(2):
                with acutance.Session("vmaf_v0.6.1", backend="cuda") as session:
                    session.add(*pairs[0])
                    begin = time.perf_counter()
                    for i in range(1, frames):
                        session.add(*pairs[i % 8])
                    session.finish()
                    seconds.append(time.perf_counter() - begin)
            rates.append((frames - 1) / min(seconds))
        print(f"| {name} | {rates[0]:.0f} | {rates[1]:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="framework", choices=("torch", "cupy"), default="torch")
    parser.add_argument("--no-speed", action="store_true")
    options = parser.parse_args()
    gpu = Torch() if options.framework == "torch" else Cupy()
    print(f"acutance {acutance.__version__}; {gpu.name}; numpy {np.__version__}; Python {sys.version.split()[0]}")
    failures = check_bits(gpu) + check_errors(gpu) + check_memory(gpu)
    if not options.no_speed:
        show_speed(gpu)
    print(f"\nFAILED: {failures}" if failures else "\nall good")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
