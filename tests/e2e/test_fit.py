"""acutance fit: agreement of scores with opinions, and training of models."""
import json
import random
import unittest

from clips import CommandTest, frames, reference_sample


class Fit(CommandTest):
    """Six contents in five qualities."""

    CONTENTS, STEPS = 6, 5

    def opinions(self, *columns, noise=0.1):
        """A CSV of opinions that fall with the step, and columns of scores by functions of content and step."""
        dice = random.Random(1)
        lines = ["name,content,mos,std,votes" + "".join("," + name for name, _ in columns)]
        for content in range(self.CONTENTS):
            for step in range(self.STEPS):
                scores = "".join(f",{score(content, step, dice)}" for _, score in columns)
                mos = 4.5 - 0.7 * step + dice.gauss(0, noise)
                lines.append(f"c{content}_{step},c{content},{mos:.4f},0.5,25{scores}")
        return self.write("opinions.csv", "\n".join(lines) + "\n")

    def test_agreement(self):
        path = self.opinions(("good", lambda c, s, dice: 90 - 15 * s), ("poor", lambda c, s, dice: dice.random()),
                             ("falls", lambda c, s, dice: s * s), ("flat", lambda c, s, dice: 3),
                             ("words", lambda c, s, dice: "x"))
        found = self.document("fit", path)["agreements"]
        self.assertEqual((found["encodes"], found["contents"]), (30, 6))
        scores = {row["score"]: row for row in found["scores"]}
        self.assertEqual(list(scores), ["good", "poor", "falls"], "constants and words say nothing")
        self.assertGreater(scores["good"]["srcc"]["low"], 0.95)
        self.assertAlmostEqual(scores["falls"]["srcc"]["value"], -scores["good"]["srcc"]["value"], delta=1e-12)
        self.assertGreater(scores["falls"]["plcc"]["value"], 0.98, "the curve falls, too")
        self.assertLess(scores["good"]["rmse"]["value"], scores["good"]["rmse_p1401"])
        self.assertGreater(scores["poor"]["outlier_ratio"]["value"], 0.5)
        poor = found["differences"][0]
        self.assertEqual((poor["one"], poor["other"]), ("poor", "good"))
        self.assertLess(poor["srcc"]["high"], 0)
        self.assertLess(max(poor["srcc_p"], poor["plcc_p"], poor["rmse_p"]), 1e-3)
        text = self.assert_ok(self.acutance("fit", path))
        self.assertRegex(text, r"good +0\.9\d+ \[")
        self.assertIn("poor against good: |SRCC| -", text)

    def test_wrong_input(self):
        for table, fragment in (("score\n1\n", "no column mos"), ("mos,a\n1,2\n", "too few"), ("mos\n" + "1\n2\n" * 5, "no scores"),
                                ("mos,a\n" + "1,5\n2,5\n" * 5, "constant"), ("mos,a\n" + "3,1\n3,2\n" * 5, "the same"),
                                ("mos,a\n1\n", "line 2: 1 cells"), ("", "no rows")):
            self.assert_fails(self.acutance("fit", self.write("bad.csv", table)), 1, fragment)
        path = self.opinions(("good", lambda c, s, dice: -s))
        self.assert_fails(self.acutance("fit", path, "--scores", self.path("no")), 1, "could not open")
        if self.can_train(path):
            self.assert_fails(self.acutance("fit", path, "--train", self.path("m.json"), "--features", "good"), 1,
                              "good: a model needs features")
            self.assert_fails(self.acutance("fit", path, "--train", self.path("m.json")), 1, "--features A,B,C")

    def can_train(self, path):
        result = self.acutance("fit", path, "--train", self.path("m.json"))
        return b"built without libsvm" not in result.stderr

    def test_training(self):
        """A model of encodes' own features; the commands score by it what was predicted."""
        path = self.opinions(noise=0.02)
        if not self.can_train(path):
            raise unittest.SkipTest("this build has no libsvm")
        lines = ["name,reference,distorted"]
        for content in range(self.CONTENTS):
            source = frames(self.WIDTH, self.HEIGHT, 3, lambda x, y, k, c=content: (reference_sample(x, y, k) * (3 + c) // 8 + 9 * c) % 256)
            reference = self.video(f"c{content}.y4m", source)
            for step in range(self.STEPS):
                dice = random.Random(100 * content + step)
                encode = [bytes(min(255, max(0, b + dice.randrange(-6 * step, 6 * step + 1))) for b in picture) for picture in source]
                lines.append(f"c{content}_{step},{reference},{self.video(f'c{content}_{step}.y4m', encode)}")
        jobs = self.write("list.csv", "\n".join(lines) + "\n")
        self.assert_ok(self.acutance("batch", jobs, "--out", self.path("out"), "-q", "--", "-m", "vmaf_v0.6.1", "--align", "index"))
        model = self.path("mine.json")
        found = self.document("fit", path, "--scores", self.path("out"), "--train", model, "--features",
                              "integer_adm2,integer_motion2,integer_vif_scale2", "--search", "--folds", "3")
        self.assertEqual(found["agreements"]["scores"][0]["score"], "vmaf_v0.6.1", "models come first")
        checked = found["training"]["cross_validation"]["scores"][0]
        self.assertGreater(checked["srcc"]["value"], 0.8)
        names = json.loads(self.read("mine.json"))["model_dict"]["feature_names"]
        self.assertEqual(names, [f"VMAF_integer_feature_{name}_score" for name in ("adm2", "motion2", "vif_scale2")])
        for step, opinion in ((0, 4.5), (4, 1.7)):
            pair = self.path("c2.y4m"), self.path(f"c2_{step}.y4m")
            score = self.mean(*pair, "-m", model, "--align", "index")
            self.assertAlmostEqual(score, opinion, delta=0.6)
            log = self.log("-r", pair[0], "-d", pair[1], "-m", f"path={model}", "--json", run=self.vmaf)
            self.assertEqual(log["pooled_metrics"]["vmaf"]["mean"], score)
