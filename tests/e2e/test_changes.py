"""Facts that change inside a stream, and those that stills declare: rotations and color profiles."""
import struct
import unittest
import zlib

from clips import CommandTest, frames, needs_ffmpeg, reference_sample


def icc_profile(red, gamma, name):
    """A display profile: the column of red, one gamma, a description."""
    xyz = [struct.pack(">8x3i", *(round(65536 * v) for v in column)) for column in
           (red, (0.3851, 0.7169, 0.0971), (0.1431, 0.0606, 0.7141))]
    curve = b"curv" + struct.pack(">4xIHxx", 1, round(256 * gamma))
    tags = [(b"desc", b"desc" + struct.pack(">4xI", len(name) + 1) + name.encode() + b"\0")]
    tags += [(key, b"XYZ " + data[4:]) for key, data in zip((b"rXYZ", b"gXYZ", b"bXYZ"), xyz)]
    tags += [(key, curve) for key in (b"rTRC", b"gTRC", b"bTRC")]
    table, body = struct.pack(">I", len(tags)), b""
    for key, data in tags:
        table += struct.pack(">4sII", key, 132 + 12 * len(tags) + len(body), len(data))
        body += data
    return bytes(16) + b"RGB XYZ " + bytes(12) + b"acsp" + bytes(88) + table + body


@needs_ffmpeg
class Changes(CommandTest):
    MODEL = ("-m", "vmaf_v0.6.1", "--align", "index")

    def part(self, name, *options):
        self.ffmpeg("-i", self.ref, "-c:v", "libx264", "-qp", "10", *options, self.path(name))
        with open(self.path(name), "rb") as file:
            return file.read()

    def joined(self, name, *parts):
        self.long = self.video("long.y4m", self.clip("ref") * len(parts))
        return self.write(name, b"".join(parts))

    def changes(self, path):
        """The changes of the distorted video in the summary, and its score."""
        summary = self.summary(self.long, path, *self.MODEL)
        result = summary["results"][0]
        inputs = [entry for entry in summary["inputs"] if entry["path"] == path]
        return [change["text"] for change in inputs[0]["changes"]], next(iter(result["models"].values()))["mean"]

    def test_ranges(self):
        limited = self.part("a.264")
        full = self.part("b.264", "-vf", "scale=in_range=tv:out_range=pc", "-pix_fmt", "yuvj420p")
        _, whole = self.changes(self.joined("whole.264", limited, limited))
        texts, mean = self.changes(self.joined("up.264", limited, full))
        self.assertIn("changes at frame 6 from limited range to full range: 6 of its 12 frames", texts[0])
        self.assertAlmostEqual(mean, whole, delta=2)
        texts, mean = self.changes(self.joined("down.264", full, limited))
        self.assertIn("changes at frame 6 from full range to limited range: 6 of its 12 frames", texts[-1])
        self.assertAlmostEqual(mean, whole, delta=2)

    def test_sizes(self):
        whole, small = self.part("a.264"), self.part("b.264", "-vf", "scale=32:24:flags=bicubic")
        _, down = self.changes(self.joined("down.264", whole, small))
        texts, up = self.changes(self.joined("up.264", small, whole))
        self.assertIn("changes at frame 6 from 32x24 to 64x48: 6 of its 12 frames are scaled", texts[-1])
        self.assertAlmostEqual(up, down, delta=3)

    def test_a_change_to_hdr_is_a_warning(self):
        hdr = self.part("b.264", "-x264-params", "transfer=smpte2084")
        path = self.joined("dis.264", self.part("a.264"), hdr)
        self.assert_fails(self.score(self.long, path, *self.MODEL), 0, "changes at frame 6 from SDR to HDR by PQ")

    def test_nothing_changes(self):
        texts, _ = self.changes(self.joined("dis.264", self.part("a.264"), self.part("b.264")))
        self.assertEqual(texts, [])


@needs_ffmpeg
class Programs(CommandTest):
    """Transport streams whose program changes, or the packet identifiers of their video."""

    def part(self, name, *options):
        path = self.ffmpeg("-i", self.ref, "-f", "lavfi", "-i", "anoisesrc=r=48000:d=0.3", "-map", "0:v", "-map", "1:a", "-c:v", "libx264",
                           "-qp", "10", "-c:a", "mp2", *options, self.path(name))
        with open(path, "rb") as file:
            return file.read()

    def scores(self, name, *parts):
        """The scores of the parts one after another, and the warnings."""
        self.long = self.video("long.y4m", self.clip("ref") * 2)
        result = self.score(self.long, self.write(name, b"".join(parts)), "--no-model", "-f", "psnr", "--align", "index",
                            "-o", self.path("log.csv"))
        self.assert_ok(result)
        return self.read("log.csv"), result.stderr.decode()

    def test_the_video_continues(self):
        first, other = self.part("a.ts", "-mpegts_start_pid", "0x100"), ("-mpegts_start_pid", "0x201")
        expected, _ = self.scores("same.ts", first, first)
        self.assertEqual(len(expected.splitlines()), 13)
        for name, options in (("pids.ts", other), ("swapped.ts", ("-streamid", "0:0x101", "-streamid", "1:0x100")),
                              ("program.ts", (*other, "-mpegts_pmt_start_pid", "0x1100", "-mpegts_service_id", "2")),
                              ("service.ts", ("-mpegts_start_pid", "0x100", "-mpegts_service_id", "2"))):
            with self.subTest(name):
                scores, found = self.scores(name, first, self.part("b.ts", *options))
                self.assertEqual(scores, expected)
                self.assertEqual(found, "")
                with open(self.path(name), "rb") as file:
                    piped = self.score(self.long, "-", "--no-model", "-f", "psnr", "--align", "index", "-o", self.path("log.csv"),
                                       stdin=file.read())
                self.assert_ok(piped)
                self.assertEqual(self.read("log.csv"), expected)
                bits = [self.summary(self.ref, self.path(file), "--no-model", "-f", "psnr", "--align", "index")["inputs"][1]["bit_rate"]
                        for file in ("a.ts", "b.ts", name)]
                self.assertAlmostEqual(bits[2], (bits[0] + bits[1]) / 2, delta=0.01 * bits[0])
        scores, found = self.scores("small.ts", first, self.part("b.ts", *other, "-s", "32x24"))
        self.assertEqual(scores.splitlines()[:7], expected.splitlines()[:7])
        self.assertEqual(len(scores.splitlines()), 13)
        self.assertIn("changes at frame 6 from 64x48 to 32x24", found)

    def test_pictures_of_another_codec_are_counted(self):
        scores, warnings = self.scores("codec.ts", self.part("a.ts"), self.part("b.ts", "-c:v", "mpeg2video"))
        self.assertEqual(len(scores.splitlines()), 7)
        self.assertIn("changes to a program of another codec: 6 of its pictures are not scored", warnings)


@needs_ffmpeg
class Stills(CommandTest):
    def photo(self, name, *segments):
        """A JPEG file with further segments: marker, data."""
        with open(self.ffmpeg("-i", self.ref, "-frames:v", "1", "-q:v", "2", self.path("plain.jpg")), "rb") as file:
            data = file.read()
        extra = b"".join(bytes([0xff, marker]) + struct.pack(">H", len(body) + 2) + body for marker, body in segments)
        return self.write(name, data[:2] + extra + data[2:])

    def psnr(self, ref, dis):
        result = self.score(ref, dis, *self.asked("psnr"))
        return self.assert_ok(result), result.stderr.decode()

    def test_exif_rotates(self):
        turns = {2: "hflip", 3: "hflip,vflip", 4: "vflip", 5: "transpose=cclock_flip", 6: "transpose=clock",
                 7: "transpose=clock_flip", 8: "transpose=cclock"}
        for orientation, turn in turns.items():
            with self.subTest(orientation=orientation):
                exif = b"Exif\0\0MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)
                photo = self.photo("p.jpg", (0xe1, exif))
                shown = self.ffmpeg("-noautorotate", "-i", self.path("plain.jpg"), "-vf", turn, "-c:v", "ffv1",
                                    self.path("shown.mkv"))
                text, warnings = self.psnr(photo, shown)
                self.assertRegex(text, r"psnr_y +[56]\d\.")
                self.assertIn("p.jpg is rotated as displayed", warnings)

    def test_png_and_tiff_rotate(self):
        def png(exif, place):
            with open(self.ffmpeg("-i", self.ref, "-frames:v", "1", self.path("plain.png")), "rb") as file:
                data = file.read()
            at = data.index(place) - 4
            chunk = b"eXIf" + exif
            return data[:at] + struct.pack(">I", len(exif)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[at:]

        def tiff(order, orientation):
            """Gray samples in one strip, and a directory behind them."""
            rows = self.clip("ref")[0][:64 * 48]
            tags = ((0x100, 64), (0x101, 48), (0x102, 8), (0x103, 1), (0x106, 1), (0x111, 8), (0x112, orientation),
                    (0x115, 1), (0x116, 48), (0x117, len(rows)))
            entries = b"".join(struct.pack(order + "HHIHH", tag, 3, 1, value, 0) for tag, value in tags)
            return ((b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8 + len(rows)) + rows +
                    struct.pack(order + "H", len(tags)) + entries + bytes(4))

        plain = {"p.png": lambda: png(b"", b"IDAT"), "p.tiff": lambda: tiff("<", 1)}
        exif = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
        for name, data in (("p.png", png(exif, b"IDAT")), ("p.png", png(exif, b"IEND")), ("p.tiff", tiff("<", 6)),
                           ("p.tiff", tiff(">", 6))):
            with self.subTest(name=name):
                upright = self.write(f"plain-{name}", plain[name]())
                shown = self.ffmpeg("-noautorotate", "-i", upright, "-vf", "transpose=clock", "-c:v", "ffv1",
                                    self.path("shown.mkv"))
                photo = self.write(name, data)
                text, warnings = self.psnr(photo, shown)
                self.assertRegex(text, r"psnr_y +[56]\d\.")
                self.assertIn(f"{name} is rotated as displayed", warnings)
                self.assertNotIn("rotated", self.psnr(upright, upright)[1])

    def test_messages_in_the_stream_rotate(self):
        stream = self.ffmpeg("-i", self.ref, "-c:v", "libx264", "-qp", "0", self.path("s.264"))
        turned = self.ffmpeg("-i", stream, "-c", "copy", "-bsf:v", "h264_metadata=display_orientation=insert:rotate=90",
                             self.path("t.264"))
        shown = self.ffmpeg("-i", stream, "-vf", "transpose=cclock", "-c:v", "ffv1", self.path("shown.mkv"))
        self.assertRegex(self.psnr(turned, shown)[0], r"psnr_y +60\.")

    def test_profiles(self):
        plain = self.photo("o.jpg")
        for red, gamma, name, is_named in (((0.5151, 0.2412, 0), 2.2, "Display P3", True),
                                           ((0.4361, 0.2225, 0.0139), 1, "linear", True),
                                           ((0.4361, 0.2225, 0.0139), 2.2, "sRGB", False)):
            with self.subTest(name=name):
                photo = self.photo("p.jpg", (0xe2, b"ICC_PROFILE\0\1\1" + icc_profile(red, gamma, name)))
                _, warnings = self.psnr(plain, photo)
                self.assertEqual(f"ICC profile '{name}'" in warnings, is_named, warnings)


if __name__ == "__main__":
    unittest.main()
