#!/usr/bin/env python3
"""Lists the sources of CMake libraries of src/ and cli/ and of all libraries that they are linked with, for Meson.

usage: sources.py LIBRARY...

A line `LIBRARY KIND PATH...` for each library and kind, paths from the repository's root. KIND: joined, which may be
compiled together with others of the line; alone, which may not; ordered, alone and with GCC's -fno-tree-ter. The calls
of acutance_library() in the CMakeLists.txt are the one list of the sources; what they take from variables, CMake
generates or chooses.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = re.compile(r"acutance_library\(\s*(\w+)\s+(?:PLAIN\s+)?SOURCES\s+([^()]*?)\s+DEPS\s+([^()]*?)\)", re.S)
ALONE = re.compile(r"set_source_files_properties\(([^()]*?) PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON\)")
ORDERED = re.compile(r"set_source_files_properties\(([^()]*?) PROPERTIES COMPILE_OPTIONS [^()]*-fno-tree-ter")
EACH_METRIC = "${metric_targets}"


def read_libraries():
    """Library -> (paths of its sources, libraries that it names), and source -> kind where CMake names one."""
    libraries, kinds = {}, {}
    for file in sorted(file for top in ("src", "cli") for file in (ROOT / top).rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
        for kind, pattern in (("alone", ALONE), ("ordered", ORDERED)):
            kinds.update((file.parent / name, kind) for found in pattern.findall(text) for name in found.split())
        for name, sources, needed in LIBRARY.findall(text):
            paths = [file.parent / source for source in sources.split() if "$" not in source]
            libraries[name] = (paths, needed.split())
    return libraries, kinds


def closure(wanted, libraries):
    found, queue = {}, list(wanted)
    while queue:
        name = queue.pop()
        if name in found or name not in libraries:
            continue
        found[name], needed = libraries[name]
        for other in needed:
            if other == EACH_METRIC:
                queue += [each for each in libraries if each.startswith("metric_")]
            queue.append(other.removeprefix("acutance_"))
    return found


def kind_of(path, kinds):
    if path in kinds:
        return kinds[path]
    return "alone" if "<hwy/foreach_target.h>" in path.read_text(encoding="utf-8") else "joined"


def main(wanted):
    libraries, kinds = read_libraries()
    missing = [name for name in wanted if name not in libraries]
    if missing or not wanted:
        sys.exit(f"no acutance_library() is called so: {', '.join(missing)}\n\n{__doc__}")
    for name, paths in sorted(closure(wanted, libraries).items()):
        for kind in ("joined", "alone", "ordered"):
            of_kind = [path.relative_to(ROOT).as_posix() for path in paths if kind_of(path, kinds) == kind]
            if of_kind:
                print(name, kind, *of_kind)


if __name__ == "__main__":
    main(sys.argv[1:])
