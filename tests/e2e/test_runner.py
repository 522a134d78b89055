"""The `vmaf` command under libvmaf's Python package: raw videos through two named pipes, XML logs whose columns are found
by prefix, and options for features that a model does not have."""
import os
import threading
from xml.etree import ElementTree

from clips import CommandTest, distorted_sample, frames, reference_sample

# Columns of the features with debug=true that VMAF's training reads.
ATOMS = ["vif", "adm", "float_ansnr", "motion", "motion2", "vif_num", "vif_den", "adm_num", "adm_den", "float_anpsnr"]
ATOMS += [f"{name}_{part}_scale{scale}" for name in ("vif", "adm") for scale in range(4) for part in ("num", "den")]
GAINS = ("vif.vif_enhn_gain_limit={0}:float_vif.vif_enhn_gain_limit={0}:"
         "adm.adm_enhn_gain_limit={1}:float_adm.adm_enhn_gain_limit={1}")


class Runner(CommandTest):
    WIDTH, HEIGHT, FRAMES = 96, 80, 4

    def pipe(self, name, sample, first=0, end=FRAMES):
        """A named pipe into which a thread writes some frames of a video."""
        path = self.path(name)
        if not os.path.exists(path):
            os.mkfifo(path)
        data = b"".join(frames(self.WIDTH, self.HEIGHT, self.FRAMES, sample)[first:end])

        def write():
            try:
                with open(path, "wb") as file:
                    file.write(data)
            except BrokenPipeError:
                pass

        threading.Thread(target=write, daemon=True).start()
        return path

    def run_vmaf(self, *options, ref=(0, FRAMES), dis=(0, FRAMES)):
        return self.vmaf("--reference", self.pipe("ref.yuv", reference_sample, *ref), "--distorted",
                         self.pipe("dis.yuv", distorted_sample, *dis), "--width", self.WIDTH, "--height", self.HEIGHT,
                         "--pixel_format", "420", "--bitdepth", "8", "--output", self.path("log"), *options)

    def columns(self, *options):
        """name -> one score a frame, of the XML log."""
        self.assert_ok(self.run_vmaf(*options))
        found = ElementTree.parse(self.path("log")).getroot().findall("frames/frame")
        self.assertEqual([frame.attrib["frameNum"] for frame in found], [str(k) for k in range(self.FRAMES)])
        return {name: [float(frame.attrib[name]) for frame in found] for name in found[0].attrib}

    @staticmethod
    def pick(columns, atom):
        """The column of that name, else the first that begins with it and '_'."""
        if atom in columns:
            return columns[atom]
        return next(scores for name, scores in columns.items() if name.startswith(atom + "_"))

    def test_features_of_training(self):
        columns = self.columns("--xml", "--no_prediction", "--feature", "float_adm=debug=true", "--feature",
                               "float_vif=debug=true", "--feature", "float_motion=debug=true", "--feature", "float_ansnr")
        for atom in ATOMS:
            self.assertEqual(len(self.pick(columns, atom)), self.FRAMES, atom)
        for k in range(self.FRAMES):
            self.assertAlmostEqual(columns["adm_num"][k] / columns["adm_den"][k], columns["adm2"][k], delta=1e-5)
            self.assertAlmostEqual(columns["vif_num_scale3"][k] / columns["vif_den_scale3"][k], columns["vif_scale3"][k],
                                   delta=1e-5)

    def test_the_columns_that_options_name(self):
        columns = self.columns("--xml", "--no_prediction", "--cpumask", "-1", "--threads", "2", "--feature",
                               "float_motion=motion_force_zero=true:debug=true", "--feature",
                               "float_adm=debug=true:adm_enhn_gain_limit=1.2")
        # motion2 comes first, or the runner would take it for motion.
        names = [name for name in columns if name.startswith("motion")]
        self.assertEqual(names, ["motion2_force_0", "motion3_force_0", "motion_force_0"])
        self.assertEqual(self.pick(columns, "motion"), [0.0] * self.FRAMES)
        self.assertEqual(self.pick(columns, "adm"), columns["adm2_egl_1.2"])

    def test_models_with_options_of_other_features(self):
        plain = self.columns("--model", "version=vmaf_v0.6.1")
        limited = self.columns("--model", "version=vmaf_v0.6.1:" + GAINS.format("1.0", "1.0") +
                               ":cambi.enc_bitdepth=8:cambi.enc_width=480:cambi.enc_height=270")
        self.assertEqual(limited["vmaf"], self.columns("--model", "version=vmaf_v0.6.1neg")["vmaf"])
        self.assertIn("integer_vif_scale0_egl_1", limited)
        zero = self.columns("--model", "version=vmaf_v0.6.1:motion.motion_force_zero=true:float_motion.motion_force_zero=true")
        self.assertEqual(self.pick(zero, "integer_motion2"), [0.0] * self.FRAMES)
        self.assertEqual(zero["integer_adm2"], plain["integer_adm2"])

    def test_a_limit_below_1_fails(self):
        for limits in (("0.9", "1.0"), ("1.0", "0.9")):
            result = self.run_vmaf("--model", "version=vmaf_v0.6.1neg:" + GAINS.format(*limits))
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("0.9", result.stderr.decode())

    def test_frames_that_are_skipped_and_counted(self):
        """Frames are numbered from the first that is scored, whose motion has no frame before it."""
        self.assert_ok(self.run_vmaf("--csv", "--frame_skip_ref", "2", "--frame_skip_dist", "1", "--frame_cnt", "2"))
        skipped = self.read("log")
        self.assert_ok(self.run_vmaf("--csv", ref=(2, 4), dis=(1, 3)))
        self.assertEqual(skipped, self.read("log"))
        self.assertEqual([line.split(",")[0] for line in skipped.splitlines()], ["Frame", "0", "1"])

    def test_a_log_on_standard_output(self):
        root = ElementTree.fromstring(self.assert_ok(self.run_vmaf("--no_prediction", "--feature", "vif", "--output",
                                                                   "/dev/stdout", "--xml")))
        self.assertEqual(len(root.findall("frames/frame")), self.FRAMES)
