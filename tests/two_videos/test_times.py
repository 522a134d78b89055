#!/usr/bin/env python3
"""Containers whose times differ from the order of their frames: `acutance score` aligns frames of the same time."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_formats import FULL_SCORE, FormatTest, ffmpeg  # noqa: E402

LOSSLESS = ("-pix_fmt", "yuv420p", "-c:v", "libx264", "-qp", "0")


@unittest.skipUnless(shutil.which("ffmpeg"), "FFmpeg's command makes the encodes")
class Times(FormatTest):
    """The source is 60 frames that never show the same twice."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=192x112:r=25,scroll=horizontal=0.013:vertical=0.007", "-frames:v", "60",
               "-pix_fmt", "yuv420p", "-c:v", "ffv1", cls.source)

    def pairs(self, distorted, align):
        """The pairs, which must be equal sample by sample."""
        scores = self.psnr(self.source, distorted, "--align", align, "--pairs-out", self.path("pairs.csv"))[0]
        self.assertEqual(scores["y"], FULL_SCORE[8], align)
        return [tuple(map(int, line.split(","))) for line in self.read("pairs.csv").splitlines()[1:]]

    def assert_pairs(self, distorted, first, count, align="time"):
        """Frames of the distorted video are those of the reference from `first` on."""
        self.assertEqual([reference for reference, _ in self.pairs(distorted, align)], list(range(first, first + count)))

    def test_frames_in_another_order_than_stored(self):
        for name in ("b.mp4", "b.mkv", "b.ts"):
            encode = self.make(name, *LOSSLESS[:4], "-preset", "medium", "-qp", "0", "-bf", "3")
            for align in ("auto", "time", "index"):
                with self.subTest(name=name, align=align):
                    self.assert_pairs(encode, 0, 60, align)

    def test_edit_list_that_begins_later(self):
        """-c copy stores the frames from the key frame on, and an edit list that shows only the later ones."""
        whole = self.make("whole.mp4", *LOSSLESS, "-bf", "0", "-g", "10")
        late = self.path("late.mp4")
        ffmpeg("-ss", "0.92", "-i", whole, "-c", "copy", late)
        self.assert_pairs(late, 23, 37, "auto")

    def test_leading_offset(self):
        """A container whose first frame is not at time 0."""
        for name in ("offset.mp4", "offset.mkv", "offset.ts"):
            encode = self.make(name, *LOSSLESS, "-output_ts_offset", "3")
            with self.subTest(name=name):
                self.assert_pairs(encode, 0, 60, "auto")

    def test_open_gop_cut_at_its_key_frame(self):
        """Its first key frame has frames before it in time that need others, which are not there."""
        whole = self.make("whole.ts", *LOSSLESS, "-preset", "medium", "-bf", "2", "-b_strategy", "0", "-x264-params",
                          "open-gop=1:keyint=20:min-keyint=20:scenecut=0:qp=0")
        cut = self.path("cut.ts")
        ffmpeg("-ss", "0.9", "-i", whole, "-c", "copy", cut)
        pairs = self.pairs(cut, "auto")
        self.assertGreaterEqual(len(pairs), 20)
        self.assertEqual(pairs[-1][0], 59)

    def test_variable_frame_rate(self):
        """Frames are left out, and the others have their original times."""
        remaining = [k for k in range(60) if k % 7 != 3 and k % 11 != 5]
        choice = "+".join(f"eq(n\\,{k})" for k in remaining)
        encode = self.make("vfr.mp4", "-vf", f"select={choice}", "-vsync", "vfr", *LOSSLESS)
        for align in ("time", "auto"):
            self.assertEqual(self.pairs(encode, align), [(k, j) for j, k in enumerate(remaining)], align)


if __name__ == "__main__":
    unittest.main(verbosity=1)
