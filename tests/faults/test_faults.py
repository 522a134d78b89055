"""Both commands without memory: with each allocation of a short run failing, and under limits on the address space. Each
run ends with its log, or with an error and without a log; none ends by a signal."""
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


def run(command, **environment):
    """Runs a command, in which $FAIL_ALLOCATION_AT and $START_THREADS may fail it."""
    preloaded = {"LD_PRELOAD": ARGS.preload} if environment else {}
    return subprocess.run([str(word) for word in command], env=dict(os.environ, **preloaded, **environment),
                          capture_output=True, text=True, timeout=60, check=False)


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log, self.out = self.folder / "log.json", self.folder / "out"

    def clips(self, size, frames):
        paths = [self.folder / f"{name}.y4m" for name in ("a", "b")]
        for seed, path in enumerate(paths):
            write_clip(path, size, frames, seed)
        return paths

    def commands(self, clips, threads, *more):
        return {"vmaf": [ARGS.vmaf, "-r", clips[0], "-d", clips[1], "-o", self.log, "--json", "--threads",
                         str(threads), "--backend", "cpu", *more],
                "acutance": [ARGS.acutance, "score", *clips, "-o", self.log, "--threads", str(threads),
                             "--backend", "cpu", "--quiet", "--align", "index", *more]}

    def assert_explained(self, result, what):
        """The run ended by no signal and, where it failed, names memory as the reason."""
        self.assertGreaterEqual(result.returncode, 0, f"{what} ended by signal {-result.returncode}: {result.stderr}")
        self.assertNotEqual(result.returncode, 134, what)
        if result.returncode != 0:
            self.assertRegex(result.stderr, "(?i)memory|bad_alloc|system refuses|could not", what)

    def check(self, result, what, expected=None):
        """A whole log or none is left. Returns whether the run ended well."""
        self.assert_explained(result, what)
        has_log = self.log.exists()
        if result.returncode == 0:
            self.assertTrue(has_log, f"{what} ended well without a log: {result.stderr}")
        elif has_log:  # it failed at printing what the log has already
            self.assertIsNotNone(expected, f"{what} failed and left a log: {result.stderr}")
        if has_log:
            if expected is not None:
                self.assertEqual(self.scores(), expected, f"{what}: {result.stderr}")
            self.log.unlink()
        self.assertEqual([path.name for path in self.folder.iterdir() if path.suffix != ".y4m"], [], what)
        return result.returncode == 0

    def scores(self):
        """The log without its line of speed."""
        return [line for line in self.log.read_text().splitlines() if "fps" not in line]

    def undisturbed(self, command):
        """The scores of a run without a fault."""
        self.assertEqual(run(command).returncode, 0)
        scores = self.scores()
        self.log.unlink()
        return scores

    def test_every_allocation_may_fail(self):
        clips = self.clips((32, 32), 2)
        features = ["--feature", "psnr", "--feature", "motion"]
        for threads in (1, 3):
            for name, command in self.commands(clips, threads, *features).items():
                command.append("--no_prediction" if name == "vmaf" else "--no-model")
                expected = self.undisturbed(command)
                failures = undisturbed = n = 0
                while undisturbed < 3:
                    scored = self.check(run(command, FAIL_ALLOCATION_AT=str(n)),
                                        f"{name} with {threads} threads, allocation {n}", expected)
                    failures += not scored
                    undisturbed = undisturbed + 1 if scored else 0
                    n += 1 if n < ARGS.most else 17
                self.assertGreater(failures, 50)

    def take_results(self):
        """What a run leaves in its folder, which is then empty, without its times."""
        found = {path.name: [line for line in path.read_text(errors="replace").splitlines()
                             if "fps" not in line and "frames/s" not in line and " s:" not in line]
                 for path in sorted(self.out.iterdir()) if path.suffix in (".csv", ".json", ".xml")}
        for path in self.out.iterdir():
            path.unlink()
        return found

    def count_allocations(self, command):
        """About the number of a run's allocations: a failing one beyond them disturbs nothing."""
        count = 1
        while run(command, FAIL_ALLOCATION_AT=str(count)).returncode != 0:
            count *= 2
            self.take_results()
        self.take_results()
        return count

    def fail_some(self, command, tries):
        """Makes single allocations all over a run fail: results are as without a failure, or there are none."""
        self.out.mkdir(exist_ok=True)
        plain = run(command)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        expected = self.take_results()
        count = self.count_allocations(command)
        failures = 0
        for n in random.Random(count).sample(range(count), min(tries, count)):
            what = f"{command[:2]}, allocation {n}"
            result = run(command, FAIL_ALLOCATION_AT=str(n))
            self.assert_explained(result, what)
            failures += result.returncode != 0
            if result.returncode != 0 and (self.out / "journal").exists():
                again = run(command)
                self.assertEqual(again.returncode, 0, f"{what}, then again: {again.stderr}")
                self.assertEqual(self.take_results(), expected, what)
            else:
                found = self.take_results()
                self.assertEqual(found, expected if result.returncode == 0 else {name: expected[name] for name in found}, what)
        self.assertGreater(failures, min(tries, count) // 8)

    def pair_of_a_late_video(self):
        """A reference, and its frames 3 to 23 with some other samples."""
        reference, distorted = (self.folder / f"{name}.y4m" for name in ("ref", "dis"))
        write_clip(reference, (64, 36), 24, 7)
        header, *frames = reference.read_bytes().split(b"FRAME\n")
        distorted.write_bytes(header + b"".join(b"FRAME\n" + frame[:-9] + bytes(9) for frame in frames[3:]))
        return reference, distorted

    def test_allocations_of_pairing_fitting_and_journals(self):
        clips = self.pair_of_a_late_video()
        out = self.out
        score = [ARGS.acutance, "score", *clips, "--backend", "cpu", "--quiet", "--no-model", "--feature", "psnr",
                 "--threads", "2"]
        self.fail_some([*score, "--pairs-out", out / "pairs.csv", "-o", out / "log.csv"], 60)
        pairs = self.folder / "pairs.csv"
        pairs.write_text("".join(f"{k + 3},{k}\n" for k in range(0, 20, 3)))
        self.fail_some([*score, "--align", pairs, "--crop", "48:24:8:6", "--scale", "32x16", "--scale-filter", "lanczos", "-o",
                        out / "log.json"], 60)
        self.fail_some([*score, "--align", "+3", "--journal", out / "journal", "-o", out / "log.xml"], 40)
        self.fail_some([ARGS.acutance, "doctor", *clips], 40)
        self.fail_some([*score, "--align", "+3", "--json", "--segments", "2", "--report", out / "report.html", "-o",
                        out / "log.csv"], 90)
        (self.folder / "encodes").mkdir()
        for name in ("1.y4m", "2.y4m"):
            os.link(clips[1], self.folder / "encodes" / name)
        self.fail_some([ARGS.acutance, "ladder", clips[0], self.folder / "encodes", "--no-model", "--feature", "psnr",
                        "--by", "psnr_y", "--align", "+3", "--backend", "cpu", "--quiet"], 60)

    def test_allocations_of_vmaf_v1(self):
        clips, log = self.clips((384, 216), 2), ["-o", self.out / "log.json"]
        self.fail_some([ARGS.vmaf, "-r", clips[0], "-d", clips[1], "-m", "version=vmaf_v1.0.16_3d0h", "--json",
                        "--backend", "cpu", *log], 30)
        self.fail_some([ARGS.acutance, "score", *clips, "--model", "auto", "--align", "index", "--backend", "cpu",
                        "--quiet", *log], 30)

    def test_limits_on_memory(self):
        clips = self.clips((1280, 720), 2)
        for limit, backend in (("--max-memory", "cpu"), ("--max-vram", "emu")):
            for name, command in self.commands(clips, 2, limit, "1M").items():
                command[command.index("--backend") + 1] = backend
                result = run(command)
                self.assertGreater(result.returncode, 0, f"{name} {limit}: {result.stderr}")
                self.assertRegex(result.stderr, "MB are allowed", f"{name} {limit}")
                self.assertFalse(self.log.exists())

    def most_memory(self, command, frames):
        """Peak memory in MB of a run that reads two noisy 8K videos of 16 bits from pipes."""
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
        with open(self.folder / "output", "w+") as output:
            process = subprocess.Popen(command(pipes), stdout=output, stderr=output)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            self.assertEqual(process.returncode, 0, output.read())
        for feeder in feeders:
            feeder.join()
        for path in pipes:
            os.remove(path)
        return usage.ru_maxrss >> 10

    def test_8k_in_two_gigabytes(self):
        """In one for the older model, which pictures that are not freed would exceed."""
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
            expected = self.undisturbed(command)
            ended_well = 0
            for threads in range(10):
                ended_well += self.check(run(command, START_THREADS=str(threads)), f"{name} with {threads} threads of the system",
                                         expected)
            self.assertGreater(ended_well, 3, name)

    def test_little_address_space(self):
        clips = self.clips((1920, 1080), 4)
        for name, command in self.commands(clips, 4).items():
            program = os.path.getsize(command[0]) >> 20  # the system ends what it has no room to map
            for megabytes in range(program + 8, program + 168, 8):
                def limit():
                    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
                result = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, timeout=60)
                if "shared object" in result.stderr or "libraries" in result.stderr:
                    continue  # the loader had no room for the program
                self.check(result, f"{name} in {megabytes} MB")


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
