#!/usr/bin/env python3
"""Builds the tree in two folders, without a compiler cache, and compares all programs and libraries byte for byte.

usage: reproducible.py COMPILER [options of cmake]

Without options of one's own they are built with little optimization, for one instruction set and without devices: paths, times
and orders get into files regardless of that. Without any, GCC 12 refuses Highway's prefetch where headers are precompiled.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = ("-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DCMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC",
         "-DACUTANCE_BACKENDS=")


def run(*words):
    done = subprocess.run(list(map(str, words)), check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "CCACHE_DISABLE": "1"})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}:\n{done.stdout[-4000:]}")
    return done.stdout


def files(place, compiler, options):
    """The tree's files copied there, built and installed: path -> content."""
    tree = place / "tree"
    for name in run("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard").splitlines():
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    run("cmake", "-S", tree, "-B", place / "build", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_COMPILER_LAUNCHER=",
        "-DACUTANCE_TESTS=OFF", "-DACUTANCE_BENCHMARKS=OFF", *options)
    run("cmake", "--build", place / "build", "--parallel", os.environ.get("JOBS", os.cpu_count()))
    run("cmake", "--install", place / "build", "--prefix", place / "installed")
    return {path.relative_to(place / "installed"): path.read_bytes()
            for path in (place / "installed").rglob("*") if path.is_file()}


def main(compiler, options):
    with tempfile.TemporaryDirectory() as folder:
        first = files(pathlib.Path(folder) / "one", compiler, options)
        second = files(pathlib.Path(folder) / "another-with-a-longer-name", compiler, options)
    different = sorted(str(path) for path in first.keys() | second.keys() if first.get(path) != second.get(path))
    print(f"{len(first)} files, {len(different)} different", *different, sep="\n")
    return 1 if different or not any(path.name == "libvmaf.a" for path in first) else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] or QUICK))
