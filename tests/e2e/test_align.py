"""Alignment: offsets, drops, rates, pipes, files of pairs, and refusals."""
import csv
import io
import json
import math
import os
import re
import wave

from clips import ACUTANCE, CommandTest, needs_ffmpeg

WIDTH, HEIGHT, COUNT = 96, 54, 90


def picture(t, worse, seed=0):
    """A spot on a path that does not close, in front of slanted stripes."""
    cx, cy = 48 + 33 * math.sin(0.11 * t + seed), 27 + 18 * math.sin(0.083 * t + 1)
    rows = [[60 + x // 2 + ((x + (2 + seed) * y) // 8 % 2) * 20 for x in range(WIDTH)] for y in range(HEIGHT)]
    for y in range(max(0, int(cy) - 12), min(HEIGHT, int(cy) + 13)):
        for x in range(max(0, int(cx) - 12), min(WIDTH, int(cx) + 13)):
            near = 1 - math.hypot(x - cx, y - cy) / 12
            if near > 0:
                rows[y][x] = min(255, int(rows[y][x] + 120 * near))
    samples = [value * 15 // 16 + 6 + (x * 7 + y * 3 + t) % 4 if worse else value
               for y, row in enumerate(rows) for x, value in enumerate(row)]
    return bytes(samples) + bytes([128]) * (WIDTH * HEIGHT // 2)


REFERENCE = [picture(t, False) for t in range(COUNT)]
ENCODE = [picture(t, True) for t in range(COUNT)]


def pictures(count, worse=False):
    """The first pictures of the reference or of its encode."""
    known = ENCODE if worse else REFERENCE
    return known[:count] + [picture(t, worse) for t in range(len(known), count)]


class AlignTest(CommandTest):
    WIDTH, HEIGHT = WIDTH, HEIGHT

    @classmethod
    def clip(cls, kind):
        return REFERENCE if kind == "ref" else ENCODE

    def encode(self, frames, rate="F25:1", name="dis.y4m"):
        """A video of these frames of the encode."""
        encode = pictures(max(frames, default=0) + 1, True)
        return self.video(name, [encode[t] for t in frames], f"{rate} Ip A1:1 C420jpeg")

    def film(self, *parts):
        """Makes the pictures of the reference."""
        self.ref = self.video("ref.y4m", [picture for part in parts for picture in part])

    def refuse(self, distorted, *fragments, status=1, options=()):
        self.assert_fails(self.score(self.ref, distorted, *options), status, *fragments)

    def scored(self, *args, **options):
        """The pairs, the line about them, and the log."""
        result = self.score(self.ref, *args, "-q", "--pairs-out", self.path("p.csv"), "-o", self.path("l.csv"),
                            "--precision", "max", **options)
        self.assert_ok(result)
        pairs = [(int(row["reference_frame"]), int(row["distorted_frame"]))
                 for row in csv.DictReader(io.StringIO(self.read("p.csv")))]
        line = next((line for line in result.stdout.decode().splitlines() if line.startswith("pairs")), "")
        return pairs, line, self.read("l.csv")


class Pairs(AlignTest):
    def test_frame_by_frame_is_as_by_index(self):
        dis = self.encode(range(COUNT))
        pairs, line, log = self.scored(dis)
        self.assertEqual(pairs, [(k, k) for k in range(COUNT)])
        self.assertIn("frame by frame; confidence 0.99", line)
        self.assertEqual(self.scored(dis, "--align", "index"), (pairs, "", log))

    def test_offsets(self):
        pairs, line, log = self.scored(self.encode(range(20, COUNT)))
        self.assertEqual(pairs, [(k + 20, k) for k in range(COUNT - 20)])
        self.assertIn("distorted[0] = reference[20] (20 frames missing at the start); confidence 0.99", line)
        self.assertEqual(self.scored(self.path("dis.y4m"), "--align", "-20")[::2], (pairs, log))
        self.assertEqual(self.scored(self.path("dis.y4m"), "--align", self.path("p.csv"))[::2], (pairs, log))

    def test_a_stream_begins_again_where_the_alignment_changes(self):
        dis = self.encode([t for t in range(COUNT) if t != 60] + [COUNT - 1])  # as long as the reference
        args = (self.ref, dis, "--no-model", "-f", "psnr", "-q", "--precision", "max", "-o", self.path("l.json"))
        lines = self.events(*args)
        starts = [k for k, line in enumerate(lines) if line["event"] == "start"]
        self.assertGreater(len(starts), 1)  # otherwise this clip tests nothing
        frames = [line for line in lines[starts[-1]:] if line["event"] == "frame"]
        self.assertEqual([line["frame"] for line in frames], list(range(len(frames))))
        self.assertEqual([line["scores"] for line in frames],
                         [frame["metrics"] for frame in json.loads(self.read("l.json"))["frames"]])

    def test_verdicts_from_a_part_of_the_frames(self):
        self.film(pictures(230))
        args = ("-q", "-m", "vmaf_v0.6.1")
        for name, frames in (("early.y4m", range(7, 230)), ("same.y4m", range(230))):
            dis = self.encode(frames, name=name)
            mean = self.mean(self.ref, dis, *args)
            text = self.assert_ok(self.score(self.ref, dis, *args, "--at-least", mean - 0.001))
            self.assertIn(f" of {len(frames)} frames", text)
            self.assertEqual(self.score(self.ref, dis, *args, "--at-least", mean + 0.001).returncode, 3)
        dropped = self.encode([t for t in range(230) if t not in (110, 111)], name="dropped.y4m")
        self.assert_fails(self.score(self.ref, dropped, *args, "--at-least", "1"), 1, "distorted[0] = reference[2]",
                          "no fixed partner")
        self.assertEqual(self.score(self.ref, dropped, *args, "--at-most", "90", "--align", "index").returncode, 0)
        self.assert_fails(self.score(self.ref, self.fifo("pipe"), *args, "--at-least", "1"), 1, "out of order: name files")

    def test_a_gate_that_failed_before_the_alignment_changed(self):
        dis = self.encode([t for t in range(COUNT) if t != 60] + [COUNT - 1])  # as long as the reference
        args = (self.ref, dis, "--no-model", "-f", "psnr", "-q", "-o", self.path("l.json"))
        self.assert_ok(self.score(*args))
        frames = json.loads(self.read("l.json"))["frames"]
        os.remove(self.path("l.json"))
        gate = f"psnr_y.min>={min(frame['metrics']['psnr_y'] for frame in frames) - 0.01}"
        self.assertIn("the requirement holds", self.assert_ok(self.score(*args, "--require", gate, "--fail-fast")))
        self.assertEqual(json.loads(self.read("l.json"))["frames"], frames)

    def test_offsets_of_long_videos(self):
        # Longer than the first part, from which the offset is estimated.
        count = 230
        self.film(pictures(count))
        for frames in (range(20, count), range(20, 200)):
            dis = self.encode(frames)
            pairs, line, log = self.scored(dis)
            self.assertEqual(pairs, [(t, k) for k, t in enumerate(frames)])
            self.assertIn("distorted[0] = reference[20] (20 frames missing at the start); confidence 0.99", line)
            self.assertEqual(self.scored(dis, "--align", "-20")[::2], (pairs, log))
        late = self.video("late.y4m", pictures(count)[15:])
        result = self.score(late, self.encode(range(count)), "--json")
        self.assertEqual(json.loads(self.assert_ok(result))["results"][0]["alignment"]["late"], 15)
        self.assertNotIn(b"ended before", result.stderr)
        # Later frames contradict the estimate.
        frames = [t for t in range(20, count) if t not in (170, 171)]
        pairs, line, _ = self.scored(self.encode(frames))
        self.assertEqual(pairs, [(t, k) for k, t in enumerate(frames)])
        self.assertIn("distorted[0] = reference[20] (20 frames missing at the start); 2 frames missing", line)

    def test_a_late_video(self):
        self.film(REFERENCE[15:])
        pairs, line, _ = self.scored(self.encode(range(COUNT)))
        self.assertEqual(pairs, [(k, k + 15) for k in range(COUNT - 15)])
        self.assertIn("distorted[15] = reference[0] (15 frames more at the start)", line)

    def test_drops_and_repeats_in_the_middle(self):
        frames = [t for t in range(COUNT) if t not in (60, 61)]
        frames.insert(31, 30)
        self.assertEqual(self.scored(self.encode(frames))[1].split("      ")[1],
                         "2 frames missing; 1 frame repeated; confidence 0.99")
        alignment = self.summary(self.ref, self.path("dis.y4m"))["results"][0]["alignment"]
        self.assertEqual((alignment["unmatched_reference"], alignment["unmatched_distorted"]), ([60, 61], [31]))
        self.assertEqual((alignment["by"], alignment["pairs"], alignment["late"]), ("signatures", COUNT - 2, 0))

    def test_held_frames_are_scored_as_the_viewer_sees_them(self):
        gaps = list(range(20, 26)) + [60, 61]
        for name, frames, rate, text in (
                ("half", list(range(0, COUNT, 2)), "F25:2", f"every second frame; {COUNT // 2} frames held"),
                ("drops", [t for t in range(COUNT) if t not in gaps], "F25:1", "8 frames held"),
                ("end", [min(t, 79) for t in range(COUNT)], "F25:1", "10 frames held"),
                ("freeze", [19 if t in gaps[:6] else t for t in range(COUNT)], "F25:1", "6 frames held")):
            with self.subTest(name):
                dis = self.encode(frames, rate, f"{name}.y4m")
                seen = [max(t for t in frames if t <= i) for i in range(COUNT)]
                log = self.scored(self.encode(seen, name="seen.y4m"), "--align", "index")[2].splitlines()
                pairs, line, held = self.scored(dis, "--missing", "hold")
                self.assertEqual([frames[j] for _, j in pairs], seen)
                self.assertEqual(held.splitlines()[1:], log[1:])
                self.assertIn(text, line)
                alignment = self.summary(self.ref, dis, "--missing", "hold")["results"][0]["alignment"]
                self.assertEqual((alignment["held"], alignment["dropped"]), (int(re.search(r"(\d+) frames held", line)[1]), 0))
                again = self.scored(dis, "--align", self.write("pairs.csv", self.read("p.csv").encode()))
                self.assertEqual((again[0], again[2]), (pairs, held))
                part = self.scored(dis, "--missing", "hold", "--frames", "21:64")
                self.assertEqual(part[0], pairs[21:64])
                self.assertEqual([row.split(",")[2] for row in part[2].splitlines()[2:]],
                                 [row.split(",")[2] for row in log[23:65]])
        self.assertEqual(self.scored(dis)[0], [(i, i) for i in range(COUNT) if i not in gaps[:6]])

    def test_an_encode_that_stands_still_at_its_end(self):
        """Its last frames are none of their own: they are neither listed nor scored."""
        dis = self.encode([min(t, 79) for t in range(COUNT)])
        pairs, line, log = self.scored(dis)
        self.assertEqual(pairs, [(t, t) for t in range(80)])
        self.assertIn("10 frames missing at the end", line)
        self.assertEqual(len(log.splitlines()), 1 + len(pairs))
        first = self.write("first.csv", "".join(self.read("p.csv").splitlines(True)[:11]).encode())
        part = self.scored(dis, "--align", first)
        self.assertEqual((len(part[0]), part[2].splitlines()[:10]), (10, log.splitlines()[:10]))

    def test_bars_that_were_painted(self):
        """Both are compared where both show a picture, at its place; late encodes and each of several, too."""
        def painted(frame, part):
            width, height, x, y = part
            rows = [bytes([16]) * x + frame[WIDTH * k + x:WIDTH * k + x + width] + bytes([16]) * (WIDTH - x - width)
                    if y <= k < y + height else bytes([16]) * WIDTH for k in range(HEIGHT)]
            return b"".join(rows) + frame[WIDTH * HEIGHT:]

        parts = ((96, 40, 0, 6), (80, 54, 8, 0), (80, 46, 8, 4))
        for part in parts:
            for late in (0, 7):
                with self.subTest(part=part, late=late):
                    dis = self.video("bars.y4m", [painted(frame, part) for frame in ENCODE[late:]])
                    found = self.scored(dis, "--crop", "auto")
                    self.assertEqual(found, self.scored(dis, "--crop", ":".join(map(str, part))))
                    self.assertEqual(found[0], [(k + late, k) for k in range(COUNT - late)])
        several = [self.video(f"{k}.y4m", [painted(frame, part) for frame in ENCODE]) for k, part in enumerate(parts)]
        alone = [self.summary(self.ref, path, "--crop", "auto")["results"][0]["models"] for path in several]
        together = self.summary(self.ref, *several, "--crop", "auto")["results"]
        self.assertEqual([result["models"] for result in together], alone)

    def test_rates(self):
        pairs, _, log = self.scored(self.encode([j // 2 for j in range(2 * COUNT)], "F50:1"))
        self.assertEqual(pairs, [(k, 2 * k) for k in range(COUNT)])
        self.assertEqual(log, self.scored(self.encode(range(COUNT)))[2])

    def test_by_times(self):
        dis = self.encode(range(0, COUNT, 2), "F25:2")
        self.assertEqual(self.scored(dis, "--align", "time")[0], [(k, k // 2) for k in range(0, COUNT, 2)])

    def test_pipes_give_the_same(self):
        dis = self.encode(range(20, COUNT))
        expected = self.scored(dis)
        with open(dis, "rb") as file:
            self.assertEqual(self.scored("-", stdin=file.read()), expected)

    @needs_ffmpeg
    def test_raw_y4m_mp4_and_pipes_give_the_same(self):
        coded = self.ffmpeg("-i", self.encode(range(20, COUNT)), "-c:v", "mpeg4", "-q:v", "4", self.path("dis.mp4"))
        expected = self.scored(coded)
        self.assertEqual(expected[0], [(k + 20, k) for k in range(COUNT - 20)])
        for name, form in (("d.y4m", ("-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe")),
                           ("d.yuv", ("-pix_fmt", "yuv420p", "-f", "rawvideo"))):
            self.ffmpeg("-i", coded, *form, self.path(name))
        self.assertEqual(self.scored(self.path("d.y4m")), expected)
        self.assertEqual(self.scored(self.path("d.yuv"), "--size", f"{WIDTH}x{HEIGHT}"), expected)
        with open(self.path("d.y4m"), "rb") as file:
            self.assertEqual(self.scored("-", stdin=file.read()), expected)

    def test_ranges_count_pairs(self):
        log = self.scored(self.encode(range(20, COUNT)))[2].splitlines()
        pairs, _, some = self.scored(self.path("dis.y4m"), "--frames", "10:30")
        self.assertEqual(pairs, [(k + 20, k) for k in range(10, 30)])
        self.assertEqual(some.splitlines()[5].split(",")[1:4], log[15].split(",")[1:4])

    def test_short_ranges_are_aligned_by_the_frames_around_them(self):
        # Of the first ten frames the two have none in common.
        for late in (10, 25):
            dis = self.encode(range(late, COUNT))
            for first, end in ((0, 10), (0, 5), (5, 12)):
                pairs, line, _ = self.scored(dis, "--frames", f"{first}:{end}")
                self.assertEqual(pairs, [(k + late, k) for k in range(first, end)])
                self.assertIn(f"distorted[0] = reference[{late}] ({late} frames missing", line)

    def test_short_videos_without_common_frames(self):
        self.film(REFERENCE[5:12])
        line = self.scored(self.encode(range(15, 22)))[1]
        self.assertIn("too little to compare, so that times decide", line)

    def test_several_encodes(self):
        a, b = self.encode(range(10, COUNT), name="a.y4m"), self.encode(range(COUNT - 10), name="b.y4m")
        self.assert_ok(self.score(self.ref, a, b, "-q", "--pairs-out", self.path("{name}.csv")))
        self.assertEqual(self.read("a.csv").splitlines()[1], "10,0")
        self.assertEqual(self.read("b.csv").splitlines()[1], "0,0")
        self.assert_fails(self.score(self.ref, a, b, "--pairs-out", "p.csv"), 2, "need a file each")

    def test_journals(self):
        dis = self.encode(range(20, COUNT))
        journal = ("--journal", self.path("j"), "--backend", "cpu")
        log = self.scored(dis, *journal)[2]
        self.assertEqual(self.scored(dis, *journal)[2], log)
        self.assert_fails(self.score(self.ref, dis, *journal, "--align", "index"), 1, "its pairs is '")


class Devices(AlignTest):
    """Devices compute the fingerprints of the samples that they score: pairs, messages and logs are the CPU's."""

    def assert_same_everywhere(self, dis, *options):
        feature = ("--no-model", "-f", "motion", "-f", "psnr")
        expected = self.scored(dis, *feature, *options, "--backend", "cpu")
        for more in ("emu",), ("emu", "--threads", "3"), ("emu", "--max-vram", "1M"), *self.others():
            self.assertEqual(self.scored(dis, *feature, *options, "--backend", *more), expected, more)
        return expected

    def others(self):
        """Other devices of this machine, such as llvmpipe."""
        listed = self.assert_ok(self.acutance("devices"))
        return [(name,) for name in ("cuda", "vulkan") if re.search(rf"^{name}:.*\n  0 ", listed, re.M)]

    def test_pairs(self):
        every, repeated = list(range(COUNT)), [t for t in range(COUNT) if t not in (60, 61)]
        repeated.insert(31, 30)
        for frames, options, expected in (
                (every, (), "frame by frame; confidence 0.99"), (every[20:], (), "20 frames missing at the start"),
                (repeated, (), "2 frames missing; 1 frame repeated"), (every, ("--frames", "10:70"), ""),
                (every, ("--subsample", "3"), ""),
                ([t for t in every if t != 40], ("--crop", "80:48:10:4"), "1 frame missing")):
            pairs, line, _ = self.assert_same_everywhere(self.encode(frames), *options)
            self.assertIn(expected, line)
            if frames == every and not options:
                self.assertEqual(pairs, [(k, k) for k in range(COUNT)])

    def test_misaligned_beyond_the_first_check(self):
        self.film(pictures(140))
        dis = self.encode([t for t in range(140) if t != 120] + [139])
        self.assertIn("1 frame missing", self.assert_same_everywhere(dis)[1])

    def test_pipes_of_other_lengths(self):
        """Frames that are read and not scored have fingerprints, too."""
        raw = [self.write(f"{name}.yuv", b"".join(pictures))
               for name, pictures in (("r", REFERENCE), ("d", ENCODE[:COUNT - 1]))]
        lines = []
        for backend in ("cpu", "emu"):
            command = (f"'{ACUTANCE}' score /dev/fd/3 /dev/fd/4 --size {WIDTH}x{HEIGHT} --no-model -f psnr --json "
                       f"--backend {backend} 3< <(cat '{raw[0]}') 4< <(cat '{raw[1]}')")
            lines.append(json.loads(self.assert_ok(self.run_command("bash", "-c", command)))["results"][0]["alignment"])
        self.assertEqual(*lines)

    def test_shots(self):
        """Shots are the same from the fingerprints of the alignment, of a session, and of a run with a journal."""
        self.film(REFERENCE[:40], [picture(t, False, 1) for t in range(40)])
        dis = self.video("dis.y4m", ENCODE[:40] + [picture(t, True, 1) for t in range(40)])
        for options in ((), ("--align", "index"), ("--journal",), ("--subsample", "2")):
            for backend in ("cpu", "emu"):
                more = (*options, self.path(backend)) if options == ("--journal",) else options
                document = self.summary(self.ref, dis, "--no-model", "-f", "psnr", "--backend", backend, *more)
                self.assertEqual([(shot["begin"], shot["end"]) for shot in document["results"][0]["shots"]],
                                 [(0, 40), (40, 80)], options)


class Doubts(AlignTest):
    def test_a_still(self):
        self.film(REFERENCE[:1] * 40)
        pairs, line, _ = self.scored(self.encode([0] * 40))
        self.assertEqual(len(pairs), 40)
        self.assertIn("the picture stands still, so that times decide", line)

    def test_a_loop(self):
        self.film([REFERENCE[k % 12] for k in range(80)])
        self.assert_ok(self.score(self.ref, self.encode([k % 12 for k in range(80)])))
        self.refuse(self.encode([(k + 5) % 12 for k in range(80)]), "repeats every 12 frames", "--align +N")

    def test_other_videos(self):
        other = self.video("other.y4m", [picture(90 * t, False, 3 + t % 5) for t in range(60)])
        self.refuse(other, "ref.y4m and ", "no frames in common")
        self.film(REFERENCE * 8)
        self.refuse(other, "no frames in common (", "trim the longer one first")

    def test_few_frames(self):
        self.refuse(self.encode([0]), "dis.y4m has one frame, and ", "has 90")
        self.refuse(self.encode([]), "dis.y4m", "no frames")

    def test_sound(self):
        sound = self.path("sound.wav")
        with wave.open(sound, "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(bytes(16000))
        self.refuse(sound, "sound.wav has no video stream")
        self.assert_fails(self.score(sound, self.ref), 1, "sound.wav has no video stream")

    def test_rates_that_no_video_has(self):
        """Absurd rates are ignored: frame numbers cannot be computed from them."""
        expected = self.scored(self.encode(range(COUNT)))
        self.ref = self.video("ref.y4m", REFERENCE, "F2000000000:1 Ip A1:1 C420jpeg")
        for rate in ("F1:2000000000", "F25:1"):
            dis = self.encode(range(COUNT), rate)
            for how in ("auto", "time"):
                self.assertEqual(self.scored(dis, "--align", how)[::2], expected[::2], (rate, how))

    def test_bad_requests(self):
        dis = self.encode(range(COUNT))
        self.refuse(dis, "--align soon: expected auto", status=2, options=("--align", "soon"))
        for text, problem in (("0,0\n0,1\n", "line 2: frames 0,1 do not come after"), ("0;0\n", "line 1: expected two"),
                              ("a,b\n", "has no pairs"), ("0,0\n1,100000000000\n", "line 2: frame 100000000000 is not"),
                              ("9223372036854775807,9223372036854775807", "line 1: frame 9223372036854775807 is not")):
            self.refuse(dis, problem, options=("--align", self.write("p.csv", text)))
