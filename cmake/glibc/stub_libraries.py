#!/usr/bin/env python3
"""Writes libraries to link with in the place of glibc's, which offer what an older glibc has, under the versions of then.

usage: stub_libraries.py VERSION FOLDER COMPILER...

What is linked with them runs with glibc VERSION and every later one. They have no code: the loader takes the machine's own
glibc. A symbol that is younger than VERSION is missing, so that its use fails to link; old_glibc.cc defines those that the
compiler's libraries ask for.
"""
import collections
import pathlib
import re
import subprocess
import sys

# Until 2.34 these were libraries of their own, which glibc still has by name.
PARTS = (("libdl.so.2", r"dl(open|mopen|close|sym|vsym|error|addr|addr1|info)"),
         ("librt.so.1", r"(aio|mq|shm|timer)_.*|lio_listio(64)?"),
         ("libpthread.so.0", r"_*(pthread|sem|thrd|mtx|cnd|tss)_.*|call_once"))

Symbol = collections.namedtuple("Symbol", "name version kind bind place size")


def number(version):
    """GLIBC_2.2.5 as (2, 2, 5); None for what is no release."""
    match = re.fullmatch(r"GLIBC_([0-9.]+)", version)
    return tuple(map(int, match[1].split("."))) if match else None


def symbols(library, oldest):
    """Of each name the newest that `oldest` has, with whether a later glibc moved it. A name without a current version, such as
    sysctl, is there for old programs alone, and no header declares it: it is left out."""
    table = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True).stdout
    found = {}
    later = set()
    current = set()
    for line in table.splitlines():
        words = line.split()
        if len(words) < 8 or words[6] == "UND" or "@" not in words[7]:
            continue
        name, _, version = words[7].partition("@")
        if version.startswith("@"):
            current.add(name)
        version = version.lstrip("@")
        if number(version) is None:
            continue
        if number(version) > oldest:
            later.add(name)
        elif name not in found or number(found[name].version) < number(version):
            found[name] = Symbol(name, version, words[3], words[4], int(words[1], 16), int(words[2], 0))
    return [row for name, row in found.items() if name in current], later


def assembly(rows):
    """The symbols of one library; names of one variable stay at one place, since a program that copies it takes all of them."""
    lines = []
    by_place = collections.defaultdict(list)
    for row in rows:
        by_place[(row.kind, row.place if row.kind in ("OBJECT", "TLS") else row.name)].append(row)
    sections = {"OBJECT": ".data", "TLS": '.section .tdata,"awT",%progbits'}
    for index, ((kind, _), group) in enumerate(sorted(by_place.items(), key=lambda item: item[1][0].name)):
        size = max(1, max(row.size for row in group))
        lines += [sections.get(kind, ".text"), ".balign 32"]
        for turn, row in enumerate(group):
            label = f"stub_{index}_{turn}"
            lines += [f".weak {label}" if row.bind == "WEAK" else f".globl {label}",
                      f".type {label}, %{'object' if kind == 'OBJECT' else 'tls_object' if kind == 'TLS' else 'function'}",
                      f".size {label}, {row.size}", f".symver {label}, {row.name}@@{row.version}, remove", f"{label}:"]
        lines.append(f".skip {size}")
    return "\n".join(lines) + "\n.section .note.GNU-stack,\"\",%progbits\n"


def write_library(folder, name, rows, compiler):
    rows = list(rows)
    source = folder / f"{name}.s"
    source.write_text(assembly(rows))
    versions = sorted({row.version for row in rows}, key=number)
    script = folder / f"{name}.map"
    script.write_text("".join(f"{version} {{ }};\n" for version in versions))
    subprocess.run([*compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", f"-Wl,--version-script={script}", source,
                    "-o", folder / name], check=True)
    short = re.sub(r"\.so.*", ".so", name)
    if not name.startswith("ld-"):
        (folder / short).unlink(missing_ok=True)
        (folder / short).symlink_to(name)


def main(version, folder, compiler):
    oldest = tuple(map(int, version.split(".")))
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)

    def place(name):
        return subprocess.run([*compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()

    loader = "ld-linux-aarch64.so.1" if "aarch64" in compiler[0] else "ld-linux-x86-64.so.2"
    parts = collections.defaultdict(list)
    for name in ("libc.so.6", "libm.so.6", loader):
        rows, later = symbols(place(name), oldest)
        for row in rows:
            moved = [part for part, pattern in PARTS if row.name in later and re.fullmatch(pattern, row.name)]
            parts[moved[0] if moved else name].append(row)
    for name, rows in parts.items():
        write_library(folder, name, rows, compiler)
    (folder / "libc.so").unlink()
    (folder / "libc.so").write_text(f"GROUP ( {folder}/libc.so.6 {place('libc_nonshared.a')} AS_NEEDED ( {folder}/{loader} ) )\n")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
