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


class Run:
    """One run of FFmpeg: its log, the seconds that it took, when a GPU took pictures and from which one on."""

    def __init__(self, folder, work, name, graph, inputs, turns, variables):
        log = work / "log.xml"
        log.unlink(missing_ok=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(folder / "lib"), **variables}
        command = [str(folder / "ffmpeg"), "-v", "verbose", "-nostdin", "-nostats"]
        for side in ("dis", "ref"):
            command += [*inputs, "-stream_loop", str(turns - 1), "-i", str(folder / f"{name}_{side}.mp4")]
        command += ["-lavfi", graph.format(log=log), "-f", "null", "-"]
        begin = time.monotonic()
        self.taken, said = None, []
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                said.append(line)
                if found := re.search(r"features are computed on (.*) from picture (\d+)", line):
                    self.taken = (found[1], int(found[2]), time.monotonic() - begin)
        self.seconds = time.monotonic() - begin
        self.log = re.sub(r"fps=\"[^\"]*\"|<fyi [^>]*>", "", log.read_text()) if log.exists() else None
        if process.returncode != 0:
            self.log = None
            print("".join(line for line in said if "libvmaf" in line or "rror" in line)[-1500:])


class Checks:
    def __init__(self, folder):
        self.folder, self.failed = folder, 0
        self.work = pathlib.Path(tempfile.mkdtemp())

    def expect(self, holds, what):
        if not holds:
            self.failed += 1
            print("FAILED:", what)

    def run(self, name, what, graph, cpu=None, inputs=(), turns=1, **variables):
        run = Run(self.folder, self.work, name, graph, inputs, turns, variables)
        self.expect(run.log is not None and run.log == (cpu or run).log, f"{name}, {what}: the log is the CPU's")
        frames = FRAMES * turns
        device = "{0} from picture {1}, after {2:.2f} s".format(*run.taken) if run.taken else "the CPU"
        print(f"| {name} | {what} | {frames} | {run.seconds:.2f} s | {frames / run.seconds:.0f} | {device} |", flush=True)
        return run

    def check(self, name, form, turns):
        one, all_cores = (HOST.format(threads=n) for n in (1, len(os.sched_getaffinity(0))))
        caches = {"XDG_CACHE_HOME": str(self.work / f"cache-{name}"), "CUDA_CACHE_PATH": str(self.work / f"cuda-{name}")}
        cpu = self.run(name, "libvmaf, CPU, one thread", one, turns=turns, ACUTANCE_BACKEND="cpu")
        self.run(name, "libvmaf, one thread, a GPU's first run", one, cpu, turns=turns, **caches)
        later = self.run(name, "libvmaf, one thread", one, cpu, turns=turns, **caches)
        self.expect(later.taken, f"{name}: a GPU takes over where the CPU is slow")
        self.run(name, "libvmaf, CPU, all cores", all_cores, cpu, turns=turns, ACUTANCE_BACKEND="cpu")
        self.run(name, "libvmaf, all cores", all_cores, cpu, turns=turns, **caches)
        if "10" not in form:  # FFmpeg's filter takes 8 bits
            for what in ("libvmaf_cuda, NVDEC, first run", "libvmaf_cuda, NVDEC"):
                on_card = self.run(name, what, CARD.format(form=form), cpu, DECODED, turns, **caches)
                self.expect(on_card.taken and on_card.taken[1] == 0, f"{name}: libvmaf_cuda computes all on the card")
        cpu = self.run(name, "libvmaf, CPU, one thread, short", one, ACUTANCE_BACKEND="cpu")
        self.run(name, "libvmaf, one thread, short", one, cpu, **caches)


HOST = "libvmaf=n_threads={threads}:log_path={{log}}"
CARD = "[0:v]scale_cuda=format={form}[d];[1:v]scale_cuda=format={form}[r];[d][r]libvmaf_cuda=log_path={{log}}"
DECODED = ("-hwaccel", "cuda", "-hwaccel_output_format", "cuda")


def check(folder):
    checks = Checks(folder)
    print("| clip | filter | frames | time | frames/s | features on |\n|---|---|---|---|---|---|")
    for name, form, _, _, turns in CLIPS:
        checks.check(name, form, turns)
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
