#!/usr/bin/env python3
"""Scores random clips with random settings for --minutes, with faults thrown in, and checks what every run
leaves: soak.py --build build --minutes 60. Backends that the machine lacks are skipped.

- A run that ends well has a log of all frames; the same clip and features give the same log on every backend.
- A run that is killed, whose file is truncated or deleted while it is read, or whose disk is full, leaves no log.
- A run with a journal that is killed again and again ends with the log of a whole run.
- A process that runs one session after another through libvmaf's C API ends with no more memory than after its first
  tenth.
"""
import argparse
import ctypes
import hashlib
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from libvmaf_structs import Configuration, Picture  # noqa: E402

FEATURES = ["psnr", "motion", "vif", "adm", "float_motion", "psnr=enable_mse=true", "vif=vif_enhn_gain_limit=1.0",
            "cambi", "ciede", "psnr_hvs", "float_vif", "float_adm", "float_ssim", "float_ms_ssim", "float_psnr",
            "float_moment", "float_ansnr", "speed_chroma", "speed_temporal", "xpsnr", "ssimulacra2", "butteraugli",
            "cvvdp"]
MODELS = ["version=vmaf_v0.6.1", "version=vmaf_v0.6.1neg", "version=vmaf_4k_v0.6.1", "version=vmaf_b_v0.6.3",
          "version=vmaf_float_v0.6.1", "version=vmaf_v1.0.16_3d0h"]
LAYOUTS = [("420jpeg", 1, 2, 2), ("422", 1, 2, 1), ("444", 1, 1, 1), ("420p10", 2, 2, 2), ("444p16", 2, 1, 1),
           ("mono", 1, 0, 0)]
EMULATED = 1_000_000  # samples of luma in a clip: the emulator takes minutes for more
LIMIT_KB = 20_000  # growth of the process with many sessions


class Failed(Exception):
    pass


SIZES = [(32, 32), (63, 35), (176, 144), (320, 180), (641, 361), (960, 540)]


class Clip:
    """A pair of y4m files with the same random format, or with sizes of their own where `may_differ`."""

    def __init__(self, folder, dice, may_differ):
        layout, sample, across, down = dice.choice(LAYOUTS)
        size = dice.choice(SIZES)
        self.frames = dice.randint(1, 12)
        self.paths = [folder / "a.y4m", folder / "b.y4m"]
        deep = int(layout.split("p")[1]) if "p1" in layout else 8
        for path in self.paths:
            width, height = dice.choice(SIZES) if may_differ and dice.random() < 0.2 else size
            chroma = -(-width // across) * -(-height // down) if across else 0
            self.samples = width * height * self.frames
            self.bytes_per_frame = sample * (width * height + 2 * chroma)
            with open(path, "wb") as file:
                file.write(f"YUV4MPEG2 W{width} H{height} F25:1 C{layout}\n".encode())
                for _ in range(self.frames):
                    data = bytearray(dice.randbytes(self.bytes_per_frame))
                    if sample == 2 and deep < 16:
                        data[1::2] = bytes(byte & ((1 << (deep - 8)) - 1) for byte in data[1::2])
                    file.write(b"FRAME\n" + data)


class Soak:
    def __init__(self, args):
        self.args = args
        self.dice = random.Random(args.seed)
        self.counts = {}
        self.backends = ["cpu"] + [b for b in args.backends.split(",") if b]

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def command(self, clip, log, backend, features, model, threads):
        reference, distorted = map(str, clip.paths)
        more = [part for feature in features for part in ("--feature", feature)]
        if self.tool == "vmaf":
            more += ["--model", model] if model else ["--no_prediction"]
            return [str(self.args.build / "bin/vmaf"), "-r", reference, "-d", distorted, "-o", str(log), "--json",
                    "--threads", str(threads), "--backend", backend, *more]
        more += ["--model", model] if model else ["--no-model"]
        # Noise has no frames that are aligned, so that pairing by pictures would refuse it.
        return [str(self.args.build / "bin/acutance"), "score", reference, distorted, "-o", str(log), "--format",
                "json", "--threads", str(threads), "--backend", backend, "--align", "index", "--quiet", *more]

    def digest(self, log, frames):
        """The digest of a log without its speed. The log must be whole."""
        content = json.loads(log.read_text())
        if len(content["frames"]) != frames:
            raise Failed(f"{len(content['frames'])} of {frames} frames in a log that looks whole")
        content.pop("fps", None)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def run(self, command, **more):
        return subprocess.run(command, capture_output=True, text=True, timeout=self.args.patience, **more)

    def check_absent(self, folder, clip):
        left = [path.name for path in folder.iterdir() if path not in clip.paths]
        if left:
            raise Failed(f"a run that failed left {left}")

    def step(self, folder):
        dice, log = self.dice, folder / "log.json"
        self.tool = dice.choice(["vmaf", "acutance"])
        clip = Clip(folder, dice, may_differ=self.tool == "acutance")
        features = dice.sample(FEATURES, dice.randint(1, 3))
        model = dice.choice(MODELS) if dice.random() < 0.5 else None
        digests = {}
        for backend in self.backends:
            if backend == "emu" and clip.samples > EMULATED:
                continue
            run = self.run(self.command(clip, log, backend, features, model, dice.randint(1, 6)))
            if run.returncode < 0:
                raise Failed(f"signal {-run.returncode}: {run.args}\n{run.stderr}")
            if run.returncode != 0:  # no such device, or a picture too small for a feature: a message, no log
                self.check_absent(folder, clip)
                self.count(f"refused on {backend}")
                continue
            digests[backend] = self.digest(log, clip.frames)
            log.unlink()
            self.count(f"{self.tool} on {backend}")
        if len(set(digests.values())) > 1:
            raise Failed(f"backends differ: {digests} for {features}, {model}")
        if digests:
            faults = ["kill", "truncate", "delete", "fill_disk"] + (["resume"] if self.tool == "acutance" else [])
            fault = dice.choice(faults)
            getattr(self, fault)(folder, clip, log, features, model)
            if fault == "resume" and self.digest(log, clip.frames) not in digests.values():
                raise Failed(f"a resumed run has another log for {features}, {model}")

    def interfere(self, clip, log, features, model, disturb, what):
        """Disturbs a run at a random time; it leaves a whole log or none."""
        process = subprocess.Popen(self.command(clip, log, "cpu", features, model, 2), stderr=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        time.sleep(self.dice.random() * 0.02)
        disturb(process)
        if process.wait(self.args.patience) < 0 and what != "killed":
            raise Failed(f"signal {-process.returncode} where a file was {what}")
        self.whole_or_absent(log, clip)
        self.count(what)

    def kill(self, folder, clip, *run):
        fault = self.dice.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
        self.interfere(clip, *run, lambda process: process.send_signal(fault), "killed")

    def truncate(self, folder, clip, *run):
        size = self.dice.randint(0, clip.bytes_per_frame)
        self.interfere(clip, *run, lambda process: os.truncate(clip.paths[1], size), "truncated")

    def delete(self, folder, clip, *run):
        self.interfere(clip, *run, lambda process: clip.paths[0].unlink(), "deleted")

    def resume(self, folder, clip, log, features, model):
        command = [*self.command(clip, log, "cpu", features, model, 2), "--journal", str(folder / "journal")]
        for turn in range(4):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            time.sleep(self.dice.random() * 0.1)
            process.kill()
            process.wait(self.args.patience)
        run = self.run(command)
        if run.returncode != 0:
            raise Failed(f"{run.returncode} where a run continues: {run.stderr}")
        self.count("resumed")

    def fill_disk(self, folder, clip, log, features, model):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        run = self.run(self.command(clip, log, "cpu", features, model, 2), preexec_fn=limit)
        if run.returncode <= 0:
            raise Failed(f"a full disk went unnoticed, or ended by a signal: {run.returncode} {run.stderr}")
        if log.exists():
            raise Failed("a part of a log on a full disk")
        self.count("disk full")

    def whole_or_absent(self, log, clip):
        if log.exists():
            self.digest(log, clip.frames)
            log.unlink()
        for path in log.parent.glob("*.tmp*"):
            path.unlink()  # of a process that was killed

    def go(self):
        end = time.monotonic() + 60 * self.args.minutes
        worker = subprocess.Popen([sys.executable, __file__, "--build", str(self.args.build), "--worker",
                                   str(60 * self.args.minutes)], stdout=subprocess.PIPE, text=True)
        steps = 0
        try:
            while time.monotonic() < end:
                with tempfile.TemporaryDirectory() as folder:
                    self.step(pathlib.Path(folder))
                steps += 1
            text, _ = worker.communicate(timeout=self.args.patience)
        except subprocess.TimeoutExpired as hung:
            raise Failed(f"no end after {hung.timeout} s: {hung.cmd}") from hung
        finally:
            worker.kill()
            print(f"{steps} clips, seed {self.args.seed}: " +
                  ", ".join(f"{n} {w}" for w, n in sorted(self.counts.items())), flush=True)
        if worker.returncode != 0:
            raise Failed(f"the process with many sessions ended by {worker.returncode}: {text}")
        print(text.strip())


def session(library, dice):
    """One session of libvmaf's API; some are closed before their end."""
    context = ctypes.c_void_p()
    if library.vmaf_init(ctypes.byref(context), Configuration(0, dice.randint(0, 3), 1, 0, 1)) != 0:
        raise Failed("vmaf_init")
    for name in dice.sample([b"psnr", b"vif", b"adm", b"motion", b"cambi", b"ciede", b"float_ssim", b"float_vif"], 2):
        if library.vmaf_use_feature(context, name, None) != 0:
            raise Failed(f"vmaf_use_feature {name}")
    width, height = dice.choice([(320, 180), (352, 288)])  # cambi takes no less
    for index in range(dice.randint(1, 6)):
        pair = [Picture(), Picture()]
        for picture in pair:
            if library.vmaf_picture_alloc(ctypes.byref(picture), 1, 8, width, height) != 0:
                raise Failed("vmaf_picture_alloc")
            ctypes.memset(picture.data[0], dice.randrange(256), picture.stride[0] * height)
        if library.vmaf_read_pictures(context, ctypes.byref(pair[0]), ctypes.byref(pair[1]), index) != 0:
            raise Failed("vmaf_read_pictures")
    if dice.random() < 0.8 and library.vmaf_read_pictures(context, None, None, 0) != 0:
        raise Failed("flush")
    library.vmaf_close(context)


def resident_kb():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


def work(build, seconds):
    library = ctypes.CDLL(str(build / "lib/libvmaf.so.3"))
    library.vmaf_init.argtypes = [ctypes.c_void_p, Configuration]
    dice, begin, count, warm = random.Random(1), time.monotonic(), 0, None
    while time.monotonic() < begin + seconds:
        session(library, dice)
        count += 1
        if warm is None and time.monotonic() > begin + seconds / 10:
            warm = resident_kb()
    growth = resident_kb() - (warm or 0)
    print(f"{count} sessions in one process: {growth} KB more than after a tenth of them")
    return 0 if growth < LIMIT_KB else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--backends", default="emu", help="next to the CPU, with commas: cuda,vulkan")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--patience", type=float, default=600, help="seconds after which a run counts as hung")
    parser.add_argument("--worker", type=float, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.build = args.build.resolve()
    if args.worker is not None:
        return work(args.build, args.worker)
    try:
        Soak(args).go()
    except Failed as failure:
        print(f"soak: seed {args.seed}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
