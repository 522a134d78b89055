#!/usr/bin/env python3
"""The manual pages have the same options as --help of the commands, and all of them are in groups.

usage: ACUTANCE_BIN=FOLDER test_manual_pages.py
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import option_pages  # noqa: E402

BIN = pathlib.Path(os.environ["ACUTANCE_BIN"])


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))


def manual_page(command):
    """The page's text, without the font changes and escapes of its source."""
    folder = ROOT / "docs" / "man"
    if command == "acutance":
        with tempfile.NamedTemporaryFile() as page:
            option_pages.main(["man", str(folder / "acutance.1.in"), page.name])
            source = pathlib.Path(page.name).read_text(encoding="utf-8")
    else:
        source = (folder / f"{command}.1").read_text(encoding="utf-8")
    return re.sub(r"\\f[BIPR]", "", source).replace("\\-", "-")


def help_of(*command):
    return subprocess.run([BIN / command[0], *command[1:], "--help"], check=True, capture_output=True, text=True).stdout


class ManualPages(unittest.TestCase):
    def assert_same_options(self, command, helped):
        told = options_of(manual_page(command))
        self.assertEqual(sorted(helped - told), [], f"{command}.1 lacks options of --help")
        self.assertEqual(sorted(told - helped), [], f"{command}.1 has options that --help lacks")

    def test_vmaf(self):
        self.assert_same_options("vmaf", options_of(help_of("vmaf")))

    def test_acutance(self):
        overview = help_of("acutance")
        commands = re.findall(r"^  ([a-z]+)  ", overview, re.M)
        self.assertIn("score", commands)
        texts = [overview] + [help_of("acutance", command) for command in commands]
        self.assert_same_options("acutance", options_of("".join(texts)))

    def test_every_row_is_in_its_group(self):
        groups = re.split(r"^(\w+):\n", help_of("acutance", "score"), flags=re.M)[1:]
        helped = {name: text for name, text in zip(groups[::2], groups[1::2])}
        sections = manual_page("acutance").split(".SS ")[1:]
        manual = {section.partition("\n")[0]: section for section in sections}
        rows = option_pages.read_rows(option_pages.RUN) + option_pages.read_rows(option_pages.SCORE)
        self.assertGreater(len(rows), 40)
        for row in rows:
            group = row["group"].removeprefix("k")
            option = re.escape("--" + row["name"]) + r"(?![\w-])"
            self.assertRegex(helped[group], option)
            self.assertRegex(manual[group], option)
            words = " ".join(helped[group].split())
            self.assertIn(row["help"].split(",")[0].split(":")[0], words)
        self.assertEqual(list(helped)[-8:-1], list(option_pages.GROUPS))


if __name__ == "__main__":
    unittest.main()
