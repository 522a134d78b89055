#!/usr/bin/env python3
"""Checks that programs and libraries need only an old glibc.

usage: portable.py VERSION FOLDER
"""
import pathlib
import re
import subprocess
import sys

GLIBC = re.compile(r"(libc|libm|libpthread|libdl|librt|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d")


def number(version):
    return tuple(map(int, version.split(".")))


def faults(path, oldest, own):
    read = subprocess.run(["readelf", "--wide", "--dynamic", "--dyn-syms", path], check=True, capture_output=True, text=True).stdout
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", read):
        if not GLIBC.fullmatch(library) and library not in own:
            yield f"needs {library}"
    for searched in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", read):
        if not all(place.startswith("$ORIGIN") for place in searched.split(":")):
            yield f"looks for libraries in {searched}"
    for name, kind, version in sorted(set(re.findall(r" UND (\S+?)@([A-Z]+)_(\S+)", read))):
        of_own = any(library.startswith(kind.lower() + ".so") for library in own)  # LIBAVUTIL of libavutil.so.57
        if not of_own and (kind != "GLIBC" or number(version) > oldest):
            yield f"needs {name} of {kind} {version}"


def main(version, folder):
    files = [path for path in sorted(pathlib.Path(folder).rglob("*"))
             if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]
    own = {path.name for path in pathlib.Path(folder).rglob("*.so*")}
    found = [f"{path}: {fault}" for path in files for fault in faults(path, number(version), own)]
    print("\n".join(found) or f"{len(files)} programs and libraries need glibc {version} and nothing else")
    return 1 if found or not files else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
