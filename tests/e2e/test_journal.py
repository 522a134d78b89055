"""Journals: runs that are killed and resumed, parts that are joined, and refusals."""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

from clips import ACUTANCE, CommandTest, noise, without_speed, y4m

assert sys.byteorder == "little", "the tests read journals of little-endian machines"

# Metrics with memory, one that looks at the reference alone, an aggregate, a bootstrap collection next to a single model.
FEATURES = ("-f", "motion=motion_five_frame_window=true", "-f", "float_motion", "-f",
            "psnr=enable_apsnr=true:enable_chroma=false")
HEAD = 16  # bytes of a record before its partial results: the frame and their number


class JournalTest(CommandTest):
    FRAMES = 48

    def setUp(self):
        super().setUp()
        # Another encode, with cuts that motion sees.
        mixed = [picture for pair in zip(self.clip("dis"), self.clip("ref")) for picture in pair][: self.FRAMES]
        self.other = self.video("other.y4m", mixed)
        self.journal = self.path("journal")

    def command(self, *args, videos=None, output="log.xml"):
        log = ("--output", self.path(output)) if output else ()
        return [ACUTANCE, "score", *(videos or (self.ref, self.dis)), *FEATURES, "-q", "--align", "index", *log,
                *map(str, args)]

    def run_score(self, *args, run_options=None, **options):
        return self.run_command(*self.command(*args, **options), **(run_options or {}))

    def log_of(self, *args, output="log.xml", **options):
        self.assert_ok(self.run_score(*args, output=output, **options))
        return without_speed(self.read(output))

    def whole(self, *args, **options):
        return self.log_of(*args, output="whole.xml", **options)

    def part(self, name, begin, end, *args, videos=None):
        path = self.path(name)
        self.assert_ok(self.run_score("--frames", f"{begin}:{end}", "--journal", path, *args, videos=videos,
                                      output="log.xml" if begin == 0 and not videos else None))
        return path

    def join(self, *journals, output="joined.xml"):
        return self.acutance("join", *journals, "--output", self.path(output))

    def joined(self, *journals):
        self.assert_ok(self.join(*journals))
        return without_speed(self.read("joined.xml"))

    def records(self, path):
        """The offsets at which records begin, and the size of the file."""
        with open(path, "rb") as file:
            data = file.read()
        at = data.index(b"\n\n") + 2 + 8
        offsets = []
        while at < len(data):
            offsets.append(at)
            at += HEAD + 8 * int.from_bytes(data[at + 8 : at + HEAD], "little") + 8
        return [*offsets, at]


class Killed(JournalTest):
    def kill_and_resume(self, kills, times, *args):
        """Scores the clips repeated `times` times; returns how many kills came between the first and the last frame."""
        self.frames = self.FRAMES * times
        videos = [self.video("long-" + name, self.clip(name) * times) for name in ("ref", "dis")]
        expected = self.whole(*args, videos=videos)
        command = self.command("--journal", self.journal, *args, videos=videos)
        begin = time.monotonic()
        self.assert_ok(self.run_command(*command))
        seconds = time.monotonic() - begin
        self.assertEqual(without_speed(self.read("log.xml")), expected)
        dice = random.Random(len(args))
        in_between = 0
        for _ in range(kills):
            for path in (self.path("log.xml"), self.journal):
                if os.path.exists(path):
                    os.remove(path)
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                time.sleep(dice.uniform(0, seconds))
                process.send_signal(signal.SIGKILL)
            in_between += 0 < self.frames_in(self.journal) < self.frames
            self.assert_ok(self.run_command(*command))
            self.assertEqual(without_speed(self.read("log.xml")), expected)
        return in_between

    def frames_in(self, path):
        try:
            return len(self.records(path)) - 1
        except (OSError, ValueError):  # no file yet, or an incomplete header
            return 0

    def test_at_20_times(self):
        self.assertGreater(self.kill_and_resume(20, 12, "--backend", "cpu", "-t", "2"), 0)

    def test_on_a_device(self):
        self.kill_and_resume(3, 1, "--backend", "emu", "--no-model", "-t", "2")

    def test_subsampling_and_two_models(self):
        self.kill_and_resume(5, 6, "--subsample", "3", "-m", "vmaf_v0.6.1neg", "--backend", "cpu")

    def test_at_every_frame(self):
        """The log depends on neither the journal's number of frames nor on backend and threads."""
        expected = self.whole("--backend", "cpu")
        self.log_of("--backend", "cpu", "--journal", self.journal)
        records = self.records(self.journal)
        shutil.copy(self.journal, self.path("all"))
        for n, offset in enumerate(records[:-1]):
            shutil.copy(self.path("all"), self.journal)
            os.truncate(self.journal, offset + (n * 5) % 24)
            os.remove(self.path("log.xml"))
            self.assertEqual(self.log_of("--backend", "cpu", "-t", 1 + n % 3, "--journal", self.journal), expected)

    def test_a_whole_journal_needs_no_frame(self):
        args = ("--backend", "cpu", "--journal", self.journal)
        self.log_of(*args)
        size = os.path.getsize(self.journal)
        self.assertEqual(self.log_of(*args), self.whole("--backend", "cpu"))
        self.assertEqual(os.path.getsize(self.journal), size)

    def test_a_part_is_resumed(self):
        expected = self.whole("--backend", "cpu")
        first, last = self.part("first", 0, 20), self.part("last", 20, "")
        os.truncate(last, self.records(last)[9] + 3)
        self.assert_fails(self.join(first, last), 1, "last is not at its end", "run its command again")
        self.part("last", 20, "")
        self.assertEqual(self.joined(first, last), expected)


class Refused(JournalTest):
    def test_another_command(self):
        begin = ("--backend", "cpu", "--journal", self.journal)
        self.log_of(*begin)
        size = os.path.getsize(self.journal)
        for args, videos, message in (
                (("--subsample", 2), None, "its subsample is '1', here it is '2'"),
                (("--frames", ":7"), None, "its frames is '0:', here it is '0:7'"),
                (("-f", "vif"), None, "its feature is 'nothing', here it is 'vif'"),
                (("-m", "vmaf_4k_v0.6.1"), None, "its model is 'vmaf_v0.6.1"),
                ((), (self.ref, self.other), "its distorted 1 is '"), ((), (self.other, self.dis), "its reference is '")):
            self.assert_fails(self.run_score(*begin, *args, videos=videos), 1, message)
        os.utime(self.dis, (1, 1))
        self.assert_fails(self.run_score(*begin), 1, "its distorted 1 modified is '")
        self.assertEqual(os.path.getsize(self.journal), size)

    def test_files_that_are_no_journal(self):
        for path in (self.ref, self.dis):
            before = os.path.getsize(path)
            self.assert_fails(self.run_score("--journal", path), 1, "no journal")
            self.assertEqual(os.path.getsize(path), before)
            self.assert_fails(self.join(path), 1, "no journal")
        for path, status, message in ((self.path("no/folder"), 1, "could not open"), ("/dev/full", 1, "not a regular file"),
                                      (self.path("log.xml"), 2, "would replace it")):
            self.assert_fails(self.run_score("--journal", path), status, message)
        self.assert_fails(self.join(self.path("none")), 1, "could not open journal")

    def test_standard_input(self):
        with open(self.dis, "rb") as file:
            result = self.run_score("--journal", self.journal, videos=(self.ref, "-"), run_options={"stdin": file.read()})
        self.assert_fails(result, 1, "a journal needs videos that are files", "-")

    def test_a_disk_that_is_full(self):
        """Simulated by a limit on the size of files."""
        self.log_of("--backend", "cpu", "--journal", self.journal)
        records = self.records(self.journal)
        os.remove(self.journal)
        os.remove(self.path("log.xml"))
        limit = records[10] + 5

        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        args = ("--backend", "cpu", "-t", 1, "--journal", self.journal)
        self.assert_fails(self.run_score(*args, run_options={"preexec_fn": limited}), 1, "could not write to journal")
        self.assertFalse(os.path.exists(self.path("log.xml")))
        self.assertEqual(os.path.getsize(self.journal), limit)
        self.assertEqual(self.log_of(*args), self.whole("--backend", "cpu"))

    def test_a_log_of_a_part(self):
        self.assert_fails(self.run_score("--journal", self.journal, "--frames", "3:"), 2, "--frames 3:", "acutance join")


class Joined(JournalTest):
    def assert_parts_join(self, *parts, options=("--backend", "cpu")):
        """Parts are (first frame, end, options)."""
        expected = self.whole(*options)
        paths = [self.part(f"part{n}", *part) for n, part in enumerate(parts)]
        for order in (paths, paths[::-1], paths[1:] + paths[:1]):
            self.assertEqual(self.joined(*order), expected)
        for path in paths:
            os.remove(path)

    def test_parts_in_any_order(self):
        self.assert_parts_join((0, 17), (17, 18, "--backend", "cpu"), (18, "", "-t", 3))
        for seam in (1, 2, 3, 4, 5, 47):
            self.assert_parts_join((0, seam), (seam, ""))
        self.assert_parts_join((0, 30), (10, 40), (20, ""), (5, 9))  # with overlaps

    def test_devices_agree(self):
        self.assert_parts_join((0, 10, "--no-model", "--backend", "cpu"), (8, 20, "--no-model", "--backend", "emu"),
                               (20, "", "--no-model", "--backend", "emu"), options=("--backend", "cpu", "--no-model"))

    def test_subsampling_and_options_of_models(self):
        args = ("--subsample", 5, "-m", "version=vmaf_v0.6.1:name=a:disable_clip:adm.adm_enhn_gain_limit=1", "-m",
                "vmaf_v0.6.1neg", "--backend", "cpu")
        self.assert_parts_join((0, 7, *args), (7, 31, *args), (31, "", *args), options=args)

    def test_several_videos(self):
        videos = (self.ref, self.dis, self.other)
        self.assert_ok(self.run_score(videos=videos, output="whole-{name}.json"))
        for name, frames_ in (("a", ":11"), ("b", "11:")):
            self.assert_ok(self.run_score("--frames", frames_, "--journal", self.path(name), videos=videos, output=None))
        self.assert_ok(self.join(self.path("b"), self.path("a"), output="joined-{name}.json"))
        for name in ("dis", "other"):
            self.assertEqual(without_speed(self.read(f"joined-{name}.json")),
                             without_speed(self.read(f"whole-{name}.json")))

    def rows(self, *journals):
        self.assert_ok(self.join(*journals, output="joined.rows"))
        return {column["name"]: column["values"] for column in json.loads(self.read("joined.rows"))["columns"]}

    def test_rows_have_times_and_pairs(self):
        columns = self.rows(self.part("a", 0, 20), self.part("b", 20, ""))
        self.assertEqual(columns["seconds"], [frame / 25 for frame in columns["frame"]])
        self.assertEqual(columns["reference_frame"], columns["frame"])
        self.assertEqual(set(columns["shot"]), {None}, "no picture is read")

    def test_rows_of_aligned_videos_have_no_invented_pairs(self):
        dice = random.Random(3)
        film = noise(dice, 64, 48, 60)
        ref, dis = (self.write(name, y4m(64, 48, pictures)) for name, pictures in
                    (("film.y4m", film), ("late.y4m", film[5:])))
        self.assert_ok(self.score(ref, dis, "-q", "-m", "vmaf_v0.6.1", "--align", "auto", "--journal", self.path("aligned")))
        columns = self.rows(self.path("aligned"))
        self.assertEqual(len(columns["frame"]), 55)
        self.assertEqual(set(columns["reference_frame"]) | set(columns["seconds"]), {None})

    def test_a_range_is_as_long_as_asked_for(self):
        parts = [self.part("a", 0, 12), self.part("b", 12, 20)]
        self.assertEqual(self.joined(*parts), self.log_of("--frames", ":20"))

    def test_gaps(self):
        a, b, c = self.part("a", 0, 10), self.part("b", 15, 20), self.part("c", 21, "")
        self.assert_fails(self.join(a, b), 1, "frames 10 to 14 are in none of the journals")
        self.assert_fails(self.join(b, c), 1, "frames 0 to 14 are in none of the journals")
        d = self.part("d", 10, 15)
        self.assert_fails(self.join(a, b, c, d), 1, "frame 20 is in none of the journals")
        os.truncate(a, self.records(a)[8])
        self.assert_fails(self.join(a, d), 1, "frames 8 to 9 are", "a is not at its end")

    def test_clips_that_differ(self):
        a = self.part("a", 0, 10)
        b = self.part("b", 10, "", videos=(self.ref, self.other))
        self.assert_fails(self.join(a, b), 1, "its distorted 1 is '")
        c = self.part("c", 10, "", "--subsample", 2)
        self.assert_fails(self.join(a, c), 1, "its subsample is '2', here it is '1'")

    def test_results_that_differ(self):
        """Two results of a frame, both with valid checksums."""
        a, b = self.part("a", 0, 10), self.part("b", 5, "")
        self.assertEqual(self.change_last_result(a), 9)
        self.assert_fails(self.join(a, b), 1, "different results for frame 9")

    def change_last_result(self, path):
        """Changes the last bits of the last frame's record; returns the frame."""
        def fnv(data, value):
            for byte in data:
                value = (value ^ byte) * 0x100000001B3 % 2**64
            return value

        with open(path, "rb") as file:
            data = bytearray(file.read())
        header = data.index(b"\n\n") + 2
        begin, end = self.records(path)[-3:-1]  # before the record of the end
        data[end - 9] ^= 1
        checksum = fnv(data[begin : end - 8], fnv(data[:header], 0xCBF29CE484222325))
        data[end - 8 : end] = checksum.to_bytes(8, "little")
        with open(path, "wb") as file:
            file.write(data)
        return int.from_bytes(data[begin : begin + 8], "little")

    def test_a_part_behind_the_end(self):
        result = self.run_score("--frames", "99:", "--journal", self.journal, output=None)
        self.assert_fails(result, 1, "a video ends before frame 99")
