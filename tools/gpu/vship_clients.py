#!/usr/bin/env python3
"""Measures libvship.so as encoders' clients use it: several processes, each with several streams, on one device.

    vship_clients.py build/lib/libvship.so ssimulacra2 butteraugli cvvdp --clients 4 --streams 4

A stream is a thread with a handler of its own, which scores made-up 4:2:0 pictures of 8 bits one after another. Prints
frame pairs a second of all together. First, each client's scores of one stream must have the bits of the CPU's. Needs
Python alone. `acutance score` on two raw files of the same size is what to compare with.
"""
import argparse
import ctypes
import random
import subprocess
import sys
import threading
import time

METRICS = ("ssimulacra2", "butteraugli", "cvvdp")
PICTURES = 6


class Colorspace(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("width", "height", "target_width", "target_height")] + [
        (name, ctypes.c_int) for name in ("sample", "range", "subw", "subh", "chroma_location", "family", "matrix",
                                          "transfer", "primaries", "top", "bottom", "left", "right")]


class InitSsimulacra2(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("reference", Colorspace), ("distorted", Colorspace), ("gpu", ctypes.c_int)]


class InitButteraugli(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("reference", Colorspace), ("distorted", Colorspace), ("norm", ctypes.c_int),
                ("intensity", ctypes.c_float), ("gpu", ctypes.c_int)]


class InitCvvdp(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("reference", Colorspace), ("distorted", Colorspace), ("fps", ctypes.c_float),
                ("resize", ctypes.c_bool), ("model", ctypes.c_char_p), ("config", ctypes.c_char_p),
                ("gpu", ctypes.c_int)]


class Score(ctypes.Structure):
    """The longest of the three; a score is the first value, of Butteraugli the second."""
    _fields_ = [("type", ctypes.c_int), ("values", ctypes.c_double * 3), ("map", ctypes.c_void_p),
                ("map_stride", ctypes.c_int64)]


class CvvdpScore(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("value", ctypes.c_double), ("map", ctypes.c_void_p),
                ("map_stride", ctypes.c_int64)]


class Library:
    def __init__(self, path):
        self.calls = ctypes.CDLL(path)

    def call(self, name, *arguments):
        code = getattr(self.calls, f"Vship_{name}")(*arguments)
        if code != 0:
            text = ctypes.create_string_buffer(1024)
            self.calls.Vship_GetDetailedLastError(text, 1024)
            raise SystemExit(f"{name}: error {code}: {text.value.decode()}")

    def devices(self):
        count = ctypes.c_int()
        self.call("GetDeviceCount", ctypes.byref(count))
        names = []
        for device in range(count.value):
            info = ctypes.create_string_buffer(304)
            self.call("GetDeviceInfo", info, device)
            names.append(info.value.decode())
        return names


class Pictures:
    """Planes of one size, in pinned memory of the device or in the program's own."""

    def __init__(self, library, width, height, device, pinned, seed):
        sizes = [width * height] + [((width + 1) // 2) * ((height + 1) // 2)] * 2
        self.strides = (ctypes.c_int64 * 3)(width, (width + 1) // 2, (width + 1) // 2)
        # Waves with some noise: real pictures have neighbours that are alike.
        source = random.Random(seed)
        row = bytes(60 + (x * 3 + seed * 7) % 120 for x in range(4096))
        self.frames = []
        for number in range(2 * PICTURES):
            memory = ctypes.c_void_p()
            if pinned:
                library.call("PinnedMalloc2", ctypes.byref(memory), ctypes.c_uint64(sum(sizes)), device)
            else:
                self.keep = getattr(self, "keep", [])
                self.keep.append(ctypes.create_string_buffer(sum(sizes)))
                memory.value = ctypes.addressof(self.keep[-1])
            at, planes = memory.value, []
            for plane, size in enumerate(sizes):
                wide = width if plane == 0 else (width + 1) // 2
                data = b"".join(row[(y * 5 + number // 2 * 11) % 120:][:wide].ljust(wide, b"z") for y in range(size // wide))
                ctypes.memmove(at, data, size)
                if number % 2:  # the distorted one
                    for _ in range(2000):
                        ctypes.memset(at + source.randrange(size - 8), source.randrange(40, 200), 8)
                planes.append(at)
                at += size
            self.frames.append((ctypes.c_void_p * 3)(*planes))

    def pair(self, number):
        first = number % PICTURES * 2
        return self.frames[first], self.frames[first + 1], self.strides, self.strides


class Stream:
    def __init__(self, library, metric, width, height, device):
        self.library, self.metric = library, metric
        colors = Colorspace(width, height, -1, -1, 2, 0, 1, 1, 0, 0, 1, 1, 1)
        init = {"ssimulacra2": InitSsimulacra2(1, colors, colors, device),
                "butteraugli": InitButteraugli(2, colors, colors, 2, 203.0, device),
                "cvvdp": InitCvvdp(3, colors, colors, 25.0, False, b"standard_fhd", b"", device)}[metric]
        self.handler = ctypes.c_void_p()
        library.call("InitHandler", ctypes.byref(self.handler), ctypes.byref(init))
        self.result = CvvdpScore(6) if metric == "cvvdp" else Score(4 + METRICS.index(metric))

    def score(self, pair):
        self.library.call("ComputeHandler", self.handler, ctypes.byref(self.result), *pair)
        return self.result.value if self.metric == "cvvdp" else tuple(self.result.values)[:1 + 2 * (self.metric != "ssimulacra2")]

    def close(self):
        self.library.call("FreeHandler", self.handler)


def client(options):
    """Prints "ready", waits for a line, and prints the number of pairs and the seconds."""
    library = Library(options.library)
    width, height = (int(side) for side in options.size.split("x"))
    metric = options.metrics[0]
    pictures = [Pictures(library, width, height, options.device, options.pinned, s) for s in range(options.streams)]
    streams = [Stream(library, metric, width, height, options.device) for _ in range(options.streams)]
    scores = [streams[0].score(pictures[0].pair(n)) for n in range(options.check)]
    if options.check:
        cpu = Stream(library, metric, width, height, len(library.devices()) - 1)
        if [cpu.score(pictures[0].pair(n)) for n in range(options.check)] != scores:
            raise SystemExit(f"{metric}: the scores are not the CPU's")
        cpu.close()
    counts = [0] * options.streams
    barrier = threading.Barrier(options.streams + 1)

    def run(stream):
        for number in range(PICTURES):
            streams[stream].score(pictures[stream].pair(number))
        barrier.wait()
        barrier.wait()
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            streams[stream].score(pictures[stream].pair(counts[stream]))
            counts[stream] += 1

    threads = [threading.Thread(target=run, args=(stream,)) for stream in range(options.streams)]
    for thread in threads:
        thread.start()
    barrier.wait()
    print("ready", flush=True)
    sys.stdin.readline()
    begin = time.monotonic()
    barrier.wait()
    for thread in threads:
        thread.join()
    print(sum(counts), time.monotonic() - begin, flush=True)
    for stream in streams:
        stream.close()


def measure(options, metric):
    words = [sys.executable, "-B", sys.argv[0], options.library, metric, "--one", "--streams", options.streams, "--size",
             options.size, "--seconds", options.seconds, "--device", options.device, "--check", options.check]
    words += ["--pinned"] * options.pinned
    clients = [subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for _ in range(options.clients)]
    if any(one.stdout.readline() != "ready\n" for one in clients):
        raise SystemExit(f"{metric}: a client failed")
    for one in clients:
        one.stdin.write("\n")
        one.stdin.flush()
    rates = []
    for one in clients:
        count, seconds = one.communicate()[0].split()
        rates.append(int(count) / float(seconds))
    print(f"{metric} {options.size}, {options.clients} clients of {options.streams} streams: {sum(rates):.1f} pairs/s",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("library")
    parser.add_argument("metrics", nargs="+", choices=METRICS)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--streams", type=int, default=4)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--device", type=int, default=0, help="its number in libvship; the CPU is the last")
    parser.add_argument("--pinned", action="store_true", help="pictures lie in memory of PinnedMalloc2")
    parser.add_argument("--check", type=int, default=3, help="pairs that the CPU scores, too")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return client(options)
    names = Library(options.library).devices()
    print("; ".join(f"{number}: {name}" for number, name in enumerate(names)))
    for metric in options.metrics:
        measure(options, metric)


if __name__ == "__main__":
    main()
