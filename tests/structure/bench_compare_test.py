"""bench/compare.py names what got slower, and nothing else."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = pathlib.Path(__file__).resolve().parents[2] / "bench/compare.py"


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, before, after, *more, processor="one"):
        paths = []
        for name, times, cpu in (("a.json", before, "one"), ("b.json", after, processor)):
            paths.append(pathlib.Path(self.folder.name) / name)
            paths[-1].write_text(json.dumps({"processor": cpu, "nanoseconds": times}), encoding="utf-8")
        return subprocess.run([sys.executable, "-B", COMPARE, *paths, *more], capture_output=True, text=True, check=False)

    def test_names_what_got_slower(self):
        done = self.run_on({"vif": 100.0, "adm": 100.0, "motion": 100.0}, {"vif": 104.0, "adm": 102.0, "motion": 90.0})
        self.assertEqual(done.returncode, 1)
        self.assertIn("+4.0 %", done.stdout)
        self.assertNotIn("adm ", done.stdout)
        self.assertIn("3 benchmarks, 1 slower and 1 faster by more than 3 %", done.stdout)

    def test_heeds_the_limit(self):
        self.assertEqual(self.run_on({"vif": 100.0}, {"vif": 104.0}, "--limit", "5").returncode, 0)

    def test_names_what_one_file_lacks(self):
        done = self.run_on({"vif": 100.0, "adm": 1.0}, {"vif": 100.0})
        self.assertEqual(done.returncode, 0)
        self.assertIn("a.json: adm", done.stdout)
        self.assertEqual(self.run_on({"adm": 1.0}, {"vif": 1.0}).returncode, 2)

    def test_warns_of_other_processors(self):
        self.assertIn("warning: measured on", self.run_on({"vif": 1.0}, {"vif": 1.0}, processor="two").stderr)


if __name__ == "__main__":
    unittest.main()
