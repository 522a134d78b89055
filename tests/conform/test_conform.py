"""`acutance conform`: this build agrees with its golden values, and planted faults are found.

Standard library only; ACUTANCE_BIN names the folder of the commands. The library door runs build/lib's libvmaf.so.3.
"""
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from faulty_vmaf import FAULTS  # noqa: E402

BIN = pathlib.Path(os.environ.get("ACUTANCE_BIN", "build/bin")).resolve()
LIBRARY = pathlib.Path(os.environ.get("ACUTANCE_LIBRARY", BIN.parent / "lib")).resolve()
VMAF = str(BIN / "vmaf")
LONG = bool(os.environ.get("ACUTANCE_LONG_TESTS"))
FAULTY = str(pathlib.Path(__file__).resolve().parent / "faulty_vmaf.py")
# Clips on which the quick test looks for a fault that the first one does not show.
WHERE = {"low bit of 16 bits lost": "noise_320x240_420_16", "last row of odd heights": "text_321x241_420_8",
         "gain limit ignored": "vif=vif_enhn_gain_limit=1.1", "viewing distance ignored": "adm=adm_norm_view_dist=6.0"}


def conform(*words):
    return subprocess.run([str(BIN / "acutance"), "conform", *words], capture_output=True, text=True, check=False, timeout=600)


class Conform(unittest.TestCase):
    def results(self, *words, status=0):
        done = conform("--json", *words)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr)
        return json.loads(done.stdout)

    def test_this_build_agrees(self):
        found = self.results("--", VMAF, "--backend", "cpu")
        self.assertEqual((found["different"], found["failed"], found["not_offered"]), (0, 0, 0))
        self.assertGreater(found["equal"], 400)

    def test_library(self):
        library = sorted(glob.glob(str(LIBRARY / "libvmaf.so.3*")))
        if not library:
            self.skipTest("libvmaf.so.3 is not built")
        clips = ("edges_320x240_420_8", "text_321x241_420_8", "edges_320x240_400_8", "edges_304x240_444_12")
        found = self.results("--library", library[0], *(word for clip in clips for word in ("--only", clip)))
        self.assertEqual((found["different"], found["failed"], found["not_offered"]), (0, 0, 0))

    def test_backend(self):
        found = self.results("--backend", "cpu", "--only", "text_321x241_420_8")
        self.assertTrue(found["conforms"])

    def test_faults_are_found(self):
        for fault in FAULTS:
            with self.subTest(fault=fault):
                only = () if LONG else ("--only", WHERE.get(fault, "edges_320x240_420_8"))
                found = self.results(*only, "--", sys.executable, FAULTY, fault, VMAF, status=1)
                self.assertGreater(found["different"] + found["failed"], 0)

    def test_names_the_frame_and_the_distance(self):
        done = conform("--only", "adm", "--", sys.executable, FAULTY, "a millionth from frame 6 on", VMAF)
        self.assertIn("integer_adm2                 1e-06 from frame 6 of", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_junit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/junit.xml"
            conform("--junit", path, "--only", "edges_320x240_420_8", "--", sys.executable, FAULTY, "last frame missing", VMAF)
            root = ElementTree.parse(path).getroot()
        self.assertGreater(int(root.get("failures")), 0)
        self.assertIn("scores missing from frame 7", root.find(".//failure").get("message"))

    def test_a_program_without_a_feature(self):
        """It is not offered, and no failure."""
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "vmaf"
            tool.write_text(f'#!/bin/sh\ncase "$*" in *cambi*) echo "no such feature: cambi" >&2; exit 1;; esac\nexec {VMAF} "$@"\n',
                            encoding="utf-8")
            tool.chmod(0o755)
            done = conform("--only", "edges_320x240_420_8", "--", str(tool))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("cambi", done.stdout)
        self.assertIn("no such feature", done.stdout)

    def test_crashes_are_failures(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder) / "vmaf"
            tool.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
            tool.chmod(0o755)
            done = conform("--only", "psnr", "--", str(tool))
        self.assertEqual(done.returncode, 1)
        self.assertIn("signal 11", done.stdout)

    def test_kit(self):
        """The page of the kit, followed word by word."""
        script = pathlib.Path(__file__).resolve().parents[2] / "tools" / "conformance_kit.sh"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([script, BIN.parent, folder], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
            page = pathlib.Path(folder, "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
            steps = [line.split() for line in page.splitlines() if line.startswith("       ")]
            self.assertEqual([step[0] for step in steps], ["vmaf", "python3"])
            path = dict(os.environ, PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}")
            outputs = [subprocess.run(step, cwd=folder, env=path, check=True, capture_output=True, text=True).stdout for step in steps]
            self.assertEqual(outputs[-1].count(": equal"), 4)
            log = pathlib.Path(folder, "log.json")
            log.write_text(log.read_text(encoding="utf-8").replace('"integer_vif_scale2_egl_1.1": 0', '"integer_vif_scale2_egl_1.1": 1'),
                           encoding="utf-8")
            forged = subprocess.run(steps[-1], cwd=folder, check=False, capture_output=True, text=True)
            self.assertEqual(forged.returncode, 1)
            self.assertIn("integer_vif_scale2_egl_1.1: from frame 0 on: 1.", forged.stdout)
            model = "version=vmaf_v0.6.1:name=vmaf_v0.6.1"
            words = steps[0][:steps[0].index("--feature")] + ["--model", model] + steps[0][steps[0].index("--feature") + 2:]
            subprocess.run(words, cwd=folder, env=path, check=True, capture_output=True)
            subprocess.run([*steps[-1][:-1], model], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def test_what_is_refused(self):
        self.assertEqual(conform().returncode, 2)
        self.assertEqual(conform("--backend", "nosuch").returncode, 2)
        done = conform("--only", "psnr", "--", "/nonexistent/vmaf")
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not start", done.stdout)


if __name__ == "__main__":
    unittest.main()
