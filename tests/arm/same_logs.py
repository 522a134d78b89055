#!/usr/bin/env python3
"""Compares the logs of two builds of `vmaf`, byte for byte except the line of speed.

usage: same_logs.py VMAF OTHER_VMAF [FOLDER]

Every metric and the default models run on generated pairs of 8 and 10 bits, 4:2:0, 4:2:2 and 4:4:4, odd sizes among them, and on
the pairs of FOLDER, which are y4m files named <name>_ref.y4m and <name>_dis.y4m.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# By what sizes they refuse: all of them fit the first.
LARGE = ("cambi", "float_ms_ssim", "speed_chroma", "speed_temporal")
FEATURES = ("adm", "butteraugli", "ciede", "cvvdp", "float_adm", "float_ansnr", "float_moment", "float_motion", "float_psnr",
            "float_ssim", "float_vif", "motion", "psnr", "psnr_hvs", "ssimulacra2", "vif", "xpsnr")
CLIPS = ((352, 352, "420jpeg", 2, 2, 8), (129, 67, "420p10", 2, 2, 10), (160, 96, "422", 2, 1, 8), (97, 130, "444p10", 1, 1, 10))


def write_clip(path, clip, strength):
    width, height, tag, across, down, bits = clip
    top = (1 << bits) - 1

    def plane(columns, rows, k):
        values = [(3 * x * (top >> 7) + 2 * y + 9 * k + (x * y >> 4) % 31 + strength * ((x * 7 + y * 13 + k) % 11)) & top
                  for y in range(rows) for x in range(columns)]
        return b"".join(v.to_bytes(2, "little") for v in values) if bits > 8 else bytes(values)

    chroma = -(-width // across), -(-height // down)
    with path.open("wb") as out:
        out.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{tag}\n".encode())
        for k in range(3):
            out.write(b"FRAME\n" + plane(width, height, k) + plane(*chroma, k + 1) + plane(*chroma, 3 * k))


def log(vmaf, ref, dis, words, path):
    done = subprocess.run([vmaf, "-r", ref, "-d", dis, *words, "--json", "-o", path, "--precision", "max", "-q"],
                          capture_output=True, text=True, check=False)
    return re.sub(r'\n *"fps": .*', "", path.read_text()) if done.returncode == 0 else f"{done.returncode} {done.stderr}"


def main(vmaf, other, folder):
    different = compared = 0
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        pairs = []
        for index, clip in enumerate(CLIPS):
            for name, strength in (("ref", 0), ("dis", 1)):
                write_clip(place / f"{index}_{name}.y4m", clip, strength)
            pairs.append(place / f"{index}_ref.y4m")
        pairs += sorted(pathlib.Path(folder).glob("*_ref.y4m")) if folder else []
        for ref in pairs:
            dis = ref.with_name(ref.name.replace("_ref.", "_dis."))
            for words in [("--no_prediction", "--feature", name) for name in FEATURES + LARGE] + [("-m", "version=vmaf_v0.6.1")]:
                ours = log(vmaf, ref, dis, words, place / "ours")
                compared += 1
                if log(other, ref, dis, words, place / "other") != ours:
                    different += 1
                    print(f"different: {ref.stem} {' '.join(words)}")
    print(f"same_logs: {compared} pairs of logs, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else None))
