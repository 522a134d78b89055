"""What a run waits for: made-up bottlenecks, each of which the summary has to name."""
import json
import os
import random
import threading
import time

from clips import ACUTANCE, CommandTest, needs_ffmpeg, noise, y4m

PSNR = ("--no-model", "-f", "psnr", "--align", "index")
SLOW = ("--no-model", "-f", "ssimulacra2", "--align", "index")


class Bounds(CommandTest):
    WIDTH, HEIGHT, FRAMES = 64, 48, 6

    def bound(self, *args, **options):
        bound = self.summary(*args, **options)["bound"]
        self.assertTrue(0.3 < bound["share"] <= 1, bound)
        return bound

    def assert_waits_for(self, stage, *args, path=None, option=None, **options):
        bound = self.bound(*args, **options)
        self.assertEqual((bound["stage"], bound["path"]), (stage, path), bound)
        if option is not None:
            self.assertEqual(bound["option"], option or None)

    def trickle(self, name, data, seconds):
        """A FIFO whose writer takes that long."""
        path = self.fifo(name)

        def write():
            step = len(data) // 20 + 1
            with open(path, "wb") as file:
                for at in range(0, len(data), step):
                    file.write(data[at:at + step])
                    file.flush()
                    time.sleep(seconds / 20)

        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        self.addCleanup(writer.join)
        return path

    def pictures(self, width, height, count, seed=1):
        return noise(random.Random(seed), width, height, count)

    def pair(self, width, height, count):
        return [self.video(f"{name}-{width}.y4m", self.pictures(width, height, count, seed), size=(width, height))
                for seed, name in enumerate(("ref", "dis"))]

    def test_a_slow_reference(self):
        slow = self.trickle("slow", y4m(64, 48, self.clip("ref") * 40), 1)
        self.assert_waits_for("reading", slow, self.video("d.y4m", self.clip("dis") * 40), *PSNR, path=slow, option="")

    def test_a_slow_encode(self):
        slow = self.trickle("slow", y4m(64, 48, self.clip("dis") * 40), 1)
        self.assert_waits_for("reading", self.video("r.y4m", self.clip("ref") * 40), slow, *PSNR, path=slow, option="")

    @needs_ffmpeg
    def test_a_slow_stream(self):
        """Of compressed video, read by one thread as by all."""
        file = self.ffmpeg("-i", self.video("d.y4m", self.clip("dis") * 40), "-c:v", "mpeg2video", "-q:v", "2",
                           self.path("d.ts"))
        with open(file, "rb") as stream:
            data = stream.read()
        for threads in ("1", "2"):
            slow = self.trickle(f"slow{threads}", data, 1)
            self.assert_waits_for("reading", self.video("r.y4m", self.clip("ref") * 40), slow, *PSNR, "-t", threads,
                                  path=slow)

    def large(self, name, *options):
        raw = self.pair(640, 480, 24)[0]
        return raw, self.ffmpeg("-i", raw, *options, self.path(name))

    @needs_ffmpeg
    def test_the_decoding_of_one_of_them(self):
        raw, ffv1 = self.large("large.mkv", "-c:v", "ffv1", "-slices", "4")
        for args in ((raw, ffv1), (ffv1, raw)):
            self.assert_waits_for("decoding", *args, "--no-model", "-f", "psnr=enable_chroma=false", "--align", "index",
                                  "-t", "1", path=ffv1)

    def test_a_conversion(self):
        small = self.video("small.y4m", self.pictures(64, 48, 24), size=(64, 48))
        large = self.pair(1280, 720, 24)[0]
        self.assert_waits_for("converting", small, large, *PSNR, "-t", "1", "--scale-filter", "lanczos", "--force",
                              path=large)

    def test_heavy_metrics(self):
        ref, dis = self.pair(320, 240, 12)
        for features in (SLOW, ("--no-model", "-f", "cvvdp", "--align", "index"), ("-m", "vmaf_v0.6.1", "--align", "index")):
            self.assert_waits_for("scoring", ref, dis, *features)

    def test_one_core_and_one_thread(self):
        ref, dis = self.pair(320, 240, 12)
        cpus = sorted(os.sched_getaffinity(0))
        self.assert_waits_for("scoring", ref, dis, *SLOW, preexec_fn=lambda: os.sched_setaffinity(0, cpus[:1]), option="")
        if len(cpus) > 1:
            self.assert_waits_for("scoring", ref, dis, *SLOW, "-t", "1", option=f"--threads {len(cpus)}")

    def test_tiny_pictures(self):
        ref, dis = (self.video(f"{seed}.y4m", self.pictures(48, 48, 1000, seed), size=(48, 48)) for seed in range(2))
        self.assert_waits_for("scoring", ref, dis, "-m", "vmaf_v0.6.1", "--align", "index")

    def test_a_device(self):
        ref, dis = self.pair(320, 240, 12)
        self.assert_waits_for("device", ref, dis, *SLOW, "--backend", "emu")

    def test_writing(self):
        ref, dis = self.pair(640, 480, 24)
        self.assert_waits_for("writing", ref, dis, "--no-model", "-f", "float_ssim", "--align", "index", "--maps",
                              self.path("films"), "--maps-video", option="")

    def test_a_slow_reader_of_the_scores(self):
        ref, dis = (self.video(f"{seed}.y4m", self.pictures(48, 48, 1000, seed), size=(48, 48)) for seed in range(2))
        command = f"'{ACUTANCE}' score '{ref}' '{dis}' {' '.join(PSNR)} --progress ndjson | (sleep 2; tail -n 1)"
        bound = json.loads(self.assert_ok(self.run_command("sh", "-c", command)))["result"]["bound"]
        self.assertEqual(bound["stage"], "writing", bound)

    def test_the_last_line_and_the_trace(self):
        slow = self.trickle("slow", y4m(64, 48, self.clip("dis") * 40), 0.5)
        ref, trace = self.video("r.y4m", self.clip("ref") * 40), self.path("trace.json")
        text = self.assert_ok(self.score(ref, slow, *PSNR, "-q", "--trace", trace))
        self.assertRegex(text.splitlines()[-1], rf"^240 frames in .* \d+ % of the time waited for reading {slow}$")
        self.assertEqual({span["args"]["video"] for span in json.loads(self.read("trace.json")) if span["name"] == "read"},
                         {ref, slow})
