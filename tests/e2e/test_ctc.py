"""acutance ctc: releases by AOM's common test conditions, from rate points and from encodes."""
import csv
import json
import pathlib
import random

from clips import CommandTest, y4m


class CommonTestConditions(CommandTest):
    QPS = (110, 135, 160, 185, 210, 235)

    def text_of(self, *args):
        return self.assert_ok(self.acutance(*args))

    def test_tables_of_rate_points(self):
        titles = "Class,Name,CodedRes,QP,Bitrate(kbps),PSNR_Y,PSNR_U,PSNR_V\n"
        for folder, factor in (("anchor", 4), ("new", 3)):
            self.put(f"{folder}/RDResults_aom_av2_LD_Preset_0.csv", (titles + "".join(
                f"A2,clip.y4m,352x288,{210 - i},{factor * 2 ** i},{30 + i},{31 + i},{32 + i}\n" for i in range(6))).encode())
        written = self.text_of("ctc", f"v2={self.path('new')}", "--anchor", self.path("anchor"), "--output", self.path("tables"))
        tables = {pathlib.Path(line).name: pathlib.Path(line).read_text() for line in written.splitlines()}
        self.assertIn("v2,LD,A2,clip.y4m,-25.0,-25.0,-25.0,-25.0,,", tables["Bdrate-Summary-AV1-vs-AV2.csv"])
        self.assertIn("v2,LD,-25.0,", tables["AverageBdrateByTag-Summary-AV1-vs-AV2.csv"])
        self.assert_fails(self.acutance("ctc", self.path("tables"), "--anchor", self.path("anchor")), 1, "has no RDResults_",
                          "--references")
        self.assert_fails(self.acutance("ctc", self.path("new")), 1, "has no anchor")

    def put(self, name, data):
        path = pathlib.Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)

    def picture(self, width, height, step, seed):
        """A pattern that is coarser the larger `step` is, with noise as strong as `step`."""
        dice = random.Random(seed)
        luma = bytes((x // step * step * 3 + y * 2 + dice.randrange(step + 1)) % 256 for y in range(height) for x in range(width))
        chroma = bytes((100 + x // step * step // 4) % 256 for _ in range(height // 2) for x in range(width // 2))
        return luma + chroma + chroma

    def encode(self, name, width, height, qp, seed, bytes_, rate="F30000:1001"):
        """A decoded video, and next to it a bitstream of `bytes_` bytes."""
        self.put(name + ".y4m", y4m(width, height, [self.picture(width, height, 1 + qp // 60, seed)], rate))
        return self.put(name + ".obu", bytes(bytes_))

    def release(self, folder, factor):
        for k, qp in enumerate(self.QPS):
            size = factor * 100 * (10 - k)
            self.encode(f"{folder}/RA/clip_a_aom_av2_RA_Preset_0_QP_{qp}", 224, 176, qp, 1, size)
            self.encode(f"{folder}/still_aom_av2_STILL_Preset_0_QP_{qp}", 224, 176, qp, 2, size)
            for width, height in ((224, 176), (112, 88)):
                self.encode(f"{folder}/clip_{width}_aom_av2_AS_Preset_0_QP_{qp}", width, height, qp, 3, size * width // 224)

    def references(self):
        self.put("refs/A2_2k/clip_a.y4m", y4m(224, 176, [self.picture(224, 176, 1, 1)], "F30000:1001"))
        self.put("refs/F1/still.y4m", y4m(224, 176, [self.picture(224, 176, 1, 2)]))
        return self.path("refs")

    def rows(self, path):
        with open(self.path(path), newline="") as file:
            return list(csv.DictReader(file))

    def test_scores_of_a_release(self):
        references = self.references()
        self.release("new", 3)
        self.release("old", 4)
        self.put("new/RA/clip_a_aom_av2_RA_Preset_0_QP_1.y4m", b"")
        self.put("new/RA/other_aom_av2_RA_Preset_0_QP_110.obu", b"x")
        self.put("new/clip_a_QP_110.obu", b"x")
        command = ("ctc", f"v2={self.path('new')}", "--anchor", self.path("old"), "--references", references, "--output",
                   self.path("out"), "-q")
        run = self.acutance(*command)
        written = self.assert_ok(run)
        for why in ("QP_1.y4m is left out: there is no bitstream", "other_aom_av2_RA_Preset_0_QP_110.obu is left out: ",
                    "clip_a_QP_110.obu is left out: neither its name nor a folder"):
            self.assertIn(why, run.stderr.decode())
        self.assertIn("24 of 24 pairs are scored", written)
        self.assert_rate_points(references)
        table = {row["cfg"]: row for row in self.rows("out/Bdrate-Summary-AV1-vs-AV2.csv")}
        self.assertEqual(sorted(table), ["AS", "RA", "Still"])
        for row in table.values():
            self.assertEqual((row["psnr_y"], row["vmaf"]), ("-25.0", "-25.0"), row)
        scored = pathlib.Path(self.path("out/v2/scores/RA-clip_a_aom_av2_RA_Preset_0_QP_110.json"))
        before = scored.stat().st_mtime_ns
        pathlib.Path(self.path("out/v2/RDResults_aom_av2_RA_Preset_0.csv")).unlink()
        self.assertEqual(self.text_of(*command), written)
        self.assertEqual(scored.stat().st_mtime_ns, before, "what is scored is not scored again")

    def assert_rate_points(self, references):
        points = self.rows("out/v2/RDResults_aom_av2_RA_Preset_0.csv")
        self.assertEqual([(row["Class"], row["Name"], int(row["QP"])) for row in points],
                         [("A2", "clip_a.y4m", qp) for qp in self.QPS])
        self.assertEqual(points[0]["Bitrate(kbps)"], f"{3000 * 8 * (30000 / 1001) / 1 / 1000:.6f}")
        self.assertEqual((points[0]["FPS"], points[0]["OrigRes"], points[0]["EncT[s]"]), ("30.00", "224x176", ""))
        self.assert_ok(self.vmaf("-r", f"{references}/A2_2k/clip_a.y4m", "-d",
                                 self.path("new/RA/clip_a_aom_av2_RA_Preset_0_QP_160.y4m"), "--aom_ctc", "v7.0", "--json",
                                 "-q", "-o", self.path("vmaf.json")))
        log = json.loads(self.read("vmaf.json"))
        for title, score in (("PSNR_Y", "psnr_y"), ("SSIM_Y(dB)", "float_ssim"), ("MS-SSIM_Y(dB)", "float_ms_ssim"),
                             ("VMAF_Y", "vmaf"), ("VMAF_Y-NEG", "vmaf_neg"), ("PSNR-HVS", "psnr_hvs"),
                             ("CIEDE2000", "ciede2000"), ("CAMBI", "cambi")):
            self.assertEqual(points[2][title], f"{log['pooled_metrics'][score]['mean']:.6f}", title)
        self.assertEqual(points[2]["APSNR_U"], f"{log['aggregate_metrics']['apsnr_cb']:.6f}")
        self.assertEqual(self.rows("out/v2/RDResults_aom_av2_STILL_Preset_0.csv")[0]["Bitrate(kbps)"], "3000")
        sizes = self.rows("out/v2/RDResults_aom_av2_AS_Preset_0.csv")
        self.assertEqual([(row["Name"], row["FPS"], row["CodedRes"], int(row["QP"])) for row in sizes],
                         [("clip", "30.0000", size, qp) for size in ("224x176", "112x88") for qp in self.QPS])

    def test_refuses_what_would_be_wrong(self):
        references = self.references()
        self.release("new", 3)
        new = self.path("new")
        for releases, options, fragment in (((f"v1={new}", f"v1={new}"), (), "two releases have the tag v1"),
                                            ((f"../x={new}",), (), "'../x': a tag is a name"), ((f"={new}",), (), "'': a tag"),
                                            ((new,), ("--", "--frames", "0:1"), "--frames: the test conditions say")):
            self.assert_fails(self.acutance("ctc", *releases, "--references", references, "--output", self.path("o"), *options), 2,
                              fragment)

    def test_says_what_is_doubtful(self):
        """A point twice, an encode that cannot be read, and files of an earlier run."""
        references = self.references()
        for k, qp in enumerate(self.QPS[:2]):
            self.encode(f"new/RA/clip_a_QP_{qp}", 224, 176, qp, 1, 100 - k)
        self.encode("new/RA/again/clip_a_QP_110", 224, 176, 110, 1, 90)
        self.put("new/RA/clip_a_QP_9.y4m", b"nothing")
        self.put("new/RA/clip_a_QP_9.obu", b"x")
        stale = self.put("out/new/RDResults_aom_av2_STILL_Preset_0.csv", b"Name\n")
        run = self.acutance("ctc", self.path("new"), "--references", references, "--output", self.path("out"), "-q")
        self.assert_fails(run, 1, "RA-clip_a_QP_9: ", "there are two encodes of clip_a.y4m with QP 110")
        self.assertFalse(pathlib.Path(stale).exists())
        self.assertEqual([row["QP"] for row in self.rows("out/new/RDResults_unknown_unknown_RA_Preset_0.csv")], ["110", "135"])
