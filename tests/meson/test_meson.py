"""libvmaf's Meson build, by the steps of five recipes in our own words: those of static builds of FFmpeg, Homebrew, nixpkgs,
MSYS2 and Meson's own subprojects; and the backends that CMake builds. With ACUTANCE_MESON=build the recipes are run to the end
(make test-meson).

usage: test_meson.py [TEST...]; ACUTANCE_LIBRARY: the folder of CMake's libvmaf.so
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "libvmaf"))
import macho  # noqa: E402

LIBRARY = pathlib.Path(os.environ.get("ACUTANCE_LIBRARY", ROOT / "build" / "lib"))
MESON = shutil.which("meson")
CLANG = shutil.which("clang-19")
BUILDS = os.environ.get("ACUTANCE_MESON") == "build"
CLIENT = ROOT / "tests" / "abi" / "client.c"
COPIED = ("cli", "docs/man", "include", "libvmaf", "models", "src", "tests/abi", "meson.build", "meson_options.txt")
STATIC = ("--default-library=static", "-Dbuilt_in_models=true", "-Denable_tests=false", "-Denable_docs=false",
          "-Denable_avx512=true", "-Denable_float=true")


def run(*command, folder=None, **variables):
    done = subprocess.run([str(word) for word in command], cwd=folder, env={**os.environ, **variables}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}")
    return done.stdout


class Sources(unittest.TestCase):
    def test_meson_compiles_what_cmake_does(self):
        lines = (LIBRARY / "libvmaf.a.sources").read_text().splitlines()
        by_cmake = {pathlib.Path(line).relative_to(ROOT).as_posix() for line in lines if line.startswith(f"{ROOT}/src/")}
        listed = run("python3", "-B", ROOT / "libvmaf" / "sources.py", "libvmaf").split()
        by_meson = {word for word in listed if "/" in word}
        devices = {path for path in by_cmake if path.startswith("src/backend/")} | {"src/exec/no_kernels.cc"}
        self.assertEqual(by_meson, by_cmake - devices)
        self.assertGreater(len(by_meson), 150)

    def test_the_two_projects_are_one(self):
        calls = [re.search(r"^project\(.*?\)$", (ROOT / folder / "meson.build").read_text(), re.M | re.S).group()
                 for folder in ("", "libvmaf")]
        self.assertEqual(*calls)
        self.assertIn(re.search(r"version: '([\d.]+)'", calls[0]).group(1),
                      (ROOT / "cmake" / "libvmaf.pc.in").read_text())


class Backends(unittest.TestCase):
    def test_cmake_builds_those_that_are_named(self):
        for chosen in ((), ("cuda", "vulkan")):
            with self.subTest(chosen=chosen), tempfile.TemporaryDirectory() as build:
                run("cmake", "-S", ROOT, "-B", build, "-DACUTANCE_TESTS=OFF", "-DACUTANCE_BENCHMARKS=OFF",
                    f"-DACUTANCE_BACKENDS={';'.join(chosen)}")
                commands = (pathlib.Path(build) / "compile_commands.json").read_text()
                for backend in ("cuda", "hip", "vulkan", "sycl", "emu"):
                    self.assertEqual(f"/src/backend/{backend}/" in commands, backend in chosen, backend)
                    self.assertEqual(f"ACUTANCE_WITHOUT_{backend.upper()}" in commands, backend not in chosen, backend)


@unittest.skipUnless(CLANG, "clang-19 is not installed")
class MachO(unittest.TestCase):
    SOURCES = {"first": "int of_second(void); int vmaf_first(void) { return of_second(); } static int own = 1; int *place = &own;",
               "second_with_a_long_name": "int common; int of_second(void) { return common; }"}

    def test_only_exported_names_stay_visible(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for name, source in self.SOURCES.items():
                (folder / f"{name}.c").write_text(source)
                run(CLANG, "-target", "arm64-apple-macosx13", "-fcommon", "-c", f"{name}.c", folder=folder)
                run("ar", "rcs", "library.a", f"{name}.o", folder=folder)
            macho.hide(folder / "library.a", folder / "hidden.a", "vmaf_*")
            data = (folder / "hidden.a").read_bytes()
            self.assertTrue(macho.is_macho(folder / "hidden.a"))
        found = [(name, bool(flags & macho.PRIVATE)) for begin in macho.objects(data)
                 for name, flags, _, _ in macho.names(data, begin) if flags & macho.EXTERNAL]
        self.assertEqual(sorted(found), [("_common", True), ("_of_second", False), ("_of_second", True), ("_place", True),
                                         ("_vmaf_first", False)])


@unittest.skipUnless(MESON, "meson is not installed")
class Recipes(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = pathlib.Path(place.name) / "acutance"
        self.prefix = pathlib.Path(place.name) / "prefix"
        for name in COPIED:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, self.tree / name)

    def meson(self, *options, folder="libvmaf", test=False):
        """Sets up and, where wanted, builds, tests and installs. Returns what setup said."""
        build = self.tree.parent / "build"
        said = run(MESON, "setup", build, f"--prefix={self.prefix}", "--libdir=lib", *options, folder=self.tree / folder)
        if BUILDS:
            run("nice", "ninja", "-C", build)
            if test:
                run(MESON, "test", "-C", build)
            run(MESON, "install", "-C", build, "--no-rebuild")
        return said

    def link(self, *flags, source=CLIENT, compiler=("cc",)):
        """What a program says that finds libvmaf by pkg-config."""
        found = {"PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig"), "LD_LIBRARY_PATH": str(self.prefix / "lib")}
        words = run("pkg-config", "--cflags", "--libs", *flags, "libvmaf", **found).split()
        program = self.prefix / "program"
        run(*compiler, source, "-o", program, *words)
        return run(program, **found)

    def test_static_ffmpeg(self):
        (self.tree / "libvmaf" / "tools" / "meson.build").write_text("")
        said = self.meson("--buildtype=release", *STATIC)
        self.assertNotIn("WARNING", said)
        if BUILDS:
            file = self.prefix / "lib" / "pkgconfig" / "libvmaf.pc"
            file.write_text(re.sub(r"(?m)^Libs.private:.*", r"\g<0> -lstdc++", file.read_text()))
            self.assertRegex(self.link("--static"), r"^libvmaf 3\.2\.1: vmaf \d")
            names = run("nm", "--extern-only", "--defined-only", "--format=just-symbols", self.prefix / "lib" / "libvmaf.a")
            symbols = [name for name in names.split() if not name.endswith(":")]  # nm names the archive's members so
            self.assertIn("vmaf_version", symbols)
            self.assertEqual([name for name in symbols if not name.startswith("vmaf_")], [])
            self.assertFalse((self.prefix / "bin").exists())

    def test_homebrew(self):
        self.meson("--buildtype=release", "--wrap-mode=nofallback", test=True)
        if BUILDS:
            self.assertRegex(self.link(), r"^libvmaf 3\.2\.1: ")
            self.assertEqual(run(self.prefix / "bin" / "vmaf", "--version").strip(), "3.2.1")

    def test_nix(self):
        said = self.meson("--buildtype=plain", "-Denable_avx512=true", "-Denable_cuda=true", "-Denable_float=false")
        self.assertIn("enable_cuda has no effect", said)
        self.assertIn("enable_float=false has no effect", said)

    def test_big_endian_machines_are_refused(self):
        file = self.tree / "cross.ini"
        file.write_text("[binaries]\nc = 'gcc'\ncpp = 'g++'\nar = 'ar'\n"
                        "[host_machine]\nsystem = 'linux'\ncpu_family = 's390x'\ncpu = 's390x'\nendian = 'big'\n")
        with self.assertRaisesRegex(AssertionError, "does not build for s390x, which is big-endian"):
            self.meson("--cross-file", file)

    def test_msys2(self):
        self.meson("--buildtype=release", "--default-library=both", "--wrap-mode=nodownload", test=True)
        if BUILDS:
            self.assertEqual(self.link(), self.link("--static"))
            self.link("--static", source=self.tree / "libvmaf" / "tests" / "neighbours.cc", compiler=("c++", "-std=c++20"))

    def test_subproject(self):
        user = self.tree.parent / "user"
        (user / "subprojects").mkdir(parents=True)
        (user / "subprojects" / "libvmaf").symlink_to(self.tree)
        shutil.copy(CLIENT, user)
        (user / "meson.build").write_text("project('user', 'c')\n"
                                          "found = dependency('libvmaf', fallback: ['libvmaf', 'libvmaf_dep'])\n"
                                          "executable('user', 'client.c', dependencies: found, install: true)\n")
        said = self.meson("--default-library=static", "--force-fallback-for=libvmaf", folder=user)
        self.assertIn("Subproject libvmaf finished", said)
        if BUILDS:
            self.assertRegex(run(self.prefix / "bin" / "user"), r"^libvmaf 3\.2\.1: ")


if __name__ == "__main__":
    unittest.main()
