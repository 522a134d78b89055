"""The presets --aom_ctc and --nflx_ctc: columns and scores of libvmaf 3.2, as FFmpeg's filter logs them."""
from clips import CommandTest, deepened

ADM = ["adm2", "aim", "adm3", "adm_scale0", "adm_scale1", "adm_scale2", "adm_scale3"]
VIF = ["vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"]
PSNR = ["psnr_y", "psnr_cb", "psnr_cr"]
PSNR_HVS = ["psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"]
MOTION_SAD = "VMAF_integer_feature_motion_sad_score"


def columns(*features):
    """The columns of both models with these features."""
    first = ["integer_" + name for name in ADM] + [MOTION_SAD] + ["integer_" + name for name in VIF]
    neg = [f"integer_{name}_egl_1" for name in ADM + VIF]
    return first + neg + list(features) + ["integer_motion2", "integer_motion3", "vmaf", "vmaf_neg"]


AOM_1 = columns(*PSNR, "ciede2000", "float_ssim", "float_ms_ssim", *PSNR_HVS)
AOM_3 = columns(*PSNR, "ciede2000", "float_ssim", "float_ms_ssim", *PSNR_HVS, "cambi")
NFLX_1 = columns(*PSNR, "float_ssim", "cambi")

AOM_MEANS = {"psnr_y": 26.981037, "ciede2000": 32.262188, "float_ssim": 18.513279, "float_ms_ssim": 16.911477,
             "psnr_hvs": 28.18557, "vmaf": 67.968169, "vmaf_neg": 67.547395}
AOM_7_MEANS = dict(AOM_MEANS, float_ssim=19.089772, cambi=0.0)
NFLX_MEANS = {"psnr_y": 26.981037, "float_ssim": 18.513279, "cambi": 0.0, "vmaf": 80.968626, "vmaf_neg": 80.68794}


class Presets(CommandTest):
    WIDTH, HEIGHT, FRAMES = 392, 384, 2

    def run_preset(self, flag, version):
        log = self.vmaf_log(flag, version)
        self.assertEqual(list(log["pooled_metrics"]), list(log["frames"][0]["metrics"]))
        return log

    def check(self, flag, version, expected, means):
        with self.subTest(version=version):
            log = self.run_preset(flag, version)
            self.assertEqual(list(log["pooled_metrics"]), expected)
            for name, mean in means.items():
                self.assertAlmostEqual(log["pooled_metrics"][name]["mean"], mean, delta=2e-6, msg=name)
            rounded = {name: round(value, 6) for name, value in log["aggregate_metrics"].items()}
            self.assertEqual(rounded, {"apsnr_y": 26.981036, "apsnr_cb": 100.0, "apsnr_cr": 100.0})

    def test_aom(self):
        for version in ("v1.0", "v2.0"):
            self.check("--aom_ctc", version, AOM_1, AOM_MEANS)
        for version in ("v3.0", "v4.0", "v5.0", "v6.0"):
            self.check("--aom_ctc", version, AOM_3, AOM_MEANS)
        for name in ("--aom_ctc", "--avm_ctc"):
            self.check(name, "v7.0", AOM_3, AOM_7_MEANS)

    def test_netflix(self):
        self.check("--nflx_ctc", "v1.0", NFLX_1, NFLX_MEANS)

    def test_unequal_bit_depths(self):
        """From v6.0 on the shallower video is deepened: the same samples in 10 bits score as in 8."""
        self.ref = self.video("ref10.y4m", deepened(self.clip("ref")), "F25:1 Ip A1:1 C420p10")
        result = self.vmaf("-r", self.ref, "-d", self.dis, "--aom_ctc", "v5.0")
        self.assert_fails(result, 255, "bitdepths do not match")
        mixed = self.run_preset("--aom_ctc", "v6.0")["frames"]
        self.dis = self.video("dis10.y4m", deepened(self.clip("dis")), "F25:1 Ip A1:1 C420p10")
        self.assertEqual(mixed, self.run_preset("--aom_ctc", "v6.0")["frames"])

    def test_a_name_that_a_preset_takes(self):
        result = self.vmaf("-r", self.ref, "-d", self.dis, "--aom_ctc", "v1.0", "-m", "version=vmaf_v0.6.1")
        self.assert_fails(result, 1, "uniquely named")
