#!/usr/bin/env python3
"""acutance on other versions of FFmpeg's libraries than this machine's.

usage: BUILD=FOLDER ffmpeg_versions.py [--versions NAME,...] [--suites NAME,...] [ROOT ...]

The versions are those in PyPI's wheels of PyAV, and those of unpacked systems (ROOT: a folder with lib64/ld-linux* and
usr/lib/*-linux-gnu, as debootstrap makes it), whose loader and C library then run the tests, too. For each: every frame
of clips of many codecs, read by segments, equals that version's own decoding, by PyAV or by the root's ffmpeg, to the
bit; then the tests of readers, of guests and of NVDEC's stand-in run, and --suites of tests/e2e. Clips
are made by this machine's ffmpeg.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib

BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
HERE = pathlib.Path(__file__).resolve().parent
WHEELS = ["12.3.0", "13.1.0", "15.1.0", "16.1.0", "18.1.0"]
PROGRAMS = ["io_test", "guest_test", "nvdec_test"]

SOURCE = "-f lavfi -i testsrc2=s=176x144:r=25:d=4"
CLIPS = {
    "h264.mp4": "-c:v libx264 -bf 3 -g 24",
    "h264_open.mkv": "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3",
    "h264_fields.ts": "-c:v libx264 -flags +ildct+ilme -g 24",
    "h264_10.mkv": "-c:v libx264 -pix_fmt yuv422p10le -g 24",
    "h264_odd.mp4": "-vf crop=174:142 -c:v libx264 -pix_fmt yuv444p -g 24",
    "hevc.mp4": "-c:v libx265 -x265-params log-level=0:keyint=24",
    "hevc_cra.mkv": "-pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=0:keyint=24:open-gop=1",
    "av1.mkv": "-c:v libsvtav1 -preset 12 -g 24",
    "av1_grain.mp4": "-c:v libsvtav1 -preset 12 -g 24 -svtav1-params film-grain=20",
    "vp9.webm": "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 24",
    "vp8.webm": "-c:v libvpx -deadline realtime -cpu-used 8",
    "mpeg2.ts": "-c:v mpeg2video -bf 2 -g 12 -q:v 3",
    "mpeg4.avi": "-c:v mpeg4 -bf 2 -q:v 3",
    "ffv1.mkv": "-c:v ffv1 -level 3 -g 12 -pix_fmt yuv420p10le",
    "prores.mov": "-c:v prores_ks -pix_fmt yuv422p10le -t 1",
    "dnxhd.mov": "-vf scale=1280:720 -t 0.4 -c:v dnxhd -b:v 90M -pix_fmt yuv422p",
    "jpeg.mkv": "-c:v mjpeg -q:v 3 -t 1",
    "utvideo.avi": "-c:v utvideo -pix_fmt yuv422p -t 1",
}

# Frames as the wheel's own FFmpeg decodes them.
DECODER = """
import sys, zlib, av
for path in sys.argv[1:]:
    print(path)
    with av.open(path) as container:
        container.streams.video[0].thread_type = "AUTO"
        for frame in container.decode(video=0):
            crc, deep = 0, any(f"p{depth}" in frame.format.name for depth in (10, 12, 16))
            for part in frame.planes:
                rows, count = bytes(part), part.width * (2 if deep else 1)
                for y in range(part.height):
                    crc = zlib.crc32(rows[y * part.line_size : y * part.line_size + count], crc)
            print(f"  {frame.width}x{frame.height} {frame.format.components[0].bits} {crc:08x}")
"""


class Version:
    """Libraries of FFmpeg, and how to run programs on them."""

    def __init__(self, name, libraries, prefix=(), python_path=None, ffmpeg=None):
        self.name, self.prefix, self.python_path, self.ffmpeg = name, list(prefix), python_path, ffmpeg
        self.environment = {**os.environ, "ACUTANCE_FFMPEG_LIBRARIES": str(libraries)}

    def run(self, *command, **more):
        return subprocess.run([*self.prefix, *map(str, command)], env={**self.environment, **more}, cwd=HERE,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def own_frames(self, clips):
        """What frame_hashes prints, by the version's own decoding."""
        if self.python_path:
            environment = {**os.environ, "PYTHONPATH": str(self.python_path)}
            return subprocess.run([sys.executable, "-B", "-c", DECODER, *clips], env=environment, capture_output=True,
                                  text=True, check=True).stdout
        lines = []
        for clip in clips:
            frames = self.run(BUILD / "tests" / "frame_hashes", clip).stdout.splitlines()
            (size, depth, _), command = frames[1].split(), ["-v", "error", "-i", clip, "-f", "rawvideo", "-"]
            raw = subprocess.run([*self.ffmpeg, *command], capture_output=True, check=True).stdout
            step = len(raw) // (len(frames) - 1)
            lines += [clip, *(f"  {size} {depth} {zlib.crc32(raw[at:at + step]):08x}" for at in range(0, len(raw), step))]
        return "".join(line + "\n" for line in lines)

    def described(self):
        found = re.search(r"^containers: (.*)$", self.run(BUILD / "bin" / "acutance", "devices").stdout, re.M)
        return found[1] if found else "nothing"


def wheel(number):
    folder = BUILD / "ffmpeg-versions" / number
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps",
                        "--only-binary", ":all:", "--dest", folder.parent, f"av=={number}"], check=True)
        zipfile.ZipFile(next(folder.parent.glob(f"av-{number}-*.whl"))).extractall(folder)
    return Version(f"PyAV {number}", folder / "av.libs", python_path=folder)


def system(root):
    root = pathlib.Path(root).resolve()
    libraries = next(root.glob("usr/lib/*-linux-gnu"))
    loader = next(path for folder in ("lib64", "usr/lib64") for path in (root / folder).glob("ld-linux*"))
    own = f"/usr/lib/{libraries.name}:/lib/{libraries.name}"
    prefix = [str(loader), "--library-path", f"{libraries}:{libraries}/pulseaudio:{libraries}/blas:{libraries}/lapack:{own}"]
    return Version(root.parent.name, libraries, prefix, ffmpeg=[*prefix, str(root / "usr" / "bin" / "ffmpeg")])


def make_clips(folder):
    clips = []
    for name, options in CLIPS.items():
        path = f"{folder}/{name}"
        pixels = "" if "-pix_fmt" in options else "-pix_fmt yuvj420p" if "mjpeg" in options else "-pix_fmt yuv420p"
        made = subprocess.run(f"ffmpeg -v error -nostdin -y {SOURCE} {pixels} {options} {path}", shell=True, check=False)
        if made.returncode == 0:
            clips.append(path)
        else:
            print(f"this machine's ffmpeg does not make {name}")
    return clips


def check_frames(version, clips):
    """How many frames are the same, and the clips with others."""
    ours = version.run(BUILD / "tests" / "frame_hashes", *clips)
    own = version.own_frames(clips)
    if ours.stdout == own:
        return own.count("\n") - len(clips), []
    split = [dict(zip(clips, re.split(r"^/.*\n", text, flags=re.M)[1:])) for text in (ours.stdout, own)]
    return 0, [pathlib.Path(clip).name for clip in clips if split[0].get(clip) != split[1].get(clip)] + [ours.stderr]


def wrapped(version, folder):
    """Commands that run on the version's C library."""
    for name in ("acutance", "vmaf"):
        path = folder / name
        words = " ".join(f"'{word}'" for word in [*version.prefix, str(BUILD / "bin" / name)])
        path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        path.chmod(0o755)
    return folder


def check(version, clips, suites, folder):
    results = {}
    count, others = check_frames(version, clips)
    results["frames"] = f"{count} of {len(clips)} clips are the same" if not others else f"FAILED: {others}"
    logs = BUILD / "ffmpeg-versions" / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    bin_folder = wrapped(version, folder) if version.prefix else BUILD / "bin"
    runs = {name: [BUILD / "tests" / name] for name in PROGRAMS}
    runs.update({suite: [sys.executable, "-B", "-m", "unittest", f"test_{suite}"] for suite in suites})
    for name, command in runs.items():
        more = {"LD_LIBRARY_PATH": str(BUILD / "tests" / "nvdec" / "driver")} if name == "nvdec_test" else {}
        if name in suites:
            done = subprocess.run(command, cwd=HERE.parent / "e2e", capture_output=True, text=True, check=False,
                                  env={**version.environment, "ACUTANCE_BIN": str(bin_folder),
                                       "ACUTANCE_LIBRARY": str(BUILD / "lib")})
        else:
            done = version.run(*command, **more)
        text = done.stdout + done.stderr
        (logs / f"{version.name.replace(' ', '-')}_{name}.log").write_text(text)
        failed = re.findall(r"^(?:\[  FAILED  \] (\w+\.\w+)$|(?:FAIL|ERROR): (\w+))", text, re.M)
        names = sorted({a or b for a, b in failed})
        results[name] = "ok" if done.returncode == 0 else f"FAILED {' '.join(names)} ({done.returncode})"
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--versions", default=",".join(WHEELS))
    parser.add_argument("--suites", default="")
    parser.add_argument("roots", nargs="*")
    arguments = parser.parse_args()
    versions = [wheel(number) for number in arguments.versions.split(",") if number]
    versions += [system(root) for root in arguments.roots]
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        clips = make_clips(folder)
        for version in versions:
            results = check(version, clips, [suite for suite in arguments.suites.split(",") if suite],
                            pathlib.Path(folder))
            print(f"{version.name}: {version.described()}", flush=True)
            for name, result in results.items():
                print(f"    {name}: {result}", flush=True)
                is_good &= "FAILED" not in result
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
