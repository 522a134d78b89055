#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets and their dictionaries: seeds.py FOLDER makes FOLDER/<target>/<name> and
FOLDER/<target>.dict. The inputs are valid, so that fuzzing begins behind the first checks."""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOW = [0, 1, 2, 4, 33]  # the first byte of video targets: pipe, mapping retained, no chroma, pictures to skip

# Words of each target's dictionary, between bars.
WORDS = {
    "fuzz_y4m": b"FRAME\n| C420jpeg| C420paldv| C420mpeg2| C422| C444| C444alpha| C411| Cmono| Cmono16| C420p10|"
                b" C422p12| C444p16| W| H| F25:1| Ip| A1:1| XYSCSS=|32768",
    "fuzz_raw": b"x|420|422|444|400|32768|1x1",
    "fuzz_model": b'"model_dict":|"model":|"model_type":|LIBSVMNUSVR|RESIDUEBOOTSTRAP_LIBSVMNUSVR|'
                  b'BOOTSTRAP_LIBSVMNUSVR|"norm_type":|linear_rescale|none|"slopes":|"intercepts":|'
                  b'"score_clip":|"score_transform":|"enabled":|"knots":|"p0":|"out_gte_in":|'
                  b'"out_lte_in":|"feature_names":|"feature_opts_dicts":|'
                  b'"VMAF_integer_feature_vif_scale0_score"|svm_type nu_svr|kernel_type rbf|gamma |nr_class 2|'
                  b"total_sv |rho |SV|null|true|false|1e308|-0|\\u0000",
    "fuzz_svm": b"svm_type nu_svr|svm_type epsilon_svr|kernel_type rbf|gamma |nr_class 2|total_sv |rho |SV| 1:| 6:|inf|"
                b"nan|1e308|-",
    "fuzz_h264": b"\x00\x00\x01|\x00\x00\x03|g|h|'|\xff\xe1",
    "fuzz_container_facts": b"\x1aE\xdf\xa3|\x18S\x80g|\x01\xff\xff\xff\xff\xff\xff\xff",
    "fuzz_container_bytes": b"\x89PNG\r\n\x1a\n|eXIf|IEND|II*\x00|MM\x00*|\x01\x12|\x12\x01|G@\x00\x10|G|\x1b|\xe1\x00",
    "fuzz_container": b"\x00\x00\x01|\x00\x00\x00\x01|\x1fC\xb6u|\xa3|\xa1|moof|mdat|clap|colr|edts|stts|ctts|G\x00",
    "fuzz_options": b"version=|path=|name=|disable_clip|enable_transform|disable_transform|vmaf_v0.6.1|psnr|motion|"
                    b"float_motion|vif|adm|enable_chroma=|enable_mse=|enable_apsnr=|reduced_hbd_peak=|min_sse=|"
                    b"motion_force_zero=|motion_five_frame_window=|vif_enhn_gain_limit=|adm_enhn_gain_limit=|"
                    b"adm_csf_mode=|adm_norm_view_dist=|adm_ref_display_height=|debug=|true|false|:|=|.",
    "fuzz_vmaf_args": b"--reference|--distorted|--width|--height|--pixel_format|--bitdepth|--model|--output|--xml|"
                      b"--json|--csv|--sub|--threads|--feature|--cpumask|--gpumask|--frame_cnt|--frame_skip_ref|"
                      b"--frame_skip_dist|--aom_ctc|--nflx_ctc|--help|--subsample|--no_prediction|--quiet|--version|"
                      b"--backend|--device|--precision|--list-backends|v6.0|v1.0|max|--no_cuda",
    "fuzz_score_args": b"--model|--feature|--no-model|--output|--format|--precision|--frames|--journal|--size|"
                       b"--pixel-format|--bit-depth|--backend|--device|--decoder|--max-vram|--max-memory|--verify|"
                       b"--threads|--subsample|--json|--quiet|1920x1080|0:10|--align|--pairs-out|--crop|--scale|"
                       b"--scale-filter|--film-grain|--viewing|--force|--maps|--report|1920:800:0:140|+12|auto",
    "fuzz_capi": b"\x00\x02\x01|\x06\x00\x01\x02  |\x08\x00\x01\x01|\x0b",
    "fuzz_pairs": b"auto|time|index|+12|-3|reference_frame,distorted_frame|0,12|,|9223372036854775807",
    "fuzz_align": b"\x7f\xf0\x00\x00\x00\x00\x00\x00|\x7f\xf8\x00\x00\x00\x00\x00\x00|C\xe0\x00\x00\x00\x00\x00\x00|"
                  b"@9\x00\x00\x00\x00\x00\x00|\x00\x00\x00\x00\x00\x00\x00\x01",
    "fuzz_fit": b"ref|dis|32x32|bicubic|lanczos|bilinear|area|\x7f\xf8\x00\x00\x00\x00\x00\x00|"
                b"?\xf8\x00\x00\x00\x00\x00\x00",
    "fuzz_score": b"auto|time|index|+2|-3|none|20:16:4:4|ref|dis|64x48|2:9|0,1|F25:1|F60000:1001|F2000000000:1|It|Ip",
    "fuzz_journal": b"pictures: |32x32, 8 bit, 420|frames: |subsample: |reference path: |distorted 1 path: |pairs: |"
                    b"feature: |model: |model feature: |vmaf_v0.6.1|built in|enable_transform|motion|vif|adm|psnr|\t",
    "fuzz_doctor": b"F25:1|F30000:1001|F50:1|It|Ip|Ib",
}


def videos():
    headers = ["W4 H4 F25:1 Ip A1:1 C420jpeg", "W6 H4 C422", "W4 H2 C444p10 XYSCSS=444P10", "W5 H3 Cmono", "W8 H4 C411",
               "W4 H4 C420paldv", "W4 H4 C444alpha", "W3 H3 C420p16", "W4 H4 F0:0"]
    for number, header in enumerate(headers):
        body = bytes(range(256)) * 2
        frame = b"FRAME\n" + body[:64]
        yield f"y4m{number}", bytes([HOW[number % len(HOW)]]) + b" " + header.encode() + b"\n" + frame * 3


def raw():
    for number, (size, layout, depth) in enumerate([("4x4", "420", 8), ("6x2", "422", 10), ("2x2", "444", 16),
                                                    ("5x3", "400", 8), ("4x4", "420", 12)]):
        yield f"raw{number}", (bytes([HOW[number]]) + f"{size}\n{layout}\n".encode() + bytes([depth]) +
                               bytes(range(200)))


def small_model():
    """The default model with three support vectors."""
    model = json.loads((ROOT / "models/vmaf_v0.6.1.json").read_text())
    part = model["model_dict"]
    head, vectors = part["model"].split("SV\n")
    lines = [line for line in vectors.split("\n") if line][:3]
    head = head.replace("total_sv 211", "total_sv 3")
    part["model"] = head + "SV\n" + "\n".join(lines) + "\n"
    return model


def models():
    model = small_model()
    yield "default", json.dumps(model).encode()
    yield "transform", json.dumps(dict(model, model_dict=dict(
        model["model_dict"], score_transform={"enabled": True, "p0": 1.7, "p1": 1.0, "p2": 0.0, "knots": [[0, 0], [100, 100]],
                                              "out_gte_in": "true"}))).encode()
    yield "collection", json.dumps({"0": model, "1": model}).encode()
    yield "neg", json.dumps(dict(model, model_dict=dict(
        model["model_dict"], feature_opts_dicts=[{"adm_enhn_gain_limit": 1.0}, {}, {}, {}, {}, {}]))).encode()


def svms():
    yield "default", bytes([5]) + small_model()["model_dict"]["model"].encode()


def h264():
    high = bytes.fromhex("6764000aacd9447b011000000300100000030320f1225960")
    gray = bytes.fromhex("6764000af36511ec05b2000003000200000300641e244b2c")
    full = bytes.fromhex("67f4000a919b288f6022000003000200000300641e244b2c")
    pps = bytes.fromhex("68ebe3cb22c0")
    for name, sps in (("high", high), ("gray", gray), ("full", full)):
        yield f"annexb_{name}", b"\0\0\0\1" + sps + b"\0\0\1" + pps
        yield f"avcc_{name}", (bytes([1, sps[1], sps[2], sps[3], 0xFF, 0xE1, 0, len(sps)]) + sps +
                               bytes([1, 0, len(pps)]) + pps)


def container_facts():
    header = bytes.fromhex("1a45dfa39f4286810142f7810142f2810442f381084282846d6b76614287810442858102")
    yield "known", header + bytes.fromhex("18538067010000000000abcd")
    yield "unknown", header + bytes.fromhex("1853806701ffffffffffffff")
    for name, content in containers():
        yield name, content[1:]


# Arguments of the ffmpeg command, of which each makes one short clip.
CLIPS = {"h264.mp4": "-c:v libx264 -g 8 -bf 2", "h264.ts": "-c:v libx264 -g 8", "hevc.mkv": "-c:v libx265 -x265-params hash=1:log-level=none",
         "mpeg2.ts": "-c:v mpeg2video -b:v 100k -g 6 -t 0.3 -bf 2", "vp9.webm": "-c:v libvpx-vp9 -b:v 60k", "av1.mkv": "-c:v libsvtav1 -crf 50",
         "mjpeg.avi": "-c:v mjpeg -t 0.2", "ffv1.mkv": "-c:v ffv1 -slices 4 -slicecrc 1 -t 0.2", "one.png": "-frames:v 1", "one.jpg": "-frames:v 1"}


def containers():
    """Clips of the encoders that the ffmpeg command has, if any: one way to read each, then the file."""
    if not shutil.which("ffmpeg"):
        return
    with tempfile.TemporaryDirectory() as folder:
        for how, (name, options) in enumerate(CLIPS.items()):
            path = pathlib.Path(folder) / name
            command = ["ffmpeg", "-v", "quiet", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=0.4,format=yuv420p"]
            if subprocess.run([*command, *options.split(), path], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                yield name, bytes([how]) + path.read_bytes()


def checksum(section):
    """That of the sections of transport streams."""
    value = 0xffffffff
    for byte in section:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04c11db7 if value >> 31 else 0)) & 0xffffffff
    return value.to_bytes(4, "big")


def container_bytes():
    exif = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
    yield "png", b"\x08\x89PNG\r\n\x1a\n" + struct.pack(">I", len(exif)) + b"eXIf" + exif + bytes(12)
    yield "tiff", b"\x08II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)

    def packet(pid, payload, counter=0):
        return (struct.pack(">BHB", 0x47, 0x4000 | pid, 0x10 | counter) + payload).ljust(188, b"\xff")

    def table(pid, number, name, body):
        section = struct.pack(">BHHBBB", number, 0xb009 + len(body), name, 0xc1, 0, 0) + body
        return packet(pid, b"\0" + section + checksum(section))

    def part(name, kind, pid):
        return (table(0, 0, 1, struct.pack(">HH", name, 0xf000)) +
                table(0x1000, 2, name, struct.pack(">HHBHH", 0xffff, 0xf000, kind, 0xe000 | pid, 0xf000)) +
                b"".join(packet(pid, b"\0\0\1\xe0", k) for k in range(3)))

    yield "same", b"\x40" + part(1, 0x1b, 0x100) * 2
    yield "other", b"\x40" + part(1, 0x1b, 0x100) + part(2, 0x1b, 0x200) + part(1, 0x1b, 0x100)
    yield "codec", b"\xbb" + part(1, 0x1b, 0x100) + part(2, 2, 0x100)


def options():
    texts = ["version=vmaf_v0.6.1:name=a:disable_clip\npsnr=enable_chroma=false:enable_mse=true",
             "path=a.json:enable_transform:adm.adm_enhn_gain_limit=1.0\nvif=vif_enhn_gain_limit=1.2:debug=true",
             "version=vmaf_v0.6.1neg\nmotion=motion_force_zero=true", "\nadm=adm_csf_mode=1", "\nfloat_motion"]
    return numbered("options", texts)


def numbered(name, texts):
    return [(f"{name}{number}", text.encode()) for number, text in enumerate(texts)]


def arguments(*lines):
    """Command lines, an argument a line."""
    return numbered("args", [line.replace(" ", "\n") for line in lines])


def vmaf_args():
    return arguments(
        "-r a.y4m -d b.y4m -m version=vmaf_v0.6.1 -o out.json --json",
        "--reference a --distorted b -w 16 -h 16 -p 420 -b 10 --threads 4 --subsample 2 --feature psnr",
        "-r a -d b --aom_ctc v6.0 --frame_cnt 10 --frame_skip_ref 1 --frame_skip_dist 2 --no_prediction -q",
        "--list-backends", "-v", "-r a -d b --backend cuda --device 1 --precision 6 --csv --nflx_ctc v1.0")


def score_args():
    return arguments(
        "a.y4m b.y4m c.y4m --model version=vmaf_v0.6.1 -o log --format json",
        "a b --size 16x16 --pixel-format 444 --bit-depth 12 --threads 3 --subsample 2 --frames 2:9",
        "a b --backend emu --device 0,1 --max-vram 100 --json --quiet --no-model --feature psnr", "a b --journal j",
        "a b --align +12 --pairs-out p.csv --crop 1920:800:0:140,1280:720:0:0 --scale 640x360 --scale-filter area",
        "a b --align time --crop auto --viewing tv --model auto --film-grain off --force --maps m --report r.html")


def calls():
    run = [0, 2, 1, 2, 0, 0, 3, 4, 0, 1, 5, 0]
    pair = [6, 0, 1, 2, 32, 32, 9, 6, 1, 1, 2, 32, 32, 70, 8, 0, 1, 1]
    yield "score", bytes(run + 3 * pair + [11, 12, 0, 0, 13, 1, 0, 2, 0, 16, 2, 1])
    yield "pool", bytes([0, 1, 1, 5, 0, 15, 1, 16, 16, 0, 15, 1, 16, 16, 1] + [8, 0, 1, 1, 11, 12, 0, 0])
    yield "import", bytes([0, 0, 1, 14, 3, 7, 0, 14, 3, 9, 1, 13, 1, 0, 1, 3])


def pairs():
    yield "auto", b"auto\nreference_frame,distorted_frame\n0,2\n1,3\n2,5\n"
    yield "late", b"+12\n0,12\r\n1 , 13\n\n7,14"
    yield "early", b"-3\n3,0\n9,1"


def track(how, frames, values=b""):
    return bytes([len(frames), how]) + values + bytes(frames)


def tracks():
    frames = list(range(3, 43))
    yield "plain", track(0, frames) + track(0, frames)
    yield "late", track(1, frames, b"\x19") + track(1, frames[4:], b"\x19")
    yield "dropped", track(0, frames) + track(0, frames[:9] + frames[11:30])
    yield "still", track(0, [7] * 30) + track(0, [7] * 28)
    yield "periodic", track(0, [1, 2, 3] * 12) + track(0, [2, 3, 1] * 11)
    yield "timed", track(9, [n for k in frames for n in (k, 0)][:40], b"\x32") + track(1, frames[::2], b"\x19")


def fits():
    def video(width, height, depth, layout, how=0, crop=b"\0"):
        return bytes([width - 1, height - 1, depth - 8, layout, how, 90]) + crop
    yield "scale", b"\x17ref\nbicubic\n" + video(64, 36, 8, 0) + video(32, 18, 10, 0)
    yield "turn", b"\x17dis\nlanczos\n" + video(36, 64, 8, 2, 5) + video(64, 36, 8, 2, 0)
    yield "crop", b"\x1f40x20\narea\n" + video(64, 48, 8, 0, 0, b"\1\x28\x14\2\2") + video(48, 40, 8, 0, 64)
    yield "range", b"\x0f\n\n" + video(32, 32, 8, 1, 16) + video(32, 32, 8, 1, 48)


def clip(width, height, layout, frames, first, speed, rate="F25:1 Ip"):
    return bytes([width - 1, height - 1, layout, frames, first, speed]) + rate.encode() + b"\n"


def scores():
    same = clip(32, 32, 0, 20, 3, 1)
    yield "auto", b"\0auto\nnone\nref\n\n\0-\n" + same + same
    yield "late", b"\0auto\nnone\nref\n\n\0-\n" + same + clip(32, 32, 0, 16, 7, 1)
    yield "rates", b"\0auto\nnone\n64x48\n\n\0-\n" + same + clip(40, 32, 0, 10, 3, 2, "F25:2 Ip")
    yield "file", b"\x04\nnone\nref\n1:4\n\0" + b"0,1\n1,2\n2,4\n4,5\n-\n" + same + clip(32, 32, 0, 16, 2, 1)
    yield "crop", b"\x09+2\n20:16:4:4\nref\n2:9\n\1-\n" + same + clip(32, 32, 4, 12, 1, 1)
    yield "bars", b"\x48time\nauto\ndis\n\n\0-\n" + clip(48, 40, 2, 9, 3, 1, "F60:1 Ip") + clip(48, 40, 1, 5, 3, 2, "F30:1")


def journals():
    lines = ["pictures: 32x32, 8 bit, 420", "frames: 0:", "subsample: 1", "reference path: a.y4m",
             "distorted 1 path: b.y4m", "pairs: frame by frame", "feature: psnr"]
    records = bytes([0, 6]) + bytes([5, 40] * 6) + bytes([1, 6]) + bytes([7, 40] * 6) + bytes([255, 1, 2, 0])
    yield "psnr", "\n".join(lines).encode() + b"\n\n" + records
    lines[1:3] = ["frames: 1:9", "subsample: 2"]
    yield "model", "\n".join(lines + ["model: vmaf_v0.6.1\tvmaf\tbuilt in\tenable_transform\t10 bits",
                                      "model feature: adm\tadm_enhn_gain_limit=1.0"]).encode() + b"\n\n" + records


def doctors():
    yield "same", clip(64, 48, 0, 20, 3, 1) * 2
    yield "late", clip(64, 48, 0, 20, 3, 1) + clip(64, 48, 0, 16, 7, 1)
    yield "sizes", clip(64, 48, 0, 20, 3, 1) + clip(32, 24, 4, 10, 3, 2, "F50:4 It")


TARGETS = {"fuzz_y4m": videos, "fuzz_raw": raw, "fuzz_model": models, "fuzz_svm": svms, "fuzz_h264": h264,
           "fuzz_container_facts": container_facts, "fuzz_container_bytes": container_bytes, "fuzz_container": containers,
           "fuzz_options": options, "fuzz_vmaf_args": vmaf_args,
           "fuzz_score_args": score_args, "fuzz_capi": calls, "fuzz_pairs": pairs, "fuzz_align": tracks,
           "fuzz_fit": fits, "fuzz_score": scores, "fuzz_journal": journals, "fuzz_doctor": doctors}


def dictionary(target):
    """In libFuzzer's format."""
    words = ("".join(f"\\x{byte:02x}" for byte in word) for word in WORDS[target].split(b"|"))
    return "".join(f'"{word}"\n' for word in words)


def main():
    folder = pathlib.Path(sys.argv[1])
    for target, seeds in TARGETS.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / f"{target}.dict").write_text(dictionary(target))
        for name, content in seeds():
            (folder / target / name).write_bytes(content)


if __name__ == "__main__":
    main()
