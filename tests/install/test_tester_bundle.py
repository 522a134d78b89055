#!/usr/bin/env python3
"""The bundle for testers (tools/tester_bundle.sh): what it runs, what it says, and what it leaves. usage: test_tester_bundle.py BUILD"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"

# In place of the command: a card for Vulkan that passes or fails, and none for the others.
FAKE = """#!/bin/sh
if [ "$1" = devices ]; then printf 'a card\\n      id 1234\\n'; exit 0; fi
[ "$XDG_CACHE_HOME" != "$HOME/.cache" ] || exit 9
case $3 in
  vulkan) echo '{"devices": [{"passed": %s}]}' >"$5"; exit %d ;;
  *) echo '{"devices": []}' >"$5"; exit 1 ;;
esac
"""


class TesterBundle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "temporary").mkdir()

    def bundle(self, build):
        out = self.folder / "out"
        subprocess.run([ROOT / "tools" / "tester_bundle.sh", out, build], cwd=ROOT, check=True, capture_output=True,
                       env=os.environ | {"ACUTANCE_HOME": "https://example.org/issues"})
        made, = out.glob("*.sh")
        hashed = made.with_name(made.name + ".sha256").read_text().split()
        self.assertEqual(hashed, [hashlib.sha256(made.read_bytes()).hexdigest(), made.name])
        return made

    def fake(self, passes):
        program = self.folder / "build" / "bin" / "acutance"
        program.parent.mkdir(parents=True)
        program.write_text(FAKE % ("true" if passes else "false", 0 if passes else 1))
        program.chmod(0o755)
        return self.bundle(program.parents[1])

    def run_bundle(self, file, *options):
        done = subprocess.run(["sh", file, *options], cwd=self.folder, capture_output=True, text=True, timeout=200,
                              env=os.environ | {"TMPDIR": str(self.folder / "temporary")})
        self.assertEqual(list((self.folder / "temporary").iterdir()), [], "it leaves files")
        return done

    def report(self):
        return (self.folder / "acutance-report.txt").read_text()

    def test_a_card_that_passes(self):
        done = self.run_bundle(self.fake(True))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("All self-tests passed", done.stdout)
        self.assertIn(str(self.folder / "acutance-report.txt"), done.stdout)
        self.assertIn("https://example.org/issues", done.stdout)
        self.assertIn("a card", self.report())
        self.assertIn('"passed": true', self.report())
        self.assertNotIn("1234", self.report())

    def test_a_card_that_fails(self):
        done = self.run_bundle(self.fake(False))
        self.assertEqual(done.returncode, 1)
        self.assertIn("A self-test FAILED", done.stdout)
        self.assertIn('"passed": false', self.report())

    def test_the_command_itself_where_there_is_no_such_device(self):
        done = self.run_bundle(self.bundle(BUILD), "--device", "77")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("No device was found", done.stdout)
        for backend in ("vulkan", "hip", "cuda"):
            self.assertIn(f"\n{backend}\n", self.report())

    def test_a_damaged_file_runs_nothing(self):
        file = self.fake(True)
        damaged = bytearray(file.read_bytes())
        damaged[-100] ^= 1
        file.write_bytes(damaged)
        done = self.run_bundle(file)
        self.assertEqual(done.returncode, 2)
        self.assertIn("damaged", done.stderr)
        self.assertFalse((self.folder / "acutance-report.txt").exists())


if __name__ == "__main__":
    unittest.main()
