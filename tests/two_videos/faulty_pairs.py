"""Makes pairs of videos with one fault each, and checks what `acutance doctor` finds.

usage: faulty_pairs.py [--work FOLDER] [--every N] [SOURCE...]

SOURCE: videos of 8 seconds or more; without one, a picture that is panned over. Needs FFmpeg's command with libx264. Prints
each wrong answer, and the share of right ones. Exit status 1 below 95 %.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ACUTANCE = os.path.join(os.environ.get("ACUTANCE_BIN", "build/bin"), "acutance")
RATE = 25
PAN = ("crop=480:270:x='380+300*sin(n/37)+60*sin(n/7.3)':y='220+150*sin(n/53)+40*cos(n/11.7)',"
       "eq=brightness='0.06*sin(n/19)':eval=frame")

REFERENCE = ("-c:v", "libx264", "-preset", "ultrafast", "-crf", "8", "-pix_fmt", "yuv420p", "-an")
ENCODE = ("-c:v", "libx264", "-preset", "superfast", "-crf", "27", "-pix_fmt", "yuv420p", "-an")


def faults():
    """(cause, name, filter of the reference, filter of the distorted, options of its encoder)"""
    yield "none", "encode", "", "", ()
    yield "none", "encode at 10 bits", "", "format=yuv420p10le", ("-pix_fmt", "yuv420p10le")
    yield "none", "worse encode", "", "", ("-crf", "38")
    for frames in (1, 3, 12, 50, 110):
        yield "offset", f"late by {frames}", "", f"trim=start_frame={frames},setpts=PTS-STARTPTS", ()
        yield "offset", f"early by {frames}", f"trim=start_frame={frames},setpts=PTS-STARTPTS", "", ()
    for rate in (24, 30, 50, 15):
        yield "frame-rate", f"{rate} frames/s", "", f"fps={rate}", ()
    yield "frame-rate", "half of the frames under the same rate", "", f"select='not(mod(n,2))',setpts=N/{RATE}/TB", ()
    for size in ("320:180", "240:136", "640:360", "384:216"):
        yield "size", f"scaled to {size}", "", f"scale={size}", ()
    for part in ("480:200", "360:270", "400:230"):
        yield "crop", f"crop to {part}", "", f"crop={part}", ()
        yield "crop", f"crop to {part} and enlarged", "", f"crop={part},scale=480:270", ()
    for bars in ("480:270:0:34", "480:270:0:20"):
        high = 270 - 2 * int(bars.split(":")[3])
        yield "crop", f"bars {bars}", "", f"scale=480:{high},pad={bars}", ()
        yield "crop", f"bars {bars} in the reference", f"crop=480:{high},pad={bars}", f"crop=480:{high}", ()
    yield "crop", "bars of 4:3", "", "crop=360:270,pad=480:270:60:0", ()
    for way in ("in_range=limited:out_range=full", "in_range=full:out_range=limited"):
        yield "range", f"{way}, undeclared", "", f"scale={way},setparams=range=tv", ("-color_range", "tv")
    yield "range", "declared wrongly", "", "setparams=range=pc", ("-color_range", "pc")
    yield "swapped", "swapped", "swap", "", ()
    yield "swapped", "swapped, smaller", "swap", "scale=320:180", ()
    yield "swapped", "swapped, worse", "swap", "", ("-crf", "36")
    for curve in ("smpte2084", "arib-std-b67"):
        yield "transfer", curve, "", f"setparams=color_trc={curve}", ("-color_trc", curve)
    yield "interlaced", "interlaced", "", "", "weave"
    yield "interlaced", "reference interlaced", "weave", "", ()
    for step in (17, 29, 41):
        yield "drops", f"one of {step} dropped", "", f"select='mod(n+1,{step})',setpts=N/{RATE}/TB", ()
        yield "drops", f"one of {step} repeated", "", f"select='mod(n+1,{step})',fps={RATE},setpts=N/{RATE}/TB", ()
    yield "damage", "truncated", "", "", "truncate"
    yield "damage", "bytes changed", "", "", "spoil"


def run(*args):
    subprocess.run([str(a) for a in args], check=True, stdin=subprocess.DEVNULL)


def ffmpeg(*args):
    run("ffmpeg", "-nostdin", "-v", "error", "-y", *args)


def make_source(folder):
    """A picture that is panned over, as 9 seconds at twice the rate: weaving takes every second frame's field."""
    still, source = os.path.join(folder, "still.png"), os.path.join(folder, "pan.mkv")
    ffmpeg("-f", "lavfi", "-i", "mandelbrot=s=1280x720:start_scale=0.6", "-frames:v", "1", still)
    ffmpeg("-loop", "1", "-framerate", RATE, "-i", still, "-t", "9", "-vf", PAN, *REFERENCE, source)
    return source


def harm(path, how):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if how == "truncate":
        data = data[:len(data) * 2 // 3]
    else:
        for at in range(len(data) // 2, len(data) // 2 + 4000):
            data[at] = (data[at] * 7 + 31) % 256
    with open(path, "wb") as file:
        file.write(data)


def make_pair(folder, source, ref_filter, dis_filter, options):
    ref, dis = os.path.join(folder, "ref.mp4"), os.path.join(folder, "dis.mp4")
    swap, special = ref_filter == "swap", options if isinstance(options, str) else ""
    common = f"scale=480:270:flags=bicubic,fps={RATE}"
    ref_chain = f"{common},{ref_filter}" if ref_filter not in ("", "swap", "weave") else common
    if ref_filter == "weave":
        ffmpeg("-i", source, "-vf", f"{common},settb=1/1000,setpts=PTS*0.5,fps=50,tinterlace=mode=interleave_top", *REFERENCE,
               "-t", "8", ref)
        ffmpeg("-i", source, "-vf", f"{common},settb=1/1000,setpts=PTS*0.5,fps={RATE}", *ENCODE, "-t", "8", dis)
        return ref, dis
    if special == "weave":
        ffmpeg("-i", source, "-vf", f"{common},settb=1/1000,setpts=PTS*0.5,fps={RATE}", *REFERENCE, "-t", "8", ref)
        ffmpeg("-i", source, "-vf", f"{common},settb=1/1000,setpts=PTS*0.5,fps=50,tinterlace=mode=interleave_top", *ENCODE,
               "-t", "8", dis)
        return ref, dis
    ffmpeg("-i", source, "-vf", ref_chain, *REFERENCE, "-t", "8", ref)
    chain = f"{common},{dis_filter}" if dis_filter else common
    ffmpeg("-i", source, "-vf", chain, *ENCODE, *(options if not special else ("-movflags", "+faststart")), "-t", "8", dis)
    if special:
        harm(dis, special)
    return (dis, ref) if swap else (ref, dis)


def ask(ref, dis):
    result = subprocess.run([ACUTANCE, "doctor", ref, dis, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            check=False, timeout=300)
    if result.returncode != 0:
        return {"cause": f"status {result.returncode}: {result.stderr.decode(errors='replace')}", "findings": []}
    return json.loads(result.stdout)


def check(source, folder, every=1):
    """(pairs, wrong answers)"""
    pairs, wrong = 0, []
    for number, (cause, name, ref_filter, dis_filter, options) in enumerate(faults()):
        if number % every != every - 1:
            continue
        pairs += 1
        answer = ask(*make_pair(folder, source, ref_filter, dis_filter, options))
        if answer["cause"] != cause:
            found = "; ".join(f"{f['cause']}: {f['sentence']}" for f in answer["findings"])
            wrong.append(f"{os.path.basename(source)}: {name}: {answer['cause']} instead of {cause} ({found})")
            print(wrong[-1], flush=True)
    return pairs, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("sources", nargs="*")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        pairs, wrong = 0, []
        for source in args.sources or [make_source(folder)]:
            more, bad = check(source, folder, args.every)
            pairs, wrong = pairs + more, wrong + bad
    print(f"{pairs - len(wrong)} of {pairs} right")
    return 0 if len(wrong) <= 0.05 * pairs else 1


if __name__ == "__main__":
    sys.exit(main())
