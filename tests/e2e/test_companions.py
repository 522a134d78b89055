"""Each encode of several has the scores that it has alone, to the bit, regardless of the others."""
import csv
import json
import os
import random
import subprocess

from clips import ACUTANCE, CommandTest, deepened
from test_serve import Client

WIDTH, HEIGHT, COUNT = 320, 240, 40


def world():
    """Rows of a picture from which frames are cut: hills with noise on them."""
    dice = random.Random(5)
    hills = [[dice.randrange(40, 200) for _ in range(20)] for _ in range(16)]
    return [bytes(hills[y // 32][x // 32] + dice.randrange(12) for x in range(640)) for y in range(512)]


WORLD = world()


def picture(t, coarse=1, size=(WIDTH, HEIGHT)):
    """Frame t on a path that does not close, in steps of `coarse`, by nearest samples where it has another size."""
    left, top = (5 * t + t * t // 9) % 300, (3 * t + t * t // 13) % 250
    width, height = size
    table = bytes(value // coarse * coarse for value in range(256))
    columns = [left + x * WIDTH // width for x in range(width)]
    rows = (WORLD[top + y * HEIGHT // height] for y in range(height))
    luma = b"".join(bytes(row[x] for x in columns) for row in rows)
    return luma.translate(table) + bytes([128]) * (width * height // 2)


TIMES = range(COUNT)
REFERENCE = [picture(t) for t in TIMES]
WORSE = [picture(t, 7) for t in TIMES]
SLOW = "F25:2 Ip A1:1 C420jpeg"
DEEP = "F25:1 Ip A1:1 C420p10 XYSCSS=420P10"


class Companions(CommandTest):
    WIDTH, HEIGHT = WIDTH, HEIGHT

    @classmethod
    def clip(cls, kind):
        return REFERENCE if kind == "ref" else WORSE

    def setUp(self):
        super().setUp()
        self.encodes = {
            "whole": self.video("whole.y4m", WORSE),
            "small": self.video("small.y4m", [picture(t, 3, (240, 180)) for t in TIMES], size=(240, 180)),
            "deep": self.video("deep.y4m", deepened([picture(t, 9) for t in TIMES]), DEEP),
            "short": self.video("short.y4m", WORSE[:30]),
            "late": self.video("late.y4m", WORSE[5:]),
            "half": self.video("half.y4m", WORSE[::2], SLOW)}

    def logs(self, names, *options):
        """The logs of a run without its speed, by encode."""
        files = [self.encodes[name] for name in names]
        self.assert_ok(self.score(self.ref, *files, "-q", "-o", self.path("{name}.json"), "--precision", "max", *options))
        logs = {name: json.loads(self.read(f"{name}.json")) for name in names}
        for log in logs.values():
            del log["fps"]
        return logs

    def alone(self, names, *options):
        return {name: self.logs([name], *options)[name] for name in names}

    def assert_as_alone(self, names, *options):
        alone = self.alone(names, *options)
        among = self.logs(names, *options)
        for name in names:
            self.assertTrue(among[name] == alone[name], name)
        return {name: len(log["frames"]) for name, log in alone.items()}

    def test_logs(self):
        names = list(self.encodes)
        frames = self.assert_as_alone(names, "--align", "auto")
        self.assertEqual([frames["whole"], frames["short"], frames["late"]], [40, 30, 35])
        self.assertLess(frames["half"], 30)
        features = self.logs(["small", "whole"])["small"]["frames"][0]["metrics"]
        self.assertTrue(any(name.startswith("cambi_") and "_encw_240" in name for name in features))

    def test_by_index_and_with_subsampling(self):
        feature = ("--no-model", "-f", "motion", "-f", "float_ssim", "-f", "xpsnr")
        self.assert_as_alone(["short", "whole", "late"], "--align", "index", *feature)
        self.assert_as_alone(["whole", "half", "deep"], "--subsample", "3", *feature)
        self.assert_as_alone(["half", "whole", "short"], "--frames", "4:20", *feature)

    def test_on_devices(self):
        names, part = ["small", "short", "whole"], ("--frames", "0:4")
        self.assertTrue(self.logs(names, "--backend", "emu", *part) == self.alone(names, *part))

    def test_bars(self):
        bar = bytes([16]) * (WIDTH * 32)
        painted = [bar + p[WIDTH * 32:WIDTH * (HEIGHT - 32)] + bar + p[WIDTH * HEIGHT:] for p in WORSE]
        self.encodes["bars"] = self.video("bars.y4m", painted)
        self.assert_as_alone(["whole", "bars"], "--crop", "auto", "--no-model", "-f", "psnr", "-f", "motion")

    def test_pipes(self):
        files = [self.ref, self.encodes["short"], self.encodes["whole"]]
        command = (f"'{ACUTANCE}' score /dev/fd/3 /dev/fd/4 /dev/fd/5 --no-model -f psnr -q --json "
                   "3< <(cat '{}') 4< <(cat '{}') 5< <(cat '{}')").format(*files)
        for align in "auto", "index":
            document = json.loads(self.assert_ok(self.run_command("bash", "-c", f"{command} --align {align}")))
            self.assertEqual([result["frames"] for result in document["results"]], [30, 40])
            for result, name in zip(document["results"], ("short", "whole")):
                alone = self.summary(self.ref, self.encodes[name], "--no-model", "-f", "psnr", "--align", align)
                self.assertEqual(result["features"], alone["results"][0]["features"])

    def test_comparisons_are_of_common_frames(self):
        files = [self.encodes[name] for name in ("whole", "short", "half")]
        model = ("-m", "vmaf_v0.6.1", "-q")
        own = [self.summary(self.ref, file, *model)["results"][0] for file in files]
        means = [result["models"]["vmaf_v0.6.1"]["mean"] for result in own]
        document = self.document("compare", self.ref, *files, *model)
        encodes = document["comparison"]["encodes"]
        self.assertEqual([encode["own_mean"] for encode in encodes], means)
        self.assertEqual([encode["own_frames"] for encode in encodes], [result["frames"] for result in own])
        self.assertEqual([result["models"] for result in document["summary"]["results"]],
                         [result["models"] for result in own])
        common = document["comparison"]["common_frames"]
        self.assertEqual(common, len({k for k in range(30) if k % 2 == 0} & self.frames_of("half")))
        self.assertNotEqual(encodes[0]["mean"], encodes[0]["own_mean"])
        text = self.assert_ok(self.acutance("compare", self.ref, *files, *model))
        self.assertRegex(text, "own mean +frames")
        self.assertIn(f"compared by the {common} frames of the reference", text)
        ladder = self.document("ladder", self.ref, "a=" + ",".join(files), *model)["ladder"]
        self.assertEqual(ladder["common_frames"], common)
        self.assertEqual(sorted(point["own_quality"] for point in ladder["curves"][0]["points"]), sorted(means))
        self.assertEqual(sorted(point["quality"] for point in ladder["curves"][0]["points"]),
                         sorted(encode["mean"] for encode in encodes))
        same = self.document("compare", self.ref, files[0], self.encodes["small"], *model)["comparison"]
        self.assertIsNone(same["common_frames"])

    def frames_of(self, name):
        """The frames of the reference that an encode has."""
        self.assert_ok(self.score(self.ref, self.encodes[name], "--no-model", "-f", "psnr", "-q", "--pairs-out",
                                  self.path("pairs.csv")))
        return {int(row["reference_frame"]) for row in csv.DictReader(self.read("pairs.csv").splitlines())}

    def test_serve(self):
        server = subprocess.Popen([ACUTANCE, "serve", self.path("socket"), "-q"], stderr=subprocess.PIPE)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        while not os.path.exists(self.path("socket")):
            self.assertIsNone(server.poll())
        client = Client(self.path("socket"))
        self.addCleanup(client.close)
        names = ["whole", "short", "small"]
        ask = {"reference": self.ref, "options": ["-t", "2"]}
        alone = [client.ask(distorted=self.encodes[name], **ask)["summary"]["results"][0] for name in names]
        together = client.ask(distorted=[self.encodes[name] for name in names], **ask)["summary"]["results"]
        self.assertEqual(together, alone)

    def test_the_stream_counts_videos_of_the_run(self):
        events = self.events(self.ref, self.encodes["short"], self.encodes["whole"], "--no-model", "-f", "psnr")
        frames = {}
        for event in events:
            if event["event"] == "start":
                for video in event.get("videos", (0, 1)):
                    frames[video] = []
            elif event["event"] == "frame":
                frames[event["video"]].append(event["frame"])
        self.assertEqual(frames, {0: list(range(30)), 1: list(range(40))})

    def test_a_journal_holds_one_session(self):
        journal = ("--journal", self.path("journal"), "--no-model", "-f", "psnr")
        both = self.encodes["short"], self.encodes["whole"]
        self.assert_fails(self.score(self.ref, *both, *journal), 1, "a journal of its own")
        v1 = ("--journal", self.path("other"), "--align", "index")
        first = self.logs(["small", "whole"], *v1)
        self.assertEqual(self.logs(["small", "whole"], *v1), first)
        self.assert_ok(self.acutance("join", self.path("other"), "-o", self.path("j{name}.json"), "--precision", "max"))
        self.assertEqual(json.loads(self.read("jsmall.json"))["frames"], first["small"]["frames"])
