"""butteraugli: norms, the light of white, maps, several encodes, the `vmaf` command."""
import csv
import pathlib
import struct

from clips import CommandTest, distorted_sample, frames, needs_ffmpeg, plane, reference_sample

OUTPUTS = ("butteraugli_max", "butteraugli_3norm", "butteraugli_p3", "butteraugli_qnorm")


class ButteraugliTest(CommandTest):
    FRAMES = 4

    def scored(self, *features, options=()):
        return self.columns(self.ref, self.dis, *self.asked(*features), *options)[0]

    def test_norms_and_light(self):
        columns = self.scored("butteraugli", "butteraugli=intensity_target=203", "butteraugli=nits=203:qnorm=3")
        self.assertEqual(set(columns),
                         {name + suffix for name in OUTPUTS for suffix in ("", "_nits_203", "_nits_203_q_3")})
        for k in range(self.FRAMES):
            self.assertGreater(columns["butteraugli_max"][k], columns["butteraugli_3norm"][k])
            self.assertGreater(columns["butteraugli_p3"][k], columns["butteraugli_qnorm"][k])
            self.assertNotEqual(columns["butteraugli_max"][k], columns["butteraugli_max_nits_203"][k])
            self.assertEqual(columns["butteraugli_p3_nits_203"][k], columns["butteraugli_qnorm_nits_203_q_3"][k])

    def test_maps(self):
        folder = pathlib.Path(self.path("maps"))
        largest = self.scored("butteraugli", options=("--maps", folder))["butteraugli_max"]
        files = sorted(folder.glob("butteraugli_map_*.tif"))
        size = 4 * self.WIDTH * self.HEIGHT
        self.assertEqual([max(struct.unpack(f"<{size // 4}f", file.read_bytes()[-size:])) for file in files], largest)

    def test_a_device_makes_the_same(self):
        made = []
        for backend in ("cpu", "emu"):
            folder = pathlib.Path(self.path(backend))
            columns = self.scored("butteraugli", "butteraugli=intensity_target=203:qnorm=5",
                                   options=("--maps", folder, "--backend", backend))
            made.append((columns, {file.name: file.read_bytes() for file in folder.glob("*.tif")}))
        self.assertEqual(len(made[0][1]), 2 * self.FRAMES)
        self.assertTrue(made[0] == made[1], "norms or maps of the device differ")

    def test_the_highest_are_the_worst(self):
        """In poolings, in what --worst writes, and on a page."""
        damage = frames(self.WIDTH, self.HEIGHT, 12, lambda x, y, k: (reference_sample(x, y, 0) + (
            60 if k == 7 and x > 20 else 3) * (x % 2)) % 256)
        still = frames(self.WIDTH, self.HEIGHT, 12, lambda x, y, k: reference_sample(x, y, 0))
        folder = pathlib.Path(self.path("worst"))
        document = self.summary(self.video("still.y4m", still), self.video("damaged.y4m", damage), *self.asked("butteraugli"),
                                "--maps", folder, "--worst", "1", "--report", self.path("page.html"))
        feature = document["results"][0]["features"]["butteraugli_max"]
        self.assertEqual(feature["pools"]["worst_percent"], feature["max"])
        self.assertGreater(feature["max"], 2 * feature["median"])
        self.assertIn("distorted_000007.png", {file.name for file in folder.iterdir()})
        self.assertTrue("Frame 7, " in self.read("page.html"), "the page has no frame 7")

    def test_several_encodes_at_once_and_threads(self):
        self.assert_ok(self.score(self.ref, self.dis, self.ref, *self.asked("butteraugli"), "-q", "-o",
                                  self.path("{name}.csv"), "--precision", "max", "--threads", "3"))
        logs = [list(csv.DictReader(self.read(f"{name}.csv").splitlines())) for name in ("dis", "ref")]
        alone = self.scored("butteraugli", options=("--threads", "1"))
        for name in OUTPUTS:
            self.assertEqual([float(row[name]) for row in logs[0]], alone[name])
            self.assertEqual([float(row[name]) for row in logs[1]], [0.0] * self.FRAMES)

    def test_the_vmaf_command(self):
        frames = self.vmaf_log("-n", "--feature", "butteraugli=intensity_target=203")["frames"]
        for name, values in self.scored("butteraugli=nits=203").items():
            self.assertEqual([frame["metrics"][name] for frame in frames], values)

    @needs_ffmpeg
    def test_chroma_siting_of_the_stream(self):
        def largest(location, *options):
            clips = []
            for name, sample in (("ref", reference_sample), ("dis", distorted_sample)):
                size = (self.WIDTH // 2, self.HEIGHT // 2)
                source = self.video("colors.y4m", [
                    plane(self.WIDTH, self.HEIGHT, k, sample) + plane(*size, k, sample) + plane(*size, k + 9, sample)
                    for k in range(2)])
                clips.append(self.ffmpeg("-i", source, "-c:v", "libx264", "-qp", "0", "-x264-params",
                                         f"chromaloc={location}", self.path(name + ".mkv")))
            document = self.summary(*clips, "--no-model", "--align", "index", *options)
            return document["results"][0]["features"]["butteraugli_max"]["mean"]

        left, top_left = 0, 2
        declared = largest(top_left, "-f", "butteraugli")
        self.assertEqual(declared, largest(left, "-f", "butteraugli=chroma_location=topleft"))
        self.assertNotEqual(declared, largest(left, "-f", "butteraugli"))
        self.assertEqual(largest(top_left, "-f", "butteraugli=chroma_location=left"), largest(left, "-f", "butteraugli"))

    def test_what_is_refused(self):
        for feature, reason in (("butteraugli=intensity_target=0", "10000"), ("butteraugli=qnorm=0", "64"),
                                ("butteraugli=transfer=pq", "bt1886"), ("butteraugli=intensity=80", "no such option")):
            self.assert_fails(self.score(self.ref, self.dis, *self.asked(feature)), 1, reason)
