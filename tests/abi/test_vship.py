#!/usr/bin/env python3
"""libvship.so, called by two C programs that were written from its interface's description alone.

usage: ACUTANCE_LIBRARY=FOLDER VMAF_COMMAND=vmaf [CC=cc] test_vship.py

Their scores equal those of the command that prints all digits; misuse gives codes.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = pathlib.Path(os.environ["ACUTANCE_LIBRARY"])
COMMAND = os.environ["VMAF_COMMAND"]
CC = os.environ.get("CC", "cc").split()
FRAMES = 3

SYMBOLS = set("""
GetVersion GetDeviceCount GetDeviceInfo GPUFullCheck GetErrorMessage GetDetailedLastError GetDetailedLastErrorHandler
InitHandler ComputeHandler FreeHandler Reset ResetScore PinnedMalloc2 PinnedFree2 SetDevice PinnedMalloc PinnedFree
SSIMU2Init SSIMU2Init2 SSIMU2Free ComputeSSIMU2 SSIMU2GetDetailedLastError ButteraugliInit ButteraugliInit2
ButteraugliFree ComputeButteraugli ButteraugliGetDetailedLastError CVVDPInit CVVDPInit2 CVVDPInit3 CVVDPFree
CVVDPGetDistmapResolution ResetCVVDP ResetScoreCVVDP LoadTemporalCVVDP ComputeCVVDP CVVDPGetDetailedLastError
""".split())


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def clip(width, height, bits, noise):
    """Planar 4:2:0: waves, and on them a pattern that a distorted video has."""
    bytes_each, frames = (2 if bits > 8 else 1), []
    for frame in range(FRAMES):
        planes = b""
        for plane in range(3):
            w, h = (width, height) if plane == 0 else (width // 2, height // 2)
            rows = bytearray()
            for y in range(h):
                for x in range(w):
                    value = 40 + (3 * x + 2 * y + 5 * frame + 60 * plane) % 150 + (x * 7 + y * 13 + frame) % noise
                    rows += (value << (bits - 8)).to_bytes(bytes_each, "little")
            planes += bytes(rows)
        frames.append(planes)
    return frames


def write(folder, name, width, height, bits, frames):
    """As raw frames for the clients, as y4m for the command."""
    raw, y4m = folder / f"{name}.yuv", folder / f"{name}.y4m"
    raw.write_bytes(b"".join(frames))
    tag = "420jpeg" if bits == 8 else f"420p{bits}"
    header = f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{tag} XCOLORRANGE=LIMITED\n".encode()
    y4m.write_bytes(header + b"".join(b"FRAME\n" + frame for frame in frames))
    return raw, y4m


class Vship(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)
        cls.programs = {}
        for name in ("vship_client", "vship4_client"):
            cls.programs[name] = cls.out / name
            run(*CC, "-std=c99", "-D_POSIX_C_SOURCE=200112L", "-Wall", "-Wextra", "-Werror", HERE / f"{name}.c", "-o",
                cls.programs[name], "-ldl")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_exported_symbols(self):
        listing = run("nm", "-D", "--defined-only", LIBRARY / "libvship.so")
        exported = {line.split()[-1] for line in listing.splitlines()}
        self.assertEqual(exported - {"VapourSynthPluginInit2", "acutance_vapoursynth_plugin"}, {f"Vship_{name}" for name in SYMBOLS})

    def test_no_client_takes_it_for_a_build_that_needs_vulkan(self):
        """Some ask the loader first where the file has its name."""
        self.assertNotIn(b"libvulkan", (LIBRARY / "libvship.so").read_bytes())

    def test_many_threads(self):
        program = self.out / "vship_stress"
        run(*CC, "-std=c11", "-D_POSIX_C_SOURCE=200112L", "-Wall", "-Wextra", "-Werror", "-pthread", HERE / "vship_stress.c",
            "-o", program, "-ldl")
        self.assertEqual(run(program, LIBRARY / "libvship.so"), "")

    def scores_of_command(self, reference, distorted):
        """By name, of each frame, with all digits."""
        log = self.out / "log.json"
        features = ["ssimulacra2=matrix=bt709", "cvvdp=display=standard_fhd:conversion=common:matrix=bt709",
                    "butteraugli=matrix=bt709:intensity_target=203"]
        words = [word for feature in features for word in ("--feature", feature)]
        run(COMMAND, "-r", reference, "-d", distorted, "--no_prediction", *words, "--quiet", "--precision", "max",
            "--json", "-o", log)
        return [frame["metrics"] for frame in json.loads(log.read_text())["frames"]]

    def check(self, width, height, bits):
        reference = write(self.out, "reference", width, height, bits, clip(width, height, bits, 1))
        distorted = write(self.out, "distorted", width, height, bits, clip(width, height, bits, 24))
        frames = self.scores_of_command(reference[1], distorted[1])

        def column(start):
            return [next(value for key, value in frame.items() if key.startswith(start)) for frame in frames]

        jods = [next(value for key, value in frame.items()
                     if key.startswith("cvvdp") and not key.startswith("cvvdp_frame")) for frame in frames]
        for name, program in self.programs.items():
            with self.subTest(client=name, bits=bits):
                lines = run(program, LIBRARY / "libvship.so", reference[0], distorted[0], width, height, bits, FRAMES)
                found = {}
                for line in lines.splitlines():
                    key, *values = line.split()
                    found.setdefault(key, []).append(values)
                self.assertEqual([float(v[0]) for v in found["ssimulacra2"]], column("ssimulacra2"))
                # The first frame of a client may be the only one, and counts as an image until the next.
                self.assertEqual([float(v[0]) for v in found["cvvdp"]][1:], jods[1:])
                self.assertEqual(found.get("cvvdp_again", found["cvvdp"]), found["cvvdp"])
                if name == "vship_client":
                    self.assertEqual(found["version"], [["5.1.2", "3"]])
                for position, start in enumerate(("butteraugli_qnorm", "butteraugli_p3", "butteraugli_max")):
                    self.assertEqual([float(v[position]) for v in found["butteraugli"]], column(start))

    def test_8_bits(self):
        self.check(96, 64, 8)

    def test_10_bits(self):
        self.check(66, 50, 10)


if __name__ == "__main__":
    unittest.main()
