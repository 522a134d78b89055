"""The commands around devices: devices, selftest, plan, tune, parity, and a run that finds no device."""
import json
import os
import pathlib
import random
import re
import subprocess
import unittest

from clips import ACUTANCE, CommandTest, y4m

SIZE = ("--size", "64x48")
LIBRARIES = {"cuda": "ACUTANCE_CUDA_LIBRARY", "hip": "ACUTANCE_HIP_LIBRARY", "vulkan": "ACUTANCE_VULKAN_LIBRARY",
             "sycl": "ACUTANCE_SYCL_PLUGIN"}


class DeviceCommand(CommandTest):
    def acutance(self, *args, **variables):
        cache = {"XDG_CACHE_HOME": self.path("cache")}
        return self.run_command(ACUTANCE, *args, env={**os.environ, **cache, **variables})

    def without_devices(self, *args):
        return self.acutance(*args, **{variable: "/dev/null" for variable in LIBRARIES.values()})


class Devices(DeviceCommand):
    def test_a_library_that_is_none(self):
        text = self.write("text.so", "no library\n" * 100)
        for library in ("/dev/null", text, self.folder.name, "libm.so.6", "/nowhere/lib.so"):
            listed = self.assert_ok(self.acutance("devices", **{v: library for v in LIBRARIES.values()}))
            for backend in LIBRARIES:
                # Without a SYCL runtime no plugin is tried.
                self.assertRegex(listed, rf"{backend}: .*\n  none: (no SYCL runtime|.*{library})", library)
            self.assertRegex(listed, r"emu: .*\n  0 ")

    def test_a_backend_without_a_device(self):
        for backend in LIBRARIES:
            self.assert_fails(self.without_devices("score", self.ref, self.dis, "--backend", backend), 1, "/dev/null")
            self.assert_fails(self.without_devices("tune", "--backend", backend), 1, "/dev/null")
            failed = self.without_devices("selftest", "--backend", backend)
            self.assert_fails(failed, 1)
            self.assertIn("/dev/null", failed.stdout.decode())

    def test_a_report_says_why_there_is_no_device(self):
        self.assert_fails(self.without_devices("selftest", "--backend", "cuda", "--report", self.path("report.json")), 1)
        report = json.loads(self.read("report.json"))
        self.assertEqual(report["devices"], [])
        self.assertIn("/dev/null", report["without_device"]["cuda"])
        self.assertTrue(report["acutance"] and report["system"])
        failed = self.without_devices("selftest", "--backend", "cuda", "--report", "/nowhere/report.json")
        self.assert_fails(failed, 1, "/nowhere/report.json")

    def test_auto_ends_at_the_cpu(self):
        auto = self.without_devices("score", self.ref, self.dis, "--feature", "motion", "--backend", "auto", "-o",
                                    self.path("auto.csv"))
        self.assert_ok(auto)
        self.assert_ok(self.score(self.ref, self.dis, "--feature", "motion", "-o", self.path("cpu.csv")))
        self.assertEqual(self.read("auto.csv"), self.read("cpu.csv"))

    def test_wrong_choices(self):
        for command in ("selftest", "tune"):
            self.assert_fails(self.acutance(command, "--backend", "vulcan"), 2, "vulcan", "did you mean 'vulkan'?")
            self.assert_fails(self.acutance(command, "--backend", "cpu"), 2, "the CPU is no device")
            self.assert_fails(self.acutance(command, "--device", "1"), 2, "needs --backend")
            self.assert_fails(self.acutance(command, "--backend", "emu", "--device", "x"), 2, "not in range 0 to 1023")
        missing = self.acutance("selftest", "--backend", "emu", "--device", "7")
        self.assert_fails(missing, 1)
        self.assertEqual(missing.stdout.decode(), "emu: no device 7, only 0\n")
        self.assert_fails(self.acutance("tune", "--backend", "emu", "--device", "7"), 1, "emu: no device 7")
        self.assert_fails(self.acutance("tune", "-f", "vfi"), 2, "no such feature 'vfi'; did you mean 'vif'?")
        self.assert_fails(self.acutance("tune", "-f", "null"), 2, "feature null has no device plan")

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_output_that_cannot_be_written(self):
        for args in (("devices",), ("plan", "-f", "psnr", *SIZE)):
            with open("/dev/full", "wb") as full:
                failed = subprocess.run([ACUTANCE, *args], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assert_fails(failed, 1, "could not write")


class Plan(DeviceCommand):
    def test_every_feature_on_every_backend(self):
        for feature in ("psnr", "motion", "float_motion", "vif", "adm"):
            for backend in ("emu", *LIBRARIES):
                for size in ("64x48", "1919x1081", "32768x32768"):
                    text = self.assert_ok(self.acutance("plan", "-f", feature, "--size", size, "--backend", backend))
                    self.assertTrue(text.startswith(f"{feature}, {size} 8 bit, "), text)
                    self.assertIn(f"launch: {feature}", text)
        self.assertIn(" MB, tuned for emu\n", self.assert_ok(self.acutance("plan", "-f", "psnr", *SIZE)))
        absent = self.without_devices("plan", "-f", "psnr", *SIZE, "--backend", "cuda")
        self.assertIn(" MB, tuned for any device\n", self.assert_ok(absent))

    def test_wrong_input(self):
        plan = lambda *args: self.acutance("plan", *args)
        self.assert_fails(plan("-f", "vfi", *SIZE), 2, "no such feature 'vfi'")
        self.assert_fails(plan("-f", "psnr=enable_chroma=maybe", *SIZE), 2, "'maybe' is not true or false")
        self.assert_fails(plan("-f", "adm", "--size", "32x32"), 2, "at least 33x33")
        self.assert_fails(plan("-f", "psnr", "--size", "0x9"), 2, "0x9 is out of range")
        self.assert_fails(plan("-f", "psnr", *SIZE, "--batch", "0"), 2, "not in range 1 to 1024")
        self.assert_fails(plan("-f", "psnr", *SIZE, "--backend", "vulcan"), 2, "did you mean 'vulkan'?")
        for backend in ("cpu", "auto"):
            self.assert_fails(plan("-f", "psnr", *SIZE, "--backend", backend), 2, f"--backend {backend} has no plans")


class OtherSizes(DeviceCommand):
    """Videos of other sizes are scaled by the device that scores them."""

    SIZES = (64, 48), (32, 24), (90, 70), (33, 35)

    def setUp(self):
        super().setUp()
        dice = random.Random(6)
        self.encodes = [self.write(f"{w}x{h}.y4m", y4m(w, h, [dice.randbytes(w * h + 2 * ((w + 1) // 2) * ((h + 1) // 2))
                                                              for _ in range(self.FRAMES)])) for w, h in self.SIZES]

    def logs(self, *options):
        self.assert_ok(self.acutance("score", self.ref, *self.encodes, "--no-model", "-f", "psnr", "-f", "motion", "-f",
                                     "float_motion", *options, "--force", "--align", "index", "--precision", "max", "-o",
                                     self.path("log_{name}.json")))
        logs = [json.loads(self.read(f"log_{w}x{h}.json")) for w, h in self.SIZES]
        return [(log["frames"], log["aggregate_metrics"], log["pooled_metrics"]) for log in logs]

    def test_a_ladder_has_the_logs_of_the_cpu(self):
        for scale in ((), ("--scale", "50x40", "--scale-filter", "lanczos"),
                      ("--scale", "128x96", "--scale-filter", "area")):
            expected = self.logs("--backend", "cpu", *scale)
            for options in (("emu",), ("emu", "--threads", "3", "--verify", "2"), ("emu", "--max-vram", "1M"),
                            ("emu", "--json", "--worst", "1", "--maps", self.path("maps"))):
                self.assertEqual(self.logs("--backend", *options, *scale), expected, options)

    def test_a_ladder_on_vulkan(self):
        if not re.search(r"vulkan: .*\n  0 ", self.assert_ok(self.acutance("devices"))):
            self.skipTest("there is no Vulkan device")
        self.assertEqual(self.logs("--backend", "vulkan"), self.logs("--backend", "cpu"))

    def test_an_encode_of_fewer_bits(self):
        dice = random.Random(7)
        frames = [bytes(b for _ in range(4608) for b in (dice.randrange(256), dice.randrange(4))) for _ in range(3)]
        deep = y4m(64, 48, frames, "F25:1 Ip A1:1 C420p10")
        self.ref = self.write("deep.y4m", deep)
        self.assertEqual(self.logs("--backend", "emu"), self.logs("--backend", "cpu"))

    def test_encodes_of_other_chroma(self):
        dice = random.Random(8)
        form = "F25:1 Ip A1:1 C"
        chroma = {"422": 2 * 32 * 48, "444": 2 * 64 * 48, "mono": 0}
        for name, bytes_of_both in chroma.items():
            frames = [dice.randbytes(64 * 48 + bytes_of_both) for _ in range(self.FRAMES)]
            self.encodes[1] = self.write("32x24.y4m", y4m(64, 48, frames, form + name))
            self.assertEqual(self.logs("--backend", "emu"), self.logs("--backend", "cpu"), name)

    def test_encodes_of_another_range(self):
        dice = random.Random(9)
        size = 64 * 48 + 2 * 32 * 24
        deep = [bytes(b for _ in range(size) for b in (dice.randrange(256), dice.randrange(4))) for _ in range(self.FRAMES)]
        for form, frames in (("C420jpeg", [dice.randbytes(size) for _ in range(self.FRAMES)]), ("C420p10", deep)):
            for length in (" XA=1", " XA=12"):  # samples of two bytes at even and at odd addresses
                self.encodes[1] = self.write("32x24.y4m", y4m(64, 48, frames, f"F25:1 {form} XCOLORRANGE=FULL{length}"))
                self.assertEqual(self.logs("--backend", "emu"), self.logs("--backend", "cpu"), (form, length))
        self.ref = self.write("full.y4m", y4m(64, 48, self.clip("ref"), "F25:1 C420jpeg XCOLORRANGE=FULL"))
        self.assertEqual(self.logs("--backend", "emu"), self.logs("--backend", "cpu"))

    def test_pictures_of_the_worst_frames(self):
        pictures = []
        for backend in ("cpu", "emu"):
            folder = self.path(backend)
            self.logs("--backend", backend, "--worst", "1", "--maps", folder)
            pictures.append({path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()})
        self.assertTrue(pictures[0])
        self.assertEqual(*pictures)


class Parity(DeviceCommand):
    def parity(self, *args, run=None):
        return (run or self.acutance)("parity", self.ref, self.dis, *args)

    def test_table(self):
        table = self.assert_ok(self.parity("--backends", "emu", "--frames", "2", "-f", "motion", "-f", "psnr"))
        self.assertRegex(table, r"^feature  frames +emu\nmotion +2 +0 \(exact\)\npsnr +2 +0 \(exact\)\n"
                                r"all within the bound\n$")
        self.assert_ok(self.parity("--backends", "emu,emu", "--places", "0", "-f", "motion"))

    def test_options_before_the_videos(self):
        for options in (("-f", "psnr"), ("-f", "psnr", "-f", "motion"), ("--backends", "emu"), ("--backends", "emu,emu")):
            self.assert_ok(self.acutance("parity", *options, self.ref, self.dis, "--backends", "emu", "--frames", "1"))

    def test_an_absent_backend_leaves_the_others_their_columns(self):
        failed = self.parity("--backends", "emu,cuda", "-f", "motion", "-f", "psnr", run=self.without_devices)
        self.assert_fails(failed, 1)
        self.assertRegex(failed.stdout.decode(), r"motion +6 +0 \(exact\) +failed\npsnr +6 +0 \(exact\) +failed\nFAILED\n")
        self.assertEqual(failed.stderr.decode().count("no NVIDIA driver"), 1, "said once")
        self.assert_fails(self.parity(run=self.without_devices), 2, "no backend has a device", "--backends emu")

    def test_a_feature_that_refuses_the_pictures_leaves_the_others_their_rows(self):
        self.ref = self.dis = self.write("small.y4m", y4m(20, 20, [bytes(600)] * 2))
        failed = self.parity("--backends", "emu", "-f", "adm", "-f", "psnr", "-f", "vif")
        self.assert_fails(failed, 1, "at least 33x33")
        self.assertRegex(failed.stdout.decode(), r"^feature .*\npsnr .*\nvif .*\nFAILED\n$")

    def test_auto_without_a_device(self):
        failed = self.parity("--backends", "auto", "-f", "psnr", run=self.without_devices)
        self.assert_fails(failed, 1, "auto: no device took part")

    def test_videos_of_different_lengths(self):
        self.dis = self.write("short.y4m", y4m(self.WIDTH, self.HEIGHT, self.clip("dis")[:4]))
        self.assertRegex(self.assert_ok(self.parity("--backends", "emu", "-f", "psnr")), r"psnr +4 +0 \(exact\)")

    def test_odd_pictures_have_all_their_chroma(self):
        dice = random.Random(4)
        clips = [self.write(f"{name}.y4m", y4m(63, 47, [dice.randbytes(63 * 47 + 2 * 32 * 24) for _ in range(3)]))
                 for name in ("odd", "noise")]
        logs = []
        for backend in ("cpu", "emu"):
            self.assert_ok(self.acutance("score", *clips, "--no-model", "-f", "xpsnr", "-f", "psnr", "--backend", backend,
                                         "-o", self.path("log.csv"), "--precision", "max", "--align", "index"))
            logs.append(self.read("log.csv"))
        self.assertEqual(*logs)

    def test_cvvdp_from_the_first_frame_on(self):
        """Of a clip of one frame, and of more frames than it looks back, next to a metric with another history."""
        dice = random.Random(5)
        features = ("-f", "cvvdp", "-f", "cvvdp=display=standard_fhd:temporal=false", "-f", "xpsnr=fps=50")
        for size, frames in ((63, 47), 2), ((64, 48), 1), ((64, 48), 13):
            samples = size[0] * size[1] + 2 * ((size[0] + 1) // 2) * ((size[1] + 1) // 2)
            clips = [self.write(f"{name}.y4m", y4m(*size, [dice.randbytes(samples) for _ in range(frames)]))
                     for name in ("reference", "noise")]
            logs = []
            for options in (("--backend", "cpu"), ("--backend", "emu", "--threads", "2"),
                            ("--backend", "emu", "--max-vram", "1M")):
                self.assert_ok(self.acutance("score", *clips, "--no-model", *features, *options, "-o", self.path("log.json"),
                                             "--precision", "max", "--align", "index"))
                log = json.loads(self.read("log.json"))
                logs.append(json.dumps([log["frames"], log["aggregate_metrics"]], sort_keys=True))
            self.assertEqual(logs[0], logs[1])
            self.assertEqual(logs[0], logs[2])

    def test_cells_of_pictures_above_2048x1152(self):
        dice = random.Random(3)
        raw = [self.write(name, dice.randbytes(2 * 2401 * 983)) for name in ("big.yuv", "other.yuv")]
        table = self.assert_ok(self.acutance("parity", *raw, "--size", "2401x983", "--pixel-format", "400", "-f", "xpsnr",
                                             "--backends", "emu"))
        self.assertRegex(table, r"xpsnr +2 +0 \(exact\)")

    def test_wrong_input(self):
        emu = ("--backends", "emu")
        self.assert_fails(self.parity("--backends", "emu,vulcan"), 2, "did you mean 'vulkan'?")
        self.assert_fails(self.parity(*emu, "vulkan"), 2, "not expected: vulkan")
        for feature, message in (("vfi", "no such feature 'vfi'"), ("psnr=chroma=1", "no such option 'chroma'")):
            failed = self.parity(*emu, "-f", feature)
            self.assert_fails(failed, 2, message)
            self.assertEqual(failed.stdout, b"")
        for option, value in (("--places", "18"), ("--frames", "0"), ("--frames", "-1"), ("--threads", "0")):
            self.assert_fails(self.parity(*emu, option, value), 2, option, "not in range")
        self.assert_fails(self.parity(*emu, "--size", "64x48"), 1, "ref.y4m tells its own size")
        self.dis = self.path("absent.y4m")
        self.assert_fails(self.parity(*emu, "-f", "psnr"), 1, "absent.y4m")
