"""cvvdp as a user asks for it: displays by name and by file, the frame rate of the video, parts, maps, gates."""
import csv
import json
import pathlib
import struct

from clips import CommandTest

MINE = {"mine": {"resolution": [1920, 1080], "viewing_distance_meters": 0.6, "diagonal_size_inches": 24,
                 "max_luminance": 200, "contrast": 1000, "E_ambient": 250}}


class CvvdpTest(CommandTest):
    FRAMES = 12

    def scored(self, *features, videos=None, options=()):
        return self.columns(*(videos or (self.ref, self.dis)), *self.asked(*features), *options)

    def test_the_last_running_value_is_the_clips(self):
        columns, clip = self.scored("cvvdp")
        self.assertEqual(clip["cvvdp_clip"], columns["cvvdp"][-1])
        self.assertEqual(columns["cvvdp"][0], columns["cvvdp_frame"][0])
        self.assertLess(clip["cvvdp_clip"], 10)

    def test_each_display_has_its_own_columns(self):
        columns, clip = self.scored("cvvdp", "cvvdp=display=standard_fhd", "cvvdp=ppd=37.842503853602885")
        self.assertEqual(set(clip), {"cvvdp_clip", "cvvdp_clip_display_standard_fhd", "cvvdp_clip_ppd_37.842503853602885"})
        self.assertGreater(clip["cvvdp_clip"], clip["cvvdp_clip_display_standard_fhd"])
        # The two displays differ in their size and distance alone.
        self.assertEqual(clip["cvvdp_clip_display_standard_fhd"], clip["cvvdp_clip_ppd_37.842503853602885"])
        self.assertEqual(len(columns), 6)

    def test_a_display_of_ones_own(self):
        file = self.write("displays.json", json.dumps(MINE))
        fhd = self.scored("cvvdp=display=standard_fhd")[1]["cvvdp_clip_display_standard_fhd"]
        self.assertEqual(self.scored(f"cvvdp=display_file={file}")[1]["cvvdp_clip"], fhd)
        self.assertEqual(self.scored(f"cvvdp=display=mine:display_file={file}")[1]["cvvdp_clip_display_mine"], fhd)

    def test_the_frame_rate_is_the_videos(self):
        fast = [self.video(f"{kind}50.y4m", self.clip(kind), "F50:1 Ip A1:1 C420jpeg") for kind in ("ref", "dis")]
        self.assertEqual(self.scored("cvvdp", videos=fast), self.scored("cvvdp=fps=50"))
        self.assertNotEqual(self.scored("cvvdp", videos=fast), self.scored("cvvdp"))
        self.assertEqual(self.scored("cvvdp=fps=25/1", videos=fast), self.scored("cvvdp"))

    def test_a_single_frame_is_an_image(self):
        still = self.scored("cvvdp", options=("--frames", "0:1"))[1]["cvvdp_clip"]
        self.assertEqual(still, self.scored("cvvdp=temporal=false")[0]["cvvdp_temporal"][0])
        self.assertNotEqual(still, self.scored("cvvdp")[0]["cvvdp"][0])

    def test_threads_and_steps_change_nothing(self):
        whole = self.scored("cvvdp", options=("--threads", "1"))
        self.assertEqual(self.scored("cvvdp", options=("--threads", "3")), whole)
        columns, clip = self.scored("cvvdp", options=("--subsample", "5"))
        self.assertEqual(columns["cvvdp"], whole[0]["cvvdp"][::5])
        self.assertEqual(clip, whole[1])

    def test_several_encodes_at_once(self):
        self.assert_ok(self.score(self.ref, self.dis, self.ref, *self.asked("cvvdp"), "-q", "-o", self.path("{name}.csv"),
                                  "--precision", "max"))
        clips = [[float(row["cvvdp"]) for row in csv.DictReader(self.read(f"{name}.csv").splitlines())]
                 for name in ("dis", "ref")]
        self.assertEqual(clips[0], self.scored("cvvdp")[0]["cvvdp"])
        self.assertEqual(clips[1], [10.0] * self.FRAMES)

    def test_parts_join_to_the_whole(self):
        for name, part in (("a", "0:5"), ("b", "5:12")):
            self.assert_ok(self.score(self.ref, self.dis, *self.asked("cvvdp"), "-q", "--frames", part, "--journal",
                                      self.path(name)))
        joined, whole = self.log("join", self.path("a"), self.path("b"), run=self.acutance), self.scored("cvvdp")
        self.assertEqual([frame["metrics"]["cvvdp"] for frame in joined["frames"]], whole[0]["cvvdp"])
        self.assertEqual(joined["aggregate_metrics"], whole[1])

    def test_heat_maps(self):
        folder = pathlib.Path(self.path("maps"))
        self.scored("cvvdp", options=("--maps", folder))
        files = sorted(folder.glob("cvvdp_heatmap_*.tif"))
        self.assertEqual(len(files), self.FRAMES)
        size = 4 * self.WIDTH * self.HEIGHT
        heat = struct.unpack(f"<{size // 4}f", files[-1].read_bytes()[-size:])
        self.assertTrue(all(0 <= value < 2 for value in heat))
        self.assertGreater(max(heat), 0.01)

    def test_the_worst_frames(self):
        folder = pathlib.Path(self.path("worst"))
        columns = self.scored("cvvdp", options=("--maps", folder, "--worst", "1"))[0]
        worst = columns["cvvdp_frame"].index(min(columns["cvvdp_frame"]))
        self.assertTrue((folder / f"cvvdp_{worst:06}.npy").exists(), sorted(folder.iterdir()))

    def test_a_gate(self):
        clip = self.scored("cvvdp")[1]["cvvdp_clip"]
        gate = (self.ref, self.dis, *self.asked("cvvdp"), "--require")
        self.assert_ok(self.score(*gate, f"cvvdp_frame.mean>={clip - 2}"))
        self.assert_fails(self.score(*gate, "cvvdp_frame.mean>=9.999"), 3, "cvvdp_frame")

    def test_what_is_refused(self):
        for feature, reason in (("cvvdp=display=standard_5k", "did you mean 'standard_4k'?"),
                                ("cvvdp=display_file=/nowhere.json", "/nowhere.json"),
                                ("cvvdp=fps=fast", "fps=fast"), ("cvvdp=conversion=own", "reader, common")):
            self.assert_fails(self.score(self.ref, self.dis, *self.asked(feature)), 1, reason)
