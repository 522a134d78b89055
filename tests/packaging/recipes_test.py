#!/usr/bin/env python3
"""The recipes of packaging/ and debian/: versions, options and packages are the project's, and each is read by its tool, or by
a stand-in for it, where this machine has one."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))
import fill_wheel  # noqa: E402
import recipes  # noqa: E402

WINGET = [f"winget/acutance.acutance{part}.yaml" for part in ("", ".installer", ".locale.en-US")]
OF_ZIP = ["scoop/acutance.json", *WINGET]
LIBVMAF = re.search(r"version: '([\d.]+)'", (ROOT / "libvmaf" / "meson.build").read_text()).group(1)
# A dependency of the project, and how each recipe names it.
NAMES = {
    "fmt": ("libfmt-dev", "fmt", "fmt", "fmt", "fmt", "fmt"),
    "highway": ("libhwy-dev", "highway", "libhwy", "libhwy", "highway", "highway"),
    "json": ("nlohmann-json3-dev", "nlohmann-json", "nlohmann_json", "nlohmann_json", "nlohmann-json", "nlohmann-json"),
    "CLI11": ("libcli11-dev", "cli11", "cli11", "cli11", None, "cli11"),
    "deflate": ("libdeflate-dev", "libdeflate", "libdeflate", "libdeflate", None, "libdeflate"),
    "turbojpeg": ("libturbojpeg0-dev", "jpeg-turbo", "libjpeg", "libjpeg-turbo", None, "libjpeg-turbo"),
}


def run(*words, **more):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, **more).stdout


def cmake_options():
    lists = [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")]
    return {name for path in lists for name in re.findall(r"(?:option|set|find_program)\((ACUTANCE_\w+)", path.read_text())}


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.out = pathlib.Path(place.name) / "recipes"
        cls.archive = pathlib.Path(place.name) / f"acutance-{recipes.version()}.tar.xz"
        cls.archive.write_bytes(b"an archive")
        cls.zip = cls.archive.with_name(recipes.windows_name())
        cls.zip.write_bytes(b"a zip")
        recipes.write(cls.archive, cls.out)
        cls.files = {path.relative_to(cls.out).as_posix(): path.read_text() for path in cls.out.glob("*/*")}
        cls.debian = (ROOT / "debian" / "control").read_text()

    def test_all_are_filled_with_the_archives_facts(self):
        self.assertEqual(set(self.files), {"homebrew/acutance.rb", "nix/package.nix", "conda/recipe.yaml", "vcpkg/vcpkg.json",
                                           "vcpkg/portfile.cmake", "arch/PKGBUILD", "msys2/PKGBUILD", *OF_ZIP})
        for name, text in self.files.items():
            self.assertNotRegex(text, r"@[A-Z0-9]+@", name)
            self.assertIn(recipes.version(), text, name)
            if name not in ("vcpkg/vcpkg.json", *OF_ZIP):
                self.assertIn(self.archive.as_uri(), text, name)
        sums = {name: hashlib.new(name, b"an archive").hexdigest() for name in ("sha256", "sha512")}
        for name in ("homebrew/acutance.rb", "conda/recipe.yaml", "arch/PKGBUILD", "msys2/PKGBUILD"):
            self.assertIn(sums["sha256"], self.files[name])
        self.assertIn(sums["sha512"], self.files["vcpkg/portfile.cmake"])

    def test_the_source_archive_is_found_next_to_others(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for name in (self.archive.name, f"acutance-{recipes.version()}-linux-x86_64.tar.xz"):
                (folder / name).write_bytes(name.encode())
            run(sys.executable, "-B", ROOT / "tools" / "recipes.py", folder, folder / "recipes")
            self.assertIn(hashlib.sha256(self.archive.name.encode()).hexdigest(), (folder / "recipes" / "arch" / "PKGBUILD").read_text())

    def test_debian_has_the_projects_versions(self):
        changelog = (ROOT / "debian" / "changelog").read_text()
        self.assertRegex(changelog, rf"^acutance \({re.escape(recipes.version())}-\d+\) ")
        self.assertEqual(set(re.findall(r"^Provides: libvmaf\S+ \(= ([\d.]+)\)", self.debian, re.M)), {LIBVMAF})
        self.assertIn(f"libacutance{recipes.version().split('.')[0]}\n", self.debian)
        listed = re.findall(r"\b(vmaf_\w+)@", (ROOT / "debian" / "libvmaf3-acutance.symbols").read_text())
        abi = (ROOT / "tests" / "abi" / "test_abi.py").read_text()
        self.assertEqual(sorted(listed), sorted(re.search(r'SYMBOLS = set\("""(.*?)"""', abi, re.S).group(1).split()))

    def test_options_exist(self):
        texts = {**self.files, "debian/rules": (ROOT / "debian" / "rules").read_text()}
        known = cmake_options()
        by_cmake = set()
        for name, text in texts.items():
            named = set(re.findall(r"-D(ACUTANCE_\w+)", text))
            self.assertEqual(named - known, set(), name)
            by_cmake |= {name} if named else set()
        self.assertEqual(set(texts) - by_cmake, {"vcpkg/vcpkg.json", "vcpkg/portfile.cmake", *OF_ZIP})
        by_meson = set(re.findall(r"^option\('(\w+)'", (ROOT / "libvmaf" / "meson_options.txt").read_text(), re.M))
        self.assertLessEqual(set(re.findall(r"-D(\w+)=", self.files["vcpkg/portfile.cmake"])), by_meson)

    def test_dependencies_are_the_projects(self):
        lists = (ROOT / "CMakeLists.txt").read_text()
        found = set(re.findall(r"^(?:find_package\(|pkg_check_modules\()(\w+)", lists, re.M)) - {"Threads", "PkgConfig", "GTest", "benchmark"}
        self.assertEqual(len(found), len(NAMES), f"CMakeLists.txt looks for {found}: NAMES needs a row for each")
        texts = [self.debian, *(self.files[name] for name in ("homebrew/acutance.rb", "nix/package.nix", "conda/recipe.yaml",
                                                              "vcpkg/vcpkg.json", "arch/PKGBUILD"))]
        for dependency, names in NAMES.items():
            for name, text in zip(names, texts):
                if name:
                    self.assertRegex(text, rf"(?<![\w-]){re.escape(name)}(?![\w-])", dependency)
            self.assertIn(f'"$MINGW_PACKAGE_PREFIX-{names[-1]}"', self.files["msys2/PKGBUILD"]) # as Arch's

    def test_homebrew(self):
        if not shutil.which("ruby"):
            self.skipTest("ruby is not installed")
        run("ruby", "-c", self.out / "homebrew" / "acutance.rb")
        said = json.loads(run("ruby", HERE / "formula.rb", self.out / "homebrew" / "acutance.rb"))
        self.assertEqual((said["version"], said["url"]), (recipes.version(), self.archive.as_uri()))
        self.assertEqual([call[:2] for call in said["calls"]], [["cmake", "-S"], ["cmake", "--build"], ["cmake", "--install"]])
        calls = json.loads(run("ruby", HERE / "formula.rb", self.out / "homebrew" / "acutance.rb", "mac"))["calls"]
        self.assertEqual(calls[1:], [["cmake", "--build", "build", "--target", "acutance", "vmaf"]])

    def test_nix(self):
        if not shutil.which("nix-instantiate"):
            self.skipTest("nix-instantiate is not installed")
        parts = "cli11 cmake ffmpeg fmt libdeflate libhwy libjpeg makeWrapper ninja nlohmann_json pkg-config python3".split()
        call = (f"(import {self.out}/nix/package.nix) {{ "
                "lib = { getLib = name: name; licenses = { bsd2Patent = 1; mit = 2; }; }; fetchurl = found: found; "
                "stdenv.mkDerivation = make: make (make { }); " + "".join(f'{name} = "{name}"; ' for name in parts) + "}")
        with tempfile.TemporaryDirectory() as store:
            said = json.loads(run("nix-instantiate", "--store", store, "--eval", "--strict", "--json", "-E", call))
        self.assertEqual(said["version"], recipes.version())
        self.assertEqual(said["src"]["url"], self.archive.as_uri())
        self.assertRegex(said["src"]["hash"], r"^sha256-[\w+/]{43}=$")

    def test_conda(self):
        said = yaml.safe_load(self.files["conda/recipe.yaml"])
        self.assertEqual(said["context"]["version"], recipes.version())
        for file in said["about"]["license_file"]:
            self.assertTrue((ROOT / file).is_file(), file)

    def test_vcpkg(self):
        self.assertEqual(json.loads(self.files["vcpkg/vcpkg.json"])["version"], recipes.version())
        done = subprocess.run(["cmake", f"-DPORT={self.out}/vcpkg/portfile.cmake", "-P", HERE / "portfile_calls.cmake"], check=True,
                              capture_output=True, text=True)
        said = done.stderr  # of message(NOTICE)
        self.assertIn(f"vcpkg_download_distfile archive URLS {self.archive.as_uri()}", said)
        self.assertIn("vcpkg_configure_meson SOURCE_PATH /unpacked/libvmaf OPTIONS -Denable_tests=false", said)

    def read_by_bash(self, file, **variables):
        said = run("bash", "-euc", f"source {file}; declare -F build check package; echo $pkgver ${{source[0]}}; echo ${{#sha256sums[@]}}",
                   env={**os.environ, **variables})
        self.assertEqual(said.split(), ["build", "check", "package", recipes.version(), self.archive.as_uri(), "1"])
        if shutil.which("shellcheck"):
            run("shellcheck", "--shell=bash", file)

    def test_arch(self):
        self.read_by_bash(self.out / "arch" / "PKGBUILD")

    def test_msys2(self):
        self.read_by_bash(self.out / "msys2" / "PKGBUILD", MINGW_PACKAGE_PREFIX="mingw-w64-ucrt-x86_64")
        (preset,) = [each for each in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"] if each["name"] == "windows"]
        for name, value in {**preset["cacheVariables"], "ACUTANCE_BACKENDS": ""}.items():  # for the CPU alone
            self.assertRegex(self.files["msys2/PKGBUILD"], rf"-D{name}={value}(?!\S)", "make windows has it")

    def test_recipes_of_windows_name_the_zip(self):
        digest = hashlib.sha256(b"a zip").hexdigest()
        folder = self.zip.stem
        scoop = json.loads(self.files["scoop/acutance.json"])
        found = scoop["architecture"]["64bit"]
        self.assertEqual((found["url"], found["hash"].lower(), scoop["extract_dir"]), (self.zip.as_uri(), digest, folder))
        version, installer, locale = [yaml.safe_load(self.files[name]) for name in WINGET]
        self.assertEqual([each["ManifestType"] for each in (version, installer, locale)], ["version", "installer", "defaultLocale"])
        self.assertEqual({(each["PackageIdentifier"], each["PackageVersion"]) for each in (version, installer, locale)},
                         {("acutance.acutance", recipes.version())})
        (found,) = installer["Installers"]
        self.assertEqual((found["InstallerUrl"], found["InstallerSha256"].lower()), (self.zip.as_uri(), digest))
        self.assertEqual([each["RelativeFilePath"] for each in installer["NestedInstallerFiles"]],
                         [f"{folder}\\{name}" for name in scoop["bin"]])

    def test_without_a_zip_there_are_none_of_windows(self):
        with tempfile.TemporaryDirectory() as place:
            recipes.write(shutil.copy(self.archive, place) and pathlib.Path(place) / self.archive.name, pathlib.Path(place) / "out")
            self.assertEqual(set(self.files) - {path.relative_to(f"{place}/out").as_posix() for path in pathlib.Path(place, "out").glob("*/*")},
                             set(OF_ZIP))

    def test_docker(self):
        text = (ROOT / "packaging" / "docker" / "Dockerfile").read_text()
        for script in re.findall(r"^RUN (packaging/\S+)", text, re.M):
            self.assertTrue((ROOT / script).is_file(), script)
        steps = re.compile(r"^.*tools/(?:portable_build|ffmpeg_libraries)\.sh .*$", re.M)
        script = (ROOT / "packaging" / "docker" / "image.sh").read_text()
        self.assertEqual(steps.findall(script), steps.findall((ROOT / "tools" / "wheels.sh").read_text()), "an image has a wheel's build")
        stages = re.findall(r"^FROM \S+ AS (\w+)", text, re.M)
        self.assertEqual(re.findall(r"--from=(\w+)", text), stages)

    def test_the_page_says_of_each_what_was_run(self):
        page = (ROOT / "docs" / "use" / "install.md").read_text()
        for name in ("Debian", "Homebrew", "nix", "conda", "vcpkg", "Arch", "Docker", "MSYS2", "scoop, winget", "OSS-Fuzz"):
            self.assertRegex(page, rf"(?m)^\| {name}[^|]*\|", name)


@unittest.skipUnless(os.environ.get("ACUTANCE_LONG_TESTS"), "make test-long builds by the recipes")
class Builds(unittest.TestCase):
    """The steps of recipes, run on this machine's packages over a copy of the tree."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.tree, self.prefix = self.place / "tree", self.place / "prefix"
        for name in run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard").splitlines():
            if (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.tree / name)
        self.archive = self.place / "acutance.tar.xz"
        self.archive.write_bytes(b"")
        recipes.write(self.archive, self.place / "recipes")

    def score(self, acutance):
        (self.place / "grey.y4m").write_bytes(b"YUV4MPEG2 W64 H64 F25:1 C420\nFRAME\n" + b"\x80" * 6144)
        said = run(acutance, "score", self.place / "grey.y4m", self.place / "grey.y4m", "--feature", "psnr", "--no-model")
        self.assertRegex(said, r"psnr_y +60\.0")

    def test_conda(self):
        said = yaml.safe_load((self.place / "recipes" / "conda" / "recipe.yaml").read_text())
        found = {**os.environ, "PREFIX": str(self.prefix), "CMAKE_ARGS": f"-DCMAKE_INSTALL_RPATH={self.prefix}/lib",
                 "PATH": f"{self.prefix}/bin:{os.environ['PATH']}"}
        run("bash", "-euc", "\n".join(said["build"]["script"]), cwd=self.tree, env=found)
        run("bash", "-euc", "\n".join(said["tests"][0]["script"]), env=found)
        self.score(self.prefix / "bin" / "acutance")

    def test_homebrew(self):
        said = json.loads(run("ruby", HERE / "formula.rb", self.place / "recipes" / "homebrew" / "acutance.rb"))
        for call in said["calls"]:
            run(*(word.replace("/prefix", str(self.prefix)) for word in call), cwd=self.tree)
        self.score(self.prefix / "bin" / "acutance")


class Bill(unittest.TestCase):
    def test_a_wheel_names_what_it_has_in_addition_to_a_build(self):
        sources = "0a  ./ffmpeg_5.1.9.orig.tar.xz\n1b  ./zlib_1.2.13.dfsg.orig.tar.gz\n2c  ./dav1d_1.0.0.orig.tar.xz\n"
        parts = [{"bom-ref": "fmt", "name": "fmt"}, {"bom-ref": "ffmpeg", "name": "libavcodec"}]
        with tempfile.TemporaryDirectory() as build, unittest.mock.patch("importlib.metadata.version", return_value="3.1.0"):
            build = pathlib.Path(build)
            (build / "acutance.cdx.json").write_text(json.dumps({"components": parts, "dependencies": [{"ref": "acutance"}]}))
            said = fill_wheel.bill(build, sources)
        versions = {part["name"]: part.get("version") for part in said["components"]}
        self.assertEqual(versions, {"fmt": None, "nanobind": "3.1.0", "ffmpeg": "5.1.9", "dav1d": "1.0.0", "zlib": "1.2.13"})
        self.assertEqual(said["dependencies"][0]["dependsOn"], ["fmt", "nanobind", "ffmpeg", "dav1d", "zlib"])


if __name__ == "__main__":
    unittest.main()
