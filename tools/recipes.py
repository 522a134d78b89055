#!/usr/bin/env python3
"""Writes the recipes of packaging/ with the version, address and checksums of a source archive.

usage: recipes.py ARCHIVE FOLDER    ARCHIVE: or the folder of `make dist` that has it
    ACUTANCE_URL: the archive's address; ACUTANCE_HOME: the project's

Those of Windows name the zip of `make windows-zip` next to the archive; without one they are left out.

On GitHub both are those of the release; otherwise the archive's place on this machine.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OF_ZIP = ("scoop", "winget")
FILLED = re.compile(r"@([A-Z0-9]+)@")


def version():
    return re.search(r"^project\(acutance VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)


def windows_name():
    return f"acutance-{version()}-windows-x86_64.zip"


def facts(archive):
    sums = {name: hashlib.new(name, archive.read_bytes()) for name in ("sha256", "sha512")}
    on_github = "/".join(os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY")).strip("/")
    home = os.environ.get("ACUTANCE_HOME") or on_github or ROOT.as_uri()
    place = f"{on_github}/releases/download/v{version()}" if on_github else archive.resolve().parent.as_uri()
    url = os.environ.get("ACUTANCE_URL") or f"{place}/{archive.name}"
    windows = archive.parent / windows_name()
    of_zip = {"ZIPURL": f"{url.rpartition('/')[0]}/{windows.name}",
              "ZIPSHA256": hashlib.sha256(windows.read_bytes()).hexdigest().upper()} if windows.exists() else {}
    return {**of_zip, "VERSION": version(), "URL": url, "HOME": home, "SHA256": sums["sha256"].hexdigest(),
            "SHA512": sums["sha512"].hexdigest(), "SRI": "sha256-" + base64.b64encode(sums["sha256"].digest()).decode()}


def source_archive(place):
    """The archive of the sources among all that lie in a folder, or the archive that is named."""
    return place / f"acutance-{version()}.tar.xz" if place.is_dir() else place


def write(archive, out):
    """The folder with all recipes that name the archive; Docker's builds the repository that it lies in."""
    values = facts(archive)
    shutil.rmtree(out, ignore_errors=True)
    for path in sorted((ROOT / "packaging").glob("*/*")):
        text = path.read_text(encoding="utf-8")
        if "@VERSION@" in text and (path.parent.name not in OF_ZIP or "ZIPURL" in values):
            target = out / path.relative_to(ROOT / "packaging")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(FILLED.sub(lambda name: values[name.group(1)], text), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(source_archive(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2]))
