"""Many encodes and many pairs: compare, ladder, batch, and decisions from a part of the frames."""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

import schema
from clips import ACUTANCE, CommandTest, frames, needs_ffmpeg, noise, reference_sample, y4m


def noisy(strength):
    """The reference with reproducible noise."""
    def sample(x, y, k):
        return min(max(reference_sample(x, y, k) + ((31 * x + 17 * y + 5 * k) % 16 - 8) * strength // 8, 0), 255)
    return sample


class Encodes(CommandTest):
    MODEL = ("-m", "vmaf_v0.6.1", "--align", "index", "-q")

    def setUp(self):
        super().setUp()
        self.long = self.video("long.y4m", self.clip("ref") * 4)

    def encode(self, name, strength, rate=25):
        """A y4m file of some quality; its frame rate makes its bit rate."""
        return self.video(name, frames(64, 48, self.FRAMES, noisy(strength)) * 4, f"F{rate}:1 Ip A1:1 C420jpeg")

    def text_of(self, *args):
        return self.assert_ok(self.acutance(*args))

    def rows(self):
        with open(self.path("ctc.csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def good_and_bad(self):
        return self.encode("good.y4m", 4), self.encode("bad.y4m", 30)

    def test_compare(self):
        good, bad = self.good_and_bad()
        text = self.text_of("compare", self.long, bad, good, *self.MODEL)
        self.assertRegex(text, r"good.y4m is [\d.]+ \[[\d.]+, [\d.]+\] above .*bad.y4m\n")
        self.text_of("compare", self.long, bad, good, *self.MODEL, "--report", self.path("compare.html"))
        self.assertRegex(self.read("compare.html"), r"Encodes side by side(?s:.*)<li>.*good.y4m is [\d.]+ \[")
        document = self.document("compare", self.long, bad, good, *self.MODEL)
        encodes = document["comparison"]["encodes"]
        self.assertEqual(encodes[0]["bytes"], os.path.getsize(bad))
        self.assertAlmostEqual(encodes[0]["bit_rate"], os.path.getsize(bad) * 8 * 25 / 24, delta=1)
        self.assertEqual([encode["best"] for encode in encodes], [False, True])
        difference = document["comparison"]["differences"][0]
        self.assertEqual((difference["a"], difference["b"]), (good, bad))
        self.assertTrue(difference["sure"])
        self.assertAlmostEqual(difference["mean"], encodes[1]["mean"] - encodes[0]["mean"], delta=1e-9)
        same = self.document("compare", self.long, good, good, *self.MODEL)
        self.assertFalse(same["comparison"]["differences"][0]["sure"])
        self.assert_fails(self.acutance("compare", self.long, good, *self.MODEL, "--require", "vmaf_v0.6.1.mean>101"), 3)

    def test_compare_where_lower_is_better(self):
        good, bad = self.good_and_bad()
        args = ("compare", self.long, bad, good, "--no-model", "-f", "butteraugli", "--by", "butteraugli_p3", "--align",
                "index", "-q")
        self.assertRegex(self.text_of(*args), r"good.y4m is [\d.]+ \[[\d.]+, [\d.]+\] below .*bad.y4m\n")
        comparison = self.document(*args)["comparison"]
        self.assertEqual([encode["best"] for encode in comparison["encodes"]], [False, True])
        self.assertEqual([(difference["a"], difference["mean"] < 0) for difference in comparison["differences"]],
                         [(good, True)])

    def test_the_compared_score_needs_no_feature_of_its_own(self):
        args = ("compare", self.long, self.encode("good.y4m", 4), "--no-model", "--by", "psnr_y", "--align", "index", "-q")
        self.assertRegex(self.text_of(*args), r"^psnr_y ")

    def test_wrong_names_are_reported_before_frames_are_scored(self):
        broken = self.write("broken.y4m", pathlib.Path(self.encode("good.y4m", 4)).read_bytes()[:-100])
        for command in ("compare", "ladder"):
            for option, value in (("--by", "psnr_z"), ("--require", "vmaf.mean>3")):
                result = self.acutance(command, self.long, broken, "-m", "vmaf_v0.6.1", option, value, "-q")
                self.assert_fails(result, 2, "there is no score '" + value.split(".")[0])
                self.assertNotIn("truncated", result.stderr.decode())

    def test_ladder_where_lower_is_better(self):
        args = ("ladder", self.long, *self.ladder_folders(), "--no-model", "-f", "butteraugli", "--by", "butteraugli_p3",
                "--align", "index", "-q")
        ladder = self.document(*args)["ladder"]
        qualities = [point["quality"] for point in ladder["curves"][0]["points"]]
        self.assertEqual(qualities, sorted(qualities, reverse=True))
        self.assertTrue(ladder["curves"][0]["points"][-1]["on_hull"])
        for numbers in ladder["differences"][0]["by"].values():
            self.assertLess(numbers["bd_rate"], 0)  # svt is better at each size
            self.assertLess(numbers["bd_quality"], 0)
            interval = numbers["bd_quality_interval"]
            self.assertLessEqual(interval["low"], interval["high"])

    def ladder_folders(self):
        for codec, extra in (("x264", 0), ("svt", -3)):
            os.mkdir(self.path(codec))
            for i, strength in enumerate((36, 28, 20, 12, 6)):
                self.encode(f"{codec}/{i}.y4m", max(strength + extra, 1), rate=10 * 2 ** i)
        return self.path("x264"), self.path("svt")

    def test_ladder_passes_over_what_is_no_video(self):
        folders = self.ladder_folders()
        args = ("ladder", self.long, *folders, *self.MODEL)
        expected = self.document(*args)["ladder"]
        self.write("x264/sizes.txt", b"0.y4m 12 kB\n")
        result = self.acutance(*args, "--json")
        self.assertEqual(json.loads(self.assert_ok(result))["ladder"], expected)
        self.assertIn("warning: passed over, no video: " + self.path("x264/sizes.txt"), result.stderr.decode())
        os.mkdir(self.path("notes"))
        self.write("notes/a.txt", b"nothing\n")
        self.assert_fails(self.acutance("ladder", self.long, self.path("notes"), *self.MODEL), 2, "there is no video in it", "a.txt")

    def test_ladder(self):
        folders = self.ladder_folders()
        args = ("ladder", self.long, *folders, *self.MODEL, "-f", "psnr", "--by", "psnr_y")
        document = self.document(*args, "--ctc-csv", self.path("ctc.csv"))
        self.text_of(*args, "--report", self.path("ladder.html"))
        self.assertEqual(self.read("ladder.html").count("<polyline"), 2)
        curves = document["ladder"]["curves"]
        self.assertEqual([curve["name"] for curve in curves], ["x264", "svt"])
        rates = [point["bit_rate"] for point in curves[0]["points"]]
        self.assertEqual(rates, sorted(rates))
        difference = document["ladder"]["differences"][0]
        self.assertIsNone(difference["refusal"])
        self.assertEqual(list(difference["by"]), ["cubic", "pchip", "akima", "linear"])
        for numbers in difference["by"].values():
            self.assertLess(numbers["bd_rate"], 0)  # svt is better at each size
            self.assertGreater(numbers["bd_quality"], 0)
        rows = self.rows()
        self.assertEqual(len(rows), 10)
        self.assertAlmostEqual(float(rows[0]["Bitrate(kbps)"]) * 1000, rates[0], delta=1e-3)
        self.assertAlmostEqual(float(rows[0]["PSNR_Y"]), curves[0]["points"][0]["quality"], delta=1e-5)
        self.assertEqual(rows[0]["CAMBI"], "")  # it was not computed
        names = ("Name", "OrigRes", "CodedRes", "QP")
        self.assertEqual([rows[0][name] for name in names], ["long.y4m", "64x48", "64x48", ""])
        text = self.text_of(*args, "--anchor", "svt")
        self.assertIn("x264 against svt: ", text)
        self.assertRegex(text, r"pchip +BD-rate \+")
        self.assert_fails(self.acutance("ladder", self.long, *folders, *self.MODEL, "--anchor", "aom"), 2)
        long = "x264=" + ",".join(f"{k}.mp4" for k in range(100))  # too long for the name of one file
        self.assert_fails(self.acutance("ladder", self.long, long, *self.MODEL), 1, "0.mp4: ")

    def test_columns_of_the_common_test_conditions(self):
        files = [self.encode(name, strength, rate) for name, strength, rate in (
            ("long_QP_110.y4m", 4, 80), ("long-crf23.y4m", 12, 40), ("long_qp=37.y4m", 20, 20), ("aqp1.y4m", 28, 10))]
        args = ("ladder", self.long, *files, "--no-model", "--by", "float_ssim", "--align", "index", "-q", "--ctc-csv",
                self.path("ctc.csv"), "-f")

        def columns(*features):
            result = self.acutance(*args, *features)
            self.assert_ok(result)
            return self.rows(), result.stderr.decode()

        rows, warning = columns("float_ssim")
        self.assertEqual([row["QP"] for row in rows], ["110", "23", "37", ""])
        self.assertEqual({row["Name"] for row in rows}, {"long.y4m"})
        self.assertEqual({row["SSIM_Y(dB)"] for row in rows}, {""})  # an index is no number of decibels
        self.assertIn("it needs -f float_ssim=enable_db=true:clip_db=true", warning)
        rows, warning = columns("float_ssim=enable_db=true:clip_db=true")
        self.assertGreater(float(rows[0]["SSIM_Y(dB)"]), 3)
        self.assertNotIn("enable_db", warning)

    @needs_ffmpeg
    def test_bit_rates_are_the_video_tracks(self):
        """Neither sound, nor the container, nor the reference's length and rate change them."""
        plain = self.ffmpeg("-i", self.dis, "-c:v", "mpeg2video", "-q:v", "9", self.path("plain.mp4"))
        sound = self.ffmpeg("-i", plain, "-f", "lavfi", "-i", "anoisesrc=d=3", "-c:v", "copy", "-c:a", "mp2", self.path("sound.mkv"))
        stream = self.ffmpeg("-i", plain, "-c", "copy", "-muxrate", "2M", self.path("stream.ts"))
        packets = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=size", "-of", "csv=p=0", plain],
                                 capture_output=True, check=True).stdout.split()
        right = 8 * sum(int(size.strip(b",")) for size in packets) / (self.FRAMES / 25)
        document = self.document("compare", self.ref, plain, sound, stream, *self.MODEL)
        for encode in document["comparison"]["encodes"]:
            self.assertAlmostEqual(encode["bit_rate"], right, delta=0.02 * right)
        short = self.video("short.y4m", self.clip("ref")[:3])
        document = self.document("compare", short, plain, sound, *self.MODEL)
        self.assertAlmostEqual(document["comparison"]["encodes"][0]["bit_rate"], right, delta=0.02 * right)
        unread = self.ffmpeg("-stream_loop", "40", "-i", self.dis, "-vf", "noise=alls=60:allf=t:enable='gt(n,150)'",
                             "-c:v", "mpeg2video", "-q:v", "9", self.path("unread.mp4"))
        whole = self.document("score", unread, unread, *self.MODEL)["inputs"][1]["bit_rate"]
        self.assertEqual(self.document("score", short, unread, *self.MODEL)["inputs"][1]["bit_rate"], whole)

    def test_the_decoding_is_told(self):
        """Also where the first frames were looked at before scoring began."""
        short = self.ffmpeg("-i", self.dis, "-c:v", "mpeg2video", "-q:v", "9", self.path("short.mp4"))
        decoding = self.document("score", short, short, *self.MODEL)["inputs"][1]["decoding"]
        self.assertTrue(decoding["segments"] > 0 or decoding["one_decoder"], decoding)
        self.assertEqual(decoding["decoder"], "cpu")
        for decoder in ("vulkan", "vaapi"):
            self.assert_fails(self.acutance("score", short, short, *self.MODEL, "--decoder", decoder), 1,
                              "short.mp4: mpeg2video decoders may differ in their pictures")

    def test_options_before_the_videos(self):
        good, bad = self.good_and_bad()
        behind = self.document("compare", self.long, bad, good, "-m", "vmaf_v0.6.1")
        before = self.document("compare", "-m", "vmaf_v0.6.1", self.long, bad, good)
        self.assertEqual(before["comparison"], behind["comparison"])
        between = self.document("score", self.long, "-m", "vmaf_v0.6.1", good, "-q")
        after = self.document("score", self.long, good, "-q", "-m", "vmaf_v0.6.1")
        self.assertEqual(between["results"][0]["models"], after["results"][0]["models"])

    def test_points_of_a_spreadsheet(self):
        points = [("a", 1000 * k, 70 + 5 * k) for k in range(1, 5)] + [("b", 900 * k, 70 + 5 * k) for k in range(1, 5)]
        text = "curve,rate,quality\n" + "".join(f"{name},{rate},{quality}\n" for name, rate, quality in points)
        spaced = "\ufeff" + text.replace(",", ", ").replace("curve, rate, quality", "curve,rate,quality")
        plain, other = (self.text_of("bd", self.write("points.csv", content.encode()))
                        for content in (text, spaced.replace("\n", "\r\n")))
        self.assertIn("BD-rate -10.000 %", plain)
        self.assertEqual(other, plain)
        quoted = text.replace("a,", '"x ""1"", slow",').replace("curve", '"curve"').replace("rate,", '"rate",')
        named = self.document("bd", self.write("points.csv", quoted))
        self.assertEqual([curve["name"] for curve in named["ladder"]["curves"]], ['x "1", slow', "b"])
        self.assert_fails(self.acutance("bd", self.write("points.csv", text + '"a,1,2\n')), 1)


class Verdicts(CommandTest):
    """--at-least on a clip whose scores vary."""

    def write_clips(self, seconds):
        rng = random.Random(5)
        base = [frames(64, 48, 4, reference_sample), *(frames(64, 48, 4, noisy(s)) for s in (3, 12, 30))]
        kinds = [kind for _ in range(seconds) for kind in [rng.choice((1, 1, 1, 2, 3))] * 16]
        reference = self.video("lr.y4m", base[0] * (len(kinds) // 4))
        distorted = self.video("ld.y4m", [base[kind][k % 4] for k, kind in enumerate(kinds)])
        self.args = (reference, distorted, "-q", "--align", "index")

    def setUp(self):
        super().setUp()
        self.write_clips(200)

    def verdict(self, *args, status):
        return self.document("score", *self.args, *args, status=status)

    def test_verdicts_are_those_of_the_whole(self):
        model = ("-m", "vmaf_v0.6.1")
        mean = self.mean(*self.args, *model)
        for option, bound, status in (("--at-least", mean - 20, 0), ("--at-least", mean + 10, 3), ("--at-most", mean + 10, 0),
                                      ("--at-most", mean - 20, 3)):
            for seed in (1, 2):
                document = self.verdict(*model, option, bound, "--seed", seed, status=status)
                self.assertLess(document["frames_read"], 3200)
                self.assertLessEqual(document["least_mean"], mean)
                self.assertGreaterEqual(document["greatest_mean"], mean)
        best = ("-m", "vmaf_v1.0.16_3d0h", "-q", "--align", "index", "--scale", "384x288")  # 100 for a video itself
        for option in ("--at-least", "--at-most"):  # a mean equal to the bound meets both
            self.assert_ok(self.score(self.args[0], self.args[0], *best, "--frames", "0:40", option, "100"))
        text = self.score(*self.args, *model, "--at-least", "101")
        self.assert_fails(text, 3)
        self.assertIn("for certain", text.stdout.decode())

    @needs_ffmpeg
    def test_short_encodes_are_scored_whole(self):
        self.write_clips(12)
        encodes = [self.ffmpeg("-i", path, "-c:v", "libx264", "-qp", "0", path.replace(".y4m", ".mp4"))
                   for path in self.args[:2]]
        for alignment in ("index", "+2"):
            self.args = (*encodes, "-q", "-m", "vmaf_v0.6.1", "--align", alignment)
            mean = self.mean(*self.args)
            for bound, status in ((mean - 0.01, 0), (mean + 0.01, 3)):
                document = self.verdict("--at-least", bound, status=status)
                self.assertTrue(document["certain"])
                self.assertEqual(document["frames_read"], document["frames"])
                self.assertAlmostEqual(document["mean_of_read"], mean)

    def test_parts_score_as_in_a_whole_run(self):
        # A bound at the mean itself needs all frames except the best, so that the mean shows every difference.
        self.write_clips(8)
        for model in ("vmaf_v0.6.1", "vmaf_v1.0.16_3d0h"):
            size = ("--scale", "288x216") if "v1" in model else ()
            mean = self.mean(*self.args, "-m", model, *size)
            document = self.verdict("-m", model, *size, "--at-least", mean + 1e-7, "--certain", status=3)
            self.assertTrue(document["certain"])
            self.assertLessEqual(document["frames_read"], document["frames"])
            self.assertRegex(document["text"], r"; at least [\d.]+ is required$")
            # Frames of the greatest score may stay unread: the bound assumes it of them.
            self.assertAlmostEqual(document["greatest_mean"], mean, delta=2e-7)
            self.verdict("-m", model, *size, "--at-least", mean - 1e-7, "--certain", status=0)

    def test_offsets_and_what_is_refused(self):
        late = self.video("late.y4m", self.clip("dis") * 11)
        ref = self.video("r.y4m", self.clip("ref") * 10)
        result = self.score(ref, late, "-q", "-m", "vmaf_v0.6.1", "--align", "+6", "--at-least", "1", "--json")
        self.assertEqual(json.loads(self.assert_ok(result))["frames"], 60)
        for args, fragment in ((("--at-most", "1"), "leave one out"), (("-o", self.path("log")), "no logs"),
                               (("--no-model", "-f", "psnr"), "need a model")):
            self.assert_fails(self.score(*self.args, "--at-least", "1", *args), 2, fragment)
        self.assert_fails(self.score(*self.args, "--at-least", "nan"), 1, "the bound of a mean is a number, not nan")
        clip = ("-m", "version=vmaf_v0.6.1:name=v:disable_clip")
        self.assert_fails(self.score(*self.args, "--at-least", "1", *clip), 1, "no range")


class Batch(CommandTest):
    def setUp(self):
        super().setUp()
        self.out = self.path("out")
        rows = [f"{self.ref},{self.dis},one", f"{self.ref},{self.path('none.mp4')},gone", f"{self.ref},{self.ref},\"same, it\""]
        self.list = self.write("list.csv", "reference,distorted,name\n" + "\n".join(rows) + "\n")

    def batch(self, *options, status):
        result = self.acutance("batch", self.list, "--out", self.out, *options)
        self.assert_fails(result, status)
        with open(os.path.join(self.out, "summary.csv"), encoding="utf-8") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
        return result, rows

    def test_one_failure_does_not_stop_the_rest(self):
        result, rows = self.batch("--jobs", "2", "--", "-m", "vmaf_v0.6.1", status=1)
        self.assertIn("gone: ", result.stderr.decode())
        self.assertIn("2 of 3 pairs are scored, 1 failed", result.stdout.decode())
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         {"one": "ok", "gone": "failed", "same, it": "ok"})
        self.assertIn("none.mp4", rows["gone"]["error"])
        mean = self.mean(self.ref, self.dis, "-m", "vmaf_v0.6.1")
        self.assertEqual(float(rows["one"]["vmaf_v0.6.1.mean"]), mean)
        document = schema.check(json.loads(self.read("out/summary.json")))
        self.assertEqual(document["jobs"][0]["scores"]["vmaf_v0.6.1"]["mean"], mean)
        schema.check(json.loads(self.read("out/one.json")))

    def list_of(self, *pairs):
        """Writes the list: names of pairs, with the videos of those that are not the usual."""
        rows = [f"{(videos or (self.ref, self.dis))[0]},{(videos or (self.ref, self.dis))[1]},{name}" for name, videos in pairs]
        self.write("list.csv", "reference,distorted,name\n" + "\n".join(rows) + "\n")

    def test_processes_take_pair_after_pair(self):
        self.list_of(*((f"p{k}", None) for k in range(6)))
        traces = pathlib.Path(self.path("traces"))
        traces.mkdir()
        for jobs in (1, 2):
            self.batch("--jobs", str(jobs), "--", "-m", "vmaf_v0.6.1", "--trace", f"{traces}/{jobs} {{name}}.json", status=0)
            files = list(traces.glob(f"{jobs} *.json"))
            processes = {span["pid"] for file in files for span in json.loads(file.read_text())}
            self.assertEqual(len(files), 6)
            self.assertLessEqual(len(processes), jobs)
        for jobs, words in (("auto", ()), ("0", ("not in range 1 to 1024",)), ("x", ("x",))):
            result = self.acutance("batch", self.list, "--out", self.out, "--jobs", jobs, "--", "-m", "vmaf_v0.6.1")
            self.assert_fails(result, 2 if words else 0, *words)

    def test_limits_on_memory_hold_for_all_together(self):
        large = self.video("large.y4m", noise(random.Random(1), 640, 480, 1), size=(640, 480))
        self.list_of(("one", (large, large)), ("two", (large, large)))
        for words, environment in ((("--max-memory=3000000",), {}), (("--max-memory", "3000000"), {}),
                                   ((), {"ACUTANCE_MAX_MEMORY": "3000000"})):
            result = self.acutance("batch", self.list, "--out", self.out, "-q", "--jobs", "2", "--", "-m", "vmaf_v0.6.1", *words,
                                   env={**os.environ, **environment})
            self.assert_fails(result, 1)
            self.assertIn("; 1 MB are allowed", self.statuses()["one"][1])

    def start_with_a_long_pair(self, jobs):
        """A batch whose pair "long" runs, and the process that has it."""
        long = [self.video(name, self.clip(kind) * 3000) for name, kind in (("lr.y4m", "ref"), ("ld.y4m", "dis"))]
        self.list_of(("long", long), ("one", None), ("two", None), ("three", None))
        process = subprocess.Popen([ACUTANCE, "batch", self.list, "--out", self.out, "-q", "--jobs", jobs, "--", "-m",
                                    "vmaf_v0.6.1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split():
                files = [os.readlink(link) for link in pathlib.Path(f"/proc/{child}/fd").glob("1")]
                if any(file.endswith("/long.part") for file in files):
                    return process, int(child)
            time.sleep(0.01)
        self.fail("the long pair was not started")

    def statuses(self):
        with open(os.path.join(self.out, "summary.csv"), encoding="utf-8") as file:
            return {row["name"]: (row["status"], row["error"]) for row in csv.DictReader(file)}

    def test_a_crash_ends_one_pair_alone(self):
        for jobs in ("1", "2"):
            shutil.rmtree(self.out, ignore_errors=True)
            process, worker = self.start_with_a_long_pair(jobs)
            os.kill(worker, signal.SIGSEGV)
            process.communicate()
            self.assertEqual(process.returncode, 1)
            self.assertEqual(self.statuses(), {"long": ("failed", "ended by signal 11"), "one": ("ok", ""), "two": ("ok", ""),
                                               "three": ("ok", "")})
            self.assertFalse(os.path.exists(f"/proc/{worker}"))

    def test_ctrl_c_leaves_the_rest_for_the_next_time(self):
        process, worker = self.start_with_a_long_pair("1")
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertFalse(os.path.exists(f"/proc/{worker}"))
        self.assertEqual({name: status for name, (status, _) in self.statuses().items()}, dict.fromkeys(self.statuses(), "left"))
        _, rows = self.batch("-q", "--", "-m", "vmaf_v0.6.1", status=0)
        self.assertEqual(len(rows), 4)

    def test_continues_where_it_was(self):
        options = ("-q", "--", "-m", "vmaf_v0.6.1")
        self.batch(*options, status=1)
        times = {name: os.stat(self.path(f"out/{name}.json")).st_mtime_ns for name in ("one", "same, it")}
        self.video("none.mp4", self.clip("dis"))
        _, rows = self.batch(*options, status=0)
        self.assertEqual(rows["gone"]["status"], "ok")
        for name, at in times.items():
            self.assertEqual(os.stat(self.path(f"out/{name}.json")).st_mtime_ns, at, name)
        os.utime(self.dis, (1, 1))  # like a changed file
        self.batch(*options, status=0)
        self.assertNotEqual(os.stat(self.path("out/one.json")).st_mtime_ns, times["one"])
        self.batch("-q", "--", "-m", "vmaf_v0.6.1neg", status=0)
        self.assertIn("vmaf_v0.6.1neg", json.loads(self.read("out/one.json"))["results"][0]["models"])

    def test_names_that_look_like_options(self):
        shutil.copy(self.dis, self.path("-m.y4m"))
        self.write("list.csv", "\ufeffreference,distorted,name\n" + f"{self.ref},-m.y4m,dash\n")
        result = self.acutance("batch", "list.csv", "--out", "out", "-q", "--", "-m", "vmaf_v0.6.1",
                                  cwd=self.folder.name)
        self.assert_ok(result)

    def test_options_that_are_wrong_are_named(self):
        result, rows = self.batch("-q", "--", "--bogus", status=1)
        self.assertIn("one: acutance score: The following argument was not expected: --bogus", result.stderr.decode())
        self.assertIn("--bogus", rows["one"]["error"])

    def test_damage_has_value(self):
        cut = y4m(64, 48, self.clip("dis"))[:-100]
        self.write("none.mp4", cut)
        _, rows = self.batch("-q", "--", "-m", "vmaf_v0.6.1", status=1)
        for words in ("none.mp4 is truncated", "only the first 5 frames"):
            self.assertIn(words, rows["gone"]["error"])
        self.assertNotIn("warning", rows["gone"]["error"])

    def test_each_pair_has_files_of_its_own(self):
        self.batch("-q", "--", "-m", "vmaf_v0.6.1", "-o", self.path("log {name}.json"), status=1)
        for name in ("one", "same, it"):
            self.assertIn("vmaf_v0.6.1", json.loads(self.read(f"log {name}.json"))["pooled_metrics"])
        for option in ("-o", "--output", "--report", "--journal", "--maps", "--junit", "--pairs-out"):
            for words in ((option, "x"), (f"{option}=x",)):
                result = self.acutance("batch", self.list, "--out", self.out, "--", *words)
                self.assert_fails(result, 2, "{name}")

    def test_gates(self):
        self.video("none.mp4", self.clip("dis"))
        options = ("-q", "--", "-m", "vmaf_v0.6.1", "--require", "vmaf_v0.6.1.mean>=95")
        _, rows = self.batch(*options, status=3)
        self.assertEqual([row["status"] for row in rows.values()].count("not_reached"),
                         sum(float(row["vmaf_v0.6.1.mean"]) < 95 for row in rows.values()))

    def test_a_kill_leaves_no_process_and_no_half_result(self):
        long = [self.video(name, self.clip(kind) * 3000) for name, kind in (("lr.y4m", "ref"), ("ld.y4m", "dis"))]
        self.write("list.csv", f"reference,distorted,name\n{self.ref},{self.dis},short\n{long[0]},{long[1]},long\n")
        command = [ACUTANCE, "batch", self.list, "--out", self.out, "-q", "--", "-m", "vmaf_v0.6.1"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not all(map(os.path.exists, (self.path("out/long.part"), self.path("out/short.json")))) and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("out/long.json")))
        self.assertTrue(os.path.exists(self.path("out/short.json")))
        at = os.stat(self.path("out/short.json")).st_mtime_ns
        _, rows = self.batch("-q", "--", "-m", "vmaf_v0.6.1", status=0)
        self.assertEqual(rows["long"]["frames"], "18000")
        self.assertEqual(os.stat(self.path("out/short.json")).st_mtime_ns, at)

    def test_invalid_lists(self):
        for text, fragment in (("", "is empty"), ("a,b\n", "no column 'a'"), ("reference,distorted\n", "no pair"),
                               ("reference,distorted\nx\n", "line 2"), ("reference,distorted\n\"x,y\n", "not closed"),
                               ("reference,distorted,name\nx,y,../z\n", "a name of its own"),
                               ("reference,distorted,name\nx,y,a\nx,y,a\n", "line 3")):
            result = self.acutance("batch", self.write("list.csv", text), "--out", self.out)
            self.assert_fails(result, 2, fragment)
