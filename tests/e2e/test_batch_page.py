"""The page of `acutance batch --report`: its words, and its tables in a browser."""
import json
import random
import re
import unittest

from browser import BROWSER, Browser
from clips import CommandTest, y4m

import schema


class BatchPage(CommandTest):
    WIDTH, HEIGHT, FRAMES = 160, 96, 50

    def luma(self, blurred=range(0), late=range(0)):
        """Noise that moves, and is averaged over rows of eight in the frames `blurred`."""
        dice = random.Random(7)
        row = [[dice.randrange(60, 200) for _ in range(self.WIDTH)] for _ in range(self.HEIGHT)]

        def frame(k):
            shift = (k - 5 if k in late else k) * 3 % self.WIDTH
            rows = [r[shift:] + r[:shift] for r in row]
            if k in blurred:
                rows = [[sum(r[max(0, x - 4):x + 4]) // len(r[max(0, x - 4):x + 4]) for x in range(self.WIDTH)] for r in rows]
            return b"".join(map(bytes, rows)) + bytes([128]) * (self.WIDTH * self.HEIGHT // 2)
        return [frame(k) for k in range(self.FRAMES)]

    def batch(self, *options, status=1):
        for name, changes in (("ref", {}), ("soft", {"blurred": range(25, 50)}), ("late", {"late": range(30, 36)}), ("same", {})):
            self.write(f"{name}.y4m", y4m(self.WIDTH, self.HEIGHT, self.luma(**changes)))
        self.write("list.csv", "name,reference,distorted\n" + "".join(
            f"{name} clip,{self.path('ref.y4m')},{self.path(name + '.y4m')}\n" for name in ("same", "soft", "late", "none")))
        result = self.acutance("batch", self.path("list.csv"), "--out", self.path("out"), "--report", self.path("index.html"),
                               "-q", "--", "-m", "vmaf_v0.6.1", "--align", "index", *options)
        self.assertEqual(result.returncode, status, result.stderr.decode())
        self.assertIn(f"report: {self.path('index.html')}", result.stdout.decode())
        return self.read("index.html")

    def test_names_the_worst_clips_seconds_and_causes(self):
        page = self.batch("--require", "vmaf_v0.6.1.min>=50")
        self.assertIn("3 of 4 pairs are scored", page)
        self.assertIn("The worst is <strong>soft clip</strong>", page)
        self.assertNotIn("href", page, "pairs have no pages of their own")
        rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", page, re.S)]
        clips = {row[0]: row for row in rows if len(row) > 5}
        self.assertEqual(clips["soft clip"][2], "0:01.00")
        self.assertIn("detail lost", clips["soft clip"][4])
        self.assertIn("a wrong frame", clips["late clip"][4])
        self.assertEqual(clips["soft clip"][-1], "not reached")
        self.assertIn("none.y4m", page)
        with open(self.path("out/soft clip.json"), encoding="utf-8") as file:
            worst = schema.check(json.load(file))["results"][0]["worst_seconds"]
        self.assertEqual((worst["by"], worst["better"]), ("vmaf_v0.6.1", "higher"))
        self.assertEqual([(second["begin"], second["end"]) for second in worst["seconds"]], [(25, 50), (0, 25)])
        self.assertEqual(f"{worst['seconds'][0]['mean']:.2f}", clips["soft clip"][3])

    def test_overwrites_neither_the_list_nor_videos_nor_results(self):
        self.batch()
        for file in ("list.csv", "ref.y4m", "soft.y4m", "out/summary.json", "out/soft clip.json", "none/index.html"):
            before = self.read(file) if file.endswith(("csv", "json")) else None
            result = self.acutance("batch", self.path("list.csv"), "--out", self.path("out"), "--report", self.path(file), "-q")
            self.assertEqual(result.returncode, 1, file)
            self.assertIn(file.split("/")[-1], result.stderr.decode())
            self.assertEqual(before, self.read(file) if before else None)

    @unittest.skipUnless(BROWSER, "no Chromium")
    def test_sorts_tables_and_leads_to_the_pairs(self):
        self.batch("--report", self.path("out/{name}.html"))
        browser = Browser(self.path("index.html"), ready="sorts")
        self.addCleanup(browser.close)
        names = "[...document.querySelectorAll('section:nth-of-type(2) tbody th')].map((cell) => cell.textContent)"
        head = "document.querySelector('section:nth-of-type(2) thead').rows[0].cells"
        self.assertEqual(browser.value(names)[0], "soft clip")
        self.assertEqual(browser.value(f"[...{head}].map((cell) => cell.textContent)").count("SI"), 1)
        browser.value(f"{head}[0].firstChild.click()")
        self.assertEqual(browser.value(names), ["late clip", "same clip", "soft clip"])
        browser.value(f"{head}[1].firstChild.focus()")
        browser.press("Enter")
        self.assertEqual(browser.value(names), ["soft clip", "late clip", "same clip"])
        browser.press("Enter")
        self.assertEqual(browser.value(names), ["same clip", "late clip", "soft clip"])
        self.assertEqual(browser.value(f"{head}[1].ariaSort"), "descending")
        browser.value("document.querySelector('a[href=\"out/soft%20clip.html\"]').click()")
        browser.wait_for("document.title.startsWith('soft.y4m against') && document.documentElement.dataset.sorts")
        shots = "[...document.querySelectorAll('#h-shots')].length"
        self.assertEqual(browser.value(shots), 1)

    def test_resumes(self):
        first = self.batch()
        self.assertEqual(self.batch(), first)


if __name__ == "__main__":
    unittest.main()
