#!/usr/bin/env python3
"""Files of kernels next to the program (README.md).

usage: kernel_files.py identity --list FILE --root SRC --out FILE [--depfile FILE]
       kernel_files.py pack --identity FILE --family FAMILY --folder FOLDER --out FILE KERNEL...

identity  writes the identity of the kernels' build as a C++ literal: a hash of the list, which names kernels, their variants and
          compilers, of every file that a kernel includes in any dialect, and of the script that compiles them. A list's
          lines are text; those that begin with "source " name a kernel's source.
pack      puts FOLDER/KERNEL.FAMILY.hsaco of all kernels into one file: a line "acutance kernels <identity> <family>", a
          line "<kernel> <offset> <bytes>" for each, an empty line, and the code objects, each at a multiple of 64
          bytes from the file's begin.
"""
import argparse
import hashlib
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
ALIGNMENT = 64


def included_files(sources, root):
    """The sources and all files that they may include, directly or not."""
    found, due = {}, list(sources)
    while due:
        path = due.pop().resolve()
        if path in found or not path.is_file():
            continue
        found[path] = path.read_bytes()
        names = INCLUDE.findall(found[path].decode("utf-8"))
        due += [folder / name for name in names for folder in (path.parent, root)]
    return found


def write_if_other(path, text):
    """Leaves an unchanged file as it is, so that nothing is rebuilt."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def identity(options):
    listed = options.list.read_text(encoding="utf-8")
    root = options.root.resolve()
    sources = [root / line.removeprefix("source ") for line in listed.splitlines() if line.startswith("source ")]
    files = included_files([*sources, HERE / "compile_kernel.py", HERE / "check_spirv.py"], root)
    digest = hashlib.sha256(listed.encode())
    for path in sorted(files):
        digest.update(f"\0{os.path.relpath(path, root)}\0{len(files[path])}\0".encode() + files[path])
    write_if_other(options.out, f'"{digest.hexdigest()[:32]}"\n')
    if options.depfile:
        names = " ".join(str(path).replace(" ", "\\ ") for path in sorted(files))
        options.depfile.write_text(f"{options.out}: {names}\n", encoding="utf-8")


def header(first, codes, begin):
    """The header of a file whose code objects begin at `begin` or later, and the places of those."""
    lines, places = [first], []
    for name, code in codes:
        begin += -begin % ALIGNMENT
        places.append(begin)
        lines.append(f"{name} {begin} {len(code)}")
        begin += len(code)
    return ("\n".join(lines) + "\n\n").encode(), places


def pack(options):
    codes = [(name, (options.folder / f"{name}.{options.family}.hsaco").read_bytes()) for name in options.kernels]
    known = options.identity.read_text(encoding="utf-8").strip().strip('"')
    first = f"acutance kernels {known} {options.family}"
    size = 0
    while len(header(first, codes, size)[0]) > size:  # numbers grow with the header that they are in
        size = len(header(first, codes, size)[0])
    text, places = header(first, codes, size)
    content = bytearray(text)
    for place, (_, code) in zip(places, codes):
        content += bytes(place - len(content)) + code
    partial = options.out.with_name(options.out.name + ".partial")
    partial.write_bytes(content)
    partial.replace(options.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    identify = commands.add_parser("identity")
    identify.set_defaults(run=identity)
    identify.add_argument("--list", type=pathlib.Path, required=True)
    identify.add_argument("--root", type=pathlib.Path, required=True)
    identify.add_argument("--depfile", type=pathlib.Path)
    packing = commands.add_parser("pack")
    packing.set_defaults(run=pack)
    packing.add_argument("--identity", type=pathlib.Path, required=True)
    packing.add_argument("--family", required=True)
    packing.add_argument("--folder", type=pathlib.Path, required=True)
    packing.add_argument("kernels", nargs="*")
    for command in (identify, packing):
        command.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
