#!/usr/bin/env python3
"""Adds the commands, FFmpeg's libraries and licences to a wheel, and names the oldest glibc that it runs with.

usage: fill_wheel.py WHEEL BUILD FOLDER MACHINE    needs the package wheel
"""
import importlib.metadata
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
GLIBC = "2.28"
LARGEST = 40e6
LICENCES = " AND Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND IJG AND LGPL-2.1-or-later AND Zlib"  # of what is added
INSIDE = ("libdeflate-dev", "libfmt-dev", "libhwy-dev", "libturbojpeg0-dev")  # Debian's packages, whose licences ask for their text


def run(*words):
    subprocess.run(list(map(str, words)), check=True)


def bill(build, sources):
    """The build's bill of materials, with what a wheel has in addition: nanobind, and what FFmpeg's libraries are built from."""
    said = json.loads((build / "acutance.cdx.json").read_text())
    added = [("nanobind", importlib.metadata.version("nanobind"), "BSD-3-Clause", "pkg:pypi/nanobind")]
    for name, licence in (("ffmpeg", "LGPL-2.1-or-later"), ("dav1d", "BSD-2-Clause"), ("zlib", "Zlib")):
        version = re.search(rf"/{name}_(?:\d+:)?([\d.]+\d)\S*\.orig\.tar", sources).group(1)
        added.append((name, version, licence, f"pkg:generic/{name}"))
    said["components"] = [part for part in said["components"] if part["bom-ref"] != "ffmpeg"] + [
        {"bom-ref": name, "type": "library", "name": name, "version": version, "licenses": [{"license": {"id": licence}}],
         "purl": f"{purl}@{version}"} for name, version, licence, purl in added]
    said["dependencies"][0]["dependsOn"] = [part["bom-ref"] for part in said["components"]]
    return said


def fill(tree, build, machine):
    package = tree / "acutance"
    (info,) = tree.glob("*.dist-info")
    # One folder: the reader looks for FFmpeg's libraries next to the module and next to the program.
    run(f"{machine}-linux-gnu-strip", "-o", package / "acutance", build / "bin" / "acutance")  # vmaf, too
    shutil.copytree(build / "ffmpeg" / "lib", package, dirs_exist_ok=True)
    licences = info / "licenses"
    known = set(licences.rglob("*"))
    shutil.copytree(build / "ffmpeg" / "licences", licences / "ffmpeg")
    for name in INSIDE:
        shutil.copy(f"/usr/share/doc/{name}/copyright", licences / name)
    shutil.copy("/usr/share/common-licenses/Apache-2.0", licences)
    files = sorted(path.relative_to(licences) for path in licences.rglob("*") if path.is_file() and path not in known)
    named = "".join(f"License-File: {file}\n" for file in files)
    metadata = info / "METADATA"
    metadata.write_text(re.sub(r"^(License-Expression: .*)\n", rf"\1{LICENCES}\n{named}", metadata.read_text(), count=1, flags=re.M))
    shutil.copy(ROOT / "python" / "acutance_command.py", tree)
    (info / "sboms").mkdir()  # where PEP 770 has it
    sources = (licences / "ffmpeg" / "SOURCES").read_text()
    (info / "sboms" / "acutance.cdx.json").write_text(json.dumps(bill(build, sources), indent=1))
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nacutance = acutance_command:acutance\nvmaf = acutance_command:vmaf\n")


def main(wheel, build, out, machine):
    python = (sys.executable, "-B")
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        run(*python, "-m", "wheel", "unpack", "--dest", place / "tree", wheel)
        (tree,) = (place / "tree").iterdir()
        fill(tree, build, machine)
        run(*python, ROOT / "tests" / "install" / "portable.py", GLIBC, tree)
        run(*python, "-m", "wheel", "pack", "--dest", place, tree)
        tag = f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
        run(*python, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, *place.glob("*.whl"))
        (tagged,) = place.glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        final = pathlib.Path(shutil.copy(tagged, out))
    size = final.stat().st_size
    print(f"{final}: {size / 1e6:.1f} MB")
    if size > LARGEST:
        sys.exit(f"fill_wheel.py: a wheel has {LARGEST / 1e6:.0f} MB at most")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*map(pathlib.Path, sys.argv[1:4]), sys.argv[4])
