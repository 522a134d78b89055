"""The machine contract, poolings, segments, requirements."""
import json
import os
import pathlib
from xml.etree import ElementTree

import schema
from clips import ACUTANCE, CommandTest, distorted_sample, frames, reference_sample


class Contract(CommandTest):
    def test_documents_fit_the_schema(self):
        single = ("-m", "vmaf_v0.6.1", "--align", "index")
        for args in ((), single, ("--no-model", "-f", "psnr"), (*single, "--segments", "2f"), (*single, "--subsample", "2"),
                     (*single, "--pool", "p5,mean"), (*single, "--require", "vmaf_v0.6.1.min>=0"), ("-m", "vmaf_b_v0.6.3")):
            with self.subTest(args=args):
                self.summary(self.ref, self.dis, *args)
        self.summary(self.ref, self.dis, self.ref, *single)

    def test_the_validator_finds_what_does_not_fit(self):
        document = self.summary(self.ref, self.dis, "-m", "vmaf_v0.6.1")
        for spoil in (lambda d: d.pop("frames"), lambda d: d.update(more=1), lambda d: d.update(schema="acutance/2"),
                      lambda d: d.update(frames="6"), lambda d: d["results"][0]["models"]["vmaf_v0.6.1"].pop("pools"),
                      lambda d: d["reference"].update(bit_depth=9)):
            spoiled = json.loads(json.dumps(document))
            spoil(spoiled)
            with self.assertRaises(AssertionError):
                schema.check(spoiled)

    def test_poolings_by_name(self):
        args = ("--no-model", "-f", "psnr", "--precision", "max", "-o", self.path("log.json"))
        document = self.summary(self.ref, self.dis, *args, "--pool", "mean,min,p5,worst_percent,worst_second,p100,stddev")
        scores = [frame["metrics"]["psnr_y"] for frame in json.loads(self.read("log.json"))["frames"]]
        found = document["results"][0]["features"]["psnr_y"]
        pools = found["pools"]
        self.assertEqual(list(pools), ["mean", "min", "p5", "worst_percent", "worst_second", "p100", "stddev"])
        self.assertEqual([pools[name] for name in ("min", "worst_percent", "p100")], [min(scores), min(scores), max(scores)])
        self.assertEqual(pools["worst_second"], pools["mean"])  # six frames are less than a second
        self.assertAlmostEqual(pools["p5"], sorted(scores)[0] * 0.75 + sorted(scores)[1] * 0.25, delta=1e-9)
        self.assertLess(found["mean_interval"]["low"], found["mean"])
        self.assertGreater(found["mean_interval"]["high"], found["mean"])
        text = self.assert_ok(self.score(self.ref, self.dis, "--no-model", "-f", "psnr", "--pool", "p5,worst_percent"))
        self.assertIn("p5", text)
        self.assertNotIn("median", text)
        self.assert_fails(self.score(self.ref, self.dis, "--pool", "mean,meddian"), 2, "--pool", "did you mean 'median'?")

    def test_a_second_needs_a_rate(self):
        raw = [self.write(name, b"".join(self.clip(kind))) for name, kind in (("r.yuv", "ref"), ("d.yuv", "dis"))]
        args = (*raw, "--size", f"{self.WIDTH}x{self.HEIGHT}", "-m", "vmaf_v0.6.1")
        pools = self.summary(*args)["results"][0]["models"]["vmaf_v0.6.1"]["pools"]
        self.assertIsNone(pools["worst_second"])
        self.assert_fails(self.score(*args, "-q", "--require", "vmaf_v0.6.1.worst_second>=1"), 2, "no frame rate")
        self.assert_fails(self.score(*args, "-q", "--segments", "2s"), 2, "frame rate", "100f")

    def test_segments_and_shots(self):
        def scene(sample, shift):
            return lambda x, y, k: (sample(x, y, k) // 2 + shift) % 256

        clips = {}
        for name, sample in (("a", reference_sample), ("b", distorted_sample)):
            pictures = frames(64, 48, 12, scene(sample, 10)) + frames(64, 48, 13, scene(sample, 100))
            clips[name] = self.video(name + ".y4m", pictures)
        args = (clips["a"], clips["b"], "--no-model", "-f", "psnr", "--align", "index")
        result = self.summary(*args, "--segments", "0f,5f,20f")["results"][0]
        self.assertEqual([(s["begin"], s["end"]) for s in result["shots"]], [(0, 12), (12, 25)])
        self.assertEqual([(s["begin"], s["end"]) for s in result["segments"]], [(0, 5), (5, 20), (20, 25)])
        whole = result["features"]["psnr_y"]["mean"]
        parts = [s["features"]["psnr_y"]["mean"] * (s["end"] - s["begin"]) for s in result["segments"]]
        self.assertAlmostEqual(sum(parts) / 25, whole, delta=1e-9)
        text = self.assert_ok(self.score(clips["a"], clips["b"], "-m", "vmaf_v0.6.1", "--align", "index", "--shots"))
        self.assertIn("12-24", text)
        for part in ("--shots", "--segments=0f,12f"):
            text = self.assert_ok(self.score(*args, part))
            self.assertRegex(text, r"psnr_y\n(shots|segments) +mean +min.*\n0-11 .*\n12-24 ")

    def test_intervals_of_collections(self):
        document = self.summary(self.ref, self.dis, "-m", "vmaf_b_v0.6.3")
        models = document["results"][0]["models"]
        interval = models["vmaf_b_v0.6.3_bagging"]["model_interval"]
        means = sorted(s["mean"] for name, s in models.items() if name.removeprefix("vmaf_b_v0.6.3_").isdigit())
        self.assertEqual(interval["members"], len(means))
        self.assertLessEqual(means[0], interval["low"])
        self.assertLess(interval["low"], interval["high"])
        self.assertLessEqual(interval["high"], means[-1])

    def test_frames_as_lines_of_json(self):
        args = (self.ref, self.dis, self.ref, "-m", "vmaf_v0.6.1", "--align", "index", "--precision", "max", "-o",
                self.path("{name}.json"))
        lines = [line for line in self.events(*args) if line["event"] != "warning"]  # of the pictures' size
        self.assertEqual(lines[0], {"schema": "acutance/1", "event": "start", "frames": self.FRAMES})
        self.assertEqual(lines[-1]["event"], "result")
        self.assertEqual(lines[-1]["result"]["frames"], self.FRAMES)
        for video, name in enumerate(("dis.json", "ref.json")):
            log = json.loads(self.read(name))["frames"]
            found = [line for line in lines if line["event"] == "frame" and line["video"] == video]
            self.assertEqual([line["frame"] for line in found], list(range(self.FRAMES)))
            for line, frame in zip(found, log):
                self.assertEqual(line["scores"], frame["metrics"])
        self.assert_fails(self.score(*args, "--progress", "ndjson", "--json"), 2, "--json")


class Gates(CommandTest):
    MODEL = ("-m", "vmaf_v0.6.1", "-f", "psnr", "--align", "index")

    def gate(self, *args):
        return self.score(self.ref, self.dis, *self.MODEL, "-q", *args)

    def test_status_3_and_a_sentence(self):
        text = self.assert_ok(self.gate("--require", "vmaf_v0.6.1.p5>=0, psnr_y.mean>1"))
        self.assertIn("all 2 requirements hold", text)
        result = self.gate("--require", "vmaf_v0.6.1.p5>=0", "--require", "psnr_y.mean>99")
        self.assert_fails(result, 3, "dis.y4m: psnr_y.mean is ", "must be more than 99")
        self.assertNotIn("vmaf_v0.6.1.p5", result.stderr.decode())
        verdict = self.summary(self.ref, self.dis, *self.MODEL, "--require", "psnr_y.mean>99", status=3)["verdict"]
        self.assertFalse(verdict["holds"])
        self.assertEqual(verdict["requirements"][0]["bound"], 99)

    def test_a_required_feature_is_computed(self):
        """The example of the manual and of --help, as it stands there."""
        document = self.summary(self.ref, self.dis, "-m", "vmaf_v0.6.1", "--require",
                                "vmaf_v0.6.1.p5>=0, psnr_y.mean>0, integer_vif_scale0.min>=0")
        self.assertTrue(document["verdict"]["holds"])
        self.assertIn("psnr_y", document["results"][0]["features"])
        plain = self.summary(self.ref, self.dis, "-m", "vmaf_v0.6.1", "-f", "psnr")
        self.assertEqual(document["results"], plain["results"])

    def test_unknown_names(self):
        for args, fragments in (
                (["vmaf_v0.6.1.perc5>=0"], ("perc5", "worst_percent")),
                (["psnr_x.mean>=0", "-o", self.path("log")], ("no score 'psnr_x' of", "did you mean 'psnr_y'?")),
                (["cvvdp_clip.mean>=9", "-f", "cvvdp"],
                 ("no score 'cvvdp_clip' of frames", "a number of the whole video has no pooling: cvvdp_clip>=9",
                  " (there are cvvdp, cvvdp_frame, ", " others)")),
                (["vmaf_v0.6.1>=90"], ("such as vmaf_v0.6.1.mean>=90",)),
                (["vmaf.p5>=0"], ("did you mean 'vmaf_v0.6.1'?",)), (["apsnr_x>=0"], ("apsnr_x",))):
            self.assert_fails(self.gate("--require", *args), 2, *fragments)
        self.assertRaises(FileNotFoundError, self.read, "log")
        self.assert_fails(self.gate("--junit", self.path("j")), 2, "--require")

    def test_junit(self):
        result = self.gate("--require", "vmaf_v0.6.1.p5>=0, psnr_y.mean>99", "--junit", self.path("gate.xml"))
        self.assertEqual(result.returncode, 3)
        suite = ElementTree.parse(self.path("gate.xml")).getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        cases = suite.findall("testcase")
        self.assertIsNone(cases[0].find("failure"))
        self.assertIn("must be more than 99", cases[1].find("failure").get("message"))

    def test_fail_fast_stops_at_the_frame(self):
        ref, dis = (self.video(name, self.clip(kind) * 50) for name, kind in (("r", "ref"), ("d", "dis")))
        args = (ref, dis, *self.MODEL, "-q", "-t", "1", "-o", self.path("log"), "--json")
        result = self.score(*args, "--require", "psnr_y.min>99", "--fail-fast")
        self.assert_fails(result, 3, "stopped after", "no log is written", "psnr_y.min is")
        self.assertLess(json.loads(result.stdout)["frames"], 100)
        self.assertRaises(FileNotFoundError, self.read, "log")
        result = self.score(*args, "--require", "psnr_y.mean>99", "--fail-fast")  # which all frames settle
        self.assertEqual(json.loads(result.stdout)["frames"], 300)
        self.assertEqual(result.returncode, 3)

    def test_join_has_gates_too(self):
        journal = self.path("journal")
        self.assert_ok(self.gate("--journal", journal))
        result = self.acutance("join", journal, "--require", "psnr_y.mean>99")
        self.assert_fails(result, 3, "psnr_y.mean is")


class Action(CommandTest):
    """What action.yml runs, as a runner would."""

    def run_action(self, require, options="-m vmaf_v0.6.1 --align index"):
        script = pathlib.Path(__file__).parents[2] / "tools" / "action.sh"
        outputs = {name: self.path(name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        environment = {**os.environ, **outputs, "RUNNER_TEMP": self.folder.name, "ACUTANCE": ACUTANCE,
                       "REFERENCE": self.ref, "DISTORTED": f"{self.dis}\n\n{self.ref}\n", "REQUIRE": require,
                       "OPTIONS": options}
        result = self.run_command("bash", script, env=environment)
        folder = self.read("GITHUB_OUTPUT").strip().removeprefix("folder=")
        return result, pathlib.Path(folder), self.read("GITHUB_STEP_SUMMARY")

    def test_verdicts(self):
        result, folder, text = self.run_action("vmaf_v0.6.1.mean>=0")
        self.assert_ok(result)
        self.assertIn("All requirements hold.", text)
        document = schema.check(json.loads((folder / "summary.json").read_text()))
        self.assertEqual(len(document["results"]), 2)
        self.assertEqual(len(ElementTree.parse(folder / "junit.xml").getroot().findall("*/testcase")), 2)
        self.assertIn("<html", (folder / "report.html").read_text())

    def test_a_gate_that_fails(self):
        result, _, text = self.run_action("vmaf_v0.6.1.mean>=101")
        self.assertEqual(result.returncode, 3)
        self.assertIn("not good enough", text)
        self.assertIn("must be at least 101", text)

    def test_inputs_are_no_commands(self):
        result, _, text = self.run_action("", f"-m vmaf_v0.6.1 '$(touch {self.path('x')})'")
        self.assertEqual(result.returncode, 1)  # no such video
        self.assertIn("failed with status 1", text)
        self.assertFalse(os.path.exists(self.path("x")))
        result, folder, _ = self.run_action("", "")
        self.assert_ok(result)
        self.assertFalse((folder / "junit.xml").exists())
