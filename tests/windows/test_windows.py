#!/usr/bin/env python3
"""Tests what Windows has of its own, under wine: names, long paths, drive letters, pipes, line ends, shared files, its console,
FFmpeg's DLLs.

usage: test_windows.py FOLDER_OF_WINDOWS_COMMANDS FOLDER_OF_COMMANDS_HERE
"""
import csv
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, FRAMES = 64, 48, 5
WINDOWS = HERE = None


def clip(shift):
    planes = [bytes((40 + 3 * x + 2 * y + 5 * k + shift * (x * 7 + y * 13 + k) % 9) % 256 for y in range(HEIGHT) for x in range(WIDTH))
              + bytes([128]) * (WIDTH * HEIGHT // 2) for k in range(FRAMES)]
    return f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420jpeg\n".encode() + b"".join(b"FRAME\n" + plane for plane in planes)


def drive_path(path):
    """A path of this machine as a program of Windows has it: wine's drive Z is the root."""
    return "Z:" + str(path).replace("/", "\\")


def without_speed(log):
    return re.sub(rb'\n *"fps": .*', b"", log)


class WindowsTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.write(self.folder)

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for name, shift in (("ref.y4m", 0), ("dis.y4m", 1)):
            (folder / name).write_bytes(clip(shift))

    def run_at(self, commands, name, *words, **options):
        return subprocess.run([commands / name, *map(str, words)], capture_output=True, timeout=300, check=False, **options)

    def log_of(self, commands, folder, log="log.json", ref=None, dis=None, words=("--feature", "psnr"), **options):
        done = self.run_at(commands, "vmaf", "-r", ref or folder / "ref.y4m", "-d", dis or folder / "dis.y4m", "--no_prediction",
                           *words, "--json", "-o", folder / log if ":" not in log else log, "-q", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return without_speed((self.folder / log.rsplit("\\", 1)[-1] if ":" in log else folder / log).read_bytes())

    def test_log_has_the_same_bytes(self):
        log = self.log_of(WINDOWS, self.folder, "windows.json")
        self.assertEqual(log, self.log_of(HERE, self.folder, "here.json"))
        self.assertNotIn(b"\r", log)

    def test_names_of_any_script(self):
        expected = self.log_of(HERE, self.folder)
        for name in ("кодек", "映像", "a b 'c'"):
            with self.subTest(name):
                self.write(self.folder / name)
                self.assertEqual(self.log_of(WINDOWS, self.folder / name, f"{name}.json"), expected)

    def test_paths_of_more_than_300_characters(self):
        deep = self.folder.joinpath(*["x" * 60] * 6)
        self.write(deep)
        self.assertEqual(self.log_of(WINDOWS, deep), self.log_of(HERE, self.folder))

    def test_drive_letters(self):
        at = drive_path(self.folder)
        log = self.log_of(WINDOWS, self.folder, f"{at}\\log.json", f"{at}\\ref.y4m", f"{at}\\dis.y4m")
        self.assertEqual(log, self.log_of(HERE, self.folder))

    def test_drive_letter_in_an_option(self):
        model = next(pathlib.Path("models").resolve().rglob("vmaf_v0.6.1.json"))
        for path in (drive_path(model), drive_path(model).replace("\\", "/")):
            log = self.folder / "log.json"
            done = self.run_at(WINDOWS, "vmaf", "-r", self.folder / "ref.y4m", "-d", self.folder / "dis.y4m", "-m",
                               f"path={path}:name=mine", "--json", "-o", log, "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("mine", json.loads(log.read_text())["pooled_metrics"])

    def test_pipe(self):
        with subprocess.Popen([WINDOWS / "vmaf", "-r", "-", "-d", self.folder / "dis.y4m", "--no_prediction", "--feature", "psnr",
                               "--json", "-o", self.folder / "log.json", "-q"], stdin=subprocess.PIPE) as run:
            data = clip(0)
            for begin in range(0, len(data), 5000):
                run.stdin.write(data[begin:begin + 5000])
                run.stdin.flush()
                time.sleep(0.01)
            run.stdin.close()
            self.assertEqual(run.wait(300), 0)
        self.assertEqual(without_speed((self.folder / "log.json").read_bytes()), self.log_of(HERE, self.folder, "here.json"))

    def test_a_leading_slash_begins_a_path(self):
        done = self.run_at(WINDOWS, "acutance", "score", self.folder / "ref.y4m", self.folder / "dis.y4m", "--feature", "psnr",
                           "--no-model", "--align", "index", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def in_console(self, program, *words):
        """Runs a program of tests/windows in a console, where its libraries are."""
        source = pathlib.Path(__file__).with_name(f"{program}.c")
        subprocess.run(["x86_64-w64-mingw32-gcc-posix", "-o", self.folder / f"{program}.exe", source], check=True)
        wine = re.search(r"exec (\S+)", (WINDOWS / "vmaf").read_text())[1]
        line = shlex.join([wine, f"{program}.exe", *words])
        subprocess.run(["script", "-qec", line, "/dev/null"], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=60, check=True)

    def command_line(self, name, words):
        return f'"{drive_path(WINDOWS.parent / "bin" / name)}.exe" {words}'

    def test_ctrl_c_ends_a_wait_for_a_pipe(self):
        for name, words, status in (
                ("vmaf", "--no_prediction --feature psnr -q -r - -d", 0),  # wine's status of a program without a handler
                ("acutance", "score --feature psnr --no-model -q -", 130)):
            with self.subTest(name):
                self.in_console("interrupt", "ref.y4m", "5000", "out",
                                self.command_line(name, f"{words} {drive_path(self.folder)}\\dis.y4m"))
                found, milliseconds = map(int, (self.folder / "out").read_text().split())
                self.assertEqual(found, status)
                self.assertLess(milliseconds, 5000)

    def test_console_of_another_code_page(self):
        for name, words in (("acutance", "score кодек.y4m 映像.y4m"), ("vmaf", "-r кодек.y4m -d 映像.y4m")):
            with self.subTest(name):
                self.in_console("console", "out", self.command_line(name, words))
                page, shown = (self.folder / "out").read_text(encoding="utf-8").split("\n", 1)
                self.assertEqual(page, "866", "the code page is not as it was")
                self.assertIn("кодек.y4m", shown)

    def test_messages_in_a_pipe_are_utf_8(self):
        done = self.run_at(WINDOWS, "acutance", "score", self.folder / "кодек.y4m", self.folder / "映像.y4m")
        self.assertIn("кодек.y4m", done.stderr.decode())
        self.assertNotIn(b"\r", done.stderr)

    def test_compressed_files(self):
        for ending, words in (("mp4", ["libx264"]), ("mkv", ["libx265", "-pix_fmt", "yuv420p10le", "-x265-params", "log-level=none"])):
            with self.subTest(ending):
                pair = [self.folder / f"{name}.{ending}" for name in ("кодек", "映像")]
                for source, made in zip(("ref.y4m", "dis.y4m"), pair):
                    subprocess.run(["ffmpeg", "-loglevel", "error", "-i", self.folder / source, "-c:v", *words, made], check=True)
                logs = [self.log_of(commands, self.folder, log, *pair) for commands, log in ((WINDOWS, "w.json"), (HERE, "h.json"))]
                self.assertEqual(*logs)

    def same_end(self, *words):
        """The status, the messages and the log of a run, which are those of the run here."""
        ends = []
        for commands in (WINDOWS, HERE):
            log = self.folder / "log.json"
            log.unlink(missing_ok=True)
            done = self.run_at(commands, "vmaf", *words, "--feature", "psnr", "--json", "-o", log, "-q")
            said = done.stderr.replace(b": I/O error\n", b": Input/output error\n")  # as FFmpeg words it there
            ends.append((done.returncode, said, without_speed(log.read_bytes()) if log.exists() else None))
        self.assertEqual(*ends)
        return ends[0]

    def test_whole_and_damaged_files_of_the_fuzz_targets(self):
        seeds, dice = self.folder / "seeds", random.Random(1)
        subprocess.run([sys.executable, "-B", ROOT / "tests/fuzz/seeds.py", seeds], check=True)
        start = {"fuzz_y4m": b"YUV4MPEG2"}  # in the place of the byte that tells a target how to read
        ends = []
        for path in sorted([*seeds.glob("fuzz_y4m/*"), *seeds.glob("fuzz_container/*")]):
            whole = start.get(path.parent.name, b"") + path.read_bytes()[1:]
            path.write_bytes(whole)
            damaged = bytearray(whole)
            for _ in range(8):
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            for data in (whole, whole[:len(whole) // 2], bytes(damaged)):
                other = path.with_name(f"other-{path.name}")
                other.write_bytes(data)
                with self.subTest(path.name, bytes=len(data)):
                    ends.append(self.same_end("-r", path, "-d", other, "--no_prediction"))
        self.assertEqual({status == 0 for status, _, _ in ends}, {True, False})
        for path in sorted(seeds.glob("fuzz_model/*")):
            whole = path.read_bytes()
            for data in (whole, whole[:len(whole) // 2]):
                path.write_bytes(data)
                with self.subTest(path.name, bytes=len(data)):
                    self.same_end("-r", self.folder / "ref.y4m", "-d", self.folder / "dis.y4m", "-m", f"path={path}")

    def batch(self, folder, lines, name="list.csv"):
        (folder / name).write_bytes("".join(f"{line}\r\n" for line in ["reference,distorted,name", *lines]).encode())
        return self.run_at(WINDOWS, "acutance", "batch", drive_path(folder / name), "--out", drive_path(folder / "out"), "--",
                           "--feature", "psnr", "--no-model", "--align", "index")

    def summary(self, folder):
        with open(folder / "out" / "summary.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_batch_with_line_ends_of_windows_and_names_of_any_script(self):
        folder = self.folder / "映像"
        self.write(folder)
        at = drive_path(folder)
        done = self.batch(folder, [f"{at}\\ref.y4m,{at}\\dis.y4m,кодек"], "список.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["status"] for row in self.summary(folder)], ["ok"])
        self.assertTrue((folder / "out" / "кодек.json").exists())

    def test_batch_says_why_a_pair_failed(self):
        at = drive_path(self.folder)
        done = self.batch(self.folder, [f"{at}\\ref.y4m,{at}\\none.y4m,a", f"{at}\\ref.y4m,{at}\\dis.y4m,b"])
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = self.summary(self.folder)
        self.assertEqual([row["status"] for row in rows], ["failed", "ok"])
        self.assertIn("none.y4m", rows[0]["error"])
        self.assertIn("none.y4m", (self.folder / "out" / "a.log").read_text(encoding="utf-8"))

    def test_files_with_names_of_any_script_that_are_no_videos(self):
        folder = self.folder / "карты"
        self.write(folder)
        model = next(pathlib.Path("models").resolve().rglob("vmaf_v0.6.1.json"))
        shutil.copy(model, folder / "モデル.json")
        (folder / "части.csv").write_bytes(b"0f first\r\n3f last\r\n")
        written = ["итог.json", "отчёт.html"]
        done = self.run_at(WINDOWS, "acutance", "score", folder / "ref.y4m", folder / "dis.y4m", "-m", folder / "モデル.json",
                           "--align", "index", "--output", folder / written[0], "--report", folder / written[1],
                           "--segments", folder / "части.csv", "--maps", folder / "地図", "--worst", "1", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([name for name in written if not (folder / name).exists()], [])
        self.assertIn("モデル", json.loads((folder / written[0]).read_text(encoding="utf-8"))["pooled_metrics"])
        self.assertNotEqual(os.listdir(folder / "地図"), [])

    def test_file_that_another_program_writes(self):
        with open(self.folder / "ref.y4m", "r+b") as held:
            held.seek(0, 2)
            self.assertEqual(self.log_of(WINDOWS, self.folder), self.log_of(HERE, self.folder, "here.json"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    WINDOWS, HERE = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
