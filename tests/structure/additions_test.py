#!/usr/bin/env python3
"""A new metric and a new backend cost one folder and one line each, an option of a run one row.

usage: additions_test.py --work FOLDER [CMAKE_OPTION]...

Takes a copy of the tree, adds the metric of tests/structure/additions and a renamed copy of src/backend/null by the steps
of CONTRIBUTING.md, builds and runs it. To build quickly, the copy has only one of the other metrics.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
ADDITIONS = pathlib.Path(__file__).resolve().parent / "additions"
KEPT_METRIC = "psnr"
SIZE = (40, 24)
OPTION = """
{.name = "first-frames", .group = OptionGroup::kFrames, .type = OptionType::kNumber, .value = "N", .example = "1",
 .journal = "frames",
 .help = "Score the toy's first N frames",
 .read = [](std::string_view text, RunRequest& run) { return ReadNumber(text, 1, 9, run.frame_limit); }},
"""
OPTIONS = ["-DACUTANCE_FFMPEG=OFF", "-DACUTANCE_CLANG=", "-DACUTANCE_GLSLC="]
work, cmake_options = pathlib.Path(), []


def run(*command, status=0, **variables):
    """The command's output, both streams; fails unless it ends with `status`."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env={**os.environ, **variables})
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}, not {status}\n{done.stdout}")
    return done.stdout


def files_of_tree():
    listing = subprocess.run(["git", "-C", str(TREE), "ls-files", "-co", "--exclude-standard"],
                             capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        return [name for name in listing.stdout.splitlines() if (TREE / name).is_file()]
    return [str(path.relative_to(TREE)) for path in TREE.rglob("*")
            if path.is_file() and not path.relative_to(TREE).parts[0].startswith(("build", ".git"))]


def put(path, content):
    """Writes unless the file says so already, so that a second run builds nothing."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def is_left_out(name):
    parts = pathlib.PurePath(name).parts
    return parts[:2] == ("src", "metric") and len(parts) > 3 and parts[2] not in ("blocks", "testing", KEPT_METRIC)


def add_line(text, line):
    """Before the last line of a list: its place says the order alone."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[:-1] + [line + "\n"] + lines[-1:])


def changed_texts():
    """The one line of each list that an addition touches."""
    metrics = (TREE / "src/metric/metrics.inc").read_text(encoding="utf-8")
    kept = "".join(line for line in metrics.splitlines(keepends=True)
                   if not line.startswith("ACU_") or f"(k{KEPT_METRIC}metric)" in line.lower())
    backends = (TREE / "src/devices/backends.inc").read_text(encoding="utf-8")
    return {"src/run/options.inc": (TREE / "src/run/options.inc").read_text(encoding="utf-8") + OPTION,
            "src/metric/metrics.inc": add_line(kept, "ACU_METRIC(kToyMetric)"),
            "src/devices/backends.inc": add_line(backends, "ACU_BACKEND(kIdleBackend)")}


def idle_backend():
    """The template for backends, src/backend/null, under another name: file names and texts."""
    def renamed(text):
        return re.sub(r"null(?!ptr)", "idle", text).replace("Null", "Idle")
    for path in (TREE / "src/backend/null").iterdir():
        yield f"src/backend/idle/{renamed(path.name)}", renamed(path.read_text(encoding="utf-8")).encode()


def make_copy(copy):
    wanted = {}
    for name in files_of_tree():
        if not is_left_out(name):
            wanted[name] = (TREE / name).read_bytes()
    for path in ADDITIONS.rglob("*"):
        if path.is_file():
            wanted[str("src" / path.relative_to(ADDITIONS))] = path.read_bytes()
    wanted.update(idle_backend())
    wanted.update({name: text.encode() for name, text in changed_texts().items()})
    for name, content in wanted.items():
        put(copy / name, content)
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        name = path.relative_to(copy)
        if name.parts[0] != "build" and str(name) not in wanted:
            path.unlink()


def build(copy, folder):
    run("cmake", "-S", copy, "-B", folder, *cmake_options, *OPTIONS)
    run("cmake", "--build", folder, "--parallel", "2", "--target", "acutance", "vmaf", "toy_test",
        "parity_sweep", "metric_bench")


def make_clip(path, salt):
    """Two frames of 8-bit 4:2:0; returns the luma of each."""
    width, height = SIZE
    luma = [bytes((x * salt + y * 7 + frame * 31) % 256 for y in range(height) for x in range(width))
            for frame in range(2)]
    path.write_bytes(b"".join(plane + bytes(width * height // 2) for plane in luma))
    return luma


def halved(luma):
    """Means of four samples: quarters, which floats hold exactly."""
    width, height = SIZE
    return [(luma[2 * y * width + 2 * x] + luma[2 * y * width + 2 * x + 1] + luma[(2 * y + 1) * width + 2 * x] +
             luma[(2 * y + 1) * width + 2 * x + 1]) / 4 for y in range(height // 2) for x in range(width // 2)]


def toy_by_definition(reference, distorted):
    """A value for each frame; all sums are exact."""
    errors = [[b - a for a, b in zip(halved(r), halved(d))] for r, d in zip(reference, distorted)]
    values = []
    for frame, error in enumerate(errors):
        value = sum(map(abs, error)) / len(error)
        if frame > 0:
            value += sum(abs(a - b) for a, b in zip(error, errors[frame - 1])) / len(error)
        values.append(value)
    return values


def errors_by_definition(reference, distorted):
    """The artifact of each frame: absolute errors as floats."""
    return [[abs(b - a) for a, b in zip(halved(r), halved(d))] for r, d in zip(reference, distorted)]


def floats_of(path):
    """The samples of a map: floats behind a header of 256 bytes."""
    return list(memoryview(path.read_bytes()[256:]).cast("f"))


def write_model(path):
    """A model of the toy alone: 100 where it is 0, about 37 where it is 8."""
    svm = "svm_type nu_svr\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n100 1:0 \n"
    path.write_text(json.dumps({"model_dict": {
        "model": svm, "model_type": "LIBSVMNUSVR", "norm_type": "linear_rescale", "score_clip": [0.0, 100.0],
        "slopes": [1.0, 0.125], "intercepts": [0.0, 0.0], "feature_names": ["toy"], "feature_opts_dicts": [{}]}}),
        encoding="utf-8")


def toy_scores(log):
    return [frame["metrics"]["toy"] for frame in json.loads(log.read_text(encoding="utf-8"))["frames"]]


class Additions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.copy, folder = work / "tree", work / "tree/build"
        make_copy(cls.copy)
        build(cls.copy, folder)
        cls.folder = folder
        cls.program, cls.vmaf, cls.toy_test = folder / "bin/acutance", folder / "bin/vmaf", folder / "tests/toy_test"
        reference = make_clip(work / "reference.yuv", 3)
        distorted = make_clip(work / "distorted.yuv", 5)
        cls.expected = toy_by_definition(reference, distorted)
        cls.errors = errors_by_definition(reference, distorted)

    def acutance(self, *arguments, **more):
        """Self-tests are remembered here, not in the user's cache."""
        return run(self.program, *arguments, XDG_CACHE_HOME=str(work / "cache"), **more)

    def score(self, *arguments, status=0, **variables):
        log = work / "log.json"
        log.unlink(missing_ok=True)
        text = self.acutance("score", work / "reference.yuv", work / "distorted.yuv", "--size", f"{SIZE[0]}x{SIZE[1]}",
                             "--no-model", "-f", "toy", "--align", "index", "--precision", "max", "-o", log, *arguments,
                             status=status, **variables)
        if status != 0:
            return text
        return toy_scores(log)

    def test_each_is_one_folder(self):
        files = {path.relative_to(ADDITIONS) for path in ADDITIONS.rglob("*") if path.is_file()}
        self.assertEqual({path.parent.as_posix() for path in files}, {"metric/toy"})
        named = {path.name for path in files}
        self.assertLessEqual({"toy.h", "toy.cc", "README.md", "CMakeLists.txt"}, named)

    def test_the_metric_is_known(self):
        self.assertIn("mean absolute error of halved luma", self.acutance("features"))
        self.assertIn("\n  toy  (steps)  (lower is better)\n", self.acutance("features", "toy"))
        self.assertIn("[  PASSED  ] 2 tests", run(self.toy_test))

    def test_the_metric_runs_on_the_cpu(self):
        self.assertEqual(self.score("--backend", "cpu"), self.expected)
        run(self.vmaf, "-r", work / "reference.yuv", "-d", work / "distorted.yuv", "-w", SIZE[0], "-h", SIZE[1],
            "-p", 420, "-b", 8, "--no_prediction", "--feature", "toy", "--precision", "max", "--json",
            "-o", work / "vmaf.json")
        self.assertEqual(toy_scores(work / "vmaf.json"), self.expected)

    def test_the_metric_runs_on_a_device(self):
        for wave in ("8", "64"):
            self.assertEqual(self.score("--backend", "emu", ACUTANCE_EMU_WAVE=wave), self.expected)
        self.assertIn("toy_rows", self.acutance("plan", "--feature", "toy", "--size", "1920x1080"))
        parity = self.acutance("parity", work / "reference.yuv", work / "distorted.yuv", "--size",
                               f"{SIZE[0]}x{SIZE[1]}", "--backends", "emu")
        self.assertRegex(parity, r"\ntoy +2 +0 \(exact\)\n")

    def test_the_metric_has_maps(self):
        for backend in ("cpu", "emu"):
            maps = work / f"maps_{backend}"
            self.assertEqual(self.score("--backend", backend, "--maps", maps), self.expected)
            names = [f"toy_error_{frame:06}.tif" for frame in range(len(self.errors))]
            self.assertEqual(sorted(path.name for path in maps.iterdir()), names)
            self.assertEqual([floats_of(maps / name) for name in names], self.errors)
        self.assertIn("could not make the folder", self.score("--maps", work / "reference.yuv/maps", status=1))

    def test_the_metric_ranks_frames_and_has_their_maps(self):
        worst = max(range(len(self.expected)), key=lambda frame: self.expected[frame])
        maps = work / "worst_maps"
        self.score("-f", "psnr", "--maps", maps, "--worst", "1")
        # Squares of 32 samples: 16 x 16 of the halved picture, which is 20 x 12.
        width, values = SIZE[0] // 2, self.errors[worst]
        blocks = [[value for i, value in enumerate(values) if (i % width < 16) == first] for first in (True, False)]
        map_values = memoryview((maps / f"toy_{worst:06}.npy").read_bytes()[-16:]).cast("d")
        for value, block in zip(map_values, blocks):
            self.assertAlmostEqual(value, sum(block) / len(block))

    def test_the_report_knows_the_metric(self):
        worst = max(range(len(self.expected)), key=lambda frame: self.expected[frame])
        page = work / "page.html"
        self.score("-f", "psnr", "--report", page)
        text = page.read_text(encoding="utf-8")
        self.assertRegex(text, rf"Frame {worst}, [^<]*</button> toy: {self.expected[worst]:.4g}")
        write_model(work / "toy.json")
        self.acutance("score", work / "reference.yuv", work / "distorted.yuv", "--size", f"{SIZE[0]}x{SIZE[1]}", "--model",
                      f"path={work / 'toy.json'}:name=judge", "--align", "index", "--report", page)
        text = page.read_text(encoding="utf-8")
        self.assertIn("The model counts most of what the whole loses as detail lost: ", text)
        self.assertIn("where detail is lost (toy)", text)

    def test_the_option_is_one_row(self):
        self.assertEqual(self.score("--first-frames", "1"), self.expected[:1])
        self.assertIn("--first-frames 10: expected a whole number from 1 to 9",
                      self.score("--first-frames", "10", status=2))
        self.assertRegex(self.acutance("score", "--help"), r"--first-frames N +Score the toy's first N frames")
        pages = self.copy / "tools/option_pages.py"
        run(sys.executable, "-B", pages, "man", self.copy / "docs/man/acutance.1.in", work / "acutance.1")
        self.assertIn(r"\-\-first\-frames", (work / "acutance.1").read_text(encoding="utf-8"))
        run(sys.executable, "-B", pages, "python", work / "options.py")
        self.assertIn("first_frames: int | None", (work / "options.py").read_text(encoding="utf-8"))

    def test_the_metric_is_swept_and_measured(self):
        swept = run("ctest", "--test-dir", self.folder, "--tests-regex", "^parity_(metrics|emu_toy)$")
        self.assertIn("100% tests passed, 0 tests failed out of 2", swept)
        self.assertIn("toy/frame/", run(self.folder / "bench/metric_bench", "--benchmark_list_tests"))

    def test_the_backend_is_listed(self):
        devices = self.acutance("devices")
        self.assertIn("idle: computes nothing\n  0  a device that computes nothing", devices)

    def test_a_backend_that_computes_wrong_is_refused(self):
        self.assertIn("self-test failed: ", self.acutance("selftest", "--backend", "idle", status=1))
        self.assertIn("a kernel did not run", self.score("--backend", "idle", status=1))
        self.assertEqual(self.score("--backend", "auto"), self.expected)

    def test_the_structure_still_holds(self):
        run(sys.executable, "-B", self.copy / "tools/check_includes.py", "--part")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("cmake_options", nargs="*")
    options = parser.parse_args()
    work, cmake_options = options.work.resolve(), options.cmake_options
    unittest.main(argv=sys.argv[:1])
