"""The commands devices, selftest, plan, tune and parity, and runs without a device."""
import json
import os
import pathlib
import random
import re
import subprocess
import unittest

from clips import ACUTANCE, CommandTest, noise

SIZE = ("--size", "64x48")
LIBRARIES = {"cuda": "ACUTANCE_CUDA_LIBRARY", "hip": "ACUTANCE_HIP_LIBRARY", "vulkan": "ACUTANCE_VULKAN_LIBRARY",
             "sycl": "ACUTANCE_SYCL_PLUGIN"}


class DeviceCommand(CommandTest):
    def acutance(self, *args, **variables):
        cache = {"XDG_CACHE_HOME": self.path("cache")}
        return super().acutance(*args, env={**os.environ, **cache, **variables})

    def without_devices(self, *args):
        return self.acutance(*args, **{variable: "/dev/null" for variable in LIBRARIES.values()})


class Devices(DeviceCommand):
    def test_a_library_that_is_none(self):
        text = self.write("text.so", "no library\n" * 100)
        for library in ("/dev/null", text, self.folder.name, "libm.so.6", "/nowhere/lib.so"):
            listed = self.assert_ok(self.acutance("devices", **{v: library for v in LIBRARIES.values()}))
            for backend in LIBRARIES:  # without a SYCL runtime no plugin is tried
                self.assertRegex(listed, rf"{backend}: .*\n  none: (no SYCL runtime|.*{library})", library)
            self.assertRegex(listed, r"emu: .*\n  0 ")

    def test_the_summary_names_the_memory_that_was_lacking(self):
        args = (self.ref, self.dis, *self.asked("psnr"), "--backend", "emu")
        [usual] = self.summary(*args)["devices"]
        self.assertEqual(usual["wanted_bytes"], usual["memory_bytes"])
        limit = usual["memory_bytes"] // 2
        [limited] = self.summary(*args, "--max-vram", str(limit))["devices"]
        self.assertLessEqual(limited["memory_bytes"], limit)
        self.assertEqual(limited["wanted_bytes"], usual["memory_bytes"])
        self.assertRegex(self.assert_ok(self.score(*args, "--max-vram", str(limit))), r"MB; \d+ MB would be faster\)")
        self.assertNotIn("would be faster", self.assert_ok(self.score(*args)))

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
            for args, *messages in ((("--backend", "vulcan"), "vulcan", "did you mean 'vulkan'?"),
                                    (("--backend", "cpu"), "the CPU is no device"), (("--device", "1"), "needs --backend"),
                                    (("--backend", "emu", "--device", "x"), "not in range 0 to 1023")):
                self.assert_fails(self.acutance(command, *args), 2, *messages)
        missing = self.acutance("selftest", "--backend", "emu", "--device", "7")
        self.assert_fails(missing, 1)
        self.assertEqual(missing.stdout.decode(), "emu: no device 7, only 0\n")
        for args, status, message in ((("--backend", "emu", "--device", "7"), 1, "emu: no device 7"),
                                      (("-f", "vfi"), 2, "no such feature 'vfi'; did you mean 'vif'?"),
                                      (("-f", "null"), 2, "feature null has no device plan")):
            self.assert_fails(self.acutance("tune", *args), status, message)

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
        for args, message in ((("vfi", *SIZE), "no such feature 'vfi'"),
                              (("psnr=enable_chroma=maybe", *SIZE), "'maybe' is not true or false"),
                              (("adm", "--size", "32x32"), "at least 33x33"), (("psnr", "--size", "0x9"), "0x9 is out of range"),
                              (("psnr", *SIZE, "--batch", "0"), "not in range 1 to 1024"),
                              (("psnr", *SIZE, "--backend", "vulcan"), "did you mean 'vulkan'?"),
                              (("psnr", *SIZE, "--backend", "cpu"), "--backend cpu has no plans"),
                              (("psnr", *SIZE, "--backend", "auto"), "--backend auto has no plans")):
            self.assert_fails(self.acutance("plan", "-f", *args), 2, message)


class OtherSizes(DeviceCommand):
    """Videos of other sizes are scaled by the device that scores them."""

    SIZES = (64, 48), (32, 24), (90, 70), (33, 35)

    def setUp(self):
        super().setUp()
        dice = random.Random(6)
        self.encodes = [self.video(f"{w}x{h}.y4m", noise(dice, w, h, self.FRAMES), size=(w, h)) for w, h in self.SIZES]

    def logs(self, *options):
        self.assert_ok(self.acutance("score", self.ref, *self.encodes, "--no-model", "-f", "psnr", "-f", "motion", "-f",
                                     "float_motion", *options, "--force", "--align", "index", "--precision", "max", "-o",
                                     self.path("log_{name}.json")))
        logs = [json.loads(self.read(f"log_{w}x{h}.json")) for w, h in self.SIZES]
        return [(log["frames"], log["aggregate_metrics"], log["pooled_metrics"]) for log in logs]

    def assert_emulator_agrees(self, what=None):
        self.assertEqual(self.logs("--backend", "emu"), self.logs("--backend", "cpu"), what)

    def ten_bits(self, dice, samples, count):
        return [bytes(b for _ in range(samples) for b in (dice.randrange(256), dice.randrange(4))) for _ in range(count)]

    def test_a_ladder_has_the_logs_of_the_cpu(self):
        for scale in ((), ("--scale", "50x40", "--scale-filter", "lanczos"),
                      ("--scale", "128x96", "--scale-filter", "area"), ("--scale", "96x32", "--scale-filter", "aom")):
            expected = self.logs("--backend", "cpu", *scale)
            for options in (("emu",), ("emu", "--threads", "3", "--verify", "2"), ("emu", "--max-vram", "1M"),
                            ("emu", "--json", "--worst", "1", "--maps", self.path("maps"))):
                self.assertEqual(self.logs("--backend", *options, *scale), expected, options)

    def test_a_ladder_on_vulkan(self):
        if not re.search(r"vulkan: .*\n  0 ", self.assert_ok(self.acutance("devices"))):
            self.skipTest("there is no Vulkan device")
        self.assertEqual(self.logs("--backend", "vulkan"), self.logs("--backend", "cpu"))

    def test_an_encode_of_fewer_bits(self):
        self.ref = self.video("deep.y4m", self.ten_bits(random.Random(7), 4608, 3), "F25:1 Ip A1:1 C420p10")
        self.assert_emulator_agrees()

    def test_encodes_of_other_chroma(self):
        dice = random.Random(8)
        for name, chroma in (("422", 2 * 32 * 48), ("444", 2 * 64 * 48), ("mono", 0)):
            frames = [dice.randbytes(64 * 48 + chroma) for _ in range(self.FRAMES)]
            self.encodes[1] = self.video("32x24.y4m", frames, "F25:1 Ip A1:1 C" + name)
            self.assert_emulator_agrees(name)

    def test_encodes_of_another_range(self):
        dice = random.Random(9)
        for form, frames in (("C420jpeg", noise(dice, 64, 48, self.FRAMES)),
                             ("C420p10", self.ten_bits(dice, 64 * 48 + 2 * 32 * 24, self.FRAMES))):
            for length in (" XA=1", " XA=12"):  # samples of two bytes at even and at odd addresses
                self.encodes[1] = self.video("32x24.y4m", frames, f"F25:1 {form} XCOLORRANGE=FULL{length}")
                self.assert_emulator_agrees((form, length))
        self.ref = self.video("full.y4m", self.clip("ref"), "F25:1 C420jpeg XCOLORRANGE=FULL")
        self.assert_emulator_agrees()

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
        self.ref = self.dis = self.video("small.y4m", [bytes(600)] * 2, size=(20, 20))
        failed = self.parity("--backends", "emu", "-f", "adm", "-f", "psnr", "-f", "vif")
        self.assert_fails(failed, 1, "at least 33x33")
        self.assertRegex(failed.stdout.decode(), r"^feature .*\npsnr .*\nvif .*\nFAILED\n$")

    def test_auto_without_a_device(self):
        failed = self.parity("--backends", "auto", "-f", "psnr", run=self.without_devices)
        self.assert_fails(failed, 1, "auto: no device took part")

    def test_videos_of_different_lengths(self):
        self.dis = self.video("short.y4m", self.clip("dis")[:4])
        self.assertRegex(self.assert_ok(self.parity("--backends", "emu", "-f", "psnr")), r"psnr +4 +0 \(exact\)")

    def assert_devices_log_the_same(self, size, count, features, *options):
        """Random clips have the CPU's log on the emulator, also with more options of it."""
        dice = random.Random(5)
        clips = [self.video(f"{name}.y4m", noise(dice, *size, count), size=size) for name in ("reference", "noise")]
        logs = []
        for more in (("cpu",), ("emu",), *(("emu", *option) for option in options)):
            log = self.log(*clips, "--no-model", *features, "--align", "index", "--backend", *more, run=self.score)
            logs.append((log["frames"], log["aggregate_metrics"]))
        for log in logs[1:]:
            self.assertEqual(log, logs[0])

    def test_odd_pictures_have_all_their_chroma(self):
        self.assert_devices_log_the_same((63, 47), 3, ("-f", "xpsnr", "-f", "psnr"))

    def test_cvvdp_from_the_first_frame_on(self):
        """A clip of one frame, and one longer than its history, next to a metric with another history."""
        features = ("-f", "cvvdp", "-f", "cvvdp=display=standard_fhd:temporal=false", "-f", "xpsnr=fps=50")
        for size, frames in ((63, 47), 2), ((64, 48), 1), ((64, 48), 13):
            self.assert_devices_log_the_same(size, frames, features, ("--threads", "2"), ("--max-vram", "1M"))

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
        self.assert_fails(self.parity(*emu, "--size", "64x48"), 1, "ref.y4m declares its own size")
        self.dis = self.path("absent.y4m")
        self.assert_fails(self.parity(*emu, "-f", "psnr"), 1, "absent.y4m")
