#!/usr/bin/env python3
"""Packs a build for Windows as a zip of one folder: commands, DLLs with their import libraries, FFmpeg's, headers and licences.

usage: windows_zip.py BUILD OUT    writes OUT/acutance-VERSION-windows-x86_64.zip

The same files give the same bytes.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import recipes

STRIP = "x86_64-w64-mingw32-strip"
PROGRAMS = ("acutance.exe", "vmaf.exe", "libvmaf.dll", "libvship.dll")
LIBRARIES = ("libvmaf.dll.a", "vmaf.lib", "libvship.dll.a", "vship.lib")


def contents(build, stripped):
    """Names in the folder, and the files that they are of."""
    for name in PROGRAMS:
        subprocess.run([STRIP, "-p", "-o", stripped / name, build / "bin" / name], check=True)
        yield name, stripped / name
    for name in LIBRARIES:
        yield f"lib/{name}", build / "lib" / name
    for path in sorted((recipes.ROOT / "include" / "libvmaf").iterdir()):
        yield f"include/libvmaf/{path.name}", path
    for path in sorted((build / "ffmpeg" / "lib").iterdir()):
        yield path.name, path
    for path in sorted((build / "ffmpeg" / "licences").iterdir()):
        yield f"licences/ffmpeg/{path.name}", path
    yield "licences/acutance.cdx.json", build / "acutance.cdx.json"
    yield "licences/ColorVideoVDP", recipes.ROOT / "src/metric/cvvdp/LICENSE"
    for path in sorted((recipes.ROOT / "models").glob("LICENSE*")):
        yield f"licences/models/{path.name}", path
    for name in ("LICENSE", "README.md"):
        yield name, recipes.ROOT / name


def write(build, out):
    path = out / recipes.windows_name()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as stripped, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in contents(build, pathlib.Path(stripped)):
            entry = zipfile.ZipInfo(f"{path.stem}/{name}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
