"""Receipts, verify and diff: what is true is verified, what was forged is found."""
import hashlib
import json
import os
import random
import re
import struct
import unittest

import schema
from clips import VMAF, CommandTest, needs_ffmpeg

# Forgeries of each kind, of which there are ten: `make test-long` finds 200.
ROUNDS = 20 if os.environ.get("ACUTANCE_LONG_TESTS") else 2


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def hash_of(receipt):
    plain = {key: value for key, value in receipt.items() if key not in ("sha256", "lines")}
    plain["results"] = [{key: value for key, value in result.items() if key != "frame_scores"}
                        for result in receipt["results"]]
    return hashlib.sha256(canonical(plain).encode()).hexdigest()


class TrustTest(CommandTest):
    FRAMES = 24
    OPTIONS = ("-m", "vmaf_v0.6.1", "-f", "psnr", "--align", "index", "-q")

    def score(self, *args, videos=None):
        result = self.acutance("score", *(videos or (self.ref, self.dis)), *self.OPTIONS, *args)
        self.assert_ok(result)
        return result.stdout.decode()

    def receipt(self, name="receipt.json", *args, **options):
        self.score("--receipt", self.path(name), *args, **options)
        return json.loads(self.read(name))

    def log(self, name="log.xml", *args):
        self.score("--output", self.path(name), *args)
        return self.read(name)

    def verify(self, name, *args):
        result = self.acutance("verify", self.path(name), "-t", "1", *args)
        result.stdout, result.stderr = result.stdout.decode(), result.stderr.decode()
        self.assertIn(result.returncode, (0, 1), result.stderr)
        return result

    def verify_log(self, name, *args):
        return self.verify(name, "--ref", self.ref, "--dis", self.dis, *args)

    def assert_verified(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_found(self, result, words=""):
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stdout, "differs: .*" + words)


class Receipts(TrustTest):
    def test_is_canonical_and_sealed(self):
        receipt = self.receipt()
        self.assertEqual(list(schema.problems(receipt, schema.SCHEMA)), [])
        self.assertEqual(receipt["sha256"], hash_of(receipt))
        self.assertEqual(self.read("receipt.json"), canonical(receipt) + "\n")

    def test_hashes(self):
        receipt = self.receipt()
        for each, path in zip(receipt["inputs"], (self.ref, self.dis)):
            with open(path, "rb") as file:
                self.assertEqual(each["file"]["sha256"], hashlib.sha256(file.read()).hexdigest())
            self.assertEqual(each["samples"]["frames"], self.FRAMES)
        self.assertEqual(len(receipt["results"][0]["frame_scores"]["vmaf_v0.6.1"]), self.FRAMES)

    def test_same_on_any_number_of_threads(self):
        one, other = self.receipt("1.json", "-t", "1"), self.receipt("2.json", "-t", "4")
        self.assertEqual(one["sha256"], other["sha256"])

    def test_samples_are_those_of_the_frames_that_were_paired(self):
        whole = self.receipt("1.json", "--frames", "0:9")
        longer = self.video("longer.y4m", self.clip("dis") + self.clip("dis"))
        other = self.receipt("2.json", "--frames", "0:9", videos=(self.ref, longer))
        self.assertEqual(whole["inputs"][1]["samples"], other["inputs"][1]["samples"])

    def test_line_and_summary(self):
        text = self.score()
        self.assertRegex(text, r"(?m)^vmaf_v0\.6\.1 \d+\.\d\d \[[\d.]+, [\d.]+\], 24 pairs, \+0, acutance \S+ sha256:[0-9a-f]{16}$")
        summary = json.loads(self.score("--json"))
        self.assertEqual(list(schema.problems(summary, schema.SCHEMA)), [])
        self.assertIn(summary["receipt"]["lines"][0], text)

    def test_scaling_is_in_the_line(self):
        half = self.video("half.y4m", [bytes([100]) * (32 * 24 * 3 // 2)] * self.FRAMES, size=(32, 24))
        self.assertIn(", 32x24 bicubic to 64x48, 24 pairs", self.score(videos=(self.ref, half)))


class Verify(TrustTest):
    def test_true_ones(self):
        self.receipt()
        self.write("summary.json", self.score("--json"))
        for name in ("receipt.json", "summary.json"):
            self.assert_verified(self.verify(name))
            self.assert_verified(self.verify(name, "--full"))
        for name in ("log.xml", "log.json", "log.csv"):
            self.log(name)
            self.assert_verified(self.verify_log(name))
        self.log("max.json", "--precision", "max")
        self.assert_verified(self.verify_log("max.json", "--full"))

    def test_run_without_a_model(self):
        self.assert_ok(self.acutance("score", self.ref, self.dis, "--no-model", "-f", "psnr", "-q", "--align", "index",
                                     "--receipt", self.path("psnr.json")))
        self.assert_verified(self.verify("psnr.json"))

    def test_libvmaf_commands_log(self):
        for name, flag in (("a.xml", "--xml"), ("a.json", "--json"), ("a.csv", "--csv")):
            self.assert_ok(self.run_command(VMAF, "-r", self.ref, "-d", self.dis, "-o", self.path(name), flag, "-q",
                                            "-m", "version=vmaf_v0.6.1neg"))
            result = self.verify_log(name)
            self.assert_verified(result)
            self.assertIn("its model is vmaf_v0.6.1neg", result.stdout)

    def test_sample_of_a_longer_video(self):
        """The scores of a sample are those of the whole run, also round its gaps."""
        self.ref = self.video("ref.y4m", (self.clip("ref") + self.clip("dis")) * 40)
        self.dis = self.video("dis.y4m", (self.clip("dis") + self.clip("dis")) * 40)
        self.receipt()
        self.log()
        for check in (self.verify("receipt.json", "--touched", "5"), self.verify_log("log.xml", "--touched", "5")):
            self.assert_verified(check)
            checked = int(re.search(r"(\d+) of 1920 frames", check.stdout)[1])
            self.assertTrue(100 < checked < 200, checked)

    def test_other_videos(self):
        self.receipt()
        other = self.video("other.y4m", self.clip("dis")[:-1] + self.clip("ref")[-1:])
        self.assert_found(self.verify("receipt.json", "--dis", other), "is another file")
        self.assert_found(self.verify("receipt.json", "--ref", self.dis, "--dis", self.ref), "is another file")

    def test_scores_that_cannot_be_computed(self):
        """They are named, and the status says that a part was not checked."""
        self.write("log.json", self.log("log.json").replace('"vmaf_v0.6.1":', '"sharpness_of_acme": 1.500000, "vmaf_v0.6.1":'))
        self.receipt()
        for args in (("log.json", "--ref", self.ref, "--dis", self.dis), ("log.json", "--ref", self.ref, "--dis", self.dis, "--full")):
            result = self.acutance("verify", self.path(args[0]), *args[1:])
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertRegex(result.stdout.decode(), r"not compared.*sharpness_of_acme(.|\n)*: partly verified;")
        document = self.document("verify", self.path("log.json"), "--ref", self.ref, "--dis", self.dis, status=2)
        self.assertEqual((document["holds"], document["differences"]), (False, []))
        self.assertEqual(document["unchecked"], ["sharpness_of_acme"])

    def test_score_of_a_receipt_that_cannot_be_computed(self):
        forged = self.receipt()
        forged["results"][0]["scores"]["sharpness_of_acme"] = forged["results"][0]["scores"]["psnr_y"]
        forged["sha256"], forged["lines"] = hash_of(forged), []
        self.write("forged.json", json.dumps(forged))
        result = self.acutance("verify", self.path("forged.json"), "--full")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("result.scores.sharpness_of_acme", result.stdout.decode())

    def test_sample_says_what_it_leaves_out(self):
        self.ref, self.dis = self.video("ref.y4m", self.clip("ref") * 20), self.video("dis.y4m", self.clip("dis") * 20)
        self.receipt()
        result = self.verify("receipt.json", "--touched", "5")
        self.assert_verified(result)
        self.assertRegex(result.stdout, "psnr_y.*--full compares")

    @needs_ffmpeg
    def test_encoded_again(self):
        """Another encode of the same frames: the rows of its samples that are hashed differ."""
        for name, quality in (("one.mp4", "4"), ("other.mp4", "5")):
            self.ffmpeg("-i", self.ref, "-c:v", "mpeg4", "-q:v", quality, self.path(name))
        self.receipt(videos=(self.ref, self.path("one.mp4")))
        self.assert_verified(self.verify("receipt.json", "--full"))
        self.assert_found(self.verify("receipt.json", "--dis", self.path("other.mp4"), "--full"),
                          "the decoded samples of .*other.mp4 have another hash")

    def test_wrong_usage(self):
        self.log()
        self.assertEqual(self.acutance("verify", self.path("log.xml")).returncode, 2)
        self.assertEqual(self.acutance("verify", self.path("nothing")).returncode, 2)
        self.assertEqual(self.acutance("verify", self.ref).returncode, 2)


class Forgeries(TrustTest):
    """Logs and receipts of which one digit, one frame, the files, the model or an encode is not what was scored."""

    def setUp(self):
        super().setUp()
        self.dice = random.Random(40)
        self.texts = {name: self.log(name, *(("--precision", "max") if name == "b.json" else ()))
                      for name in ("a.xml", "b.json", "c.csv")}
        self.sealed = self.receipt()

    def one_digit(self, text):
        """Changes a digit of a score of a frame; of 17 digits the last one may name the same number."""
        places = [match.start(1) + i for match in re.finditer(r'(?:="|: |,)(\d+\.\d+)', text)
                  for i in range(len(match[1])) if match[1][i].isdigit()]
        begin = text.index("frameNum") if "frameNum" in text else text.index("\n")
        end = text.index("pooled_metrics") if "pooled_metrics" in text else len(text)
        number = re.compile(r"[0-9.]+")
        while True:
            at = self.dice.choice([place for place in places if begin < place < end])
            forged = text[:at] + self.dice.choice([d for d in "0123456789" if d != text[at]]) + text[at + 1:]
            first = max(i for i in range(at) if text[i] not in "0123456789.") + 1
            if float(number.match(text, first)[0]) != float(number.match(forged, first)[0]):
                return forged

    def reseal(self, receipt):
        """A forger who computes the hashes again."""
        for result in receipt["results"]:
            for name, scores in result["frame_scores"].items():
                result["scores"][name]["sha256"] = hashlib.sha256(struct.pack(f"<{len(scores)}d", *scores)).hexdigest()
        receipt["sha256"], receipt["lines"] = hash_of(receipt), []
        return json.dumps(receipt)

    def test_one_digit_of_a_log(self):
        for name, text in self.texts.items():
            for _ in range(ROUNDS):
                self.write(name, self.one_digit(text))
                self.assert_found(self.verify_log(name, "--full"), "frame")

    def test_pooled_value(self):
        for name in ("a.xml", "b.json"):
            begin = self.texts[name].index("pooled_metrics")
            mean = re.compile(r'mean"?[=:] ?"?(\d+)').search(self.texts[name], begin)
            self.write(name, self.texts[name][: mean.start(1)] + "9" + self.texts[name][mean.start(1):])
            self.assert_found(self.verify_log(name), "mean")

    def test_one_frame_of_a_receipt(self):
        for _ in range(ROUNDS):
            forged = json.loads(json.dumps(self.sealed))
            scores = forged["results"][0]["frame_scores"]["vmaf_v0.6.1"]
            scores[self.dice.randrange(len(scores))] += 1e-9
            self.write("forged.json", json.dumps(forged))
            self.assert_found(self.verify("forged.json"), "are not those whose hash")
            self.write("forged.json", self.reseal(forged))
            self.assert_found(self.verify("forged.json", "--full"), "frame")

    def test_mean_of_a_receipt(self):
        for _ in range(ROUNDS):
            forged = json.loads(json.dumps(self.sealed))
            forged["results"][0]["scores"]["vmaf_v0.6.1"]["mean"] += self.dice.choice([-1, 1]) * 10 ** -self.dice.randrange(9)
            self.write("forged.json", self.reseal(forged))
            self.assert_found(self.verify("forged.json", "--full"), "mean")

    def test_mean_of_a_receipt_in_a_sample(self):
        self.ref, self.dis = self.video("ref.y4m", self.clip("ref") * 20), self.video("dis.y4m", self.clip("dis") * 20)
        forged = self.receipt()
        forged["results"][0]["scores"]["vmaf_v0.6.1"]["mean"] += 0.01
        self.write("forged.json", self.reseal(forged))
        self.assert_found(self.verify("forged.json", "--touched", "5"), "mean of vmaf_v0.6.1")

    def test_any_member_of_a_receipt(self):
        """A forger who computes the hashes again finds no member that is left out."""
        result, pair = ("results", 0), ("results", 0, "pairs")
        for *way, name in ((*result, "scores", "vmaf_v0.6.1", "low"), (*result, "scores", "psnr_y", "high"),
                           (*result, "scores", "psnr_y", "mean"), (*result, "scores", "psnr_y", "sha256"), (*pair, "late"),
                           (*pair, "dropped"), (*pair, "held"), (*pair, "by"), (*pair, "sha256"), (*result, "frames"),
                           ("inputs", 0, "width"), ("inputs", 1, "bit_depth"), ("inputs", 1, "changes"),
                           ("inputs", 0, "samples", "luma_sha256"), ("inputs", 1, "samples", "chroma_sha256"),
                           ("models", 0, "sha256"), ("pictures", "height"), ("frame_rate",), ("subsample",)):
            forged = json.loads(json.dumps(self.sealed))
            owner = forged
            for key in way:
                owner = owner[key]
            owner[name] = {str: "forged", list: [{"change": "crop", "text": "forged"}]}.get(type(owner[name]), 2)
            self.write("forged.json", self.reseal(forged))
            with self.subTest(way=way, name=name):
                self.assert_found(self.verify("forged.json", "--full"))

    def test_swapped_files_and_another_encode(self):
        for k in range(ROUNDS):
            if k % 2 == 0:
                videos = ("--ref", self.dis, "--dis", self.ref)
            else:
                frame = self.dice.randrange(self.FRAMES)
                pictures = list(self.clip("dis"))
                samples = bytearray(pictures[frame])
                samples[self.dice.randrange(self.WIDTH * self.HEIGHT)] ^= 64
                pictures[frame] = bytes(samples)
                videos = ("--ref", self.ref, "--dis", self.video("encode.y4m", pictures))
            self.assert_found(self.verify("receipt.json", *videos, "--full"), "another file")
            self.assert_found(self.verify("a.xml", *videos, "--full"), "frame")

    def test_another_model(self):
        for k in range(ROUNDS):
            other = ["vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"][k % 2]
            forged = json.loads(json.dumps(self.sealed))
            for option in forged["options"]:
                if option["name"] == "model":
                    option["value"] = other
            forged["models"][0]["source"] = other
            self.write("forged.json", self.reseal(forged))
            self.assert_found(self.verify("forged.json", "--full"), "model")
            self.assert_found(self.verify_log("a.xml", "--full", "-m", f"version={other}:name=vmaf_v0.6.1"), "frame")


class Sampled(TrustTest):
    def test_finds_as_often_as_stated(self):
        """1 % of the frames forged: the sample of 90 % finds them in 90 of 100 logs; the bounds hold with 99.99 %."""
        self.ref = self.video("ref.y4m", self.clip("ref") * 50)
        self.dis = self.video("dis.y4m", self.clip("dis") * 50)
        self.assert_ok(self.acutance("score", self.ref, self.dis, "--no-model", "-f", "psnr", "--align", "index", "-q",
                                     "--output", self.path("log.csv")))
        lines = self.read("log.csv").splitlines()
        dice, found = random.Random(7), 0
        for seed in range(5 * ROUNDS):
            forged = list(lines)
            for at in dice.sample(range(1, len(lines)), 12):
                fields = forged[at].split(",")
                fields[1] = f"{float(fields[1]) + 0.1:.6f}"
                forged[at] = ",".join(fields)
            self.write("forged.csv", "\n".join(forged))
            found += self.verify_log("forged.csv", "--confidence", "90", "--seed", str(seed), "--no-model", "-f",
                                     "psnr").returncode
        self.assertGreaterEqual(found, 5 * ROUNDS * 0.9 - 3.7 * (5 * ROUNDS * 0.09) ** 0.5)


class Diff(TrustTest):
    def diff(self, *args, status=0):
        result = self.acutance("diff", *args)
        result.stdout, result.stderr = result.stdout.decode(), result.stderr.decode()
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def setUp(self):
        super().setUp()
        self.worse = self.video("worse.y4m", self.clip("dis")[:12] + [bytes(p // 2 + 60 for p in picture) for picture in
                                                                      self.clip("dis")[12:]])
        self.log("old.xml")
        self.score("--output", self.path("new.csv"), "--journal", self.path("new.journal"), videos=(self.ref, self.worse))
        self.score("--journal", self.path("old.journal"))
        self.write("old.json", self.score("--json"))
        self.write("new.json", self.score("--json", videos=(self.ref, self.worse)))

    def test_logs(self):
        document = json.loads(self.diff(self.path("old.xml"), self.path("new.csv"), "--json", "--fps", "6",
                                        "--segments", "12f").stdout)
        self.assertEqual(list(schema.problems(document, schema.SCHEMA)), [])
        video = document["videos"][0]
        self.assertEqual((video["by"], video["frames"]), ("vmaf_v0.6.1", self.FRAMES))
        same, worse = video["parts"]
        # Motion looks one frame ahead.
        self.assertTrue(abs(same["difference"]) < 2 and worse["difference"] < -5, video["parts"])
        self.assertTrue(video["seconds"] and all(second["begin"] >= 6 for second in video["seconds"]))
        self.assertTrue(video["scores"][0]["worse"])

    def test_journals_equal_logs(self):
        logs = json.loads(self.diff(self.path("old.xml"), self.path("new.csv"), "--json").stdout)["videos"][0]
        journals = json.loads(self.diff(self.path("old.journal"), self.path("new.journal"), "--json").stdout)["videos"][0]
        for one, other in zip(logs["scores"], journals["scores"]):
            self.assertAlmostEqual(one["difference"], other["difference"], places=5)

    def test_summaries_have_shots(self):
        video = json.loads(self.diff(self.path("old.json"), self.path("new.json"), "--json").stdout)["videos"][0]
        self.assertTrue(video["scores"][0]["worse"])
        self.assertEqual(video["frames"], 0)
        self.assertEqual(video["parts"][0]["begin"], 0)

    def test_worse_than(self):
        old, new = self.path("old.xml"), self.path("new.csv")
        self.assertIn("is worse by", self.diff(old, new, "--worse-than", "0.5", status=1).stderr)
        self.diff(old, new, "--worse-than", "99")
        self.diff(new, old, "--worse-than", "0.5")
        self.diff(old, self.ref, status=2)

    def test_markdown(self):
        text = self.diff(self.path("old.xml"), self.path("new.csv"), "--markdown").stdout
        self.assertIn("| mean | old | new | difference | 95 % |  |\n|---|", text)


if __name__ == "__main__":
    unittest.main()
