#!/usr/bin/env python3
"""Makes one object of static libraries, whose only global names are libvmaf's, and an archive of it.

usage: archive.py libvmaf.a LIBRARY... -- COMPILER...

The names of C++ libraries inside it become its own, so that a program may have other versions of them. Without this,
the linker would take one definition of an inline function for both. objcopy and ar are those next to the compiler, by
its name: aarch64-linux-gnu-objcopy for aarch64-linux-gnu-g++-12; or OBJCOPY and AR of the environment.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import macho

EXPORTED = "vmaf_*"


def tool(name, driver):
    """A tool of binutils or LLVM for the compiler's target."""
    compiler = next((word for word in driver if re.search(r"(g\+\+|clang\+\+|c\+\+)[^/]*$", word)), driver[-1])
    prefix = re.sub(r"(g\+\+|clang\+\+|c\+\+)[^/]*$", "", compiler)
    for candidate in (os.environ.get(name.upper()), f"{prefix}{name}", f"llvm-{name}", name):
        if candidate and shutil.which(candidate):
            return candidate
    sys.exit(f"archive.py: no {name} was found; name one in {name.upper()}")


def run(*command):
    done = subprocess.run([str(word) for word in command], check=False)
    if done.returncode:
        sys.exit(f"archive.py: {' '.join(map(str, command))}: {done.returncode}")


def merge_elf(merged, libraries, driver):
    # Groups become sections: a group that another object has, too, would be dropped with the names that are local here.
    said = subprocess.run([*driver, "-Wl,--help"], capture_output=True, text=True, check=False).stdout
    groups = ["-Wl,--force-group-allocation"] if "--force-group-allocation" in said else []
    run(*driver, "-r", "-nostdlib", *groups, "-Wl,--whole-archive", *libraries, "-Wl,--no-whole-archive", "-o", merged)
    run(tool("objcopy", driver), "--wildcard", f"--keep-global-symbol={EXPORTED}", merged)


def merge_macho(merged, libraries, driver):
    # The linker makes names local that only what it links may see.
    with tempfile.TemporaryDirectory() as folder:
        copies = [pathlib.Path(folder) / f"{number}.a" for number in range(len(libraries))]
        for library, copy in zip(libraries, copies):
            macho.hide(library, copy, EXPORTED)
        run(*driver, "-r", "-nostdlib", *[f"-Wl,-force_load,{copy}" for copy in copies], "-o", merged)


def main(words):
    if "--" not in words[2:-1]:
        sys.exit(__doc__)
    split = words.index("--")
    (output, *libraries), driver = map(pathlib.Path, words[:split]), words[split + 1:]
    merged = output.with_suffix(".o")
    (merge_macho if macho.is_macho(libraries[0]) else merge_elf)(merged, libraries, driver)
    output.unlink(missing_ok=True)
    run(tool("ar", driver), "rcsD", output, merged)
    merged.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
