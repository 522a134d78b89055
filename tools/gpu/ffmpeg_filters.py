#!/usr/bin/env python3
"""FFmpeg's filters on libvmaf.so.3 on a card: libvmaf, whose pictures a GPU takes over from the CPU, and libvmaf_cuda, whose frames
never leave the card. All logs must be the CPU's, byte for byte except the frames a second. Prints times.

    ffmpeg_filters.py make BUILD FOLDER    clips, FFmpeg (tests/clients/build_ffmpeg.sh cuda) and the libraries, from a finished build
    ffmpeg_filters.py check FOLDER         on the machine with the GPU
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

FRAMES = int(os.environ.get("FRAMES", "300"))
# Name, pixel format, encoder, size, how often the long run plays it.
CLIPS = (("h264", "yuv420p", "libx264", "1920x1080", 8), ("hevc", "yuv420p", "libx265", "1920x1080", 8),
         ("hevc10", "yuv420p10le", "libx265", "1920x1080", 4), ("small", "yuv420p", "libx264", "576x324", 40))


def make(build, folder):
    (folder / "lib").mkdir(parents=True, exist_ok=True)
    ffmpeg = build / "clients" / "ffmpeg-cuda" / "bin" / "ffmpeg"
    libvmaf = build / "clients" / "prefix" / "lib" / "libvmaf.so.3"
    for program in (ffmpeg, build / "bin" / "vmaf"):
        subprocess.run(["strip", "-o", folder / program.name, program], check=True)
    subprocess.run(["strip", "-o", folder / "lib" / "libvmaf.so.3", libvmaf], check=True)
    needed = subprocess.run(["ldd", ffmpeg, libvmaf], check=True, capture_output=True, text=True).stdout
    for name, path in sorted(set(re.findall(r"(lib(?:fmt|hwy|deflate|turbojpeg|svm)\S*) => (\S+)", needed))):
        shutil.copy(path, folder / "lib" / name)
    for name, form, encoder, size, _ in CLIPS:
        source = f"testsrc2=size={size}:rate=30,noise=alls=6:allf=t,format={form}"
        for side, rate in (("ref", "20M"), ("dis", "2M")):
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-frames:v", str(FRAMES), "-c:v", encoder,
                            "-preset", "veryfast", "-b:v", rate, *(["-x265-params", "log-level=error"] if "265" in encoder else []),
                            folder / f"{name}_{side}.mp4"], check=True)


class Checks:
    def __init__(self, folder):
        self.folder, self.failed = folder, 0
        self.work = pathlib.Path(tempfile.mkdtemp())

    def run(self, name, graph, inputs=(), turns=1, **variables):
        """One log, the seconds that it took, and what FFmpeg printed."""
        log = self.work / "log.xml"
        log.unlink(missing_ok=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.folder / "lib"), **variables}
        command = [str(self.folder / "ffmpeg"), "-v", "verbose", "-nostdin"]
        for side in ("dis", "ref"):
            command += [*inputs, "-stream_loop", str(turns - 1), "-i", str(self.folder / f"{name}_{side}.mp4")]
        command += ["-lavfi", graph.format(log=log), "-f", "null", "-"]
        begin = time.monotonic()
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if done.returncode != 0 or not log.exists():
            print(done.stderr[-2000:])
            return None, seconds, done.stderr
        text = re.sub(r"fps=\"[^\"]*\"|<fyi [^>]*>", "", log.read_text())
        return text, seconds, done.stderr

    def expect(self, holds, what):
        if not holds:
            self.failed += 1
            print("FAILED:", what)

    def row(self, name, what, result, cpu, turns):
        log, seconds, said = result
        self.expect(log is not None and log == cpu, f"{name}, {what}: the log is the CPU's")
        taken = re.findall(r"features are computed on (.*) from picture (\d+)", said)
        frames = FRAMES * turns
        print(f"| {name} | {what} | {frames} | {seconds:.2f} s | {frames / seconds:.0f} | "
              f"{', '.join(f'{device} from {first}' for device, first in taken) or 'the CPU'} |", flush=True)
        return [int(first) for _, first in taken]


CPU = "libvmaf=n_threads={threads}:log_path={{log}}"
CARD = "[0:v]scale_cuda=format={form}[d];[1:v]scale_cuda=format={form}[r];[d][r]libvmaf_cuda=log_path={{log}}"
DECODED = ("-hwaccel", "cuda", "-hwaccel_output_format", "cuda")


def check(folder):
    checks = Checks(folder)
    threads = len(os.sched_getaffinity(0))
    graph = CPU.format(threads=threads)
    print("| clip | filter | frames | time | frames/s | features on |\n|---|---|---|---|---|---|")
    for name, form, _, _, turns in CLIPS:
        caches = {"XDG_CACHE_HOME": str(checks.work / f"cache-{name}"), "CUDA_CACHE_PATH": str(checks.work / f"cuda-{name}")}
        for count in (1, turns):
            cpu = checks.run(name, graph, turns=count, ACUTANCE_BACKEND="cpu")
            checks.row(name, "libvmaf, CPU", cpu, cpu[0], count)
            for what in ("libvmaf, first run of a GPU", "libvmaf, later run"):
                taken = checks.row(name, what, checks.run(name, graph, turns=count, **caches), cpu[0], count)
                if count > 1 and what.endswith("later run"):
                    checks.expect(taken, f"{name}: a GPU takes over in a long run")
            one = checks.run(name, CPU.format(threads=1), turns=count, **caches)
            checks.row(name, "libvmaf, one thread, later run", one, cpu[0], count)
            on_card = checks.run(name, CARD.format(form=form), DECODED, count, **caches)
            first = checks.row(name, "libvmaf_cuda, NVDEC", on_card, cpu[0], count)
            checks.expect(first == [0], f"{name}: libvmaf_cuda computes all on the card")
    print(f"ffmpeg_filters: {checks.failed} failed")
    return checks.failed > 0


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "make":
        return make(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve())
    if len(sys.argv) == 3 and sys.argv[1] == "check":
        return check(pathlib.Path(sys.argv[2]).resolve())
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
