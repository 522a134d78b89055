#!/usr/bin/env python3
"""The manual pages tell the same options as --help of the commands.

usage: ACUTANCE_BIN=FOLDER test_manual_pages.py
"""
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["ACUTANCE_BIN"])


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))


def manual_page(command):
    """The page's text, without the font changes and escapes of its source."""
    source = (ROOT / "docs" / "man" / f"{command}.1").read_text(encoding="utf-8")
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


if __name__ == "__main__":
    unittest.main()
