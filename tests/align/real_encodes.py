"""Makes pairs of encoded videos with known faults in time, and checks which frames `acutance score` aligns.

usage: real_encodes.py [--work FOLDER] [--first K] [--pairs N] [--seed S] [--alter | --hard] [--least PERCENT] [--verbose]
                       [VIDEO...]

Sources: pictures that FFmpeg draws, or VIDEOs of 9 seconds or more. Needs FFmpeg's command with libx264. --work: a cache of
sources and pairs. --alter: most pairs have a fault in their pictures, too (ALTERATIONS). Prints what is wrong, and the right
answers by fault; --least: percent of right answers, for a status of 0. A pair is right if each scored frame shows its
reference frame or one that differs from it by less than a tenth of the encode's error, and if no frame that both have is
missing, except those reported as doubtful.

--hard: short clips of 120 frames with one or two faults, weak encodes of up to three encoders, blurred, scaled or brighter.
Such a pair is right if 95 % of the frames that can be paired are, and none wrongly.
"""
import argparse
import collections
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

ACUTANCE = os.path.join(os.environ.get("ACUTANCE_BIN", "build/bin"), "acutance")
FFMPEG = os.environ.get("FFMPEG", "ffmpeg")
WIDTH, HEIGHT, SECONDS = 480, 270, 8
SIZE = f"{WIDTH}x{HEIGHT}"
STILL = "mandelbrot=s=1920x1080:start_scale={}:end_pts=9"
TEXT = ("The quick brown fox jumps over the lazy dog while seven wizards pack my box with five dozen liquor jugs and judge "
        "the vexing quartz sphinx of black hills. ") * 12


def sources():
    """Name and a graph of filters for `rate` frames/s and the random numbers of a source."""
    crop = f"crop={WIDTH}:{HEIGHT}"

    def still(dice):
        return f"still:{dice.uniform(0.02, 0.6):.3f}"

    def pan(speed):
        def draw(rate, dice):
            x, y = dice.uniform(0.3, 1) * speed, dice.uniform(0.05, 0.3) * speed
            return still(dice), f"{crop}:x='100+{x:.3f}*t':y='100+{y:.3f}*t'"
        return draw

    def shake(rate, dice):
        a, b = dice.uniform(1, 3), dice.uniform(5, 9)
        return still(dice), f"{crop}:x='500+300*sin(t/{a})+9*sin(t*{b})':y='300+100*cos(t/{b})'"

    def head(rate, dice):
        a, b = dice.uniform(1, 4), dice.uniform(3, 9)
        mouth = f"[3]crop=40:12[4];[2][4]overlay=x='240+3*sin({a}*t)':y='180+2*sin({b}*t)+3*sin({3 * b}*t)*sin({a}*t)'"
        return (still(dice),
                f"{crop},split=3[0][1][3];[1]crop=80:110:60:40[5];"
                f"[0][5]overlay=x='220+3*sin({a}*t)':y='100+2*sin({b}*t)'[2];{mouth}")

    def grain(rate, dice):
        return still(dice), f"{crop}:x='300+30*t+20*sin(t*2)':y=200,noise=alls={dice.randint(8, 24)}:allf=t"

    def fades(rate, dice):
        return (still(dice),
                f"{crop}:x='400+60*t':y=300,fade=in:0:{rate},fade=out:st=3.5:d=0.5:enable='lt(t,4)',"
                f"fade=in:st=4:d=0.5:enable='gte(t,4)'")

    def scroll(rate, dice):
        speed = dice.uniform(15, 60)
        lines = "\n".join(TEXT[k * 50:(k + 1) * 50] for k in range(36))
        return (f"color=c=0x101030:s={SIZE}:r={rate}",
                f"drawtext=text='{lines}':fontsize=16:fontcolor=white:x=20:y='200-{speed:.2f}*t':line_spacing=6")

    def twos(rate, dice):
        return (f"testsrc2=s={SIZE}:r={rate}", "framestep=2,fps={}".format(rate))

    def black_start(rate, dice):
        return (f"mandelbrot=s={SIZE}:r={rate}:start_scale=0.5", f"fade=in:st={dice.uniform(0.5, 1.5):.2f}:d=0.6")

    def dark(rate, dice):
        return still(dice), f"{crop}:x='400+40*sin(t)':y='300+20*t',eq=brightness=-0.35:contrast=0.3"

    yield "test picture", lambda rate, dice: (f"testsrc2=s={SIZE}:r={rate}", "null")
    yield "zoom", lambda rate, dice: (f"mandelbrot=s={SIZE}:r={rate}:start_scale={dice.uniform(0.1, 2):.3f}", "null")
    yield "life", lambda rate, dice: (
        f"life=s=120x68:r={rate}:mold=10:seed={dice.randint(1, 999)}:death_color=#304050:life_color=#d0e0f0",
        f"scale={WIDTH}:{HEIGHT}:flags=bilinear")
    yield "colours", lambda rate, dice: (f"gradients=s={SIZE}:r={rate}:speed=0.02:seed={dice.randint(1, 999)}", "null")
    yield "rows", lambda rate, dice: (f"cellauto=s=240x136:r={rate}:seed={dice.randint(1, 999)}:rule=110",
                                      f"scale={WIDTH}:{HEIGHT}:flags=area")
    yield "pan", pan(90)
    yield "slow pan", pan(15)
    yield "shaking", shake
    yield "head", head
    yield "grain", grain
    yield "fades", fades
    yield "scroll", scroll
    yield "twos", twos
    yield "black start", black_start
    yield "dark", dark
    yield "cuts", lambda rate, dice: ("cuts", "null")


def ffmpeg(*args):
    subprocess.run([FFMPEG, "-nostdin", "-v", "error", "-y", *map(str, args)], check=True)


def draw(name, graph, rate, seed, folder):
    """A source as raw frames."""
    path = os.path.join(folder, f"{name.replace(' ', '-')}-{seed}-{rate}.yuv")
    if os.path.exists(path):
        return path
    dice = random.Random(seed)
    out = ("-t", SECONDS, "-pix_fmt", "yuv420p", "-f", "rawvideo", path + ".part")
    if os.path.exists(name):
        ffmpeg("-i", name, "-vf", f"fps={rate},scale={WIDTH}:{HEIGHT}", *out)
    else:
        source, filters = graph(rate, dice)
        if source == "cuts":
            parts, left = [], SECONDS
            while left > 0:
                kind = dice.choice(["pan", "zoom", "life", "head", "slow pan", "test picture"])
                long = dice.uniform(0.5, 2.5)
                part = draw(kind, dict(sources())[kind], rate, dice.randint(1, 4), folder)
                with open(part, "rb") as file:
                    begin = dice.randint(0, 3 * rate) * frame_bytes()
                    file.seek(begin)
                    parts.append(file.read(int(long * rate) * frame_bytes()))
                left -= long
            with open(path + ".part", "wb") as file:
                file.write(b"".join(parts)[:SECONDS * rate * frame_bytes()])
        elif source.startswith("still:"):
            still = os.path.join(folder, f"still-{seed}.png")
            ffmpeg("-f", "lavfi", "-i", STILL.format(source[6:]), "-frames:v", 1, still)
            ffmpeg("-framerate", rate, "-i", still, "-vf", f"loop=-1:1:0,setpts=N/({rate}*TB),{filters}", *out)
        else:
            ffmpeg("-f", "lavfi", "-i", source, "-vf", filters, *out)
    os.replace(path + ".part", path)
    return path


def frame_bytes():
    return WIDTH * HEIGHT * 3 // 2


def shown_frames(fault, count, rate, dice):
    """By distorted frame the reference frame (-1: none), what was done, and the distorted rate."""
    most = min(5 * rate, count // 2)
    frames = list(range(count))
    middle = range(4, count - 4)
    if fault == "none":
        return frames, "", rate
    if fault == "late":
        n = dice.randint(1, most)
        return [-1] * n + frames[:count - n if dice.random() < 0.5 else count], f"{n}", rate
    if fault == "early":
        n = dice.randint(1, most)
        return frames[n:], f"{n}", rate
    if fault == "trimmed":
        a, b = dice.randint(0, most // 2), dice.randint(1, most // 2)
        return frames[a:count - b], f"{a} {b}", rate
    share = dice.uniform(0.003, 0.05)
    hit = set(dice.sample(middle, max(1, int(share * count))))
    if fault == "drops":
        return [k for k in frames if k not in hit], f"{len(hit)}", rate
    if fault == "repeats":
        return [k for k in frames for _ in range(2 if k in hit else 1)], f"{len(hit)}", rate
    if fault == "freezes":
        held = {k + d: k for k in sorted(hit)[::3] for d in range(1, dice.randint(2, 6))}
        return [held.get(k, k) for k in frames], f"{len(held)}", rate
    if fault == "mixed":
        n = dice.randint(1, most)
        drop = set(sorted(hit)[::2])
        return [k for k in frames[n:] if k not in drop for _ in range(2 if k in hit else 1)], f"{n} {len(hit)}", rate
    if fault == "rate":
        to = dice.choice([r for r in (24, 25, 30, 50, 60) if r != rate])
        return [int(j * rate / to + 1e-9) for j in range(int(count * to / rate))], f"to {to}", to
    return [k // 4 * 4 + (0, 1, 1, 2, 3)[n] for k in frames[::4] for n in range(5)
            if k // 4 * 4 + 3 < count], "3:2", rate * 5 / 4


FAULTS = ("none", "late", "early", "trimmed", "drops", "repeats", "freezes", "mixed", "rate", "3:2")
SIZES = ((WIDTH, HEIGHT), (WIDTH, HEIGHT), (320, 180), (640, 360))


# Changes of pictures: the encoder's options, those of acutance, and whether the encode is named first.
ALTERATIONS = (
    ("", (), (), False),
    ("10 bits", ("-pix_fmt", "yuv420p10le"), (), False),
    ("full range", ("-vf", "scale=out_range=pc", "-color_range", "pc"), (), False),
    ("undeclared full range", ("-vf", "scale=out_range=pc,setparams=range=tv"), (), False),
    ("bars", ("-vf", f"pad={WIDTH}:{HEIGHT + 60}:0:30"), ("--crop", "auto"), False),
    ("crop", ("-vf", f"crop={WIDTH - 20}:{HEIGHT - 10},scale={WIDTH}:{HEIGHT}"), (), False),
    ("swapped", (), (), True),
    ("declared interlaced", ("-vf", f"scale={WIDTH}:{HEIGHT + 2}", "-flags", "+ildct", "-x264-params", "tff=1"), (), False),
)


class Pair:
    def __init__(self, number, seed, folder, videos, alter=False):
        self.dice = random.Random(seed + number)
        kinds = [(v, None) for v in videos] or list(sources())
        self.content, graph = kinds[number % len(kinds)]
        self.fault = FAULTS[(number + number // len(kinds)) % len(FAULTS)]
        self.rate = self.dice.choice((24, 25, 25, 30, 50))
        if self.fault == "3:2":
            self.rate = 24
        self.raw = draw(self.content, graph, self.rate, self.dice.randint(1, 4), folder)
        with open(self.raw, "rb") as file:
            data = file.read()
        self.frames = [data[k:k + frame_bytes()] for k in range(0, len(data) - frame_bytes() + 1, frame_bytes())]
        self.shown, what, self.to = shown_frames(self.fault, len(self.frames), self.rate, self.dice)
        self.crf, self.size = self.dice.choice((18, 23, 27, 31, 35)), self.dice.choice(SIZES)
        preset = self.dice.choice(("ultrafast", "superfast", "veryfast"))
        self.text = (f"{number} {os.path.basename(self.content)}, {self.fault} {what}, {len(self.frames)} of {self.rate}, "
                     f"{preset} crf {self.crf} {self.size[0]}x{self.size[1]}")
        name, coded, self.asked, self.swapped = ALTERATIONS[random.Random(f"{seed} {number}").randrange(len(ALTERATIONS))
                                                       if alter else 0]
        self.text += f", {name}" if name else ""
        stem = os.path.join(folder, f"pair-{seed}-{number}{'-altered' if alter else ''}")
        self.ref, self.dis = stem + "-ref.mkv", stem + "-dis.mp4"
        if not os.path.exists(self.dis):
            self.encode(self.frames, self.rate, self.ref, "-preset", "ultrafast", "-crf", 6)
            other = bytes(self.dice.choices(range(20, 220), k=64))
            black = [(bytes(b for b in other for _ in range(WIDTH * HEIGHT // 64)).ljust(WIDTH * HEIGHT, b"\x20") +
                      b"\x80" * (WIDTH * HEIGHT // 2))]
            film = [black[0] if k < 0 else self.frames[k] for k in self.shown]
            self.encode(film, self.to, self.dis, "-preset", preset, "-crf", self.crf,
                        *(coded if "-vf" in coded else ("-s", "%dx%d" % self.size, *coded)))

    @staticmethod
    def encode(film, rate, path, *options):
        command = (FFMPEG, "-v", "error", "-y", "-f", "rawvideo", "-s", SIZE, "-pix_fmt", "yuv420p", "-r", rate, "-i", "-",
                   "-c:v", "libx264", "-threads", 1, *options, path)
        subprocess.run([str(part) for part in command], input=b"".join(film), check=True)

    def apart(self, i, k):
        if i == k:
            return 0
        a, b = self.frames[i][:WIDTH * HEIGHT:29], self.frames[k][:WIDTH * HEIGHT:29]
        return 0 if a == b else sum((x - y) * (x - y) for x, y in zip(a, b)) / len(a)

    def alike_found(self, k, step, found, alike):
        """Whether a frame that was found follows k, all between them alike."""
        while 0 <= k + step < len(self.frames) and alike(k, k + step):
            k += step
            if k in found:
                return True
        return False

    def is_missing(self, found, doubtful, alike):
        """The frames that both videos have and that are in no pair, except doubtful ones."""
        found = found | doubtful
        return [k for k in sorted(set(self.shown)) if k >= 0 and k not in found and
                not any(self.alike_found(k, step, found, alike) for step in (-1, 1))]

    def check(self):
        """(right, refused, what is wrong)"""
        out = self.dis + ".csv"
        named = (self.dis, self.ref) if self.swapped else (self.ref, self.dis)
        result = subprocess.run([ACUTANCE, "score", *named, "--no-model", "-f", "psnr", "--pairs-out", out, "--json",
                                 "--threads", "1", *self.asked], capture_output=True, check=False)
        if result.returncode != 0:
            return False, True, result.stderr.decode(errors="replace").strip()
        alignment = json.loads(result.stdout)["results"][0].get("alignment", {})
        psnr = json.loads(result.stdout)["results"][0]["features"]["psnr_y"]["mean"]
        # An encode of crf 18 to 35; pairs that are wrong must not make the bound loose.
        error = min(255 * 255 / 10 ** (psnr / 10), 1.5 * 2 ** ((self.crf - 18) / 4))
        with open(out, encoding="ascii") as file:
            pairs = [(int(row["reference_frame"]), int(row["distorted_frame"])) for row in csv.DictReader(file)]
        doubtful = alignment.get("doubtful", [])
        if self.swapped:  # what is doubtful are frames of the source
            pairs = [(j, i) for i, j in pairs]
            excused = set(doubtful)
        else:
            excused = {self.shown[j] for j in doubtful}
        alike = lambda i, k: self.apart(i, k) < 0.1 * error  # noqa: E731
        wrong = [(i, j) for i, j in pairs if self.shown[j] < 0 or not alike(i, self.shown[j])]
        found = {i for i, _ in pairs}
        missing = self.is_missing(found, excused, alike)
        if not wrong and not missing:
            return True, False, alignment.get("text", "")
        first = f"distorted {wrong[0][1]} shows {self.shown[wrong[0][1]]}, paired with {wrong[0][0]}" if wrong else ""
        return False, False, (f"{len(wrong)} of {len(pairs)} wrong {first}; {len(missing)} missing {missing[:4]}; "
                              f"{({k: v for k, v in alignment.items() if not isinstance(v, list)})}")


def hard_frames(count, dice):
    """The reference frames, the distorted ones by number, what was done, and whether every second frame is left."""
    faults = dice.sample(("offset", "trim", "drops", "repeats", "freeze", "half"), dice.choice((1, 1, 2)))
    reference, shown = list(range(count)), list(range(count))
    for fault in faults:
        hit = set(dice.sample(range(4, len(shown) - 4), dice.randint(1, 6)))
        at, long = dice.randint(5, len(shown) - 20), dice.randint(2, 10)
        if fault == "offset" and dice.random() < 0.5:
            reference = reference[dice.randint(1, 25):]
        elif fault == "offset":
            shown = shown[dice.randint(1, 25):]
        elif fault == "trim":
            shown = shown[dice.randint(0, 10):len(shown) - dice.randint(1, 15)]
        elif fault == "drops":
            shown = [k for n, k in enumerate(shown) if n not in hit]
        elif fault == "repeats":
            shown = [k for n, k in enumerate(shown) for _ in range(2 if n in hit else 1)]
        elif fault == "freeze":
            shown = shown[:at] + [shown[at]] * long + shown[at + long:]
        else:
            shown = shown[dice.randint(0, 1)::2]
    return reference, shown, " and ".join(faults), "half" in faults


class HardPair(Pair):
    SIZES = ((176, 144), (320, 180), (480, 270))
    CONTENTS = ("test picture", "life", "rows", "pan", "shaking", "grain", "head")
    ENCODERS = (("libx264", "-preset", "veryfast"), ("libx264", "-preset", "medium"),
                ("libx265", "-preset", "veryfast", "-x265-params", "log-level=none"), ("libsvtav1", "-preset", "10"))

    def __init__(self, number, seed, folder, videos):
        self.dice = dice = random.Random(f"{seed} {number}")
        self.content = (videos or self.CONTENTS)[number % len(videos or self.CONTENTS)]
        raw = draw(self.content, dict(sources()).get(self.content), 25, dice.randint(1, 2), folder)
        with open(raw, "rb") as file:
            file.seek(dice.randint(0, 40) * frame_bytes())
            frames = [file.read(frame_bytes()) for _ in range(120)]
        reference, shown, self.fault, is_half = hard_frames(len(frames), dice)
        self.frames = [frames[k] for k in reference]
        self.shown = [k - reference[0] for k in shown]
        (width, height), smaller = dice.choice(self.SIZES), dice.choice((1, 1, 0.5, 0.75))
        blur, brighter = dice.choice((0, 0, 0.6, 1)), dice.choice((0, 0, 0.05, -0.05))
        filters = (f"scale={width}:{height},gblur=sigma={blur},eq=brightness={brighter},"
                   f"scale={int(width * smaller) // 2 * 2}:{int(height * smaller) // 2 * 2}")
        known = subprocess.run([FFMPEG, "-hide_banner", "-encoders"], capture_output=True, text=True, check=True).stdout
        encoder = dice.choice([each for each in self.ENCODERS if each[0] in known])
        self.crf, self.asked, self.swapped = dice.randint(20, 36), (), False
        self.text = f"{number} {self.content}, {self.fault}, {filters}, {' '.join(encoder)} crf {self.crf}"
        stem = os.path.join(folder, f"hard-{seed}-{number}")
        self.ref, self.dis = stem + "-ref.mkv", stem + "-dis.mkv"
        self.encode(self.frames, 25, self.ref, "-vf", f"scale={width}:{height}", "-preset", "ultrafast", "-crf", 4)
        self.encode([frames[k] for k in shown], 12.5 if is_half else 25, self.dis, "-vf", filters, "-c:v", *encoder,
                    "-crf", self.crf)

    def is_missing(self, found, doubtful, alike):
        wanted = {k for k in self.shown if 0 <= k < len(self.frames)}
        return sorted(wanted - found) if len(wanted & found) < 0.95 * len(wanted) else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work")
    parser.add_argument("--pairs", type=int, default=160)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alter", action="store_true")
    parser.add_argument("--hard", action="store_true")
    parser.add_argument("--least", type=float, default=99.5)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("videos", nargs="*")
    args = parser.parse_args()
    tally = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.work or temporary
        os.makedirs(folder, exist_ok=True)
        for number in range(args.first, args.pairs):
            pair = (HardPair(number, args.seed, folder, args.videos) if args.hard else
                    Pair(number, args.seed, folder, args.videos, args.alter))
            right, refused, what = pair.check()
            outcome = "right" if right else "refused" if refused else "wrong"
            tally[pair.fault][outcome] += 1
            if args.verbose or not right:
                print(f"{pair.text}: {outcome.upper()}: {what}", flush=True)
    for fault, counts in tally.items():
        print(f"{fault}: {counts['right']} of {sum(counts.values())} right, {counts['refused']} refused")
    total = sum(tally.values(), collections.Counter())
    print(f"{total['right']} of {sum(total.values())} right, {total['refused']} refused, {total['wrong']} wrong")
    return 0 if total["wrong"] == 0 and 100 * total["right"] >= args.least * sum(total.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
