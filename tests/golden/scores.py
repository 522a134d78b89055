#!/usr/bin/env python3
"""Compares all features and models of a made pair with scores.txt, and the sum of that file with docs/scores.md.

usage: scores.py VMAF [--write]    --write: writes scores.txt, which then needs a row in docs/scores.md

A score that changes makes users' tests fail that compare numbers: it changes with a row that says so, or not at all.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STORED = HERE / "scores.txt"
PAGE = ROOT / "docs" / "scores.md"
WIDTH, HEIGHT, FRAMES = 360, 352, 3  # the smallest pictures of all models
FEATURES = ("psnr", "adm", "motion", "vif", "float_motion", "psnr_hvs", "ciede", "float_vif", "float_adm", "float_ssim",
            "float_ms_ssim", "float_psnr", "float_moment", "float_ansnr", "xpsnr", "ssimulacra2", "butteraugli", "cvvdp", "cambi",
            "speed_chroma", "speed_temporal", "pu_psnr=transfer=sdr", "pu_ssim=transfer=sdr", "delta_e_itp=transfer=sdr")


def plane(width, height, k, shift):
    return bytes((40 + (3 * x + 2 * y + 5 * k) % 150 + (x * y // 16 + 7 * k) % 23 + shift * ((x * 7 + y * 13 + k) % 9)) % 256
                 for y in range(height) for x in range(width))


def write_video(path, shift):
    pictures = [b"FRAME\n" + plane(WIDTH, HEIGHT, k, shift) + plane(WIDTH // 2, HEIGHT // 2, k + 1, shift)
                + plane(WIDTH // 2, HEIGHT // 2, 3 * k, shift) for k in range(FRAMES)]
    path.write_bytes(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420jpeg\n".encode() + b"".join(pictures))


def computed(vmaf):
    """A line for each column: its name and its scores, in as many digits as they have."""
    rows = [row.split("|")[0].strip() for row in (ROOT / "models" / "models.txt").read_text().splitlines()]
    models = [name for name in rows if name and name[0] != "#"]
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        write_video(place / "ref.y4m", 0)
        write_video(place / "dis.y4m", 1)
        words = [word for name in models for word in ("-m", f"version={name}:name={name}")]
        words += [word for name in FEATURES for word in ("--feature", name)]
        subprocess.run([vmaf, "-r", place / "ref.y4m", "-d", place / "dis.y4m", *words, "--json", "-o", place / "log",
                        "--precision", "max"], check=True)
        log = json.loads((place / "log").read_text())
    scores = {name: [frame["metrics"][name] for frame in log["frames"]] for name in log["frames"][0]["metrics"]}
    scores.update((name, [value]) for name, value in log["aggregate_metrics"].items())
    return "".join(f"{name} {' '.join(map(repr, values))}\n" for name, values in sorted(scores.items()))


def main(vmaf, write):
    text = computed(vmaf)
    if write:
        STORED.write_text(text)
    stored = STORED.read_text()
    if text != stored:
        new, old = set(text.splitlines()), set(stored.splitlines())
        sys.exit("scores changed (scores.py VMAF --write, and a row in docs/scores.md):\n"
                 + "\n".join([f"- {line}" for line in sorted(old - new)] + [f"+ {line}" for line in sorted(new - old)]))
    digest = hashlib.sha256(stored.encode()).hexdigest()[:16]
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    if digest not in rows[-1]:
        sys.exit(f"docs/scores.md: its last row is not of these scores, whose sum is {digest}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    main(sys.argv[1], len(sys.argv) == 3)
