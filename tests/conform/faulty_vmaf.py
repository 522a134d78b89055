#!/usr/bin/env python3
"""acutance's `vmaf` with a planted fault: a program for `acutance conform`, which must find it.

usage: faulty_vmaf.py FAULT VMAF [libvmaf's options]

A fault changes the samples that the engine reads, the options that it gets, or the log that it writes.
"""
import json
import subprocess
import sys


class Run:
    """The options of a run, and the raw pictures that they name."""

    def __init__(self, words):
        self.words = list(words)
        self.width, self.height, self.depth = (int(self.value(name)) for name in ("-w", "-h", "-b"))
        self.chroma, self.log = self.value("-p"), self.value("-o")

    def value(self, name):
        return self.words[self.words.index(name) + 1]

    def planes(self):
        """Bytes of each plane of a frame."""
        size = 2 if self.depth > 8 else 1
        luma = self.width * self.height * size
        if self.chroma == "400":
            return [luma]
        width = self.width if self.chroma == "444" else (self.width + 1) // 2
        height = (self.height + 1) // 2 if self.chroma == "420" else self.height
        return [luma, width * height * size, width * height * size]

    def change_video(self, option, change):
        """Replaces a video by what `change` makes of its frames, each a list of planes."""
        path, planes = self.value(option), self.planes()
        data, frames = open(path, "rb").read(), []
        for at in range(0, len(data), sum(planes)):
            frame = []
            for size in planes:
                frame.append(bytearray(data[at:at + size]))
                at += size
            frames.append(frame)
        changed = f"{self.log}{option}.yuv"
        with open(changed, "wb") as file:
            file.write(b"".join(b"".join(frame) for frame in change(frames)))
        self.words[self.words.index(option) + 1] = changed

    def drop_option(self, name):
        """The engine does not see an option of its features."""
        for i, word in enumerate(self.words):
            if self.words[i - 1] == "--feature" and name in word:
                metric, _, options = word.partition("=")
                rest = ":".join(option for option in options.split(":") if not option.startswith(name))
                self.words[i] = f"{metric}={rest}" if rest else metric

    def change_log(self, change):
        with open(self.log, encoding="utf-8") as file:
            log = json.load(file)
        change([frame["metrics"] for frame in log["frames"]], log)
        with open(self.log, "w", encoding="utf-8") as file:
            json.dump(log, file)


def late_reference(frames):
    return [frames[0], *frames[:-1]]


def clear_low_bit(frames):
    for frame in frames:
        frame[0][::2] = bytes(sample & 254 for sample in frame[0][::2])
    return frames


def swap_chroma(frames):
    return [frame[:1] + frame[:0:-1] for frame in frames]


def one_sample(frames):
    frames[5][0][1000] ^= 4
    return frames


def last_row(run):
    """A kernel that repeats the row before the last."""
    def change(frames):
        stride = run.planes()[0] // run.height
        for frame in frames:
            frame[0][-stride:] = frame[0][-2 * stride:-stride]
        return frames
    return change


def each(columns, change):
    def apply(frames, _log):
        for index, metrics in enumerate(frames):
            for name in list(metrics):
                if name.startswith(columns) and metrics[name] is not None:
                    metrics[name] = change(metrics[name], index)
    return apply


def swapped_scales(frames, _log):
    for metrics in frames:
        for name in [name for name in metrics if name.startswith("integer_vif_scale1")]:
            other = name.replace("scale1", "scale2")
            metrics[name], metrics[other] = metrics[other], metrics[name]


def late_motion(frames, _log):
    for name in [name for name in frames[0] if name.startswith("integer_motion2")]:
        values = [metrics[name] for metrics in frames]
        for metrics, value in zip(frames, [values[0], *values[:-1]]):
            metrics[name] = value


def last_frame_missing(_frames, log):
    log["frames"].pop()


# fault: (before the run, after it)
FAULTS = {
    "reference one frame late": (lambda run: run.change_video("-r", late_reference), None),
    "videos swapped": (lambda run: run.words.__setitem__(slice(0, 4), ["-r", run.value("-d"), "-d", run.value("-r")]), None),
    "low bit of luma lost": (lambda run: run.change_video("-d", clear_low_bit), None),
    "chroma planes swapped": (lambda run: run.change_video("-d", swap_chroma), None),
    "one sample of one frame": (lambda run: run.change_video("-d", one_sample), None),
    "last row of odd heights": (lambda run: run.height % 2 and run.change_video("-d", last_row(run)), None),
    "low bit of 16 bits lost": (lambda run: run.depth == 16 and run.change_video("-d", clear_low_bit), None),
    "gain limit ignored": (lambda run: run.drop_option("vif_enhn_gain_limit"), None),
    "viewing distance ignored": (lambda run: run.drop_option("adm_norm_view_dist"), None),
    "scales of VIF swapped": (None, swapped_scales),
    "motion one frame late": (None, late_motion),
    "last decimal lost": (None, each("integer_", lambda value, index: round(value, 5))),
    "sum that overflows": (None, each("ciede", lambda value, index: value % 8)),
    "a millionth from frame 6 on": (None, each("integer_adm2", lambda value, index: value + 1e-6 * (index >= 6))),
    "last frame missing": (None, last_frame_missing),
}


def main(fault, vmaf, *words):
    before, after = FAULTS[fault]
    run = Run(words)
    if before:
        before(run)
    status = subprocess.run([vmaf, *run.words], check=False).returncode
    if status == 0 and after:
        run.change_log(after)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
