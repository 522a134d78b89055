#!/usr/bin/env python3
"""Prints a compile_commands.json for clang-tidy: each source by itself, also where CMake compiles several together, and
without GCC's precompiled headers, which clang cannot read.

usage: single_commands.py BUILD/compile_commands.json
"""
import json
import pathlib
import re
import sys

PRECOMPILED = re.compile(r" -Winvalid-pch -include \S*cmake_pch\.hxx")
INCLUDE = re.compile(r'^#include "([^"]+)"$', re.M)


def sources_of(path):
    """What CMake's file of joined sources includes, or the source itself."""
    file = pathlib.Path(path)
    return INCLUDE.findall(file.read_text(encoding="utf-8")) if file.parent.name == "Unity" else [path]


def main():
    entries = []
    for entry in json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")):
        command = PRECOMPILED.sub("", entry["command"])
        for source in sources_of(entry["file"]):
            entries.append({**entry, "file": source, "command": command.replace(entry["file"], source)})
    json.dump(entries, sys.stdout, indent=0)


if __name__ == "__main__":
    main()
