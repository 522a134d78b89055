#!/usr/bin/env python3
"""Encodes of every kind that FFmpeg's command makes: what `acutance score` does to compare them, says and refuses."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "e2e")))
import schema  # noqa: E402
from clips import CommandTest  # noqa: E402

FULL_SCORE = {8: 60, 10: 72, 12: 84}  # of psnr, for the same samples


def ffmpeg(*args):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *args], check=True, stdin=subprocess.DEVNULL)


def box(data, path):
    """The places of the boxes along a path of an mp4 file, the innermost last."""
    places, at, end = [], 0, len(data)
    for name in path:
        while data[at + 4:at + 8] != name:
            at += struct.unpack(">I", data[at:at + 4])[0]
            assert at < end, name
        places.append(at)
        end = at + struct.unpack(">I", data[at:at + 4])[0]
        at += {b"stsd": 16}.get(name, 8)
    return places


def with_dolby_vision(path, profile, compatible):
    """The mp4 file with a configuration of Dolby Vision in its first track. Its samples lie before the boxes."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    places = box(data, (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"hvc1"))
    level, rpu_and_base = 3, 5
    record = struct.pack(">BBHB19x", 1, 0, profile << 9 | level << 3 | rpu_and_base, compatible << 4)
    more = struct.pack(">I4s", 8 + len(record), b"dvcC") + record
    end = places[-1] + struct.unpack(">I", data[places[-1]:places[-1] + 4])[0]
    data[end:end] = more
    for at in places:
        data[at:at + 4] = struct.pack(">I", struct.unpack(">I", data[at:at + 4])[0] + len(more))
    with open(path, "wb") as file:
        file.write(data)


class FormatTest(CommandTest):
    """Has a source of 12 frames, 4:2:0 of 8 bits, in a folder that all tests share."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.source = os.path.join(cls.shared.name, "source.mkv")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=192x112:r=25,boxblur=2", "-frames:v", "12", "-pix_fmt", "yuv420p",
               "-c:v", "ffv1", cls.source)

    def make(self, name, *options, source=None):
        ffmpeg("-i", source or self.source, *options, self.path(name))
        return self.path(name)

    def lossless(self, name, layout, *options, source=None):
        return self.make(name, *options, "-pix_fmt", layout, "-c:v", "ffv1", source=source)

    def psnr(self, reference, distorted, *options):
        """Pooled features, and the whole summary."""
        if "--align" not in options:
            options = ("--align", "index", *options)
        result = self.score(reference, distorted, "--no-model", "-f", "psnr", "--json", *options)
        summary = schema.check(json.loads(self.assert_ok(result)))
        pooled = summary["results"][0]["features"]
        return {name: pooled[f"psnr_{name}"]["min"] for name in ("y", "cb", "cr") if f"psnr_{name}" in pooled}, summary

    def assert_equal_samples(self, reference, distorted, depth=8):
        scores, summary = self.psnr(reference, distorted)
        for name, score in scores.items():
            self.assertEqual(score, FULL_SCORE[depth], (name, summary["warnings"]))
        return summary

    def refused(self, reference, distorted, *fragments):
        """Without --force; with it, the reason is a warning."""
        run = (reference, distorted, "--no-model", "-f", "psnr", "--align", "index")
        self.assert_fails(self.score(*run), 1, *fragments, "--force")
        forced = self.score(*run, "--force")
        self.assert_ok(forced)
        self.assertIn(fragments[0], forced.stderr.decode())


@unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg's command makes the encodes")
class Layouts(FormatTest):
    def test_other_orders_of_the_same_samples(self):
        for plain, depth, others in (("yuv420p", 8, ("nv12", "nv21")), ("yuv422p", 8, ("yuyv422", "uyvy422")),
                                     ("yuv420p10le", 10, ("yuv420p10be",)), ("yuv420p12le", 12, ("yuv420p12be",))):
            planes = self.lossless("planes.mkv", plain)
            for other in others:
                with self.subTest(layout=other):
                    packed = self.make("packed.nut", "-pix_fmt", other, "-c:v", "rawvideo", source=planes)
                    summary = self.assert_equal_samples(planes, packed, depth)
                    self.assertFalse([line for line in summary["warnings"] if "packed" in line])

    def test_a_reference_that_has_lost_more_is_named(self):
        fine, coarse = (self.make(f"{crf}.mp4", "-c:v", "libx264", "-crf", str(crf)) for crf in (5, 45))
        for reference, distorted, is_named in ((coarse, fine, True), (fine, coarse, False)):
            warnings = self.psnr(reference, distorted)[1]["warnings"]
            self.assertEqual(any("has fewer bits a second" in line for line in warnings), is_named, warnings)

    def test_rows_and_columns_that_an_encode_leaves_out(self):
        source = self.lossless("large.mkv", "yuv420p", "-vf", "scale=384:224")
        for part, thin in (("384:218:0:0", True), ("384:218:0:4", True), ("384:206:0:2", False), ("300:224:20:0", False)):
            with self.subTest(part=part):
                cut = self.lossless("cut.mkv", "yuv420p", "-vf", f"crop={part}", source=source)
                scores, summary = self.psnr(source, cut, "--crop", "auto")
                self.assertEqual(scores["y"], 60, summary["warnings"])
                self.assertIn(f"{source} is cropped to {part}", summary["warnings"])
                scores, summary = self.psnr(cut, source, "--crop", "auto")
                self.assertEqual(scores["y"], 60, summary["warnings"])
                if thin:
                    warnings = "\n".join(self.psnr(source, cut)[1]["warnings"])
                    self.assertIn("one of them is squashed, unless rows or columns were cropped", warnings)
        squashed = self.lossless("squashed.mkv", "yuv420p", "-vf", "scale=384:218,setsar=1", source=source)
        warnings = "\n".join(self.psnr(source, squashed, "--crop", "auto")[1]["warnings"])
        self.assertNotIn(" is cropped to ", warnings)

    def test_v210(self):
        planes = self.lossless("planes.mkv", "yuv422p10le")
        self.assert_equal_samples(planes, self.make("v210.mov", "-c:v", "v210", source=planes), 10)

    def test_quarter_chroma_in_containers_and_y4m(self):
        quarter = self.make("quarter.nut", "-pix_fmt", "yuv411p", "-c:v", "rawvideo")
        plain = self.make("quarter.y4m", source=quarter)
        summary = self.assert_equal_samples(quarter, plain)
        for name in (quarter, plain):
            self.assertIn(f"{name}: 4:1:1 is widened to 4:2:2", summary["warnings"])

    def test_alpha_is_left_out(self):
        clear = self.lossless("clear.mkv", "yuva420p")
        summary = self.assert_equal_samples(self.source, clear)
        self.assertIn(f"{clear}: its alpha is left out", summary["warnings"])

    def test_depths(self):
        for layout, depth in (("yuv420p10le", 10), ("yuv420p12le", 12)):
            deep = self.lossless("deep.mkv", layout)
            for pair in ((self.source, deep), (deep, self.source)):
                summary = self.assert_equal_samples(*pair, depth)
                self.assertIn(f"{self.source} is expanded from 8 to {depth} bits", summary["warnings"])
        summary = self.psnr(self.lossless("ten.mkv", "yuv420p10le"), deep)[1]
        self.assertEqual([video["bit_depth"] for video in summary["inputs"]], [10, 12])

    def test_chroma_formats(self):
        wide, full = self.lossless("wide.mkv", "yuv422p"), self.lossless("full.mkv", "yuv444p")
        for reference, distorted, text in ((self.source, full, "from 4:4:4 to 4:2:0"),
                                           (full, self.source, "from 4:2:0 to 4:4:4"),
                                           (wide, full, "from 4:4:4 to 4:2:2"),
                                           (self.source, wide, "from 4:2:2 to 4:2:0")):
            with self.subTest(text=text):
                scores, summary = self.psnr(reference, distorted)
                self.assertEqual(scores["y"], 60)
                self.assertGreater(min(scores["cb"], scores["cr"]), 36)
                self.assertIn(f"the chroma of {distorted} is brought {text} (bicubic)", summary["warnings"])

    def test_gray(self):
        gray = self.lossless("gray.mkv", "gray")
        scores, summary = self.psnr(gray, self.source)
        self.assertEqual(scores, {"y": 60})
        self.assertIn(f"the chroma of {self.source} is left out, for {gray} has none", summary["warnings"])


@unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg's command makes the encodes")
class Colors(FormatTest):
    def tagged(self, name, *options, matrix="bt709", transfer="bt709", primaries="bt709", layout="yuv420p"):
        return self.make(name, *options, "-pix_fmt", layout, "-c:v", "libx264", "-qp", "0", "-colorspace", matrix,
                         "-color_trc", transfer, "-color_primaries", primaries)

    def test_ranges(self):
        full = self.make("full.mp4", "-vf", "scale=in_range=limited:out_range=full", "-pix_fmt", "yuv420p",
                         "-color_range", "pc", "-c:v", "libx264", "-qp", "0")
        scores, summary = self.psnr(self.source, full)
        self.assertGreater(min(scores.values()), 46)
        self.assertIn(f"{full} is converted from full to limited range", "\n".join(summary["warnings"]))
        self.assertEqual(summary["inputs"][1]["range"], "full")
        scores, summary = self.psnr(full, self.source)
        self.assertGreater(min(scores.values()), 46)
        self.assertIn("from limited to full", "\n".join(summary["warnings"]))

    def test_ranges_that_the_samples_contradict(self):
        """VMAF takes a contrast that was stretched for an improvement."""
        source = self.make("pan.mkv", "-f", "lavfi", "-i", "mandelbrot=s=192x112:r=25", "-map", "1:v", "-frames:v",
                           "30", "-pix_fmt", "yuv420p", "-c:v", "ffv1")
        lossy = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-crf", "24", "-color_range")
        wide = "scale=in_range=limited:out_range=full,setparams=range=limited"
        made = {"undeclared": self.make("undeclared.mp4", "-vf", wide, *lossy, "tv", source=source),
                "wrong": self.make("wrong.mp4", "-vf", "setparams=range=full", *lossy, "pc", source=source),
                "declared": self.make("declared.mp4", "-vf", wide + ",setparams=range=full", *lossy, "pc", source=source),
                "plain": self.make("plain.mp4", *lossy, "tv", source=source)}
        later = f"trim=start_frame=4,setpts=PTS-STARTPTS,{wide}"
        late = self.make("late.mp4", "-vf", later, *lossy, "tv", source=source)
        for name, path, text in (("undeclared", made["undeclared"], "seems to have full range"),
                                 ("late", late, "seems to have full range"),
                                 ("wrong", made["wrong"], "seem to have one range"), ("declared", made["declared"], None),
                                 ("plain", made["plain"], None)):
            with self.subTest(name):
                warnings = "\n".join(self.psnr(source, path, "--align", "auto")[1]["warnings"])
                if text:
                    self.assertIn(text, warnings)
                else:
                    self.assertNotIn("seem", warnings)

    def test_full_range_of_more_bits(self):
        full = self.make("full.mkv", "-vf", "scale=in_range=limited:out_range=full", "-pix_fmt", "yuv420p",
                         "-color_range", "pc", "-c:v", "ffv1")
        deep = self.make("deep.mkv", "-vf", "scale=in_range=full:out_range=full", "-pix_fmt", "yuv420p10le",
                         "-color_range", "pc", "-c:v", "ffv1", source=full)
        self.assertGreater(self.psnr(full, deep)[0]["y"], 55)
        self.assertGreater(self.psnr(deep, full)[0]["y"], 55)

    def test_rgb_becomes_what_the_other_video_is(self):
        """FFmpeg's own conversions differ by rounding alone."""
        rgb = self.lossless("rgb.mkv", "gbrp")
        deep = self.lossless("deep.mkv", "gbrp10le", source=rgb)
        kinds = {"x264.mp4": self.make("x264.mp4", "-c:v", "libx264rgb", "-qp", "0", "-pix_fmt", "rgb24", source=rgb),
                 "ffv1": rgb, "ffv1 of 10 bits": deep,
                 "png": self.make("png.mkv", "-c:v", "png", "-pix_fmt", "rgb24", source=rgb)}
        for matrix, name in (("bt709", "BT.709"), ("smpte170m", "BT.601")):
            chain = f"scale=out_color_matrix={matrix}:out_range=limited:flags=accurate_rnd+full_chroma_int"
            yuv = self.make(f"{matrix}.mp4", "-vf", chain, "-pix_fmt", "yuv444p", "-c:v", "libx264", "-qp", "0",
                            "-colorspace", matrix, source=rgb)
            for kind, path in kinds.items():
                with self.subTest(matrix=matrix, kind=kind):
                    scores, summary = self.psnr(yuv, path)
                    self.assertGreater(min(scores.values()), 48)
                    self.assertIn(f"{path} is RGB, and converted to 4:4:4 of limited range by {name} (that of {yuv})",
                                  summary["warnings"])
                    self.assertEqual([video["rgb"] for video in summary["inputs"]], [False, True])
                    self.assertEqual(summary["inputs"][1]["range"], "full")

    def log(self, backend, *videos):
        path = self.path(f"{backend}.json")
        self.assert_ok(self.score(*videos, "--no-model", "-f", "psnr", "-f", "motion", "--backend", backend, "--align",
                                  "index", "--precision", "max", "-o", path))
        log = json.loads(self.read(path))
        return log["frames"], log["pooled_metrics"]

    def test_devices_make_yuv_of_rgb_and_change_ranges_as_the_cpu_does(self):
        source = self.make("odd.mkv", "-vf", "scale=63:47", "-pix_fmt", "gbrp", "-c:v", "ffv1")
        rgb = {depth: self.lossless(f"{depth}.mkv", layout, source=source)
               for depth, layout in (("8", "gbrp"), ("10", "gbrp10le"), ("16", "gbrp16le"))}
        yuv = {depth: self.lossless(f"yuv{depth}.mkv", layout, "-vf", "scale=70:51,noise=alls=20:allf=t", source=source)
               for depth, layout in (("8", "yuv420p"), ("10", "yuv422p10le"), ("16", "yuv444p16le"))}
        full = self.lossless("full.mkv", "yuv420p", "-vf", "scale=61:45:out_range=full", "-color_range", "pc", source=source)
        pairs = [(a, b) for a in rgb.values() for b in yuv.values()] + [(yuv["10"], rgb["8"]), (rgb["8"], rgb["10"]),
                                                                        (yuv["8"], full), (full, rgb["16"])]
        for reference, distorted in pairs:
            with self.subTest(pair=(reference, distorted)):
                self.assertEqual(self.log("emu", reference, distorted), self.log("cpu", reference, distorted))

    def test_stills(self):
        self.make("still.png", "-frames:v", "1", "-pix_fmt", "rgb24")
        scores, summary = self.psnr(self.path("still.png"), self.path("still.png"))
        self.assertEqual(scores["y"], 60)
        self.assertEqual(summary["inputs"][0]["codec"], "png")
        result = self.vmaf("-r", self.path("still.png"), "-d", self.path("still.png"))
        self.assert_fails(result, 255, "cannot be scored")

    def test_matrices_and_primaries_that_differ(self):
        usual = self.tagged("usual.mp4")
        self.refused(usual, self.tagged("old.mp4", matrix="smpte170m"), "has the matrix of BT.709", "BT.601")
        self.refused(usual, self.tagged("wide.mp4", primaries="bt2020"), "has the primaries of BT.709", "BT.2020")
        near = self.psnr(usual, self.tagged("near.mp4", primaries="smpte170m"))[1]
        self.assertIn("colors differ a little", "\n".join(near["warnings"]))

    def hdr(self, name, transfer="smpte2084", extra=""):
        return self.make(name, "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-tag:v", "hvc1", "-x265-params",
                         f"log-level=none:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc{extra}")

    def test_hdr(self):
        light = ":hdr10=1:max-cll=1000,400:master-display=" \
                "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
        pq, hlg = self.hdr("pq.mp4", extra=light), self.hdr("hlg.mp4", "arib-std-b67")
        text = self.assert_ok(self.score(pq, pq, "--align", "index"))
        self.assertIn("no VMAF: the videos are HDR by PQ", text)
        self.assertIn("standard_hdr_pq with the mastering display's peak of 1000 cd/m2", text)
        self.assert_fails(self.score(pq, pq, "-m", "vmaf_v0.6.1", "--align", "index"), 1, "HDR by PQ", "--force")
        self.refused(pq, hlg, "HDR by PQ", "HDR by HLG", "transfer functions differ")
        self.refused(self.tagged("sdr.mp4", matrix="bt2020nc", primaries="bt2020"), pq, "SDR", "HDR by PQ")
        scores, summary = self.psnr(pq, pq)
        video = summary["inputs"][0]
        self.assertEqual(scores["y"], 72)
        self.assertEqual((video["transfer"], video["matrix"], video["primaries"]), ("HDR by PQ", "BT.2020", "BT.2020"))
        self.assertEqual((video["codec"], video["bit_depth"], video["range"]), ("hevc", 10, "limited"))
        self.assertAlmostEqual(video["mastering"]["most"], 1000)
        self.assertAlmostEqual(video["mastering"]["least"], 0.005)
        self.assertEqual(video["light_level"], {"max_cll": 1000, "max_fall": 400})
        text = self.assert_ok(self.score(pq, pq, "--no-model", "-f", "psnr", "--align", "index"))
        self.assertIn("HDR by PQ, BT.2020, limited range, mastered for 0.005 to 1000 cd/m2, MaxCLL 1000, MaxFALL 400",
                      text)

    def test_dolby_vision(self):
        for profile, compatible in ((5, 0), (10, 0), (8, 1), (8, 4)):
            path = self.hdr(f"dolby{profile}.{compatible}.mp4")
            with_dolby_vision(path, profile, compatible)
            summary = self.psnr(path, path, "--force")[1]
            self.assertEqual(summary["inputs"][0]["dolby_vision_profile"], profile)
            if compatible == 0:
                self.refused(path, path, f"is Dolby Vision of profile {profile}, whose samples are no YUV")
            else:
                self.assertIn("profile 8: its base layer is scored", "\n".join(self.psnr(path, path)[1]["warnings"]))


@unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg's command makes the encodes")
class Fields(FormatTest):
    def test_interlaced_encodes_next_to_progressive_ones(self):
        film = os.path.join(self.folder.name, "film.mkv")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=192x112:r=50,boxblur=3,scroll=horizontal=0.02",
               "-frames:v", "24", "-pix_fmt", "yuv420p", "-c:v", "ffv1", film)
        whole = self.lossless("whole.mkv", "yuv420p", "-vf", "framestep=2", source=film)
        for weave, flag, field in (("interleave_top", "tff=1", "top"), ("interleave_bottom", "bff=1", "bottom")):
            fields = self.make(f"{field}.mp4", "-vf", f"tinterlace=mode={weave},fieldorder={field[0]}ff", "-c:v", "libx264",
                               "-qp", "0", "-x264-params", flag, source=film)
            scores, summary = self.psnr(whole, fields)
            self.assertIn(f"{fields} is deinterlaced: the {field} field", "\n".join(summary["warnings"]))
            self.assertEqual([video["interlaced"] for video in summary["inputs"]], [False, True])
            woven = self.psnr(whole, fields, "--deinterlace", "off")[0]
            self.assertGreater(scores["y"], woven["y"] + 6, field)
        both = self.psnr(fields, fields)[1]
        self.assertIn("all videos are interlaced, and compared as they are", "\n".join(both["warnings"]))

    def test_whole_frames_in_an_interlaced_encode(self):
        """1080i often carries whole pictures, which stay as they are."""
        flagged = self.make("flagged.mp4", "-c:v", "libx264", "-qp", "0", "-x264-params", "tff=1")
        self.assertEqual(self.psnr(self.source, flagged)[0]["y"], 60)


if __name__ == "__main__":
    unittest.main(verbosity=1)
