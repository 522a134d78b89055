"""Spatial and temporal information of shots (ITU-T P.910) against plain loops."""
import math
import re
import struct
import unittest

from clips import CommandTest, distorted_sample, plane, reference_sample

WIDTH, HEIGHT, CUT, FRAMES = 64, 48, 12, 25


def single(value):
    """Rounded to a float of 32 bits."""
    return struct.unpack("f", struct.pack("f", value))[0]


def deviation(values):
    mean = sum(values) / len(values)
    return math.sqrt(max(0, sum(value * value for value in values) / len(values) - mean * mean))


def spatial(luma):
    """P.910: the deviation of Sobel's gradient over samples with eight neighbours; here in 1024ths of a step."""
    def gradient(x, y):
        def at(i, j):
            return luma[(y + j) * WIDTH + x + i]
        across = sum(w * (at(1, j) - at(-1, j)) for j, w in ((-1, 1), (0, 2), (1, 1)))
        down = sum(w * (at(i, 1) - at(i, -1)) for i, w in ((-1, 1), (0, 2), (1, 1)))
        return int(single(single(math.sqrt(across * across + down * down)) * 1024 + 0.5))
    return deviation([gradient(x, y) for y in range(1, HEIGHT - 1) for x in range(1, WIDTH - 1)]) / 1024


def temporal(luma, before):
    return deviation([a - b for a, b in zip(luma, before)])


class Information(CommandTest):
    WIDTH, HEIGHT = WIDTH, HEIGHT

    @staticmethod
    def luma(sample):
        def scene(k):
            return lambda x, y, _: (sample(x, y, k) // 2 + (10 if k < CUT else 100)) % 256
        return [plane(WIDTH, HEIGHT, k, scene(k)) for k in range(FRAMES)]

    def clips(self, tags="F25:1 Ip A1:1 C420jpeg"):
        grey = bytes([128]) * (WIDTH * HEIGHT // 2)
        return [self.video(name, [luma + grey for luma in self.luma(sample)], tags)
                for name, sample in (("ref.y4m", reference_sample), ("dis.y4m", distorted_sample))]

    @classmethod
    def expected(cls, scale):
        luma = cls.luma(reference_sample)
        shots = []
        for begin, end in ((0, CUT), (CUT, FRAMES)):
            si = [scale * spatial(luma[k]) for k in range(begin, end)]
            ti = [scale * temporal(luma[k], luma[k - 1]) for k in range(begin + 1, end)]
            shots += [sum(si) / len(si), max(si), sum(ti) / len(ti), max(ti)]
        return shots

    def shots(self, *args):
        return [value for shot in self.summary(*args, "--no-model", "-f", "psnr", "--align", "index", "--shots")
                ["results"][0]["shots"]
                for value in (shot["si"]["mean"], shot["si"]["max"], shot["ti"]["mean"], shot["ti"]["max"])]

    def test_is_that_of_plain_loops(self):
        for tags, scale in (("F25:1 Ip C420jpeg", 255 / 219), ("F25:1 Ip C420jpeg XCOLORRANGE=LIMITED", 255 / 219),
                            ("F25:1 Ip C420jpeg XCOLORRANGE=FULL", 1)):
            expected = self.expected(scale)
            clips = self.clips(tags)
            for options in (("--threads", "1"), ("--threads", "7"), ("--backend", "emu"), ("--subsample", "3"),
                            ("--journal", self.path(f"{tags[-4:]}.journal"))):
                found = self.shots(*clips, *options)
                self.assertEqual(len(found), 8, options)
                for ours, slow in zip(found, expected):
                    self.assertAlmostEqual(ours, slow, delta=1e-9, msg=f"{tags} {options}")

    def test_deeper_videos_have_the_same(self):
        def deep(path):
            return self.write(path + "10.y4m", b"".join(
                [b"YUV4MPEG2 W64 H48 F25:1 C420p10\n"] + [b"FRAME\n" + b"".join(struct.pack("<H", 4 * s) for s in luma) +
                                                          struct.pack("<H", 512) * (WIDTH * HEIGHT // 2)
                                                          for luma in self.luma(reference_sample)]))
        for ours, slow in zip(self.shots(deep("a"), deep("b")), self.expected(255 / 219)):
            self.assertAlmostEqual(ours, slow, delta=1e-4)  # of gradients rounded as those of 8 bits are not

    def test_is_in_reports_and_tables(self):
        clips = self.clips()
        si_mean, si_max, ti_mean, ti_max = self.expected(255 / 219)[4:]
        document = self.summary(*clips, "-m", "vmaf_v0.6.1", "--align", "index")
        self.assertNotIn("si", document["results"][0]["shots"][0], "it costs time and is not asked for")
        text = self.assert_ok(self.score(*clips, "-m", "vmaf_v0.6.1", "--align", "index", "--shots", "--report",
                                         self.path("page.html")))
        self.assertRegex(text, rf"12-24 .*{si_max:.1f} +{ti_max:.1f}\n")
        row = re.search(r"<tr><td>2</td>.*?</tr>", self.read("page.html"), re.S).group(0)
        cells = re.findall(r"<td>(.*?)</td>", row)
        self.assertEqual(cells[1:5], [f"{value:.1f}" for value in (si_max, si_mean, ti_max, ti_mean)], row)

    def test_a_shot_of_one_frame_has_no_temporal_information(self):
        clips = self.clips()
        shot = self.summary(*clips, "--no-model", "-f", "psnr", "--align", "index", "--frames", "0:1", "--shots")[
            "results"][0]["shots"][0]
        self.assertIsNone(shot["ti"])
        self.assertAlmostEqual(shot["si"]["max"], 255 / 219 * spatial(self.luma(reference_sample)[0]), delta=1e-9)


if __name__ == "__main__":
    unittest.main()
