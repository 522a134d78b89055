"""Wrong input ends with a helpful message, a non-zero status and no log."""
import fcntl
import json
import os
import pathlib
import pty
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from clips import ACUTANCE, VMAF, CommandTest, deepened, frames, needs_ffmpeg, noise, reference_sample, y4m


class Files(CommandTest):
    def both(self, ref, dis, status, *fragments):
        log = self.path("log.xml")
        self.assert_fails(self.score(ref, dis, "-o", log), 1, *fragments)
        self.assertFalse(os.path.exists(log))
        self.assert_fails(self.vmaf("-r", ref, "-d", dis, "-o", log), status, *fragments)
        self.assertFalse(os.path.exists(log))

    def test_files_that_are_no_videos(self):
        raw = self.write("a.yuv", b"".join(self.clip("ref")))
        for ref, dis, status, *fragments in (
                (self.path("absent.y4m"), self.dis, 255, "absent.y4m"), (self.ref, self.path("absent.mp4"), 255, "absent.mp4"),
                (self.write("empty.y4m", b""), self.dis, 255, "empty.y4m"), (self.folder.name, self.dis, 255, self.folder.name),
                (self.write("noise.mp4", bytes(range(256)) * 40), self.dis, 255, "noise.mp4"),
                (self.video("header.y4m", []), self.dis, 234, "no frame"), (raw, raw, 255, "a.yuv", "--size"),
                (self.ref, self.write("part.y4m", y4m(64, 48, self.clip("dis"))[:500]), 234, "part.y4m")):
            with self.subTest(ref=ref, dis=dis):
                self.both(ref, dis, status, *fragments)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable(self):
        os.chmod(self.ref, 0)
        self.both(self.ref, self.dis, 255, "ref.y4m")

    def test_truncated(self):
        whole = y4m(64, 48, self.clip("dis"))
        frame = len(self.clip("dis")[0]) + 6
        header = len(whole) - 6 * frame
        for cut in (1, 7, frame // 2, frame - 1):
            part = self.write("part.y4m", whole[: header + 3 * frame + cut])
            log = self.path("log.json")
            result = self.score(self.ref, part, "-o", log)
            self.assert_fails(result, 1, "part.y4m", "3 frames were scored")
            self.assertIn("3 frames in", result.stdout.decode())
            self.assertFalse(os.path.exists(log))
            self.assertEqual(self.score(self.ref, part, "--json").stdout, b"")
            lines = self.score(self.ref, part, "--progress", "ndjson").stdout.splitlines()
            events = {json.loads(line)["event"] for line in lines}
            self.assertTrue({"start", "frame"} <= events and "result" not in events, events)
            self.assert_fails(self.vmaf("-r", self.ref, "-d", part, "-o", log), 234, "part.y4m", "3 whole frames")
            self.assertFalse(os.path.exists(log))

    def test_damaged_frame_marker(self):
        bad = bytearray(y4m(64, 48, self.clip("dis")))
        at = bytes(bad).index(b"FRAME", 5000)
        bad[at:at + 5] = b"FRAMF"
        self.assert_fails(self.score(self.ref, self.write("bad.y4m", bytes(bad))), 1, "bad.y4m")

    def test_headers(self):
        body = self.clip("ref")
        for tags, fragment in ((" W64 H48 F25:1 C440x\n", "440x"), (" W64 F25:1\n", "H"), (" W64 H48 F25:1 Im\n", "interlaced"),
                               (f" {'X' * 5000} W64 H48 F25:1\n", "header"), ("", "header")):
            with self.subTest(header=tags[:40]):
                bad = self.write("bad.y4m", b"YUV4MPEG2" + tags.encode() + b"".join(b"FRAME\n" + f for f in body))
                self.both(bad, self.dis, 255, "bad.y4m", fragment)


class Pairs(CommandTest):
    def test_different_sizes(self):
        other = self.video("wide.y4m", [bytes(72 * 54 * 3 // 2)] * 6, size=(72, 54))
        result = self.score(self.ref, self.dis, other)
        self.assert_ok(result)
        self.assertIn(f"{other} is scaled from 72x54 to 64x48 (bicubic)", result.stderr.decode())
        self.assertIn("72x54", self.assert_ok(self.score(self.ref, other, "--scale", "dis")))
        self.assert_ok(self.score(self.ref, self.dis, other, "--scale", "dis"))
        self.assertIn("96x72", self.assert_ok(self.score(self.ref, other, "--scale", "96x72", "--scale-filter", "area")))
        for wrong in ("reference", "96", "0x0"):
            self.assert_fails(self.score(self.ref, other, "--scale", wrong), 2, "expected ref, dis or WIDTHxHEIGHT")
        self.assert_fails(self.vmaf("-r", self.ref, "-d", other), 255, "dimensions do not match", "1 problem(s)")
        same_macroblocks = self.video("near.y4m", [bytes(62 * 48 * 3 // 2)] * 6, size=(62, 48))
        self.assert_fails(self.vmaf("-r", self.ref, "-d", same_macroblocks), 255, "dimensions do not match")

    def test_different_formats_and_depths(self):
        grey, deep = (self.video(name, [bytes(64 * 48 * 3)] * 6, tags)
                      for name, tags in (("444.y4m", "F25:1 C444"), ("p10.y4m", "F25:1 C420p10")))
        for other, change, refusal in (
                (deep, f"{self.ref} is expanded from 8 to 10 bits", "bitdepths do not match"),
                (grey, f"the chroma of {grey} is brought from 4:4:4 to 4:2:0 (bicubic)", "pixel formats do not match")):
            result = self.score(self.ref, other)
            self.assert_ok(result)
            self.assertIn(change, result.stderr.decode())
            self.assert_fails(self.vmaf("-r", self.ref, "-d", other), 255, refusal)

    def test_interlaced_and_progressive(self):
        fields = self.video("fields.y4m", self.clip("dis"), "F25:1 Ib")
        result = self.score(self.ref, fields, "--align", "index", "--json")
        inputs = json.loads(self.assert_ok(result))["inputs"]
        self.assertEqual([video["interlaced"] for video in inputs], [False, True])
        self.assertIn(f"{fields} is deinterlaced: the bottom field", result.stderr.decode())
        result = self.score(self.ref, fields, "--align", "index", "--deinterlace", "off")
        self.assert_ok(result)
        self.assertNotIn("deinterlaced", result.stderr.decode())
        both = self.score(fields, fields, "--align", "index")
        self.assert_ok(both)
        self.assertIn("all videos are interlaced, and compared as they are", both.stderr.decode())
        self.assert_fails(self.vmaf("-r", self.ref, "-d", fields), 255, "only progressive video can be scored")

    def test_shorter_video_scores_the_common_part(self):
        short = self.video("short.y4m", self.clip("dis")[:4])
        result = self.score(self.ref, short)
        self.assertIn("4 frames in", self.assert_ok(result))
        self.assertIn("ended before", result.stderr.decode())
        result = self.vmaf("-r", self.ref, "-d", short, "-o", self.path("l.csv"), "--csv")
        self.assert_ok(result)
        self.assertIn(f'"{short}" ended before "{self.ref}".', result.stderr.decode())
        self.assertEqual(len(self.read("l.csv").splitlines()), 5)

    def test_too_small_for_a_metric(self):
        tiny = self.video("tiny.y4m", [bytes(16 * 16 * 3 // 2)] * 2, size=(16, 16))
        self.assert_fails(self.score(tiny, tiny), 1, "adm", "16x16", "33")
        self.assert_fails(self.vmaf("-r", tiny, "-d", tiny), 234, "problem reading pictures", "adm", "33")
        self.assert_ok(self.score(tiny, tiny, "--no-model", "--feature", "vif"))
        one = self.video("one.y4m", [bytes(3)] * 2, size=(1, 1))
        self.assert_fails(self.score(one, one, "--no-model", "-f", "vif"), 1, "vif", "1x1", "16")
        self.assert_fails(self.score(one, one, "--no-model", "-f", "psnr"), 1, "1x1", "enable_chroma=false")
        self.assert_ok(self.score(one, one, "--no-model", "-f", "psnr=enable_chroma=false"))

    def test_options_that_the_metric_refuses_with_the_first_picture(self):
        result = self.vmaf("-r", self.ref, "-d", self.dis, "--feature", "adm=adm_ref_display_height=540")
        self.assert_fails(result, 234, "problem reading pictures", "adm_ref_display_height")


class FfmpegLibraries(CommandTest):
    def refuse(self, *fragments):
        clip = self.write("a.mkv", b"\x1a\x45\xdf\xa3" + bytes(500))
        result = self.score(clip, clip, env={**os.environ, "ACUTANCE_FFMPEG_LIBRARIES": self.folder.name})
        self.assert_fails(result, 1, "a.mkv cannot be read", "5.1 to 9", self.folder.name, *fragments)

    def test_folders_without_them_are_named(self):
        self.refuse("install the package ffmpeg")
        for name in ("libavutil-0123.so.58.29.100", "libavcodec.so.60", "libavformat.so.60"):
            self.write(name, "no library")
        self.refuse("libavcodec.so.60:", "libavutil-0123.so.58.29.100")

    @needs_ffmpeg
    def test_those_next_to_a_program_come_first_by_whatever_name_it_is_started(self):
        def used(*command, **how):
            shown = subprocess.run(command, **how, capture_output=True, text=True, check=True).stdout
            return re.search(r"^containers: .*\((.*)\)$", shown, re.M)[1]

        program = shutil.copy(ACUTANCE, self.path("acutance"))
        codec = pathlib.Path(used(ACUTANCE, "devices"))
        for number in range(57, 64):
            for name in ("avutil", "avcodec", "avformat"):
                if (library := codec.with_name(f"lib{name}.so.{number}")).exists():
                    os.symlink(library, self.path(library.name))
        for name in (program, "./acutance", "acutance"):
            self.assertEqual(used(name, "devices", executable=program, cwd="/"), self.path(codec.name), name)


@needs_ffmpeg
class Containers(CommandTest):
    def test_video_tracks(self):
        """The container's default track is scored unless another is named."""
        large = self.video("large.y4m", frames(128, 96, self.FRAMES, reference_sample), size=(128, 96))
        both = self.ffmpeg("-i", self.ref, "-i", large, "-map", "0:v", "-map", "1:v", "-c:v", "ffv1", "-metadata:s:v:0",
                           "language=eng", "-metadata:s:v:1", "language=fra", self.path("both.mkv"))
        args = ("--no-model", "-f", "psnr", "--align", "index")
        result = self.score(self.ref, both, *args, "--json")
        self.assert_ok(result)
        self.assertIn("it has 2 video tracks; track 0 (64x48 ffv1, eng) is scored, and --track names another",
                      result.stderr.decode())
        for name in ("1", "fra"):
            self.assertEqual(self.summary(both, both, *args, "--track", name)["inputs"][1]["width"], 128)
        self.assert_fails(self.score(self.ref, both, *args, "--track", "deu"), 1,
                          "no video track 'deu'; there are 0 (64x48 ffv1, eng), 1 (128x96 ffv1, fra)")

    def test_lists_and_unfinished_files_are_named(self):
        whole = self.ffmpeg("-i", self.ref, "-c:v", "mpeg4", self.path("whole.mp4"))
        with open(whole, "rb") as file:
            half = self.write("half.mp4", file.read()[:1500])
        for path, *fragments in (
                (self.write("list.m3u8", "#EXTM3U\n#EXTINF:1,\nwhole.mp4\n"), "HLS playlist", "ffmpeg -i"),
                (self.write("list.txt", "ffconcat version 1.0\nfile whole.mp4\n"), "concat demuxer", "-f concat"),
                (half, "without an index (moov)")):
            self.assert_fails(self.score(self.ref, path), 1, *fragments)


class Usage(CommandTest):
    def test_acutance(self):
        for args, *fragments in (
                (("--threads", "0"), "--threads"), (("--threads", "many"), "--threads"), (("--subsample", "0"), "--subsample"),
                (("--frames", "5:5"), "--frames 5:5", "empty"), (("--frames", "abc"), "--frames abc", "FIRST:END"),
                (("--frames", "-3:5"), "--frames"), (("--size", "0x5"), "0x5"), (("--size", "-64x48"), "64x48"),
                (("--size", "64"), "WIDTHxHEIGHT"), (("--size", "64x48", "--bit-depth", "9"), "--bit-depth"),
                (("--bit-depth", "10"), "acutance score: --bit-depth requires --size"),
                (("--pixel-format", "422"), "--pixel-format requires --size"), (("-o", "-"), "--output -", "--json"),
                (("--size", "64x48", "--pixel-format", "411"), "--pixel-format"), (("--precision", "0"), "precision"),
                (("--precision", "lots"), "precision"), (("--format", "yaml"), "--format"), ((self.dis, "-o", "x.xml"), "{name}"),
                (("--no-such-option",), "--no-such-option"),
                (("--backend", "emu", "--device", "0,x"), "--device 0,x", "0 or 0,1"),
                (("--backend", "emu", "--device", "-1"), "--device"), (("-m", "version=vmaf_v0.6.1:bogus"), "bogus"),
                (("-m", "vmaf_v0.6.1", "-m", "vmaf_v0.6.1"), "two models")):
            with self.subTest(args=args):
                self.assert_fails(self.score(self.ref, self.dis, *args), 2, *fragments)
        for args, fragment in (((), "reference"), ((self.ref,), "distorted"), (("-", "-"), "standard input")):
            self.assert_fails(self.score(*args), 2, fragment)

    def test_commands(self):
        for args, *fragments in (((), "acutance: name a command", "`acutance --help`"),
                                 (("scor", self.ref), "no such command 'scor'; did you mean 'score'?", "features"),
                                 (("--json",), "name a command before '--json'"),
                                 (("features", "pnsr"), "no such feature 'pnsr'; did you mean 'psnr'?")):
            with self.subTest(args=args):
                self.assert_fails(self.acutance(*args), 2, *fragments)

    def test_names(self):
        for args, *fragments in (
                (("-f", "pnsr"), "no such feature 'pnsr'", "'psnr'"),
                (("-f", "psnr=enable_croma=true"), "no such option 'enable_croma'", "'enable_chroma'"),
                (("-f", "vif=vif_enhn_gain_limit=101"), "vif_enhn_gain_limit", "101", "1 to 100"),
                (("-f", "psnr=enable_chroma=maybe"), "maybe", "true or false"),
                (("-m", "vmaf_v0.6.2"), "vmaf_v0.6.2", "vmaf_v0.6.1"), (("--backend", "emu", "--device", "0,7"), "no device 7"),
                (("--decoder", "nvdec", "--backend", "cpu"), "NVDEC", "CUDA"),
                (("--decoder", "nvdec", "--backend", "emu"), "NVDEC", "one CUDA device", "1 of emu"),
                (("-m", self.path("absent.json")), "absent.json")):
            with self.subTest(args=args):
                self.assert_fails(self.score(self.ref, self.dis, *args), 1, *fragments)

    def test_vmaf(self):
        for args, fragment in (((), "Reference .y4m or .yuv (-r/--reference) is required"), ((), "Usage"),
                               (("-r", self.ref), "Distorted .y4m or .yuv (-d/--distorted) is required")):
            self.assert_fails(self.vmaf(*args), 1, fragment)
        for args, status, *fragments in (
                (("-w", "64"), 1, "The following options are required for .yuv input:"),
                (("-w", "x"), 1, 'Invalid argument "x" for option -w/--width; should be an integer'), (("-w", "-5"), 1, "--width"),
                (("-w", "4294967295"), 1, "--width"), (("-b", "9"), 1, "should be a valid bitdepth (8/10/12/16)"),
                (("-p", "411"), 1, "should be a valid pixel format (420/422/444)"), (("--threads", "x"), 1, "--threads"),
                (("--subsample", "x"), 1, "--subsample"), (("--cpumask", "x"), 1, "--cpumask"),
                (("--no_such_option",), 1, "no_such_option"), (("-m", "disable_clip"), 1, "disable_clip"),
                (("-m", "bogus"), 1, 'Problem parsing model, bad option string "bogus".'),
                (("-m", "version=a:bogus=1"), 1, 'Problem parsing model: "bogus"'),
                (("--feature", "psnr=x"), 1, 'Problem parsing feature "psnr", bad option string "x".'),
                (("-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_4k_v0.6.1"), 1, "uniquely named"),
                (["-m", "version=vmaf_v0.6.1"] * 33, 1, "A maximum of 32 models are supported"),
                (["--feature", "psnr"] * 33, 1, "A maximum of 32 features are supported"),
                (("--aom_ctc", "v9.9"), 1, 'bad aom_ctc version "v9.9"'),
                (("--aom_ctc", "proposed"), 1, "`--aom_ctc proposed` is deprecated."), (("--precision", "99"), 1, "precision"),
                (("-m", "version=nope"), 255, "problem loading model", "nope"),
                (("-m", "path=nope.json"), 255, "problem loading model", "nope.json"),
                (("--feature", "nope"), 255, "problem loading feature extractor", "nope"),
                (("--frame_skip_ref", "100"), 234, "no frame"), (("--backend", "metal"), 100, "metal")):
            with self.subTest(args=args[:2]):
                self.assert_fails(self.vmaf("-r", self.ref, "-d", self.dis, *args), status, *fragments)

    def test_prefixes_of_libvmafs_options(self):
        """The command has more options than libvmaf's, which must not make libvmaf's prefixes ambiguous."""
        pair = ("--r", self.ref, "--d", self.dis, "-o", self.path("log"), "--feature", "psnr")
        for args in (("--no",), ("--no_p",), ("--m", "version=vmaf_v0.6.1"), ("--m=version=vmaf_v0.6.1",), ("--x",),
                     ("--back", "cpu"), ("--no_cu",)):
            with self.subTest(args=args):
                self.assert_ok(self.vmaf(*pair, *args))
        raw = self.write("a.yuv", bytes(64 * 48 * 3 // 2))
        self.assert_ok(self.vmaf("--r", raw, "--d", raw, "--w", 64, "--he", 48, "--p", "420", "--b", 8, "-q"))
        self.assert_ok(self.vmaf(*pair[:4], "-o", "--no", cwd=self.folder.name))
        self.assertIn(b"3.2", self.vmaf("--v").stderr)
        self.assert_fails(self.vmaf(*pair, "--frame", "1"), 1, "ambiguous")

    def test_limits_on_memory_are_sizes(self):
        for wrong in ("0", "-1", "G", "1Q", "99999999999999999999", " 1G", "0x10", "nan", "18446744073709551616"):
            for option in ("--max-memory", "--max-vram"):
                self.assert_fails(self.score(self.ref, self.dis, f"{option}={wrong}"), 2, f"{option} {wrong}: expected bytes")
                self.assert_fails(self.acutance("serve", self.path("socket"), f"{option}={wrong}"), 2,
                                  f"'{wrong}' is no size")
                self.assert_fails(self.vmaf("-r", self.ref, "-d", self.dis, option, wrong), 1, f"'{wrong}' is no size")
        self.assert_ok(self.score(self.ref, self.dis, "--max-memory", "1.5GiB", "--max-vram", "100m"))

    @needs_ffmpeg
    def test_bytes_of_pipes_count_as_memory(self):
        """Those of a container are held, to decode it again where it is damaged."""
        clip = self.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25", "-frames:v", "3", "-c:v", "ffv1", self.path("a.mkv"))
        options = ("--max-memory", "8M", "--align", "index", "--no-model", "-f", "psnr")
        self.assert_fails(self.score(clip, clip, *options), 1, "; 8 MB are allowed")
        with open(clip, "rb") as file:
            self.assert_fails(self.score(clip, "-", *options, stdin=file.read()), 1, "; 7 MB are allowed")


class Outputs(CommandTest):
    def commands(self):
        """Both commands, and their status where a log cannot be written."""
        return ((ACUTANCE, "score", self.ref, self.dis), 1), ((VMAF, "-r", self.ref, "-d", self.dis), 255)

    def test_unwritable(self):
        for target in (self.path("no/such/folder/log.xml"), self.folder.name, "/dev/full"):
            with self.subTest(target=target):
                result = self.score(self.ref, self.dis, "-o", target)
                self.assert_fails(result, 1, target)
                # All errors except a full disk are reported at the start.
                self.assertEqual(b"frames/s" in result.stdout, target == "/dev/full")
                result = self.vmaf("-r", self.ref, "-d", self.dis, "-o", target)
                self.assert_fails(result, 255, "could not open file: " + target)

    def test_an_empty_path_is_not_taken_for_none(self):
        for option in ("--output", "--report", "--maps", "--journal", "--junit", "--pairs-out"):
            self.assert_fails(self.score(self.ref, self.dis, option, ""), 2, option, "empty")
        self.assert_fails(self.vmaf("-r", self.ref, "-d", self.dis, "-o", ""), 1, "--output", "empty")

    def test_closed_standard_streams(self):
        """Warnings need no reader, and go into no file that gets a closed stream's number; results need one."""
        for command in (f"{ACUTANCE} score {self.ref} {self.dis} -m vmaf_v0.6.1 --align index",
                        f"{VMAF} -r {self.ref} -d {self.dis} --feature psnr=nosuch=1"):
            log = self.path("log.xml")
            self.assert_ok(self.run_command("sh", "-c", f"{command} -o {log} <&- 2>&-"))
            self.assertTrue(self.read("log.xml").startswith("<VMAF"))
        self.assert_fails(self.run_command("sh", "-c", f"{ACUTANCE} models >&-"), 1, "standard output")

    def test_a_video_is_not_overwritten(self):
        for command, status in self.commands():
            self.assert_fails(self.run_command(*command, "-o", self.dis), status, "dis.y4m is one of the videos")
        self.assert_ok(self.score(self.ref, self.dis))

    def run_into(self, output, *command, **options):
        """Runs a command with that standard output."""
        with open(output, "wb") as file:
            return subprocess.run(command, stdout=file, stderr=subprocess.PIPE, timeout=60, check=False, **options)

    def test_full_disk_on_standard_output(self):
        for command, status in (((ACUTANCE, "score", self.ref, self.dis), 1),
                                ((ACUTANCE, "score", self.ref, self.dis, "--json", "--all-features"), 1),
                                ((VMAF, "--help"), 255), ((VMAF, "--list-backends"), 255)):
            self.assert_fails(self.run_into("/dev/full", *command), status, "standard output")

    def test_files_may_not_grow(self):
        """Past a limit on the size of files, a write fails like one to a full disk; it does not end the process."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))  # noqa: E731
        for command, status in self.commands():
            result = self.run_into("/dev/null", *command, "-o", self.path("log.xml"), preexec_fn=limit)
            self.assert_fails(result, status, "File too large")
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith("log.xml")], [])

    def test_an_old_log_survives_a_failed_run(self):
        log = self.write("log.xml", "old")
        self.assert_fails(self.score(self.ref, self.path("absent.y4m"), "-o", log), 1)
        self.assertEqual(self.read("log.xml"), "old")


class Warnings(CommandTest):
    def test_a_warning_comes_at_its_cause(self):
        """Before the end of a run that may last for days: here most of the video is not written yet."""
        for name, command in (("score.y4m", [ACUTANCE, "score", "--align", "index", self.ref]),
                              ("vmaf.y4m", [VMAF, "-r", self.ref, "-d"])):
            fifo = self.fifo(name)
            process = subprocess.Popen([*command, fifo], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            writer = os.open(fifo, os.O_WRONLY)
            os.write(writer, y4m(64, 48, self.clip("dis")[:1], tags="F50:1 Ip A1:1 C420jpeg"))
            said = ""
            while "50" not in said and select.select([process.stderr], [], [], 20)[0]:
                said += os.read(process.stderr.fileno(), 4096).decode()
            os.close(writer)
            process.communicate(timeout=60)
            self.assertIn("ref.y4m has 25 frames/s", said, command)


class Signals(CommandTest):
    def start_on_fifo(self, *args, data=None):
        fifo = self.fifo("slow.y4m")
        process = subprocess.Popen([ACUTANCE, "score", self.ref, fifo, *args], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        writer = os.open(fifo, os.O_WRONLY)
        os.write(writer, data or y4m(64, 48, self.clip("dis")[:3]))
        return process, writer

    def test_interrupt_while_waiting_for_input_ends_promptly_without_a_log(self):
        log = self.path("log.xml")
        for data in (None, b"YUV4"):  # waits for a frame, or opens the video
            process, writer = self.start_on_fifo("-o", log, data=data)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            try:
                _, error = process.communicate(timeout=10)
            finally:
                process.kill()
                os.close(writer)
            self.assertEqual(process.returncode, 130, error)
            self.assertIn(b"interrupted", error)
            self.assertFalse(os.path.exists(log))
            os.remove(self.path("slow.y4m"))

    def test_interrupt_while_frames_are_paired_ends_the_run(self):
        dice = random.Random(5)
        videos = [self.video(f"{name}.y4m", noise(dice, 640, 360, 60), size=(640, 360)) for name in ("a", "b")]
        interrupted = 0
        for delay in (0.03, 0.1, 0.2, 0.4):
            process = subprocess.Popen([ACUTANCE, "score", *videos, "-q"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            time.sleep(delay)
            is_running = process.poll() is None
            interrupted += is_running
            process.send_signal(signal.SIGINT)
            _, error = process.communicate(timeout=60)
            self.assertIn(process.returncode, (130, -signal.SIGINT) if is_running else (1,), error)
        self.assertGreater(interrupted, 0)

    def test_writer_that_dies(self):
        process, writer = self.start_on_fifo()
        os.write(writer, b"FRAME\n" + self.clip("dis")[3][:100])
        os.close(writer)
        _, error = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1, error)
        self.assertIn(b"3 frames were scored", error)


class RawFormats(CommandTest):
    WIDTH, HEIGHT = 96, 64

    def raw(self, kind, deep=False):
        pictures = deepened(self.clip(kind)) if deep else self.clip(kind)
        return self.write(f"{kind}{10 if deep else 8}.yuv", b"".join(pictures))

    def warned(self, *args):
        return self.score(*args, "--align", "index", "-q").stderr.decode()

    def test_wrong_formats_are_named(self):
        eight, ten = (self.raw("ref"), self.raw("dis")), (self.raw("ref", True), self.raw("dis", True))
        for pair, told, better in ((ten, "--size 96x64", "--bit-depth 10"), (ten, "--size 96x64 --bit-depth 12", "--bit-depth 10"),
                                   (eight, "--size 96x64 --bit-depth 10", "--bit-depth 8"), (eight, "--size 192x64", "--size 96x64"),
                                   ((eight[0], ten[1]), "--size 96x64", "--bit-depth 10")):
            with self.subTest(told=told, pair=pair):
                self.assertIn(better, self.warned(*pair, *told.split()))
        findings = self.assert_ok(self.acutance("doctor", *ten, "--size", "96x64", "--bit-depth", "12"))
        self.assertIn("10 bits", findings)

    def test_right_formats_are_not_doubted(self):
        dice = random.Random(7)
        grain = self.write("noise.yuv", b"".join(noise(dice, 96, 64, 4)))
        flat = self.write("flat.yuv", bytes([16]) * (96 * 64) + bytes([128]) * (96 * 32))
        for ref, dis, told in ((self.raw("ref"), self.raw("dis"), ()), (grain, grain, ()), (flat, flat, ()),
                               (self.raw("ref", True), self.raw("dis", True), ("--bit-depth", "10"))):
            with self.subTest(ref=ref):
                self.assertNotIn("its bytes fit", self.warned(ref, dis, "--size", "96x64", *told))

    def test_one_frame_before_the_damage(self):
        broken = self.video("broken.y4m", [picture[:-32] for picture in self.clip("ref")])
        for pair in ((broken, self.dis), (self.dis, broken)):
            result = self.score(*pair)
            self.assert_fails(result, 1, "damaged")
            self.assertNotIn("a picture", result.stderr.decode())


class Terminals(CommandTest):
    def lines_drawn(self, columns, kind):
        """The output on a terminal of that width while frames arrive slowly."""
        fifo = self.fifo("slow.y4m")
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([ACUTANCE, "score", self.ref, fifo], stdout=subprocess.DEVNULL, stderr=slave,
                              env={**os.environ, "TERM": kind}) as process:
            os.close(slave)
            with open(fifo, "wb") as writer:
                writer.write(y4m(64, 48, []))
                for frame in self.clip("dis"):
                    writer.write(b"FRAME\n" + frame)
                    writer.flush()
                    time.sleep(0.15)
            self.assertEqual(process.wait(timeout=60), 0)
        os.set_blocking(master, False)
        try:
            text = os.read(master, 65536).decode()
        except OSError:  # closed, with nothing written
            text = ""
        os.close(master)
        os.remove(fifo)
        return text.split("\r")

    def test_progress_stays_on_one_line(self):
        for columns in (30, 80):
            lines = self.lines_drawn(columns, "xterm")
            self.assertTrue(any(" frames" in line for line in lines), lines)
            drawn = [line.removesuffix("\x1b[K") for line in lines if "acutance: " not in line]
            self.assertLess(max(map(len, drawn)), columns)

    def test_terminal_that_cannot_wipe(self):
        self.assertNotIn("\x1b", "".join(self.lines_drawn(80, "dumb")))
