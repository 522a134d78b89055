#!/usr/bin/env python3
"""Writes what a version script makes global as a module-definition file, which Windows' linkers read in its place.

usage: module_definition.py MAP OUT NM ARCHIVE...    the names are those of C functions that the archives define
"""
import fnmatch
import pathlib
import re
import subprocess
import sys


def main(script, out, nm, archives):
    patterns = re.findall(r"[\w*]+(?=;)", re.search(r"global:(.*?)local:", pathlib.Path(script).read_text(), re.S)[1])
    listing = subprocess.run([nm, "-g", "--defined-only", *archives], check=True, capture_output=True, text=True).stdout
    defined = {words[2] for words in map(str.split, listing.splitlines()) if len(words) == 3 and words[1] == "T"}
    names = sorted(name for name in defined if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
    if not names:
        sys.exit(f"{script}: the archives define none of {' '.join(patterns)}")
    pathlib.Path(out).write_text("EXPORTS\n" + "".join(f"  {name}\n" for name in names))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
