#!/usr/bin/env python3
"""The workflows: each is YAML, each step calls one command of the project that exists, and OSS-Fuzz's files fit the tree."""
import os
import pathlib
import re
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OSS_FUZZ = ROOT / "tests" / "fuzz" / "oss-fuzz"
# Before the checkout there is nothing of the project; README.md has this, too.
FIRST = "apt-get update && apt-get install -y git make"
WANTED = {".ci/run", "make lint", "make reuse", "make sanitize", "make fuzz", "make test-arm", "make test-meson", "make test-long",
          "make test-clients", "make deb", "make dist", "make wheels", "make release", "make publish"}


def make_targets():
    text = (ROOT / "Makefile").read_text()
    return set(re.findall(r"^([a-z-]+):(?!=)", text, re.M)), set(re.findall(r"^([A-Z]+) \?=", text, re.M)) | {"PYTHONS"}


def fault(call, targets, variables):
    """What is wrong with a step's call, if anything is."""
    if call == FIRST or call == ".ci/run" and os.access(ROOT / call, os.X_OK):
        return None
    found = re.fullmatch(r"""make ([a-z-]+)((?: [A-Z]+=(?:"[^"$`]*"|[\w./-]+))*)""", call)
    if not found:
        return "not one call of make, or of a script that can be run"
    unknown = set(re.findall(r"(\w+)=", found.group(2))) - variables
    return f"make has no target {found.group(1)}" if found.group(1) not in targets else f"make ignores {unknown}" if unknown else None


class Workflows(unittest.TestCase):
    def setUp(self):
        self.read = {path.name: yaml.safe_load(path.read_text()) for path in WORKFLOWS}
        self.jobs = [(f"{name}: {job}", said) for name, text in self.read.items() for job, said in text["jobs"].items()]

    def test_every_call_exists(self):
        self.assertGreaterEqual(len(self.jobs), 10)
        targets, variables = make_targets()
        called = set()
        for where, job in self.jobs:
            for call in (step["run"] for step in job["steps"] if "run" in step):
                self.assertIsNone(fault(call, targets, variables), f"{where}: {call}")
                called.add(" ".join(call.split()[:2]))
        self.assertEqual(WANTED - called, set(), "no workflow calls these")

    def test_faults_are_found(self):
        targets, variables = make_targets()
        for call in ("make", "make tets", "make test && rm -rf build", "make test T=$(date)", "make fuzz TIEM=60", "tools/nothing.sh",
                     "pip install acutance"):
            self.assertIsNotNone(fault(call, targets, variables), call)

    def test_jobs_are_bounded(self):
        for where, job in self.jobs:
            self.assertLessEqual(job.get("timeout-minutes", 999), 355, f"{where}: a hosted machine ends a job after 360 minutes")
            for needed in [job["needs"]] if "needs" in job else []:
                self.assertIn(f"{where.split(':')[0]}: {needed}", dict(self.jobs))
            for step in job["steps"]:
                self.assertRegex(step.get("uses", "actions/checkout@v4"), r"^actions/[\w-]+@v\d+$", where)

    def test_only_publishing_may_write(self):
        for name, text in self.read.items():
            self.assertEqual(text["permissions"], {"contents": "read"}, name)
        self.assertEqual([where for where, job in self.jobs if "permissions" in job], ["release.yml: publish"])


class OssFuzz(unittest.TestCase):
    def test_project(self):
        project = yaml.safe_load((OSS_FUZZ / "project.yaml").read_text())
        self.assertEqual(project["language"], "c++")
        self.assertLessEqual(set(project["sanitizers"]), {"address", "undefined", "memory"})

    def test_files_fit_the_tree(self):
        script = (OSS_FUZZ / "build.sh").read_text()
        for path in re.findall(r"\$SRC/acutance/([\w./-]+\w)", script):
            self.assertTrue((ROOT / path).exists() or path in (ROOT / "tools" / "dist.sh").read_text(), path)
        options = {name for path in [*ROOT.glob("cmake/*.cmake"), *ROOT.rglob("CMakeLists.txt")] if "build" not in path.parts
                   for name in re.findall(r"\b(?:option|set|find_program)\((ACUTANCE_\w+)", path.read_text())}
        named = set(re.findall(r"-D(ACUTANCE_\w+)", script))
        self.assertEqual(named - options, set())
        self.assertGreaterEqual(len(named), 3)
        self.assertIn("COPY build.sh", (OSS_FUZZ / "Dockerfile").read_text())


if __name__ == "__main__":
    unittest.main()
