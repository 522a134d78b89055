"""`acutance score --report`: the page explains why a bad second is bad, and a browser draws it."""
import html.parser
import json
import os
import random
import re
import subprocess
import unittest

from browser import BROWSER
from clips import CommandTest, needs_ffmpeg

WIDTH, HEIGHT, BAD = 320, 160, range(25, 50)  # the least that VMAF v1 accepts
DICE = random.Random(5)
CELLS = [DICE.randrange(30, 220) for _ in range(997)]
GRAIN = [DICE.random() - 0.5 for _ in range(4099)]


def detail(x, y, k):
    """Coarse dice: blurring takes detail away."""
    return CELLS[(x // 4 * 31 + y // 4 * 17 + k) % 997]


def dithered(x, y, k):
    """A slow ramp whose steps grain hides."""
    return int(60 + (x + y + k) / 20 + 2 * GRAIN[(x * 61 + y * 353 + k * 7) % 4099])


def blurred(sample):
    return lambda x, y, k: sum(sample(x + i, y + j, k) for i in (-4, 0, 4) for j in (-4, 0, 4)) // 9


def banded(_):
    """The same ramp in bare steps."""
    return lambda x, y, k: int(60 + (x + y + k) / 20)


def clip(sample, damage=None, count=75):
    """Three alternating pictures, since computing each is slow."""
    def picture(k, used):
        return bytes(min(255, used(x, y, k)) for y in range(HEIGHT) for x in range(WIDTH)) + grey
    grey = bytes([128]) * (WIDTH * HEIGHT // 2)
    good = [picture(k, sample) for k in range(3)]
    bad = [picture(k, damage(sample)) for k in range(3)] if damage else good
    return [(bad if k in BAD else good)[k % 3] for k in range(count)]


def film(count):
    """Random coarse shapes in each frame."""
    dice, pictures = random.Random(7), []
    for _ in range(count):
        cells = [dice.randrange(16, 236) for _ in range(16 * 9)]
        pictures.append(bytes(cells[y // 8 * 16 + x // 8] for y in range(72) for x in range(128)) + bytes([128]) * 128 * 36)
    return pictures


class Text(html.parser.HTMLParser):
    """The page's text, and all that it would fetch."""

    def __init__(self, page):
        super().__init__()
        self.words, self.fetched, self.images, self.skip = [], [], 0, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.skip = tag in ("script", "style")
        for name, value in attributes:
            if name in ("src", "href"):
                self.fetched += [value] if not value.startswith("data:") else []
                self.images += tag == "img"

    def handle_endtag(self, tag):
        self.skip = False

    def handle_data(self, data):
        if not self.skip:
            self.words.append(data)


class Report(CommandTest):
    def page(self, *args):
        self.assert_ok(self.score(*args, "--report", self.path("out.html"), "--quiet"))
        page = self.read("out.html")
        text = Text(page)
        self.assertEqual(text.fetched, [])
        return page, re.sub(r"\s+", " ", "".join(text.words)), text.images

    def worst_of(self, sample, damage):
        return self.page(*self.pair(clip(sample), clip(sample, damage), (WIDTH, HEIGHT)), "--align", "index", "--model",
                         "version=vmaf_v1.0.16_3d0h")

    def pair(self, ref, dis, size=(128, 72)):
        return self.video("a.y4m", ref, size=size), self.video("b.y4m", dis, size=size)

    def test_blames_blur_and_banding(self):
        worst = r"Its worst second, from 0:01\.00, has [\d.]+, \w+, mostly for "
        _, words, images = self.worst_of(detail, blurred)
        self.assertRegex(words, worst + "detail lost")
        self.assertEqual(images, 6 * 3)  # a frame per second
        self.assertIn("where detail is lost (adm2)", words)
        _, words, _ = self.worst_of(dithered, banded)
        self.assertRegex(words, worst + r"banding \(smooth areas in visible steps\)")
        self.assertIn("where banding is (cambi)", words)

    def test_blames_a_wrong_offset(self):
        whole = film(60)
        _, words, _ = self.page(*self.pair(whole[:50], whole[3:53]), "--align", "index", "--feature", "psnr", "--no-model")
        self.assertRegex(words, r"mostly for a wrong frame \(frame (\d+) shows the reference's frame \d+, 3 frames too new\)")

    def test_reports_the_alignment(self):
        whole = film(60)
        _, words, _ = self.page(*self.pair(whole, whole[10:]))
        self.assertIn("distorted[0] = reference[10] (10 frames missing at the start)", words)

    def test_reports_the_conversion_of_videos(self):
        small, large = (self.video(f"{width}.y4m", [bytes([60 + k]) * (width * height * 3 // 2) for k in range(4)],
                                   size=(width, height)) for width, height in ((64, 36), (128, 72)))
        page, words, _ = self.page(large, small, "--align", "index", "--no-model", "--feature", "psnr")
        self.assertEqual(words.count("is scaled from 64x36 to 128x72 (bicubic)"), 1)
        self.assertNotIn('class="warning"', page)

    def test_shows_several_encodes_and_few_frames(self):
        page, words, _ = self.page(self.ref, self.dis, self.ref, "--feature", "psnr", "--no-model", "--align", "index")
        self.assertIn("dis.y4m has psnr_y", words)
        self.assertEqual(len(json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))["videos"]), 2)

    def test_maps_of_the_worst_frames(self):
        self.assert_ok(self.score(self.ref, self.dis, "--maps", self.path("maps"), "--worst", "1", "--feature", "psnr"))
        names = sorted(os.listdir(self.path("maps")))
        for name in ("reference", "vif_scale0", "adm2", "aim", "mse_y"):
            self.assertEqual(sum(file.startswith(name + "_") and file.endswith(".png") for file in names), 1, names)
        with open(self.path("maps/" + next(f for f in names if f.startswith("adm2") and f.endswith("npy"))), "rb") as file:
            array = file.read()
        self.assertIn(b"'shape': (2, 2)", array[:128])  # 64x48 in squares of 32
        self.assertEqual(len(array), 128 + 4 * 8)
        self.assert_fails(self.score(self.ref, self.dis, "--worst", "1"), 2, "--maps")

    def maps_of_all(self, folder, *options):
        self.assert_ok(self.score(self.ref, self.dis, "--maps", self.path(folder), "--feature", "psnr", "--align", "index",
                                  *options))
        files = {}
        for name in os.listdir(self.path(folder)):
            with open(self.path(f"{folder}/{name}"), "rb") as file:
                files[name] = file.read()
        return files

    def test_maps_of_all_frames(self):
        if re.search(b"cannot read containers|could not be loaded", self.acutance("devices").stdout):
            self.skipTest("films need FFmpeg's libraries")
        files = self.maps_of_all("all", "--maps-video")
        self.assertEqual({"mse_y.npy", "mse_y.mkv", "adm2.npy", "adm2.mkv"} - set(files), set())
        array = files["mse_y.npy"]
        self.assertIn(b"'shape': (6, 2, 2)", array[:128])  # 64x48 in squares of 32
        self.assertEqual(len(array), 128 + 6 * 4 * 8)
        worst = self.maps_of_all("worst", "--worst", "1")
        name = next(name for name in worst if re.fullmatch(r"adm2_\d+\.npy", name))
        frame = int(name[5:11])
        self.assertEqual(worst[name][128:], files["adm2.npy"][128 + 32 * frame:160 + 32 * frame])
        for options in (("--backend", "emu"), ("--threads", "3"), ("--threads", "1")):
            self.assertEqual(self.maps_of_all("again", "--maps-video", *options), files, options)
        half = self.maps_of_all("half", "--maps-video", "--subsample", "2")
        self.assertIn(b"'shape': (3, 2, 2)", half["mse_y.npy"][:128])
        self.assertEqual(half["mse_y.npy"][160:192], array[128 + 64:128 + 96])
        film = self.path("all/adm2.mkv")
        self.assertEqual(self.summary(film, film, "--no-model", "--feature", "psnr")["frames"], 6)

    def test_maps_of_all_frames_refuse(self):
        maps = ("--maps", self.path("m"))
        for args, status, fragment in (((), 2, "--maps"), ((*maps, "--journal", self.path("j")), 2, "--journal"),
                                       ((*maps, "--no-model", "--feature", "motion"), 1, "add one that has: psnr, adm, vif")):
            self.assert_fails(self.score(self.ref, self.dis, "--maps-video", *args), status, fragment)
        self.assertEqual(os.listdir(self.path("m")), [])

    @needs_ffmpeg
    def test_images_are_the_pictures(self):
        dice = random.Random(3)
        luma = bytes(dice.choice((16, 126, 126, 126, 235)) if y < 40 else 126 for y in range(48) for _ in range(64))
        other = self.video("other.y4m", [luma + bytes([128]) * (64 * 24)])
        self.assert_ok(self.score(other, other, "--maps", self.path("maps"), "--worst", "1", "--feature", "psnr",
                                  "--no-model", "--align", "index"))
        self.ffmpeg("-i", self.path("maps/reference_000000.png"), "-f", "rawvideo", "-pix_fmt", "rgb24", self.path("rgb"))
        grey = {16: 0, 126: 128, 235: 255}
        with open(self.path("rgb"), "rb") as file:
            self.assertEqual(file.read(), bytes(grey[sample] for sample in luma for _ in range(3)))

    def test_a_page_that_cannot_be_written_fails_at_once(self):
        for page, fragment in ((self.path("no/such/out.html"), "no/such"), (self.dis, "dis.y4m")):
            self.assert_fails(self.score(self.ref, self.dis, "--report", page), 1, fragment)
        done = self.score(self.ref, self.dis, "--maps", "/proc/no", "--worst", "1")
        self.assert_fails(done, 1, "/proc/no")
        self.assertEqual(done.stdout, b"")

    @unittest.skipUnless(BROWSER, "no Chromium")
    def test_a_browser_draws_it(self):
        self.page(self.ref, self.dis)
        shown = subprocess.run([BROWSER, "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
                                f"--user-data-dir={self.path('profile')}", "--virtual-time-budget=3000",
                                "file://" + self.path("out.html")],
                               capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": self.folder.name})
        self.assertIn('data-drawn="true"', shown.stdout)
        self.assertEqual(len(re.findall(r"<path d=\"M[\d.]", shown.stdout)), 1 + 6)  # the model and its features
        fieldsets = re.findall(r"<fieldset.*?</fieldset>", shown.stdout, re.S)
        for fieldset in fieldsets:  # what is seen at first is distinguished by color
            seen = re.findall(r"background: ([^;]+);", fieldset.split("<details")[0])
            self.assertEqual(len(set(seen)), len(seen), seen)
        self.assertGreater(len(fieldsets), 1)
        self.assertNotIn('scope="col">encode', shown.stdout)  # a column that says the same in each row
        self.assertNotIn("CONSOLE", shown.stderr)  # neither an error of the script nor a refused request
