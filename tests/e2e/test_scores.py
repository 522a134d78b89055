"""Whole runs: known answers, logs, threads, several encodes, ranges, pipes."""
import csv
import io
import json
import os
import shutil
import xml.etree.ElementTree as ElementTree

from clips import (ACUTANCE, VMAF, CommandTest, deepened, distorted_sample, frames, reference_sample,
                   without_speed)

# libvmaf 3.2's values for the pattern of clips.py, frame 0, 8 bit; reference path, all digits.
KNOWN_FRAME_0 = {
    "integer_vif_scale0": 0.5439751148223877, "integer_vif_scale1": 0.67211383581161499,
    "integer_vif_scale2": 0.80508869886398315, "integer_vif_scale3": 0.9158327579498291,
    "integer_adm2": 0.89186489850189721, "integer_aim": 0.038740526345826087, "integer_adm3": 0.92656218607803553,
}
KNOWN_MOTION2 = [0, 6.2828343709309893, 6.2828343709309893]
KNOWN_MOTION3 = [6.2875607808430987, 6.2828343709309893, 6.2828343709309893]


class KnownAnswers(CommandTest):
    def test_features(self):
        series = [frame["metrics"] for frame in self.vmaf_log()["frames"]]
        self.assertEqual({name: series[0][name] for name in KNOWN_FRAME_0}, KNOWN_FRAME_0)
        self.assertEqual([m["integer_motion2"] for m in series[:3]], KNOWN_MOTION2)
        self.assertEqual([m["integer_motion3"] for m in series[:3]], KNOWN_MOTION3)

    def first_frame(self, *args):
        return self.vmaf_log(*args)["frames"][0]["metrics"]

    def test_column_order(self):
        self.assertEqual(list(self.first_frame("--feature", "psnr")), [
            "integer_adm2", "integer_aim", "integer_adm3", "integer_adm_scale0", "integer_adm_scale1",
            "integer_adm_scale2", "integer_adm_scale3", "VMAF_integer_feature_motion_sad_score",
            "integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2", "integer_vif_scale3",
            "psnr_y", "psnr_cb", "psnr_cr", "integer_motion2", "integer_motion3", "vmaf"])
        names = list(self.first_frame("--feature", "float_motion", "--feature", "psnr"))
        self.assertEqual(names[names.index("integer_vif_scale3") + 1:], [
            "motion2", "motion", "psnr_y", "psnr_cb", "psnr_cr", "motion3", "integer_motion2", "integer_motion3", "vmaf"])
        # libvmaf's first score of motion3 comes with the second frame; without one, with the other metrics' last.
        metrics = self.first_frame("--feature", "float_motion", "--feature", "psnr", "--frame_cnt", 1)
        names = list(metrics)
        self.assertEqual(names[names.index("integer_vif_scale3") + 1:], [
            "motion2", "motion", "psnr_y", "psnr_cb", "psnr_cr", "integer_motion2", "integer_motion3", "motion3", "vmaf"])
        self.assertEqual([metrics[name] for name in ("integer_motion3", "motion3")], [0, 0])
        # Zeros wait for no later frame.
        zeros = self.first_frame("-n", "--feature", "float_motion=motion_force_zero=true:debug=true", "--feature", "psnr")
        self.assertEqual(list(zeros), ["motion2_force_0", "motion3_force_0", "motion_force_0", "psnr_y", "psnr_cb", "psnr_cr"])

    def test_identical_videos(self):
        self.dis = self.ref
        metrics = self.vmaf_log("--feature", "psnr")["frames"][1]["metrics"]
        self.assertEqual([metrics[k] for k in ("integer_vif_scale0", "integer_aim", "psnr_y")], [1.0, 0.0, 60.0])
        self.assertAlmostEqual(metrics["integer_adm2"], 1.0, places=4)


class Logs(CommandTest):
    def write_log(self, name, *args):
        self.assert_ok(self.vmaf("-r", self.ref, "-d", self.dis, "-o", self.path(name), *args))
        return self.read(name)

    def test_formats_agree(self):
        document = json.loads(self.write_log("l.json", "--json"))
        root = ElementTree.fromstring(self.write_log("l.xml"))
        rows = list(csv.DictReader(io.StringIO(self.write_log("l.csv", "--csv"))))
        subtitles = self.write_log("l.sub", "--sub").splitlines()
        self.assertEqual(len(document["frames"]), 6)
        for frame, element, row, line in zip(document["frames"], root.iter("frame"), rows, subtitles):
            names = [n for n in element.attrib if n != "frameNum"]
            self.assertEqual(names, list(frame["metrics"]))
            for name in names:
                self.assertEqual(float(element.attrib[name]), frame["metrics"][name])
                self.assertEqual(float(row[name]), frame["metrics"][name])
                self.assertIn(f"|{name}: {row[name]}|", line)
        pooled = root.find("pooled_metrics/metric[@name='vmaf']").attrib
        for method in ("min", "max", "mean", "harmonic_mean"):
            self.assertEqual(float(pooled[method]), document["pooled_metrics"]["vmaf"][method])

    def test_precision(self):
        full = json.loads(self.write_log("max", "--json", "--precision", "max"))
        for digits in (3, 9, 17):
            log = json.loads(self.write_log("n", "--json", "--precision", str(digits)))
            for a, b in zip(full["frames"], log["frames"]):
                for name, value in a["metrics"].items():
                    self.assertEqual(b["metrics"][name], float(f"{value:.{digits}g}"), name)
        self.assertEqual(without_speed(self.write_log("a")), without_speed(self.write_log("b", "--precision", "legacy")))

    def test_threads_do_not_change_a_byte(self):
        for kind in ("--csv", "--xml", "--json", "--sub"):
            logs = {without_speed(self.write_log("l", kind, "--threads", str(n), "--precision", "max"))
                    for n in (0, 1, 2, 3, 8)}
            self.assertEqual(len(logs), 1, kind)

    def test_subsample(self):
        every = list(csv.DictReader(io.StringIO(self.write_log("a.csv", "--csv"))))
        some = list(csv.DictReader(io.StringIO(self.write_log("b.csv", "--csv", "--subsample", "3"))))
        self.assertEqual(some, every[::3])

    def test_no_prediction(self):
        header = self.write_log("l.csv", "--csv", "-n", "--feature", "psnr").splitlines()[0]
        self.assertEqual(header, "Frame,psnr_y,psnr_cb,psnr_cr,")


class Inputs(CommandTest):
    def table(self, *args, **options):
        self.assert_ok(self.score(*args, "-o", self.path("l.csv"), "--precision", "max", "-q", **options))
        return list(csv.reader(io.StringIO(self.read("l.csv"))))

    def raw_pair(self, suffix, bytes_of, semi_planar=False):
        def in_order(frame):
            luma, chroma = frame[:64 * 48], frame[64 * 48:]
            pairs = zip(chroma[:len(chroma) // 2], chroma[len(chroma) // 2:])
            return [*luma, *(sample for pair in pairs for sample in pair)] if semi_planar else list(frame)

        return [self.write(f"{video}.{suffix}", b"".join(map(bytes_of, sum(map(in_order, self.clip(video)), []))))
                for video in ("ref", "dis")]

    def test_nv12_and_p010_are_the_same_as_planes(self):
        wanted = ("--size", "64x48", "--no-model", "-f", "psnr")
        nv12 = self.raw_pair("nv12", lambda sample: bytes([sample]), semi_planar=True)
        self.assertEqual(self.table(*nv12, *wanted, "--pixel-format", "nv12"),
                         self.table(self.ref, self.dis, "--no-model", "-f", "psnr"))
        p010 = self.raw_pair("p010", lambda sample: (sample << 8).to_bytes(2, "little"), semi_planar=True)
        planar = self.raw_pair("yuv", lambda sample: (sample << 2).to_bytes(2, "little"))
        self.assertEqual(self.table(*p010, *wanted, "--pixel-format", "p010"),
                         self.table(*planar, *wanted, "--bit-depth", "10"))
        self.assert_fails(self.score(*nv12, *wanted, "--pixel-format", "nv12", "--bit-depth", "10"), 2,
                          "--pixel-format nv12: it has 8 bits, not 10")

    def test_raw_is_the_same_as_y4m(self):
        ref, dis = (self.write(n + ".yuv", b"".join(self.clip(n))) for n in ("ref", "dis"))
        for pair in ((ref, dis), (ref, self.dis), (self.ref, dis)):
            self.assertEqual(self.table(*pair, "--size", "64x48"), self.table(self.ref, self.dis))
        self.assert_fails(self.score(self.ref, self.dis, "--size", "64x48"), 1, "ref.y4m declares its own size", "leave out")

    def test_the_same_pair_in_any_wrapping(self):
        """Scaling, deepening and cropping read the same pictures from each container."""
        dis, ref = frames(128, 96, 3, distorted_sample), deepened(self.clip("ref")[:3])
        wide = self.video("wide.y4m", dis, size=(128, 96))
        deep = self.video("deep.y4m", ref, "F25:1 Ip C420p10")
        for options in ((), ("--crop", "64:36:0:6"), ("--scale", "dis", "--scale-filter", "lanczos")):
            options += ("--align", "index")  # the wide one shows another pattern
            with self.subTest(options=options):
                expected = self.table(deep, wide, *options)
                raw = [self.write(name, b"".join(pictures)) for name, pictures in (("ref.yuv", ref), ("dis.yuv", dis))]
                self.assertEqual(self.table(deep, raw[1], "--size", "128x96", *options), expected)
                self.assertEqual(self.table(raw[0], wide, "--size", "64x48", "--bit-depth", "10", *options), expected)
                with open(wide, "rb") as file:
                    self.assertEqual(self.table(deep, "-", *options, stdin=file.read()), expected)
                if not shutil.which("ffmpeg"):
                    continue
                for name, codec in (("a.mp4", ("-c:v", "libx264", "-qp", "0")), ("a.mkv", ("-c:v", "ffv1"))):
                    made = self.run_command("ffmpeg", "-v", "error", "-y", "-i", wide, *codec, self.path(name))
                    if made.returncode == 0:
                        self.assertEqual(self.table(deep, self.path(name), *options), expected, name)

    def test_bars_are_left_out_on_request(self):
        def letterbox(picture):
            return bytes([16]) * (64 * 12) + picture[:64 * 48] + bytes([16]) * (64 * 12) + bytes([128]) * (64 * 72 // 2)
        bars = self.video("bars.y4m", [letterbox(p) for p in self.clip("dis")], size=(64, 72))
        self.assert_fails(self.score(self.ref, bars), 1, "scaling would squash one of them", "--crop auto")
        expected = self.table(self.ref, self.dis)
        for crop in ("64:48:0:0,64:48:0:12", "auto"):
            self.assertEqual(self.table(self.ref, bars, "--crop", crop), expected)
        with open(bars, "rb") as file:
            self.assert_fails(self.score(self.ref, "-", "--crop", "auto", stdin=file.read()), 1, "give the rectangle")
        for wrong in ("64:48", "64:48:0:0,", "a:b:c:d", "64:48:0:-2", "64:48:0:0:0"):
            self.assert_fails(self.score(self.ref, bars, "--crop", wrong), 2, "expected auto, none, or WIDTH:HEIGHT:X:Y")

    def test_frame_rates(self):
        for rate, differs in (("F50:1", True), ("F24:1", True), ("F25000:1001", False), ("F0:0", False)):
            other = self.video("other.y4m", self.clip("dis"), rate)
            result = self.score(self.ref, other, "--align", "index")
            self.assert_ok(result)
            self.assertEqual(f"{self.ref} has 25 frames/s, {other} " in result.stderr.decode(), differs, rate)

    def test_standard_input(self):
        with open(self.dis, "rb") as file:
            data = file.read()
        self.assertEqual(self.table(self.ref, "-", stdin=data), self.table(self.ref, self.dis))
        self.assert_ok(self.vmaf("-r", "-", "-d", self.dis, stdin=data))

    def test_frame_range(self):
        ref, dis = self.clip("ref"), self.clip("dis")
        part = self.video("r.y4m", ref[2:5]), self.video("d.y4m", dis[2:5])
        self.assertEqual(self.table(self.ref, self.dis, "--frames", "2:5"), self.table(*part))
        self.assertEqual(self.table(self.ref, self.dis, "--frames", "2:"), self.table(self.ref, self.dis, "--frames", "2:6"))
        self.assertEqual(len(self.table(self.ref, self.dis, "--frames", ":2")), 3)

    def test_odd_sizes(self):
        odd, grey = ([self.video(f"{n}.y4m", frames(67, 49, 3, s, chroma), tags, (67, 49))
                      for n, s in ((names[0], reference_sample), (names[1], distorted_sample))]
                     for names, chroma, tags in (("rd", True, "F25:1 Ip A1:1 C420jpeg"), ("RD", False, "F25:1 Cmono")))
        self.assertEqual(self.table(*odd), self.table(*grey))


class HumanReadable(CommandTest):
    def test_one_reference_many_encodes(self):
        other = self.video("other.y4m", self.clip("ref"))
        self.assert_ok(self.score(self.ref, self.dis, other, "-o", self.path("{name}.csv"), "-q", "-f", "psnr"))
        for name, path in (("dis", self.dis), ("other", other)):
            self.assert_ok(self.score(self.ref, path, "-o", self.path("alone.csv"), "-q", "-f", "psnr"))
            self.assertEqual(self.read(name + ".csv"), self.read("alone.csv"))

    def test_summary_json(self):
        text = self.assert_ok(self.score(self.ref, self.dis, "--json", "-o", self.path("log.JSON"), "--precision", "max"))
        json.loads(text)
        log = json.loads(self.read("log.JSON"))
        self.assertEqual(len(log["frames"]), 6)
        self.assertIn(repr(log["pooled_metrics"]["vmaf_v0.6.1"]["mean"]), text)
        self.assertIn("dis.y4m", text)

    def test_table_goes_to_stdout_and_progress_to_stderr(self):
        result = self.score(self.ref, self.dis, "-o", self.path("l.xml"))
        text = self.assert_ok(result)
        for fragment in ("vmaf_v0.6.1", "mean", "harmonic", "6 frames in", "frames/s", "log: "):
            self.assertIn(fragment, text)
        self.assertNotIn("\x1b", text + result.stderr.decode())

    def test_table_shows_the_requested_features(self):
        text = self.assert_ok(self.score(self.ref, self.dis, "-f", "psnr", "-f", "adm"))
        rows = [line for line in text.splitlines() if "sha256:" not in line]
        self.assertEqual([line.split()[0] for line in rows if line[:5] in ("vmaf_", "psnr_", "integ")],
                         ["vmaf_v0.6.1", "integer_adm2", "integer_aim", "integer_adm3", "integer_adm_scale0",
                          "integer_adm_scale1", "integer_adm_scale2", "integer_adm_scale3", "psnr_y", "psnr_cb", "psnr_cr"])
        self.assertRegex(text, r"The 7 features behind them are in logs and --json; see --all-features")
        whole = self.assert_ok(self.score(self.ref, self.dis, "--all-features"))
        self.assertIn("\ninteger_vif_scale0 ", whole)
        self.assertNotIn("--all-features", whole)

    def test_table_fits_a_terminal(self):
        text = self.assert_ok(self.score(self.ref, self.dis, "-f", "psnr=enable_apsnr=true", "--all-features"))
        table = text[text.index("mean"):text.index(" frames in")]
        rows = [line for line in table.splitlines() if "sha256:" not in line]  # the receipt's line is for quotations
        self.assertLessEqual(max(len(line) for line in rows), 80)
        self.assertRegex(table, r"\nVMAF_integer_feature_motion_sad_score\n +\d+\.\d{4} ")
        self.assertRegex(table, r"\napsnr_y +\d+\.\d{4}\n")

    def test_lists(self):
        for args, fragments in (
                (["features"], ("adm", "vif", "motion", "psnr")),
                (["features", "motion"], ("motion_five_frame_window", "mffw", "integer_motion2", "default")),
                (["features", "psnr"],
                 ("  psnr_y  (dB)\n", "  mse_y  (lower is better)  (only with some options)\n", "number, 0 or more"))):
            text = self.assert_ok(self.acutance(*args))
            for fragment in fragments:
                self.assertIn(fragment, text)

    def test_help(self):
        commands = ("score", "compare", "ladder", "bd", "batch", "features", "models", "devices", "selftest", "tune", "parity",
                    "plan")
        for args in ((VMAF,), (ACUTANCE,), *((ACUTANCE, command) for command in commands)):
            text = self.assert_ok(self.run_command(*args, "--help"))
            self.assertLessEqual(max(len(line) for line in text.splitlines()), 80, args)
            self.assertTrue("acutance score" in text or args[1:] not in ((), ("score",)) or args[0] == VMAF, args)

    def test_clients_probes_of_vmaf(self):
        self.assertEqual(json.loads(self.assert_ok(self.vmaf("--list-backends")))["backends"][0]["name"], "cpu")
        result = self.vmaf("--version")
        self.assert_ok(result)
        self.assertRegex(result.stderr.decode() + result.stdout.decode(), r"\d+\.\d+[\w.\-]*")
        grey = self.write("grey.yuv", bytes([128]) * (64 * 64 * 3 // 2))
        self.assert_ok(self.vmaf("-r", grey, "-d", grey, "--width", 64, "--height", 64, "-p", 420, "-b", 8, "-m",
                                 "version=vmaf_v0.6.1", "--precision", "legacy", "-q", "-o", self.path("g"), "--json",
                                 "--no_cuda", "--no_sycl", "--no_hip", "--no_metal"))
        self.assertEqual(json.loads(self.read("g"))["pooled_metrics"]["vmaf"]["mean"], 97.428043)

    def test_acutance_by_the_name_of_vmaf(self):
        """As wheels and the container's image call it."""
        os.symlink(ACUTANCE, self.path("vmaf"))
        args = "-r", self.ref, "-d", self.dis, "--feature", "psnr", "--json", "-q", "--backend", "cpu", "-o"
        for program, log in ((VMAF, "one"), (self.path("vmaf"), "other")):
            self.assert_ok(self.run_command(program, *args, self.path(log)))
        self.assertEqual(without_speed(self.read("one")), without_speed(self.read("other")))
        missing = [self.run_command(program, "-r", "none.y4m", "-d", self.dis) for program in (VMAF, self.path("vmaf"))]
        self.assertEqual([(run.returncode, run.stderr) for run in missing], 2 * [(255, missing[0].stderr)])

    def test_a_trace_of_all_steps(self):
        trace = self.path("trace.json")
        for backend, steps in (("cpu", {"read", "band", "finish", "write"}),
                               ("emu", {"read", "upload", "batch", "finish", "write"})):
            self.assert_ok(self.score(self.ref, self.dis, "--no-model", "-f", "psnr", "--backend", backend, "--trace", trace))
            spans = json.loads(self.read("trace.json"))
            self.assertLessEqual(steps, {span["name"] for span in spans})
            self.assertTrue(all(span["dur"] >= 0 for span in spans if span["ph"] == "X"))
        self.assert_fails(self.score(self.ref, self.dis, "--trace", self.path("none/trace.json")), 1, "none/trace.json")
