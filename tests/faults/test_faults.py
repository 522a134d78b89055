"""Both commands where memory runs out: for every allocation of a short run that fails, and under limits on the address
space. Each run ends with its log, or with an error and without a log; none ends by a signal."""
import argparse
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import threading
import unittest

ARGS = None
LONG = os.environ.get("ACUTANCE_LONG_TESTS") == "1"


def write_clip(path, size, frames, seed):
    noise = random.Random(seed)
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{size[0]} H{size[1]} F25:1 Ip A1:1 C420jpeg\n".encode())
        for _ in range(frames):
            file.write(b"FRAME\n" + noise.randbytes(size[0] * size[1] * 3 // 2))


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log.json"

    def clips(self, size, frames):
        paths = [str(self.folder / f"{name}.y4m") for name in ("a", "b")]
        for seed, path in enumerate(paths):
            write_clip(path, size, frames, seed)
        return paths

    def commands(self, clips, threads, *more):
        return {"vmaf": [ARGS.vmaf, "-r", clips[0], "-d", clips[1], "-o", str(self.log), "--json", "--threads",
                         str(threads), "--backend", "cpu", *more],
                "acutance": [ARGS.acutance, "score", *clips, "-o", str(self.log), "--threads", str(threads),
                             "--backend", "cpu", "--quiet", "--align", "index", *more]}

    def check(self, run, what, expected=None):
        """Ends by no signal, and leaves a whole log or none. Returns whether it ended well."""
        self.assertGreaterEqual(run.returncode, 0, f"{what} ended by signal {-run.returncode}: {run.stderr}")
        self.assertNotEqual(run.returncode, 134, what)
        has_log = self.log.exists()
        if has_log and run.returncode != 0:
            self.assertIsNotNone(expected, f"{what} failed and left a log: {run.stderr}")
        if run.returncode == 0:
            self.assertTrue(has_log, f"{what} ended well without a log: {run.stderr}")
            if expected is not None:
                self.assertEqual(self.scores(), expected, what)
            self.log.unlink()
        else:
            if has_log and expected is not None:  # it failed in printing what the log has already
                self.assertEqual(self.scores(), expected, f"{what} failed: {run.stderr}")
                self.log.unlink()
            self.assertRegex(run.stderr, "(?i)memory|bad_alloc|system refuses|could not", what)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.suffix != ".y4m"], [], what)
        return run.returncode == 0

    def scores(self):
        """The log without its line of speed."""
        return [line for line in self.log.read_text().splitlines() if "fps" not in line]

    def test_every_allocation_may_fail(self):
        clips = self.clips((32, 32), 2)
        for threads in (1, 3):
            features = {"vmaf": ["--no_prediction", "--feature", "psnr", "--feature", "motion"],
                        "acutance": ["--no-model", "--feature", "psnr", "--feature", "motion"]}
            for name, more in features.items():
                command = self.commands(clips, threads, *more)[name]
                subprocess.run(command, check=True, capture_output=True)
                expected = self.scores()
                self.log.unlink()
                failures = undisturbed = n = 0
                while undisturbed < 3:
                    environment = dict(os.environ, LD_PRELOAD=ARGS.preload, FAIL_ALLOCATION_AT=str(n))
                    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
                    scored = self.check(run, f"{name} with {threads} threads, allocation {n}", expected)
                    failures += not scored
                    undisturbed = undisturbed + 1 if scored else 0
                    n += 1 if n < ARGS.most else 17
                self.assertGreater(failures, 50)

    def run_failing(self, command, n):
        environment = dict(os.environ, LD_PRELOAD=ARGS.preload, FAIL_ALLOCATION_AT=str(n))
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)

    def count_allocations(self, command):
        """How many a run makes, about: a failing one beyond them disturbs nothing."""
        low, high = 0, 1
        while self.run_failing(command, high).returncode != 0:
            low, high = high, 2 * high
            for path in self.out.iterdir():
                path.unlink()
        for path in self.out.iterdir():
            path.unlink()
        return high

    def results(self):
        """What a run leaves, without its times."""
        return {path.name: [line for line in path.read_text(errors="replace").splitlines()
                            if "fps" not in line and "frames/s" not in line and " s:" not in line]
                for path in sorted(self.out.iterdir()) if path.suffix in (".csv", ".json", ".xml")}

    def fail_some(self, command, tries):
        """Makes single allocations of a run fail, all over it: results are as without a failure, or there are none."""
        self.out = self.folder / "out"
        self.out.mkdir(exist_ok=True)
        plain = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        expected = self.results()
        for path in self.out.iterdir():
            path.unlink()
        count = self.count_allocations(command)
        failures = 0
        for n in random.Random(count).sample(range(count), min(tries, count)):
            what = f"{command[:2]}, allocation {n}"
            run = self.run_failing(command, n)
            self.assertGreaterEqual(run.returncode, 0, f"{what} ended by signal {-run.returncode}: {run.stderr}")
            found = self.results()
            if run.returncode == 0:
                self.assertEqual(found, expected, what)
            else:
                failures += 1
                self.assertRegex(run.stderr, "(?i)memory|bad_alloc|system refuses|could not", what)
                for name, lines in found.items():
                    self.assertEqual(lines, expected[name], what)
                if (self.out / "journal").exists():
                    again = subprocess.run(command, capture_output=True, text=True, timeout=60)
                    self.assertEqual(again.returncode, 0, f"{what}, then again: {again.stderr}")
                    self.assertEqual(self.results(), expected, what)
            for path in self.out.iterdir():
                path.unlink()
        self.assertGreater(failures, min(tries, count) // 8)

    def pair_of_a_late_video(self):
        """A reference, and its frames 3 to 23 with other samples here and there."""
        noise = random.Random(7)
        frames = [noise.randbytes(64 * 36 * 3 // 2) for _ in range(24)]
        paths = [str(self.folder / f"{name}.y4m") for name in ("ref", "dis")]
        for path, first in zip(paths, (0, 3)):
            with open(path, "wb") as file:
                file.write(b"YUV4MPEG2 W64 H36 F25:1 Ip A1:1 C420jpeg\n")
                for frame in frames[first:]:
                    file.write(b"FRAME\n" + (frame if first == 0 else frame[:-9] + bytes(9)))
        return paths

    def test_allocations_of_pairing_fitting_and_journals(self):
        clips = self.pair_of_a_late_video()
        out = self.folder / "out"
        score = [ARGS.acutance, "score", *clips, "--backend", "cpu", "--quiet", "--no-model", "--feature", "psnr",
                 "--threads", "2"]
        self.fail_some([*score, "--pairs-out", str(out / "pairs.csv"), "-o", str(out / "log.csv")], 60)
        pairs = self.folder / "pairs.csv"
        pairs.write_text("".join(f"{k + 3},{k}\n" for k in range(0, 20, 3)))
        self.fail_some([*score, "--align", str(pairs), "--crop", "48:24:8:6", "--scale", "32x18", "--scale-filter",
                        "lanczos", "-o", str(out / "log.json")], 60)
        self.fail_some([*score, "--align", "+3", "--journal", str(out / "journal"), "-o", str(out / "log.xml")], 40)
        self.fail_some([ARGS.acutance, "doctor", *clips], 40)
        self.fail_some([*score, "--align", "+3", "--json", "--segments", "2", "--report", str(out / "report.html"), "-o",
                        str(out / "log.csv")], 90)
        (self.folder / "encodes").mkdir()
        for name in ("1.y4m", "2.y4m"):
            os.link(clips[1], self.folder / "encodes" / name)
        self.fail_some([ARGS.acutance, "ladder", clips[0], str(self.folder / "encodes"), "--no-model", "--feature", "psnr",
                        "--by", "psnr_y", "--align", "+3", "--backend", "cpu", "--quiet"], 60)

    def test_allocations_of_vmaf_v1(self):
        clips = self.folder / "large.y4m", self.folder / "other.y4m"
        for seed, path in enumerate(clips):
            write_clip(path, (384, 216), 2, seed)
        log = ["-o", str(self.folder / "out" / "log.json")]
        self.fail_some([ARGS.vmaf, "-r", clips[0], "-d", clips[1], "-m", "version=vmaf_v1.0.16_3d0h", "--json",
                        "--backend", "cpu", *log], 30)
        self.fail_some([ARGS.acutance, "score", *clips, "--model", "auto", "--align", "index", "--backend", "cpu",
                        "--quiet", *log], 30)

    def test_limits_on_memory(self):
        clips = self.clips((1280, 720), 2)
        for limit, backend in (("--max-memory", "cpu"), ("--max-vram", "emu")):
            for name, command in self.commands(clips, 2, limit, "1M").items():
                command[command.index("--backend") + 1] = backend
                run = subprocess.run(command, capture_output=True, text=True, timeout=60)
                self.assertGreater(run.returncode, 0, f"{name} {limit}: {run.stderr}")
                self.assertRegex(run.stderr, "MB are allowed", f"{name} {limit}")
                self.assertFalse(self.log.exists())

    def most_memory(self, command, frames):
        """The most memory in MB that a run takes at once which reads two noisy 8K videos of 16 bits from pipes."""
        header = b"YUV4MPEG2 W7680 H4320 F25:1 Ip A1:1 C420p16 XYSCSS=420P16\n"
        noise = random.Random(8).randbytes(7680 * 4320 * 3 + 4096)
        pipes = [str(self.folder / f"{name}.pipe") for name in ("a", "b")]

        def feed(path, video):
            with open(path, "wb") as pipe:
                pipe.write(header)
                for frame in range(frames):  # each is another part of the noise
                    begin = 2 * (5 * frame + 3 * video)
                    pipe.write(b"FRAME\n")
                    pipe.write(memoryview(noise)[begin:begin + 7680 * 4320 * 3])

        for path in pipes:
            os.mkfifo(path)
        feeders = [threading.Thread(target=feed, args=(path, video)) for video, path in enumerate(pipes)]
        for feeder in feeders:
            feeder.start()
        with open(self.folder / "said", "w+") as said:
            process = subprocess.Popen(command(pipes), stdout=said, stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            self.assertEqual(process.returncode, 0, said.read())
        for feeder in feeders:
            feeder.join()
        for path in pipes:
            os.remove(path)
        return usage.ru_maxrss >> 10

    def test_8k_in_two_gigabytes(self):
        """In one for the older model, which pictures that are not freed exceed."""
        for model, gigabytes in (("vmaf_v0.6.1", 1), ("vmaf_v1.0.16_3d0h", 2)):
            limits = ["--max-memory", f"{gigabytes}G", "--threads", "16", "--backend", "cpu", "-q"]
            commands = {
                "vmaf": lambda pipes: [ARGS.vmaf, "-r", pipes[0], "-d", pipes[1], "-m", f"version={model}", *limits],
                "acutance": lambda pipes: [ARGS.acutance, "score", *pipes, "-m", model, "--align", "index", *limits],
            }
            for name, command in commands.items():
                if LONG or (name == "vmaf") == (gigabytes == 1):
                    most = self.most_memory(command, 14)
                    self.assertLess(most, 1024 * gigabytes, f"{name} {model}")

    @unittest.skipUnless(LONG, "takes a minute")
    def test_8k_on_a_device_of_one_gigabyte(self):
        """The emulator's memory is the host's: both together."""
        for model in ("vmaf_v0.6.1", "vmaf_v1.0.16_3d0h"):
            most = self.most_memory(lambda pipes: [ARGS.acutance, "score", *pipes, "-q", "-m", model, "--align", "index",
                                                   "--backend", "emu", "--max-vram", "1G", "--max-memory", "2G"], 3)
            self.assertLess(most, 3072, model)

    def test_few_threads(self):
        clips = self.clips((128, 96), 3)
        for name, command in self.commands(clips, 4).items():
            subprocess.run(command, check=True, capture_output=True)
            expected = self.scores()
            self.log.unlink()
            ended_well = 0
            for threads in range(10):
                environment = dict(os.environ, LD_PRELOAD=ARGS.preload, START_THREADS=str(threads))
                run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
                ended_well += self.check(run, f"{name} with {threads} threads of the system", expected)
            self.assertGreater(ended_well, 3, name)

    def test_little_address_space(self):
        clips = self.clips((1920, 1080), 4)
        for name, command in self.commands(clips, 4).items():
            program = os.path.getsize(command[0]) >> 20  # the system ends what it has no room to map
            for megabytes in range(program + 8, program + 168, 8):
                def limit():
                    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
                run = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, timeout=60)
                if "shared object" in run.stderr or "libraries" in run.stderr:
                    continue  # the loader had no room for the program
                self.check(run, f"{name} in {megabytes} MB")


def main():
    global ARGS
    parser = argparse.ArgumentParser()
    parser.add_argument("--vmaf", required=True)
    parser.add_argument("--acutance", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--most", type=int, default=1500, help="try every allocation up to this one, then each 17th")
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
