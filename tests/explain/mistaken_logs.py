"""Logs of libvmaf's filter in which something is wrong, and what `acutance explain` must say of each.

Made by an ffmpeg with libvmaf, libx264, libx265 and a third encoder: the one of PyPI's imageio-ffmpeg.
"""
import pathlib
import subprocess

FRAMES = 72
SOURCES = {"bars": "testsrc2=size=640x360:rate=25",
           "zoom": "mandelbrot=size=640x360:rate=25:start_scale=3:end_scale=0.3:end_pts=200,eq=contrast=0.9"}
ENCODERS = {"x264": ["-c:v", "libx264", "-crf", "30", "-preset", "veryfast"],
            "x265": ["-c:v", "libx265", "-crf", "32", "-preset", "ultrafast", "-x265-params", "log-level=none"],
            "mpeg4": ["-c:v", "mpeg4", "-q:v", "9"]}
FULL, HALF = "640x360", "320x180"
# Filters of references: as they are, of 10 bits, with black bars.
KINDS = {"plain": "format=yuv420p", "deep": "format=yuv420p10le,gblur=sigma=0.6", "boxed": "format=yuv420p,crop=640:272,pad=640:360:0:44"}


class Mistake:
    """Filters of the distorted video and of the reference, options of libvmaf, and words of the explanation."""

    def __init__(self, says, distorted="null", reference="null", options="", size=FULL, order="dr", kind="plain"):
        self.says, self.distorted, self.reference = says, distorted, reference
        self.options, self.size, self.order, self.kind = options, size, order, kind


def both(says, filters, **options):
    return Mistake(says, distorted=filters, reference=filters, **options)


def scaled(flags):
    return Mistake([flags.split("+", maxsplit=1)[0], "320x180 to 640x360"], distorted=f"scale=640:360:flags={flags}", size=HALF)


MISTAKES = {
    "none": Mistake(["a plain comparison"]),
    "bicubic": scaled("bicubic"),
    "bilinear": scaled("bilinear"),
    "lanczos": scaled("lanczos"),
    "spline": scaled("spline"),
    "accurate bicubic": scaled("bicubic+accurate_rnd"),
    "accurate bilinear": scaled("bilinear+accurate_rnd"),
    "reference scaled down": Mistake(["640x360 to 320x180 of the reference"], reference="scale=320:180:flags=bicubic", size=HALF),
    "reference one late": Mistake(["the reference one frame late"], distorted="trim=start_frame=1,setpts=PTS-STARTPTS"),
    "distorted three late": Mistake(["the distorted video 3 frames late"], reference="trim=start_frame=3,setpts=PTS-STARTPTS"),
    "swapped": Mistake(["the two videos swapped"], order="rd"),
    "frames dropped": Mistake(["2 frames"], distorted="select='not(between(n,36,37))',setpts=N/25/TB"),
    "half rate": Mistake(["one of 2 frames of the distorted video"], distorted="select='not(mod(n,2))',setpts=N/25/TB"),
    "every third frame": Mistake(["one of 3 frames is scored"], options=":n_subsample=3"),
    "cropped": both(["both videos cropped by 8", "16 at the top"], "crop=iw-16:ih-32"),
    "distorted in full range": Mistake(["the distorted video expanded to full range"], distorted="scale=in_range=tv:out_range=pc"),
    "eight bits": both(["both videos in 8 bits"], "format=yuv420p", kind="deep"),
    "both begin late": both(["both videos without their first 5 frames"], "trim=start_frame=5,setpts=PTS-STARTPTS"),
    "without bars": both(["both videos cropped by 0 at the left and right, 44 at the top and bottom"], "crop=640:272:0:44",
                         kind="boxed"),
    "one without bars": Mistake(["the distorted video cropped by 0 at the left and right, 44", "bicubic 640x272 to 640x360"],
                                distorted="crop=640:272:0:44,scale=640:360:flags=bicubic", kind="boxed"),
    "version 1.0": Mistake(["model vmaf_v1.0.16_3d0h"], options=":model=version=vmaf_v1.0.16_3d0h"),
    "NEG": Mistake(["model vmaf_v0.6.1neg"], options=":model=version=vmaf_v0.6.1neg"),
    "4K model": Mistake(["model vmaf_4k_v0.6.1"], options=":model=version=vmaf_4k_v0.6.1"),
    "phone": Mistake(["with enable_transform"], options=r":model=version=vmaf_v0.6.1\\:enable_transform=true"),
}


def run(ffmpeg, *words):
    done = subprocess.run([str(word) for word in (ffmpeg, "-nostdin", "-v", "error", "-y", *words)], capture_output=True,
                          text=True, check=False, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])


class Clips:
    def __init__(self, ffmpeg, folder):
        self.ffmpeg, self.folder = ffmpeg, pathlib.Path(folder)

    def reference(self, source, kind):
        path = self.folder / f"{source}_{kind}.y4m"
        if not path.exists():
            run(self.ffmpeg, "-f", "lavfi", "-i", f"{SOURCES[source]},{KINDS[kind]}", "-frames:v", FRAMES, "-strict", "-1", path)
        return path

    def encode(self, source, kind, encoder, size):
        path = self.folder / f"{source}_{kind}_{encoder}_{size}.mkv"
        if not path.exists():
            scale = ["-vf", f"scale={size}:flags=bicubic"] if size != FULL else []
            depth = "yuv420p10le" if kind == "deep" and encoder != "mpeg4" else "yuv420p"
            run(self.ffmpeg, "-i", self.reference(source, kind), *scale, *ENCODERS[encoder], "-pix_fmt", depth, path)
        return path

    def log(self, source, encoder, name):
        """Paths of the log, the reference and the encode."""
        mistake = MISTAKES[name]
        reference = self.reference(source, mistake.kind)
        encode = self.encode(source, mistake.kind, encoder, mistake.size)
        path = self.folder / f"{source}_{encoder}_{name.replace(' ', '_')}.json"
        if path.exists():
            return path, reference, encode
        inputs = "[d][r]" if mistake.order == "dr" else "[r][d]"
        graph = (f"[0:v]{mistake.distorted},settb=1/25[d];[1:v]{mistake.reference},settb=1/25[r];"
                 f"{inputs}libvmaf=log_fmt=json:shortest=1:log_path={path}{mistake.options}")
        run(self.ffmpeg, "-i", encode, "-i", reference, "-lavfi", graph, "-f", "null", "-")
        return path, reference, encode
