#!/usr/bin/env python3
"""`acutance doctor` on a sample of faulty pairs (faulty_pairs.py has them all), and on files that are no pair."""
import json
import math
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import faulty_pairs  # noqa: E402
import schema  # noqa: E402
from clips import ACUTANCE, CommandTest, frames, reference_sample, y4m  # noqa: E402
from faulty_pairs import ffmpeg  # noqa: E402

faulty_pairs.ACUTANCE = ACUTANCE
needs_ffmpeg = unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg's command makes the pairs")


def picture(rows):
    """A frame of luma rows, with gray chroma of 4:2:0."""
    luma = b"".join(rows)
    return luma + bytes([128]) * (len(luma) // 2)


@needs_ffmpeg
class Pairs(unittest.TestCase):
    def test_names_the_cause(self):
        with tempfile.TemporaryDirectory() as folder:
            pairs, wrong = faulty_pairs.check(faulty_pairs.make_source(folder), folder, every=8)
        self.assertGreater(pairs, 5)
        self.assertEqual(wrong, [])


class Files(CommandTest):
    def doctor(self, *args):
        return self.run_command(ACUTANCE, "doctor", *args)

    def findings(self, *args):
        return json.loads(self.assert_ok(self.doctor(*args, "--json")))["findings"]

    def causes(self, *args):
        return [finding["cause"] for finding in self.findings(*args)]

    def scored(self, *args):
        """The pooled features of a run of `acutance` with these arguments."""
        return json.loads(self.assert_ok(self.run_command(ACUTANCE, *args, "--json")))["results"][0]["features"]

    def psnr(self, *args):
        return self.scored(*args, "--no-model", "-f", "psnr")

    def write_film(self, name, film, width=128, height=72):
        return self.write(name, y4m(width, height, film))

    def film(self, count=60, change=lambda value: value, width=128, height=72, seed=7, part=None):
        """Coarse shapes that change in each frame."""
        dice = random.Random(seed)
        for _ in range(count):
            grid = [[dice.randint(30, 220) for _ in range(width // 8)] for _ in range(height // 8)]
            rows = [bytes(round(change(value)) for value in line for _ in range(8)) for line in grid for _ in range(8)]
            if part:
                x, y, w, h = part
                rows = [row[x:x + w] for row in rows[y:y + h]]
            yield picture(rows)

    def test_a_still_pair_is_not_sure(self):
        still = self.write("still.y4m", y4m(64, 48, frames(64, 48, 1, reference_sample) * 6))
        answer = schema.check(json.loads(self.assert_ok(self.doctor(still, still, "--json"))))
        self.assertEqual(answer["kind"], "doctor")
        self.assertEqual(answer["cause"], "none")
        self.assertLess(answer["findings"][0]["confidence"], 0.6)

    def test_the_command_for_an_offset_pairs_the_frames(self):
        dice = random.Random(1)
        film = []
        for _ in range(60):  # coarse shapes, as small pictures of a film show them
            rows = [bytes(value for value in dice.choices(range(256), k=16) for _ in range(8)) for _ in range(9)]
            film.append(b"".join(row * 8 for row in rows) + bytes(2 * 64 * 36))
        for first, second, align in ((film, film[5:], "-5"), (film[5:], film, "+5")):
            ref, dis = self.write("first.y4m", y4m(128, 72, first)), self.write("second.y4m", y4m(128, 72, second))
            cause = self.findings(ref, dis)[0]
            self.assertEqual((cause["cause"], cause["command"].split()[-2:]), ("offset", ["--align", align]))
            said = "second.y4m is 5 frames {}: what the first frame of {} shows, frame 5 of {} does."
            early, late = ("early", "second.y4m", "first.y4m"), ("late", "first.y4m", "second.y4m")
            self.assertIn(said.format(*(early if align == "-5" else late)), re.sub(r"\S*/", "", cause["sentence"]))
            self.assertEqual(self.psnr(*cause["command"].split()[1:])["psnr_y"]["min"], 60)

    @needs_ffmpeg
    def test_commands_fix_what_they_are_for(self):
        """They run as printed, and what they write takes the place of the video that they read."""
        ref, here = faulty_pairs.make_source(self.folder.name), os.getcwd()
        lossy = ("-c:v", "libx264", "-crf", "18", "-preset", "superfast", "-an", "-pix_fmt", "yuv420p")
        faults = {"turned": ("-vf", "transpose=clock"), "crop": ("-vf", "scale=360:270,setsar=1"),
                  "rows": ("-vf", "crop=480:262"), "frame-rate": ("-vf", "select='not(mod(n,2))',setpts=N/25/TB"),
                  "transfer": ("-vf", "scale,format=yuv444p,setparams=color_trc=bt709:color_primaries=bt709:colorspace=bt709,"
                                      "zscale=t=smpte2084:p=2020:m=2020_ncl:npl=203,format=yuv420p,setparams="
                                      "color_trc=unknown:color_primaries=unknown:colorspace=unknown")}
        self.addCleanup(os.chdir, here)
        os.chdir(self.folder.name)
        for name, options in faults.items():
            with self.subTest(name):
                dis = f"{name}.mp4"
                ffmpeg("-i", ref, *options, *lossy, dis)
                if name == "turned":  # the pictures are stored rotated, and no stream declares it
                    ffmpeg("-i", ref, "-metadata:s:v:0", "rotate=90", *lossy, "lying.mp4")
                    ffmpeg("-i", "lying.mp4", "-c", "copy", "-metadata:s:v:0", "rotate=90", dis)
                cause = self.findings(ref, dis)[0]
                self.assertEqual(cause["cause"], "crop" if name == "rows" else name)
                typed = shlex.split(cause["command"])
                if typed[0] == "ffmpeg":
                    end = typed.index("&&") if "&&" in typed else len(typed)
                    self.assert_ok(self.run_command("ffmpeg", "-nostdin", "-v", "error", *typed[1:end]))
                    typed = typed[end + 1:] or ["acutance", "score", ref, typed[end - 1]]
                scored = self.run_command(ACUTANCE, *typed[1:], "-m", "vmaf_v0.6.1", "--json")
                vmaf = json.loads(self.assert_ok(scored))["results"][0]["models"]["vmaf_v0.6.1"]
                least = 40 if name == "transfer" else 60  # mapped tones are others
                self.assertGreater(vmaf["mean"], least, (name, cause["command"]))

    @needs_ffmpeg
    def test_the_command_for_a_crop_compares_the_same_parts(self):
        whole, cut = self.path("whole.mkv"), self.path("cut.mp4")
        film = ("-f", "lavfi", "-i", "testsrc2=s=640x480:r=25:d=4,rotate=0.2*t,crop=480:270")
        ffmpeg(*film, "-c:v", "ffv1", "-pix_fmt", "yuv420p", whole)
        ffmpeg(*film, "-vf", "trim=start_frame=7,crop=460:260:12:4,scale=480:270", "-pix_fmt", "yuv420p", "-c:v", "libx264",
               "-crf", "16", cut)

        def psnr(*options):
            pairs = self.path("pairs.csv")
            text = self.assert_ok(self.run_command(ACUTANCE, "score", whole, cut, "--no-model", "-f", "psnr", "--json",
                                                   "--pairs-out", pairs, *options))
            lines = self.read("pairs.csv").splitlines()[1:]
            self.assertEqual(lines, [f"{k + 7},{k}" for k in range(93)])
            result = json.loads(text)
            return result["results"][0]["features"]["psnr_y"]["mean"], result["warnings"]

        before, warnings = psnr()
        options = ["--crop", "460:260:12:4,480:270:0:0"]
        self.assertEqual([warning.split(": ")[-1] for warning in warnings], [" ".join(options)])
        after, warnings = psnr(*options)
        self.assertGreater(after, max(33, before + 8))
        self.assertNotIn("part", " ".join(warnings))
        found = self.findings(whole, cut)
        self.assertEqual([finding["cause"] for finding in found[:2]], ["crop", "offset"])
        self.assertEqual(shlex.split(found[0]["command"])[4:], options)

    @needs_ffmpeg
    def test_bars_of_a_video_whose_only_key_frame_is_black(self):
        whole, padded = self.path("whole.mkv"), self.path("padded.mp4")
        film = ("-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=3,fade=in:0:20")
        encode = ("-c:v", "libx264", "-preset", "ultrafast", "-g", "1000", "-pix_fmt", "yuv420p")
        ffmpeg(*film, *encode, "-crf", "4", whole)
        ffmpeg(*film, "-vf", "pad=320:220:0:20", *encode, "-crf", "20", padded)
        self.assertGreater(self.psnr("score", whole, padded, "--crop", "auto")["psnr_y"]["mean"], 30)
        found = self.findings(whole, padded)[0]
        self.assertEqual((found["cause"], shlex.split(found["command"])[4:]), ("crop", ["--crop", "auto"]))

    @needs_ffmpeg
    def test_bars_that_hide_rows_leave_equal_crops(self):
        whole, barred = self.path("whole.mp4"), self.path("barred.mp4")
        encode = ("-c:v", "libx264", "-pix_fmt", "yuv420p")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=3,noise=alls=12:all_seed=3", *encode, "-crf", "12", whole)
        ffmpeg("-i", whole, "-vf", "crop=320:140,pad=320:180:0:20", *encode, "-crf", "28", barred)
        found = self.findings(whole, barred)[0]
        self.assertEqual(shlex.split(found["command"])[4:], ["--crop", "320:140:0:20,320:140:0:20"])

    @needs_ffmpeg
    def test_what_score_refuses_for_its_colors_has_a_cause_and_a_command_that_helps(self):
        source, tagged = ("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2"), {}
        for matrix, name, levels in (("bt709", "new.mp4", "tv"), ("smpte170m", "old.mp4", "tv"),
                                     ("smpte170m", "wide.mp4", "pc")):
            tagged[name] = self.path(name)
            ffmpeg(*source, "-vf", f"scale=out_color_matrix={matrix}:out_range={levels}", "-color_range", levels, "-pix_fmt",
                   "yuv420p", "-c:v", "libx264", "-qp", "4", "-colorspace", matrix, tagged[name])
        wide = tagged.pop("wide.mp4")
        findings = self.findings(tagged["new.mp4"], wide)
        self.assertEqual([finding["cause"] for finding in findings[:2]], ["color", "range"], findings)
        self.assertIn(f"{wide} has full range and {tagged['new.mp4']} limited", findings[1]["sentence"])
        self.assertNotEqual(self.run_command(ACUTANCE, "score", *tagged.values()).returncode, 0)
        findings = self.findings(*tagged.values())
        self.assertEqual(findings[0]["cause"], "color", findings)
        self.assertNotIn("range", [finding["cause"] for finding in findings])
        typed = shlex.split(findings[0]["command"])
        self.assertEqual(typed[:3], ["ffmpeg", "-i", tagged["old.mp4"]])
        converted = self.path("converted.mkv")
        ffmpeg(*typed[1:-1], converted)
        psnr = self.psnr("score", tagged["new.mp4"], converted)
        self.assertGreater(min(psnr[f"psnr_{plane}"]["mean"] for plane in ("y", "cb", "cr")), 36)

    def test_commands_quote_file_names_for_a_shell(self):
        still = self.write("it's a still $1.y4m", y4m(64, 48, frames(64, 48, 1, reference_sample) * 6))
        command = self.findings(still, still)[0]["command"]
        self.assertEqual(shlex.split(command), ["acutance", "score", still, still])

    def test_models_that_do_not_fit(self):
        def cause(*args):
            return self.findings(fast, fast, *args)[0]
        fast = self.write("fast.y4m", y4m(64, 48, self.clip("ref"), "F60:1 Ip A1:1 C420jpeg"))
        self.assertEqual(cause()["cause"], "none")
        self.assertEqual(cause("--model", "auto", "--viewing", "phone")["cause"], "none")
        rate = cause("--model", "vmaf_v1.0.16_3d0h")
        self.assertEqual(rate["cause"], "model")
        self.assertIn("60", rate["sentence"])
        self.assertIn("--scale 1440x1080", cause("--model", "vmaf_v0.6.1")["command"])
        viewing = cause("--model", "vmaf_v1.0.16_hfr_3d0h", "--viewing", "phone")
        self.assertTrue(viewing["command"].endswith("--viewing phone"), viewing)
        self.assert_fails(self.doctor(fast, fast, "--model", "vmaf_v9"), 2, "vmaf_v9")

    def test_a_picture_is_no_video(self):
        one = self.write("one.y4m", y4m(64, 48, self.clip("ref")[:1]))
        self.assertIn("has one frame", self.assert_ok(self.doctor(self.ref, one)))
        score = self.run_command(ACUTANCE, "score", one, self.ref, "--no-model", "-f", "psnr")
        self.assert_fails(score, 1, "has one frame")

    @needs_ffmpeg
    def test_only_one_video_declares_a_rotation(self):
        plain, *rotated = (self.path(name) for name in ("plain.mp4", "quarter.mp4", "half.mp4"))
        ffmpeg("-i", self.ref, "-c:v", "libx264", plain)
        for path, degrees in zip(rotated, (90, 180)):
            ffmpeg("-i", plain, "-c", "copy", "-metadata:s:v:0", f"rotate={degrees}", path)
            for first, second in ((self.ref, path), (path, plain)):
                declared = f"{path} is rotated as its stream declares"
                findings = self.findings(first, second)
                self.assertEqual([finding["cause"] for finding in findings], ["turned"], findings)
                self.assertIn(declared, findings[0]["sentence"])
                self.assertIn("-noautorotate", findings[0]["command"])
                score = self.run_command(ACUTANCE, "score", first, second, "--no-model", "-f", "psnr")
                self.assert_fails(score, 1, declared)
            self.assertNotIn("turned", self.assert_ok(self.doctor(path, path)))

    def test_noise_is_not_interlacing_and_fields_are(self):
        width, height, dice = 128, 96, random.Random(2)
        shapes = [[dice.choice((40, 110, 200)) for _ in range(40)] for _ in range(height // 8)]

        def row(y, time):  # of shapes of 16 x 8 samples that move to the left
            line = bytes(value for value in shapes[y // 8] for _ in range(16))
            return line[5 * time:][:width]

        def film(sample_time, noise):
            for t in range(30):
                rows = [row(y, sample_time(t, y)) for y in range(height)]
                yield picture(bytes(min(max(value + dice.randint(-noise, noise), 0), 255) for value in line) for line in rows)
        clean = self.write("clean.y4m", y4m(width, height, film(lambda t, y: 2 * t, 0)))
        noisy = self.write("noisy.y4m", y4m(width, height, film(lambda t, y: 2 * t, 24)))
        fields = self.write("fields.y4m", y4m(width, height, film(lambda t, y: 2 * t + y % 2, 4)))
        self.assertNotIn("interlaced", self.assert_ok(self.doctor(noisy, clean)))
        self.assertRegex(self.assert_ok(self.doctor(fields, clean)), "^interlaced .*fields.y4m is interlaced")

    def test_few_moving_samples_are_not_interlacing_and_slow_fields_are(self):
        width, height, dice = 128, 96, random.Random(3)
        lines = [bytes(dice.choice((60, 110, 180)) for _ in range(40) for _ in range(8)) for _ in range(height // 4)]

        def film(times):  # coarse detail that moves by a sample in two fields
            for t in range(60):
                yield picture(lines[y // 4][10 + times(t, y):][:width] for y in range(height))

        def dots(fields):  # a few samples of a still that blink
            for t in range(60):
                luma = bytearray(b"".join(lines[y // 4][10:10 + width] for y in range(height)))
                luma[41 * width + 30] = luma[42 * width + 30 + fields * (t % 2)] = 60 + 50 * (t % 3)
                yield picture([bytes(luma)])
        whole = self.write("whole.y4m", y4m(width, height, film(lambda t, y: t)))
        fields = self.write("fields.y4m", y4m(width, height, film(lambda t, y: t + (y % 2) * (t % 2))))
        slow = self.write("slow.y4m", y4m(width, height, film(lambda t, y: (2 * t + y % 2) // 2)))
        self.assertNotIn("interlaced", self.assert_ok(self.doctor(whole, slow)))
        self.assertRegex(self.assert_ok(self.doctor(whole, fields)), "interlaced .*fields.y4m is interlaced")
        still, blink = (self.write(f"dots{k}.y4m", y4m(width, height, dots(k))) for k in (0, 1))
        self.assertNotIn("interlaced", self.assert_ok(self.doctor(still, blink)))

    def test_a_crop_does_not_hide_the_range(self):
        width, height = 128, 96

        def film(whole):
            random_rows = random.Random(5)
            for _ in range(40):
                rows = [bytes(value for value in random_rows.choices(range(30, 220), k=width // 8) for _ in range(8))
                        for _ in range(height // 8)]
                lines = [rows[y // 8] for y in range(height)]
                yield picture(lines if whole else [bytes(min(255, max(0, round((v - 16) * 255 / 219))) for v in row[16:112])
                                                   for row in lines[8:88]])
        ref = self.write("whole.y4m", y4m(width, height, film(True)))
        cut = self.write("cut.y4m", y4m(96, 80, film(False)))
        self.assertLessEqual({"crop", "range"}, set(self.causes(ref, cut)))

    def test_a_curve_of_brightness_is_an_undeclared_transfer(self):
        def pq(value):  # of 200 cd/m2 for white
            light = (200 / 10000 * (max(value - 16, 0) / 219) ** 2.4) ** 0.1593017578125
            return 16 + 219 * ((0.8359375 + 18.8515625 * light) / (1 + 18.6875 * light)) ** 78.84375
        sdr, hdr = self.write_film("sdr.y4m", self.film()), self.write_film("hdr.y4m", self.film(change=pq))
        for ref, dis in ((sdr, hdr), (hdr, sdr)):
            first = self.findings(ref, dis)[0]
            self.assertEqual(first["cause"], "transfer")
            self.assertIn(f"ffmpeg -i {hdr} -vf setparams=color_trc=smpte2084", first["command"])
        flat = self.write_film("flat.y4m", self.film(change=lambda value: 0.8 * value + 25))
        self.assertEqual(self.causes(sdr, flat)[0], "none")

    def test_a_missing_end_is_damage_and_a_few_frames_are_not(self):
        ref, short, near, late = (self.write_film(f"{begin}to{end}.y4m", list(self.film(80))[begin:end])
                                  for begin, end in ((0, 80), (0, 50), (0, 78), (20, 80)))
        first = self.findings(ref, short)[0]
        self.assertEqual(first["cause"], "damage")
        self.assertIn("ends 30 frames before", first["sentence"])
        self.assertEqual(self.causes(ref, near)[0], "none")
        self.assertEqual(self.causes(ref, late), ["offset"])

    def test_smooth_fields_are_interlaced_without_a_comb(self):
        width, height = 128, 96

        def film(time):
            for t in range(40):
                yield picture(bytes(round(120 + 60 * math.sin((x + 2.5 * time(t, y)) / 9 + y / 30)) for x in range(width))
                              for y in range(height))
        whole = self.write("whole.y4m", y4m(width, height, film(lambda t, y: 2 * t)))
        for name, first in (("top", 0), ("bottom", 1)):
            fields = self.write(f"{name}.y4m", y4m(width, height, film(lambda t, y: 2 * t + (y + first) % 2)))
            self.assertIn("interlaced", self.causes(whole, fields), name)

    def test_the_command_for_a_letterbox_crops_the_other_video(self):
        bars = bytes([16]) * (128 * 16)
        film = [picture([bars, part[:128 * 64], bars]) for part in self.film(40, height=96, part=(0, 16, 128, 64))]
        ref, dis = (self.write_film(name, film, 128, 96) for name, film in (("open.y4m", self.film(40, height=96)), ("bars.y4m", film)))
        first = self.findings(ref, dis)[0]
        self.assertEqual(first["cause"], "crop")
        self.assertTrue(first["command"].endswith("--crop 128:64:0:16,128:64:0:16"), first)
        self.assertEqual(self.psnr(*first["command"].split()[1:])["psnr_y"]["min"], 60)

    def test_the_edges_of_a_crop_are_found(self):
        ref = self.write("all.y4m", y4m(128, 96, self.film(40, height=96)))
        cut = self.write("cut.y4m", y4m(112, 82, self.film(40, height=96, part=(6, 10, 112, 82))))
        first = self.findings(ref, cut)[0]
        self.assertTrue(first["command"].endswith("--crop 112:82:6:10,112:82:0:0"), first)

    def test_interlaced_and_damaged_files(self):
        both = y4m(64, 48, self.clip("dis"), "F25:1 It")
        self.assertIn("interlaced (70 % sure)", self.assert_ok(self.doctor(self.ref, self.write("it.y4m", both))))
        with open(self.dis, "rb") as file:
            cut = self.write("cut.y4m", file.read()[:-100])
        self.assertRegex(self.assert_ok(self.doctor(self.ref, cut)), r"^damage .*truncated")
        self.assert_fails(self.doctor(self.ref, self.path("absent.y4m")), 1, "absent.y4m")
        raw = self.write("raw.yuv", b"".join(self.clip("ref")))
        self.assert_ok(self.doctor(self.ref, raw, "--size", "64x48"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
