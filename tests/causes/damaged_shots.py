"""Makes encodes in which one shot has one kind of damage, and checks how the report classifies it.

usage: damaged_shots.py [--work FOLDER] [--only WORD] [--seen | --unseen] [VIDEO...]

VIDEO: more sources, of 4 seconds or more. Needs FFmpeg's command with libx264. Prints each wrong answer and a table: kinds of
damage, right answers of all. Exit status 1 below 95 %. --work: a cache of clips for the next run.
"""
import argparse
import collections
import concurrent.futures
import html
import os
import re
import subprocess
import sys
import tempfile

ACUTANCE = os.path.join(os.environ.get("ACUTANCE_BIN", "build/bin"), "acutance")
WIDTH, HEIGHT, RATE, SHOT = 640, 360, 25, 24
ENCODE = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "9", "-pix_fmt", "yuv420p")
FORM = f"scale={WIDTH}:{HEIGHT}:flags=bicubic,fps={RATE},format=yuv420p"

# What the worst second is said to be, by kind.
WORDS = {"banding": ("banding",), "blur": ("detail lost",), "noise": ("detail added",), "sharpened": ("detail added",),
         "color": ("color error", "brightness error"), "brightness": ("brightness error", "color error"),
         "offset": ("a wrong frame", "another picture than the reference's"), "stutter": ("a wrong frame",)}


def made(name, chain):
    return name, ("-f", "lavfi", "-i", chain)


# Smooth pictures, in which banding can be: with grain as a camera has, and without.
SMOOTH = {
    "seen": [made("sky", "gradients=s=640x360:r=25:c0=0x182840:c1=0x8fb4d8:x0=0:y0=0:x1=320:y1=359:nb_colors=2:speed=0.004:seed=3,format=yuv420p,"
                         "noise=alls=2:allf=t"),
             made("night", "gradients=s=640x360:r=25:c0=0x080a10:c1=0x303848:x0=0:y0=0:x1=639:y1=200:nb_colors=2:speed=0.01:seed=5,format=yuv420p,"
                           "noise=alls=2:allf=t")],
    "unseen": [made("dusk", "gradients=s=640x360:r=25:c0=0x402018:c1=0xc09060:nb_colors=2:type=radial:x0=320:y0=300:x1=0:y1=0:speed=0.006:seed=8,format=yuv420p,"
                            "noise=alls=2:allf=t"),
               made("cave", "gradients=s=640x360:r=25:c0=0x101010:c1=0x281c18:c2=0x141c24:nb_colors=3:speed=0.008:seed=21,format=yuv420p,"
                            "noise=alls=3:allf=t")],
}
# Pictures with detail.
RICH = {
    "seen": [made("fractal", "mandelbrot=s=640x360:r=25:start_scale=0.4:end_scale=0.01:end_pts=300,format=yuv420p,noise=alls=3:allf=t"),
             made("chart", "testsrc2=s=640x360:r=25")],
    "unseen": [made("plants", "mandelbrot=s=1280x720:r=25:start_scale=0.02:end_scale=0.0199:start_x=-0.7436:start_y=0.1318:end_pts=300,format=yuv420p,"
                              "crop=640:360:x='n*4':y='100+n',noise=alls=4:allf=t"),
               made("life", "life=s=160x90:r=25:mold=10:death_color=#305020:life_color=#e0d0b0:ratio=0.3:seed=4,scale=640:360:flags=bicubic")],
}


def x264(crf, *more):
    return "encode", ("-c:v", "libx264", "-preset", "medium", "-crf", str(crf), "-x264-params", ":".join(("bframes=2",) + more))


def damages(kind_of_source):
    """(kind, name, filter or (encode, options), options of acutance)"""
    if kind_of_source == "smooth":
        for step in (6, 8, 12, 16):
            yield "banding", f"steps of {step}", f"lutyuv=y='floor((val+{step}/2)/{step})*{step}'", ()
        for crf in (30, 36, 42):
            yield "banding", f"x264 at crf {crf}", x264(crf, "psy=0", "aq-mode=0", "no-deblock=1"), ()
    else:
        for sigma in (1.2, 2, 4):
            yield "blur", f"gblur {sigma}", f"gblur=sigma={sigma}", ()
        for part in (2, 3, 5):
            yield "blur", f"1/{part} of the size", f"scale=iw/{part}:-2:flags=bicubic,scale={WIDTH}:{HEIGHT}:flags=bicubic", ()
        for crf in (34, 40):
            yield "blur", f"x264 at crf {crf}", x264(crf), ()
        for frames in (1, 2, 5, 12, 24):
            yield "offset", f"late by {frames}", frames, ("--align", "index")
        for frames in (3, 6):
            yield "stutter", f"one of {frames} held", f"stutter {frames}", ("--align", "index")
        yield "stutter", "frozen", "stutter 24", ("--align", "index")
        for strength in (1.0, 2.5):
            yield "sharpened", f"unsharp {strength}", f"unsharp=5:5:{strength}", ()
    for strength in (14, 25, 40):
        yield "noise", f"noise {strength}", f"noise=alls={strength}:allf=t", ()
    for name, chain in (("hue 25", "hue=h=25"), ("saturation 0.4", "hue=s=0.4"), ("saturation 1.6", "hue=s=1.6"),
                        ("red", "colorbalance=rm=0.3"), ("matrix", "scale=in_color_matrix=bt709:out_color_matrix=bt601")):
        if kind_of_source != "smooth" or name != "matrix":
            yield "color", name, chain, ()
    for name, chain in (("brighter", "eq=brightness=0.08"), ("gamma 0.8", "eq=gamma=0.8"), ("full range", "scale=in_range=tv:out_range=pc,setparams=range=tv")):
        yield "brightness", name, chain, ()


def ffmpeg(*args):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, args)], check=True, stdin=subprocess.DEVNULL)


def raw(path):
    return ("-f", "rawvideo", "-s", f"{WIDTH}x{HEIGHT}", "-r", RATE, "-pix_fmt", "yuv420p", "-i", path)


def frames_of(path):
    size = WIDTH * HEIGHT * 3 // 2
    with open(path, "rb") as file:
        data = file.read()
    return [data[at:at + size] for at in range(0, len(data), size)]


def once(path, make):
    """Makes a file under another name first, so that a stopped run leaves no half of it."""
    if not os.path.exists(path):
        part = f"{path}.part{os.path.splitext(path)[1]}"
        make(part)
        os.replace(part, path)
    return path


def write_video(path, frames):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "all.yuv"), "wb") as file:
            file.write(b"".join(frames))
        ffmpeg(*raw(file.name), *ENCODE, path)


class Source:
    """96 frames of a source. A pair has three shots of 24: frames 48 and on, 0 and on (the damaged one), 60 and on; the
    pair with an offset has the first 72."""

    def __init__(self, folder, name, inputs):
        self.name, self.folder = name, os.path.join(folder, name)
        os.makedirs(self.folder, exist_ok=True)
        path = once(os.path.join(self.folder, "source.yuv"),
                    lambda part: ffmpeg(*inputs, "-vf", FORM, "-frames:v", 96, "-f", "rawvideo", part))
        self.frames = frames_of(path)
        self.before, self.shot, self.after = self.frames[48:72], self.frames[:SHOT], self.frames[60:84]
        with open(os.path.join(self.folder, "shot.yuv"), "wb") as file:
            file.write(b"".join(self.shot))

    def reference(self, kind):
        frames = self.frames[:3 * SHOT] if kind == "offset" else self.before + self.shot + self.after

        def write(path):
            with open(path, "wb") as file:
                file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
                for frame in frames:
                    file.write(b"FRAME\n" + frame)
        return once(os.path.join(self.folder, "whole.y4m" if kind == "offset" else "shots.y4m"), write)

    def damaged(self, how):
        if isinstance(how, str) and how.startswith("stutter"):
            step = int(how.split()[1])
            return [self.shot[k // step * step] for k in range(SHOT)]
        done = os.path.join(self.folder, f"damaged{os.getpid()}-{abs(hash(how))}.yuv")
        shot = raw(os.path.join(self.folder, "shot.yuv"))
        if isinstance(how, str):
            ffmpeg(*shot, "-vf", how + ",format=yuv420p", "-f", "rawvideo", done)
        else:
            ffmpeg(*shot, *how[1], done + ".mkv")
            ffmpeg("-i", done + ".mkv", "-f", "rawvideo", "-pix_fmt", "yuv420p", done)
            os.remove(done + ".mkv")
        frames = frames_of(done)
        os.remove(done)
        return frames

    def encode(self, name, how):
        path = os.path.join(self.folder, re.sub(r"\W+", "_", name) + ".mp4")
        if isinstance(how, int):
            return once(path, lambda part: write_video(part, self.frames[how:how + 3 * SHOT]))
        return once(path, lambda part: write_video(part, self.before + self.damaged(how) + self.after))


def verdict(reference, encode, options):
    """(the verdict's text, what the worst second is mostly for)"""
    report = encode + ".html"
    done = subprocess.run([ACUTANCE, "score", reference, encode, "--report", report, "--threads", "1", "-q", *options],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return done.stderr.decode(errors="replace").strip(), "refused"
    with open(report, encoding="utf-8") as file:
        text = html.unescape(re.sub("<[^>]*>", "", re.search(r'<p class="verdict">(.*?)</p>', file.read(), re.S).group(1)))
    cause = re.search(r"mostly for ([^.,:(]*)", text)
    return text, cause.group(1).strip() if cause else "nothing"


def check(source, kind_of_source, only):
    """[(kind, whether it is right, sentence)]"""
    results = []
    for kind, name, how, options in damages(kind_of_source):
        if only and only not in f"{source.name} {kind} {name}":
            continue
        text, cause = verdict(source.reference(kind), source.encode(f"{kind} {name}", how), options)
        if kind != "offset" and "from 0:01.00" not in text:  # the damage costs less than making the whole
            continue
        results.append((kind, cause in WORDS[kind], f"{source.name}, {kind}, {name}: {cause} | {text}"))
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work")
    parser.add_argument("--only", default="")
    parser.add_argument("--seen", action="store_true")
    parser.add_argument("--unseen", action="store_true")
    parser.add_argument("--all", action="store_true", help="print right answers, too")
    parser.add_argument("videos", nargs="*")
    args = parser.parse_args()
    groups = [group for group in ("seen", "unseen") if not (args.seen or args.unseen) or getattr(args, group)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.work or scratch
        sources = [(kind, name, inputs) for group in groups for kind, made_up in (("smooth", SMOOTH), ("rich", RICH))
                   for name, inputs in made_up[group]]
        for video in args.videos:
            sources.append(("rich", os.path.splitext(os.path.basename(video))[0], ("-i", video)))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            all_results = list(pool.map(lambda s: check(Source(folder, s[1], s[2]), s[0], args.only), sources))
    right, count = collections.Counter(), collections.Counter()
    for kind, is_right, sentence in sum(all_results, []):
        right[kind] += is_right
        count[kind] += 1
        if not is_right or args.all:
            print(("right: " if is_right else "WRONG: ") + sentence)
    for kind in count:
        print(f"{kind:12} {right[kind]:4} of {count[kind]}")
    print(f"{sum(right.values())} of {sum(count.values())} right")
    return 0 if sum(right.values()) >= 0.95 * sum(count.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
