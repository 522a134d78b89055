"""butteraugli as a user asks for it: norms, the light of white, maps, several encodes, the `vmaf` command."""
import csv
import json
import pathlib
import shutil
import struct
import unittest

from clips import CommandTest, distorted_sample, frames, plane, reference_sample, y4m

OUTPUTS = ("butteraugli_max", "butteraugli_3norm", "butteraugli_p3", "butteraugli_qnorm")


class ButteraugliTest(CommandTest):
    FRAMES = 4

    def columns(self, *features, options=()):
        asked = [word for feature in features for word in ("-f", feature)]
        self.assert_ok(self.score(self.ref, self.dis, "--no-model", "--align", "index", *asked, *options, "-q", "-o",
                                  self.path("log.json"), "--precision", "max"))
        frames = [frame["metrics"] for frame in json.loads(self.read("log.json"))["frames"]]
        return {name: [frame[name] for frame in frames] for name in frames[0]}

    def test_norms_and_light(self):
        columns = self.columns("butteraugli", "butteraugli=intensity_target=203", "butteraugli=nits=203:qnorm=3")
        self.assertEqual(set(columns),
                         {name + suffix for name in OUTPUTS for suffix in ("", "_nits_203", "_nits_203_q_3")})
        for k in range(self.FRAMES):
            self.assertGreater(columns["butteraugli_max"][k], columns["butteraugli_3norm"][k])
            self.assertGreater(columns["butteraugli_p3"][k], columns["butteraugli_qnorm"][k])
            self.assertNotEqual(columns["butteraugli_max"][k], columns["butteraugli_max_nits_203"][k])
            self.assertEqual(columns["butteraugli_p3_nits_203"][k], columns["butteraugli_qnorm_nits_203_q_3"][k])

    def test_maps(self):
        folder = pathlib.Path(self.path("maps"))
        largest = self.columns("butteraugli", options=("--maps", folder))["butteraugli_max"]
        files = sorted(folder.glob("butteraugli_map_*.tif"))
        size = 4 * self.WIDTH * self.HEIGHT
        self.assertEqual([max(struct.unpack(f"<{size // 4}f", file.read_bytes()[-size:])) for file in files], largest)

    def test_a_device_makes_the_same(self):
        made = []
        for backend in ("cpu", "emu"):
            folder = pathlib.Path(self.path(backend))
            columns = self.columns("butteraugli", "butteraugli=intensity_target=203:qnorm=5",
                                   options=("--maps", folder, "--backend", backend))
            made.append((columns, {file.name: file.read_bytes() for file in folder.glob("*.tif")}))
        self.assertEqual(len(made[0][1]), 2 * self.FRAMES)
        self.assertTrue(made[0] == made[1], "norms or maps of the device differ")

    def test_the_highest_are_the_worst(self):
        """In poolings, in what --worst writes, and on a page."""
        damage = frames(self.WIDTH, self.HEIGHT, 12, lambda x, y, k: (reference_sample(x, y, 0) + (
            60 if k == 7 and x > 20 else 3) * (x % 2)) % 256)
        clips = [self.write("still.y4m", y4m(self.WIDTH, self.HEIGHT, frames(
            self.WIDTH, self.HEIGHT, 12, lambda x, y, k: reference_sample(x, y, 0)))),
            self.write("damaged.y4m", y4m(self.WIDTH, self.HEIGHT, damage))]
        folder = pathlib.Path(self.path("worst"))
        text = self.assert_ok(self.score(*clips, "--no-model", "-f", "butteraugli", "-q", "--align", "index", "--json", "--maps",
                                         folder, "--worst", "1", "--report", self.path("page.html")))
        feature = json.loads(text)["results"][0]["features"]["butteraugli_max"]
        self.assertEqual(feature["pools"]["worst_percent"], feature["max"])
        self.assertGreater(feature["max"], 2 * feature["median"])
        self.assertIn("distorted_000007.png", {file.name for file in folder.iterdir()})
        self.assertTrue("Frame 7, " in self.read("page.html"), "the page has no frame 7")

    def test_several_encodes_at_once_and_threads(self):
        self.assert_ok(self.score(self.ref, self.dis, self.ref, "--no-model", "--align", "index", "-f", "butteraugli",
                                  "-q", "-o", self.path("{name}.csv"), "--precision", "max", "--threads", "3"))
        logs = [list(csv.DictReader(self.read(f"{name}.csv").splitlines())) for name in ("dis", "ref")]
        alone = self.columns("butteraugli", options=("--threads", "1"))
        for name in OUTPUTS:
            self.assertEqual([float(row[name]) for row in logs[0]], alone[name])
            self.assertEqual([float(row[name]) for row in logs[1]], [0.0] * self.FRAMES)

    def test_the_vmaf_command(self):
        self.assert_ok(self.vmaf("-r", self.ref, "-d", self.dis, "-n", "--feature", "butteraugli=intensity_target=203",
                                 "--json", "-o", self.path("vmaf.json"), "--precision", "max"))
        frames = json.loads(self.read("vmaf.json"))["frames"]
        alone = self.columns("butteraugli=nits=203")
        for name, values in alone.items():
            self.assertEqual([frame["metrics"][name] for frame in frames], values)

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg")
    def test_chroma_lies_where_the_stream_says(self):
        def largest(location, *options):
            clips = []
            for name, sample in (("ref", reference_sample), ("dis", distorted_sample)):
                size = (self.WIDTH // 2, self.HEIGHT // 2)
                source = self.write("colors.y4m", y4m(self.WIDTH, self.HEIGHT, [
                    plane(self.WIDTH, self.HEIGHT, k, sample) + plane(*size, k, sample) + plane(*size, k + 9, sample)
                    for k in range(2)]))
                clips.append(self.path(name + ".mkv"))
                self.assert_ok(self.run_command("ffmpeg", "-v", "error", "-y", "-i", source, "-c:v", "libx264", "-qp", "0",
                                                "-x264-params", f"chromaloc={location}", clips[-1]))
            text = self.assert_ok(self.score(*clips, "--no-model", "--align", "index", "-q", "--json", *options))
            return json.loads(text)["results"][0]["features"]["butteraugli_max"]["mean"]

        left, top_left = 0, 2
        told = largest(top_left, "-f", "butteraugli")
        self.assertEqual(told, largest(left, "-f", "butteraugli=chroma_location=topleft"))
        self.assertNotEqual(told, largest(left, "-f", "butteraugli"))
        self.assertEqual(largest(top_left, "-f", "butteraugli=chroma_location=left"), largest(left, "-f", "butteraugli"))

    def test_what_is_refused(self):
        for feature, reason in (("butteraugli=intensity_target=0", "10000"), ("butteraugli=qnorm=0", "64"),
                                ("butteraugli=transfer=pq", "bt1886"), ("butteraugli=intensity=80", "no such option")):
            self.assert_fails(self.score(self.ref, self.dis, "--no-model", "--align", "index", "-f", feature), 1, reason)


if __name__ == "__main__":
    unittest.main()
