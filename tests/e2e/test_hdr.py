"""pu_psnr, pu_ssim and delta_e_itp as a user asks for them, and what HDR videos get by default."""
import json
import pathlib

from clips import CommandTest, deepened, needs_ffmpeg

TAGS = "F25:1 Ip A1:1 C420p10 XYSCSS=420P10"
NAMES = ("pu_psnr", "pu_ssim", "delta_e_itp")
# Of an independent implementation of docs/spec/hdr.md 5.
KNOWN = {
    "pq": {"pu_psnr_y": [17.632361035268357, 17.642260856737394, 17.66472000265145],
           "pu_psnr_rgb": [17.63236076732961, 17.64226039627886, 17.664719730375317],
           "pu_ssim": [0.9508886263153613, 0.9513153452396258, 0.9504160006103177],
           "delta_e_itp": [29.688563545932993, 29.653246618145204, 29.58154347499658],
           "delta_e_itp_max": [85.4794692993164, 85.47951221466064, 82.19181060791016],
           "pu_apsnr_y": 17.646426206845174, "pu_apsnr_rgb": 17.646425873231866},
    "hlg": {"pu_psnr_y": [21.814655440298026, 21.795976280707233, 21.86035574545738],
            "pu_psnr_rgb": [21.814655855194452, 21.795976591212263, 21.860356013441926],
            "pu_ssim": [0.9522434816284809, 0.9526556132141953, 0.9518149007478769],
            "delta_e_itp": [18.982161655439995, 18.972910082447925, 18.84685152734164],
            "delta_e_itp_max": [79.02550041675568, 81.73794329166412, 79.98478174209595],
            "pu_apsnr_y": 21.823578370375387, "pu_apsnr_rgb": 21.82357870169514}}


def by(transfer):
    return [f"{name}=transfer={transfer}" for name in NAMES]


class HdrTest(CommandTest):
    FRAMES = 3

    def setUp(self):
        super().setUp()
        self.ref, self.dis = (self.video(f"{kind}.y4m", deepened(self.clip(kind)), TAGS) for kind in ("ref", "dis"))

    def assert_known(self, transfer, columns, clip):
        for name, expected in KNOWN[transfer].items():
            found = clip[name] if name in clip else columns[name]
            for a, b in zip(*((x if isinstance(x, list) else [x]) for x in (found, expected))):
                self.assertAlmostEqual(a, b, delta=1e-12, msg=name)

    def test_known_scores_on_all_backends(self):
        for transfer in KNOWN:
            whole = self.columns(self.ref, self.dis, *self.asked(*by(transfer)), "--threads", "1")
            self.assert_known(transfer, *whole)
            for backend in (("cpu", "--threads", "3"), ("emu",)):
                found = self.columns(self.ref, self.dis, *self.asked(*by(transfer)), "--backend", *backend)
                self.assertEqual(found, whole, backend)

    def test_the_vmaf_command(self):
        features = [word for feature in by("pq") for word in ("--feature", feature)]
        log = self.log("-r", self.ref, "-d", self.dis, "--json", "-n", *features, run=self.vmaf)
        columns = {name: [frame["metrics"][name] for frame in log["frames"]] for name in log["frames"][0]["metrics"]}
        self.assert_known("pq", columns, log["aggregate_metrics"])

    def test_an_undeclared_transfer_is_refused(self):
        for name in NAMES:
            self.assert_fails(self.score(self.ref, self.dis, *self.asked(name)), 1,
                              f"feature {name}: the video declares no transfer that it knows", "pq, hlg or sdr")

    def test_each_peak_has_its_own_columns(self):
        columns, clip = self.columns(self.ref, self.dis, *self.asked("pu_psnr=transfer=hlg",
                                                                     "pu_psnr=transfer=hlg:peak=2000"))
        self.assertEqual(set(clip), {"pu_apsnr_y", "pu_apsnr_rgb", "pu_apsnr_y_peak_2000", "pu_apsnr_rgb_peak_2000"})
        self.assertLess(columns["pu_psnr_y_peak_2000"][0], columns["pu_psnr_y"][0])

    def test_maps(self):
        folder = pathlib.Path(self.path("maps"))
        self.columns(self.ref, self.dis, *self.asked("delta_e_itp=transfer=pq"), "--maps", folder)
        self.assertEqual(len(sorted(folder.glob("delta_e_itp_*.tif"))), self.FRAMES)

    def tagged(self, source, name, transfer, primaries="bt2020"):
        return self.ffmpeg("-i", source, "-vf", f"setparams=color_trc={transfer}:color_primaries={primaries}:"
                           "colorspace=bt2020nc:range=tv", "-c:v", "ffv1", "-chroma_sample_location", "topleft",
                           self.path(name))

    @needs_ffmpeg
    def test_hdr_without_a_model(self):
        for transfer, curve, display in (("pq", "smpte2084", "standard_hdr_pq"), ("hlg", "arib-std-b67", "standard_hdr_hlg")):
            ref, dis = (self.tagged(path, f"{kind}.{transfer}.mkv", curve)
                        for kind, path in (("ref", self.ref), ("dis", self.dis)))
            columns, clip = self.columns(ref, dis, "--align", "index")
            self.assert_known(transfer, columns, clip)
            wanted = self.columns(ref, dis, *self.asked(f"cvvdp=display={display}"))[1][f"cvvdp_clip_display_{display}"]
            self.assertEqual(clip["cvvdp_clip"], wanted)
            text = self.assert_ok(self.score(ref, dis, "--align", "index", "--report", self.path("page.html")))
            self.assertIn(f"has cvvdp_clip <strong>{clip['cvvdp_clip']:.4g}</strong>.", self.read("page.html"))
            self.assertIn(f"\ncvvdp_clip {clip['cvvdp_clip']:.2f}, ", text, "the line to quote, not a mean of running values")
            self.assertIn("no VMAF: the videos are HDR by", text)
            self.assertIn(f"cvvdp: on the display {display}", text)
            scored = self.summary(ref, dis, "-m", "version=pu_ssim:name=hdr", "--align", "index")["results"][0]["models"]["hdr"]
            self.assertAlmostEqual(scored["mean"], sum(KNOWN[transfer]["pu_ssim"]) / self.FRAMES, delta=1e-9)
            self.assert_fails(self.score(ref, dis, "--at-least", "50"), 1, "no model knows HDR: --require")
            gate = (ref, dis, "--align", "index", "--require")
            self.assert_ok(self.score(*gate, "pu_ssim.mean>=0.9"))
            self.assert_fails(self.score(*gate, "delta_e_itp.mean<=1"), 3, "delta_e_itp")
            self.assert_fails(self.score(ref, dis, "-m", "vmaf_v0.6.1", "--align", "index"), 1, "know SDR alone",
                              "pu_psnr, pu_ssim, delta_e_itp")
            self.assertEqual(self.columns(ref, dis, "--align", "index", "--force"), (columns, clip), "nothing had to be forced")
            compared = self.document("compare", ref, dis, ref, "--align", "index", "-q")["comparison"]
            self.assertEqual(compared["score"], "cvvdp_frame")
            parts = [self.path(f"{transfer}.{k}") for k in range(2)]
            for k, frames in enumerate((":1", "1:")):
                self.assert_ok(self.score(ref, dis, "--align", "index", "--frames", frames, "--journal", parts[k]))
            self.assert_ok(self.acutance("join", *parts, "-o", self.path("joined.json"), "--precision", "max"))
            self.assertEqual([frame["metrics"]["pu_ssim"] for frame in json.loads(self.read("joined.json"))["frames"]],
                             columns["pu_ssim"])
            jobs = self.write("list.csv", f"reference,distorted,name\n{ref},{dis},pair\n")
            self.assert_ok(self.acutance("batch", jobs, "--out", self.path(transfer), "-q", "--report", self.path("all.html"),
                                         "--", "--align", "index"))
            self.assertIn(f"with cvvdp_clip <strong>{clip['cvvdp_clip']:.2f}</strong>", self.read("all.html"))
            self.assertIn("pu_ssim.mean", self.read(f"{transfer}/summary.csv").splitlines()[0])

    @needs_ffmpeg
    def test_what_streams_declare(self):
        pq = self.tagged(self.ref, "pq.mkv", "smpte2084")
        hlg = self.tagged(self.ref, "hlg.mkv", "arib-std-b67")
        sdr = self.tagged(self.ref, "sdr.mkv", "bt709")
        for a, b in ((pq, hlg), (pq, sdr), (sdr, pq)):
            self.assert_fails(self.score(a, b, "--align", "index"), 1, "their transfer functions differ")
        self.assertEqual(self.columns(sdr, sdr, *self.asked("pu_ssim"))[0]["pu_ssim"], [1.0] * self.FRAMES)
        linear = self.tagged(self.ref, "linear.mkv", "linear")
        self.assert_fails(self.score(linear, linear, *self.asked("pu_psnr")), 1, "declares no transfer that it knows")
        p3 = self.tagged(self.ref, "p3.mkv", "smpte2084", "smpte432")
        self.assert_fails(self.score(p3, p3, *self.asked("pu_psnr")), 1, "primaries of P3", "--force")
        self.assert_fails(self.score(p3, p3, "-m", "version=pu_ssim:name=hdr", "--align", "index"), 1, "primaries of P3")

    @needs_ffmpeg
    def test_cvvdp_shows_the_primaries_of_its_display(self):
        videos = {(curve, primaries): self.tagged(self.ref, f"{curve}.{primaries}.mkv", curve, primaries)
                  for curve, primaries in (("smpte2084", "bt2020"), ("smpte2084", "bt709"), ("smpte2084", "smpte432"),
                                           ("bt709", "bt709"), ("bt709", "smpte170m"), ("bt709", "bt2020"), ("bt709", "smpte432"))}
        p3_display = "cvvdp=display=mine:display_file=" + self.write("displays.json", json.dumps({"mine": {
            "resolution": [3840, 2160], "diagonal_size_inches": 30, "viewing_distance_meters": 0.7, "max_luminance": 200,
            "colorspace": "Display P3 Apple"}}))
        for (curve, primaries), feature in (
                (("smpte2084", "bt2020"), "cvvdp"), (("bt709", "bt709"), "cvvdp"), (("bt709", "smpte170m"), "cvvdp"),
                (("bt709", "smpte432"), p3_display), (("bt709", "bt709"), p3_display),
                (("smpte2084", "smpte432"), "cvvdp=primaries=bt2020")):
            video = videos[curve, primaries]
            clip = self.columns(video, video, *self.asked(feature))[1]
            self.assertEqual(set(clip.values()), {10.0}, (curve, primaries, feature))
        for (curve, primaries), words in ((("smpte2084", "bt709"), "are bt709, and those of the display standard_hdr_pq are bt2020"),
                                          (("smpte2084", "smpte432"), "are p3, and those of the display standard_hdr_pq are bt2020"),
                                          (("bt709", "bt2020"), "are bt2020, and those of the display standard_4k are bt709"),
                                          (("bt709", "smpte432"), "are p3, and those of the display standard_4k are bt709")):
            video = videos[curve, primaries]
            self.assert_fails(self.score(video, video, *self.asked("cvvdp")), 1, words)
            self.assertEqual(set(self.columns(video, video, *self.asked("cvvdp"), "--force")[1].values()), {10.0})
        wrong = self.score(self.ref, self.dis, *self.asked("cvvdp=primaries=srgb"))
        self.assert_fails(wrong, 1, "primaries=srgb is none of auto, bt709")
