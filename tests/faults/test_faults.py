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
import unittest

ARGS = None


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

    def test_little_address_space(self):
        clips = self.clips((1920, 1080), 4)
        for megabytes in range(40, 200, 8):
            for name, command in self.commands(clips, 4).items():
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
