"""The views of frames in a report and in `acutance look`: wipe, flicker, zoom and maps, driven by keys and the mouse."""
import re
import unittest

from browser import BROWSER, Browser
from clips import CommandTest, y4m


class Look(CommandTest):
    WIDTH, HEIGHT, FRAMES = 320, 240, 3

    @staticmethod
    def luma(x, y, k, step):
        """Black, white and what lies between: grey of which the image's samples are known."""
        return (16, 126, 235)[(x // step + y // 3 + k) % 3]

    def videos(self):
        grey = bytes([128]) * (self.WIDTH * self.HEIGHT // 2)
        return [self.write(name, y4m(self.WIDTH, self.HEIGHT, [
            bytes(self.luma(x, y, k, step) for y in range(self.HEIGHT) for x in range(self.WIDTH)) + grey
            for k in range(self.FRAMES)])) for name, step in (("ref.y4m", 4), ("dis.y4m", 5))]

    def page(self, *options):
        self.assert_ok(self.acutance("look", *self.videos(), "--report", self.path("look.html"), "-q", "-m", "vmaf_v0.6.1",
                                     "--align", "index", *options))
        return self.read("look.html")

    def test_shows_a_frame(self):
        page = self.page("--at", "2")
        self.assertEqual(re.findall(r">Frame (\d+),", page), ["2"])
        self.assertLess(page.index('id="h-frames"'), page.index('id="h-curves"'), "pictures come first")
        self.assertLess(len(page), 5_000_000)
        everything = self.assert_ok(self.acutance("look", self.ref, self.dis, "-q", "-m", "vmaf_v0.6.1", "--align", "index"))
        path = re.search(r"^report: (.*look\.html)$", everything, re.M).group(1)
        with open(path, encoding="utf-8") as file:
            self.assertIn("Worst frames", file.read())
        self.assert_fails(self.acutance("look", self.ref, self.dis, "--at", "1", "--frames", "0:2"), 2, "--at names one frame")
        self.assert_fails(self.acutance("look", self.ref, self.dis, "--at", "99", "-m", "vmaf_v0.6.1"), 1, "frame")

    @unittest.skipUnless(BROWSER, "no Chromium")
    def test_is_driven_by_keys_and_the_mouse(self):
        self.page("--at", "1")
        browser = Browser(self.path("look.html"))
        self.addCleanup(browser.close)
        self.assertEqual(browser.value("document.documentElement.dataset.looks"), "2")
        stage = "document.querySelector('figure.look.whole .stage')"
        badge, clip = f"{stage}.querySelector('.badge').textContent", f"{stage}.children[1].style.clipPath"
        zoom = f"{stage}.children[0].firstChild.style.transform"
        self.assertEqual(browser.value(f"{stage}.focus(), {badge}"), "reference | encode")
        self.assertEqual(browser.value(clip), "inset(0px 0px 0px 50%)")
        browser.press("ArrowRight")
        self.assertEqual(browser.value(clip), "inset(0px 0px 0px 52%)")
        browser.press("r")
        hidden = f"[...{stage}.children].slice(0, 2).map((pane) => pane.hidden)"
        self.assertEqual(browser.value(f"[{badge}, {hidden}]"), ["reference", [False, True]])
        browser.press("e")
        self.assertEqual(browser.value(f"[{badge}, {hidden}, {clip}]"), ["encode", [True, False], "inset(0px 0px 0px 0%)"])
        browser.press("e")
        browser.press("f")
        for name in ("reference", "encode", "reference"):
            browser.wait_for(f"{badge} === '{name}'")
        browser.press("f")
        browser.press("+")
        self.assertIn("scale(1.5)", browser.value(zoom))
        self.assertEqual(browser.value(zoom), browser.value(zoom.replace("children[0]", "children[1]")), "both in step")
        browser.press("ArrowRight", shift=True)
        self.assertIn("translate(-35%", browser.value(zoom))
        browser.press("0")
        self.assertIn("scale(1)", browser.value(zoom))
        browser.press("m")
        self.assertIn("difference of luma", browser.value(badge))
        box = browser.value(f"(({{x, y, width, height}}) => [x, y, width, height])({stage}.getBoundingClientRect())")
        for kind, share in (("mousePressed", 0.5), ("mouseMoved", 0.25), ("mouseReleased", 0.25)):
            browser.mouse(kind, box[0] + box[2] * share, box[1] + box[3] / 2)
        self.assertRegex(browser.value(clip), r"inset\(0px 0px 0px 2[45]")
        self.assertEqual(browser.value(badge), "reference | encode", "the wipe shows the videos again")

    def encodes(self):
        """The reference, and three encodes whose frame 1 is brighter from one to the next."""
        def gray(value):
            return bytes([value]) * (self.WIDTH * self.HEIGHT) + bytes([128]) * (self.WIDTH * self.HEIGHT // 2)
        return [self.write(f"{name}.y4m", y4m(self.WIDTH, self.HEIGHT, [gray(100), gray(value), gray(100)]))
                for name, value in (("ref", 100), ("a", 120), ("b", 140), ("c", 160))]

    def test_shows_several_encodes_in_one_view(self):
        page = self.report(*self.encodes())
        together = page[page.index('id="h-together"'):page.index('id="h-frames"')]
        self.assertEqual(re.findall(r'data-source="(.*?)"', together)[:4], ["reference", "a.y4m", "b.y4m", "c.y4m"])
        self.assertIn(">Frame 1, ", together)
        self.assertRegex(together, "around .*, where c.y4m differs most")
        self.assertNotIn('id="h-together"', self.report(*self.encodes()[:2]), "of one encode")

    def report(self, *videos):
        self.assert_ok(self.score(*videos, "--report", self.path("page.html"), "-q", "--no-model", "-f", "psnr", "--align", "index"))
        return self.read("page.html")

    @unittest.skipUnless(BROWSER, "no Chromium")
    def test_chooses_among_several_encodes(self):
        self.report(*self.encodes())
        browser = Browser(self.path("page.html"))
        self.addCleanup(browser.close)
        stage = "document.querySelector('section[aria-labelledby=h-together] .stage')"
        badge = f"{stage}.querySelector('.badge').textContent"
        edges = f"[...{stage}.querySelectorAll('.edge')].filter((edge) => !edge.hidden).map((edge) => edge.style.left)"
        clips = f"[...{stage}.children].slice(0, 4).map((pane) => pane.hidden ? null : pane.style.clipPath)"

        def button(name):
            browser.value(f"[...{stage}.parentNode.querySelectorAll('button')].find((each) => each.textContent === '{name}').click()")
        self.assertEqual(browser.value(f"{stage}.focus(), {badge}"), "reference | a.y4m | b.y4m | c.y4m")
        self.assertEqual(browser.value(edges), ["25%", "50%", "75%"])
        self.assertEqual(browser.value(clips), [f"inset(0px 0px 0px {part}%)" for part in (0, 25, 50, 75)])
        browser.press("ArrowLeft")
        browser.press("w")
        browser.press("ArrowRight")
        self.assertEqual(browser.value(edges), ["27%", "50%", "73%"], "keys move one wipe, and W chooses the next")
        for name in ("reference", "a.y4m"):
            button(name)
        self.assertEqual(browser.value(badge), "b.y4m | c.y4m")
        self.assertEqual(browser.value(clips), [None, None, "inset(0px 0px 0px 0%)", "inset(0px 0px 0px 50%)"])
        browser.press("n")
        self.assertEqual(browser.value(badge), "b.y4m | a.y4m")
        browser.press("n")
        self.assertEqual(browser.value(badge), "b.y4m | c.y4m")
        browser.press("f")
        for name in ("b.y4m", "c.y4m", "b.y4m"):
            browser.wait_for(f"{badge} === '{name}'")
        browser.press("f")
        browser.press("r")
        self.assertEqual(browser.value(badge), "reference")
        self.assertEqual(browser.value(clips)[1:], [None, None, None])
        browser.press("a")
        self.assertEqual(browser.value(badge), "reference | a.y4m | b.y4m | c.y4m")
        box = browser.value(f"(({{x, y, width, height}}) => [x, y, width, height])({stage}.getBoundingClientRect())")
        for kind, share in (("mousePressed", 0.3), ("mouseMoved", 0.35), ("mouseReleased", 0.35)):
            browser.mouse(kind, box[0] + box[2] * share, box[1] + box[3] / 2)
        left = float(browser.value(edges)[0].rstrip("%"))
        self.assertAlmostEqual(left, 35, delta=1)
        self.assertEqual(browser.value(edges)[1:], ["50%", "75%"], "the mouse moves the nearest wipe")

    @unittest.skipUnless(BROWSER, "no Chromium")
    def test_crops_have_the_samples_of_the_frames(self):
        page = self.page("--at", "1")
        left, top = (int(n) for n in re.search(r"reference around \((\d+), (\d+)\)", page).groups())
        browser = Browser(self.path("look.html"))
        self.addCleanup(browser.close)
        width, height, *pixels = browser.value("""(async () => {
          const all = [];
          for (const image of document.querySelectorAll("figure.look.spot .pane img")) {
            await image.decode();
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
            const drawing = canvas.getContext("2d");
            drawing.drawImage(image, 0, 0);
            if (all.length === 0) all.push(canvas.width, canvas.height);
            all.push(Array.from(drawing.getImageData(0, 0, canvas.width, canvas.height).data.filter((_, i) => i % 4 === 0)));
          }
          return all;
        })()""")
        grey = {16: 0, 126: 128, 235: 255}
        x0, y0 = min(max(left - width // 2, 0), self.WIDTH - width), min(max(top - height // 2, 0), self.HEIGHT - height)
        for image, step in zip(pixels, (4, 5)):
            self.assertEqual(image, [grey[self.luma(x0 + x, y0 + y, 1, step)] for y in range(height) for x in range(width)])
