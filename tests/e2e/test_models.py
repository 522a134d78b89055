"""Models: several at once, overloads, by path, and damaged files."""
import json
import os
import re

from clips import CommandTest, deepened

MODELS = os.path.join(os.path.dirname(__file__), "..", "..", "models")


class Models(CommandTest):
    def means(self, *args):
        return {name: values["mean"] for name, values in self.vmaf_log(*args)["pooled_metrics"].items()}

    def test_a_file_scores_as_the_built_in_one(self):
        for version in ("vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1neg"):
            path = os.path.join(MODELS, version + ".json")
            self.assertEqual(self.means("-m", "version=" + version), self.means("-m", "path=" + path))

    def test_all_of_libvmaf_are_listed(self):
        listed = [line.split()[0] for line in self.assert_ok(self.acutance("models")).splitlines() if line][:-1]
        self.assertEqual(listed[0], "vmaf_v0.6.1")
        self.assertEqual(sorted(listed), sorted(name[:-5] for name in os.listdir(MODELS) if name.endswith(".json")))
        with open(os.path.join(MODELS, "..", "docs", "use", "models.md"), encoding="utf-8") as file:
            self.assertEqual(listed, re.findall(r"^\| (vmaf_\S+) \|", file.read(), re.M))

    def test_a_collection_logs_its_interval(self):
        means = self.means("-m", "version=vmaf_b_v0.6.3:name=b")
        members = [f"b_{i:04}" for i in range(1, 21)]
        self.assertEqual([name for name in means if name[0] == "b"],
                         ["b"] + members + ["b_bagging", "b_stddev", "b_ci_p95_lo", "b_ci_p95_hi"])
        self.assertLess(means["b_ci_p95_lo"], means["b_bagging"])
        self.assertLess(means["b_bagging"], means["b_ci_p95_hi"])
        self.assertGreater(means["b_stddev"], 0)
        table = self.assert_ok(self.score(self.ref, self.dis, "-m", "vmaf_b_v0.6.3"))
        self.assertIn("\nvmaf_b_v0.6.3_ci_p95_lo ", table)
        self.assertNotIn("vmaf_b_v0.6.3_0001", table)

    def test_several_models_share_features(self):
        both = self.means("-m", "version=vmaf_v0.6.1:name=a", "-m", "version=vmaf_v0.6.1neg:name=b")
        neg = self.means("-m", "version=vmaf_v0.6.1neg")["vmaf"]
        self.assertEqual((both["a"], both["b"]), (self.means()["vmaf"], neg))
        self.assertLess(both["b"], both["a"] + 1e-9)
        self.assertIn("integer_adm2_egl_1", both)
        overloaded = self.means("-m", "version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=1.0:adm.adm_enhn_gain_limit=1.0")
        self.assertEqual(overloaded["vmaf"], neg)

    def test_options_that_reach_no_feature_are_ignored(self):
        """libvmaf's Python runner gives every model the options of cambi."""
        plain = self.means()
        for option in ("cambi.enc_width=576", "nosuch.x=1", "adm.nosuch=1"):
            with self.subTest(option=option):
                model = ("-m", "version=vmaf_v0.6.1:" + option)
                result = self.vmaf("-r", self.ref, "-d", self.dis, *model)
                self.assertEqual(result.stderr.decode().count("is ignored"), 1)
                self.assertEqual(self.means(*model)["vmaf"], plain["vmaf"])
        for option in ("nosuch.x=1", "adm.nosuch=1"):
            self.assert_fails(self.score(self.ref, self.dis, "-m", "version=vmaf_v0.6.1:" + option), 1, "nosuch")

    def test_an_option_that_a_feature_lacks(self):
        result = self.vmaf("-r", self.ref, "-d", self.dis, "-n", "--csv", "-o", self.path("o"), "--feature",
                           "vif=vif_enhn_gain_limt=1")
        self.assert_ok(result)
        self.assertIn("did you mean 'vif_enhn_gain_limit'", result.stderr.decode())
        self.assertIn("Frame,integer_vif_scale0,", self.read("o"))
        self.assert_fails(self.score(self.ref, self.dis, "-f", "vif=vif_enhn_gain_limt=1"), 1, "vif_enhn_gain_limt")

    def test_motion_v2_is_motion(self):
        means = self.means("-n", "--feature", "motion_v2=motion_fps_weight=2")
        self.assertIn("integer_motion2_mfw_2", means)
        both = self.means("-m", "version=vmaf_v0.6.1:motion_v2.motion_fps_weight=2")
        self.assertEqual(both["integer_motion2_mfw_2"], means["integer_motion2_mfw_2"])

    def test_transform_and_clip(self):
        plain = self.means()["vmaf"]
        self.assertGreater(self.means("-m", "version=vmaf_v0.6.1:enable_transform")["vmaf"], plain)
        self.assertEqual(self.means("-m", "version=vmaf_v0.6.1:disable_clip=true")["vmaf"], plain)

    def test_viewing_chooses(self):
        text = self.assert_ok(self.score(self.ref, self.dis, "--viewing", "phone"))
        self.assertIn("model      no VMAF v1: feature ", text)
        self.assertIn("\nvmaf_v0.6.1_phone ", text)
        self.assert_fails(self.score(self.ref, self.dis, "--viewing", "phone", "-m", "vmaf_v0.6.1"), 2, "leave one out")
        self.assert_ok(self.score(self.ref, self.dis, "-m", "auto", "-m", "vmaf_v0.6.1neg"))


class Auto(CommandTest):
    WIDTH, HEIGHT, FRAMES = 240, 176, 2

    def test_v1_at_ten_bits_next_to_v0(self):
        """VMAF v1 is computed as for videos of 10 bits whose encode has 8; v0.6.1 reads the videos' own 8."""
        result = self.score(self.ref, self.dis)
        text = self.assert_ok(result)
        self.assertIn("model      vmaf_v1.0.16_3d0h, for 240x176, 25 frames/s, at 10 bits; cambi measured at the encode's", text)
        self.assertIn("--scale 1472x1080", result.stderr.decode())
        auto = self.log(self.ref, self.dis)["pooled_metrics"]
        deep = [self.video(f"{kind}10.y4m", deepened(self.clip(kind)), "F25:1 Ip C420p10") for kind in ("ref", "dis")]
        for (self.ref, self.dis), model in (((self.ref, self.dis), "version=vmaf_v0.6.1"),
                                            (deep, "version=vmaf_v1.0.16_3d0h:cambi.enc_bitdepth=8")):
            for name, values in self.vmaf_log("-m", model)["pooled_metrics"].items():
                name = {"vmaf": model.split("=")[1].split(":")[0]}.get(name, name)
                self.assertEqual(auto[name], values, name)


class Version1(CommandTest):
    WIDTH, HEIGHT, FRAMES = 392, 384, 2

    # libvmaf 3.2's scores of both frames, as FFmpeg's filter logs them. Chroma is equal, so the chroma rule acts.
    SCORES = {"3d0h": [80.205725, 80.458788], "5d0h": [81.340472, 81.585004], "3d0h_2160": [86.488462, 86.770446],
              "1d5h_2160": [79.531337, 79.811710], "hfr_3d0h": [67.242894, 67.512450],
              "hfr_5d0h": [68.451620, 68.712103], "hfr_3d0h_2160": [72.335144, 72.630970],
              "hfr_1d5h_2160": [65.282129, 65.576220]}

    def test_both_commands(self):
        models = [f"version=vmaf_v1.0.16_{name}:name=vmaf_{name}" for name in self.SCORES]
        flags = [word for model in models for word in ("-m", model)]
        frames = self.vmaf_log(*flags)["frames"]
        self.assertEqual(frames, self.log(self.ref, self.dis, *flags, "--threads", "2")["frames"])
        for name, scores in self.SCORES.items():
            for frame, score in zip(frames, scores):
                self.assertAlmostEqual(frame["metrics"]["vmaf_" + name], score, delta=2e-6, msg=name)

    def test_columns(self):
        adm = "_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02"
        self.assertEqual(list(self.vmaf_log("-m", "version=vmaf_v1.0.16_3d0h")["pooled_metrics"]), [
            "cambi_hrs_1080_cmxv_17_vlt_0.06",
            *[f"speed_chroma_{plane}_mxv_45_nnf_0.1_snn_0.19_wvm_5" for plane in ("u", "v", "uv")],
            *[f"integer_{name}{adm}" for name in ("adm2", "aim", "adm3", "adm_scale0", "adm_scale1", "adm_scale2",
                                                  "adm_scale3")],
            "VMAF_integer_feature_motion_sad_score_mmxv_18", "integer_motion2_mmxv_18", "integer_motion3_mmxv_18",
            "vmaf"])


class DamagedModels(CommandTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(MODELS, "vmaf_v0.6.1.json"), encoding="utf-8") as file:
            self.text = file.read()
        self.model = json.loads(self.text)

    def refuse(self, text, *fragments):
        path = self.write("model.json", text)
        self.assert_fails(self.score(self.ref, self.dis, "-m", path), 1, "model.json", *fragments)
        self.assert_fails(self.vmaf("-r", self.ref, "-d", self.dis, "-m", "path=" + path), 255, "problem loading model", *fragments)

    def changed(self, key, value):
        return json.dumps(dict(self.model, model_dict=dict(self.model["model_dict"], **{key: value})))

    def test_damage(self):
        """The parser's own tests have each kind of damage."""
        for text in ("not json", "", self.text[: len(self.text) // 2], "[" * 100000):
            self.refuse(text)
        svm = self.model["model_dict"]["model"]
        for text, fragment in (("{}", "model_dict"), (self.changed("slopes", [1.0, 2.0]), "slopes"),
                               (self.changed("feature_names", []), "feature_names"), (self.changed("model", svm[:-400]), "model"),
                               (self.changed("model", svm.replace("1:", "7:", 1)), "model")):
            self.refuse(text, fragment)

    def test_features_that_do_not_exist(self):
        names = ["VMAF_integer_feature_adm9_score"] + self.model["model_dict"]["feature_names"][1:]
        path = self.write("model.json", self.changed("feature_names", names))
        self.assert_fails(self.score(self.ref, self.dis, "-m", path), 1, "VMAF_integer_feature_adm9_score")
        self.assert_fails(self.vmaf("-r", self.ref, "-d", self.dis, "-m", "path=" + path), 255,
                          'could not initialize feature extractor "VMAF_integer_feature_adm9_score"')


class MetricModels(CommandTest):
    WIDTH, HEIGHT = 216, 64  # cambi wants 216

    def test_metrics_are_models(self):
        """A metric as a model logs its feature's scores; its mean is the clip's own value, where the metric has one."""
        for version, feature, column, clip in (
                ("ssimulacra2", "ssimulacra2", "ssimulacra2", None),
                ("butteraugli", "butteraugli", "butteraugli_3norm", None),
                ("cvvdp", "cvvdp", "cvvdp_frame", "cvvdp_clip"),
                ("cvvdp:cvvdp.display=standard_fhd", "cvvdp=display=standard_fhd", "cvvdp_frame_display_standard_fhd",
                 "cvvdp_clip_display_standard_fhd"),
                ("xpsnr", "xpsnr", "xpsnr_y", "xpsnr_average_y"),
                ("psnr_hvs", "psnr_hvs", "psnr_hvs", None), ("psnr_y", "psnr", "psnr_y", None),
                ("ciede2000", "ciede", "ciede2000", None), ("cambi", "cambi", "cambi", None)):
            with self.subTest(version=version):
                alone = self.vmaf_log("-n", "--feature", feature)
                log = self.vmaf_log("-m", "version=" + version)
                self.assertEqual([frame["metrics"]["vmaf"] for frame in log["frames"]],
                                 [frame["metrics"][column] for frame in alone["frames"]])
                self.assertEqual(log["pooled_metrics"][column], alone["pooled_metrics"][column])
                expected = dict(alone["pooled_metrics"][column])
                if clip:
                    self.assertNotEqual(alone["aggregate_metrics"][clip], expected["mean"])
                    expected["mean"] = alone["aggregate_metrics"][clip]
                self.assertEqual(log["pooled_metrics"]["vmaf"], expected)

    def test_metrics_as_models_of_the_command(self):
        args = (self.ref, self.dis, "-m", "version=xpsnr:name=x", "-f", "xpsnr")
        result = self.summary(*args, "--segments", "0f,3f")["results"][0]
        mean = result["models"]["x"]["pools"]["mean"]
        self.assertEqual([mean, result["models"]["x"]["mean"]], 2 * [result["aggregates"]["xpsnr_average_y"]])
        plain = result["features"]["xpsnr_y"]["pools"]
        self.assertNotEqual(mean, plain["mean"])
        self.assertEqual(result["models"]["x"]["pools"]["min"], plain["min"])
        for segment in result["segments"]:
            self.assertEqual(segment["models"]["x"], segment["features"]["xpsnr_y"])
        self.summary(*args, "--require", f"x.mean>={mean!r}")
        self.summary(*args, "--require", f"x.mean>={mean + 1e-9!r}", status=3)
        self.assert_fails(self.score(self.ref, self.dis, "-m", "xpsnr_y"), 1, "--feature xpsnr")
