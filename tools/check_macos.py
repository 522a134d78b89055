#!/usr/bin/env python3
"""Reads what is built for macOS: it needs the system's own library alone, and names no folder of this machine.

usage: check_macos.py BUILD
"""
import pathlib
import struct
import sys

LOAD_LIBRARY, RUN_PATH, BUILD_VERSION = 0x0C, 0x8000001C, 0x32
SYSTEM = "/usr/lib/libSystem.B.dylib"


def facts(data):
    """The libraries that a Mach-O file loads, the folders that it searches, and the oldest macOS that takes it."""
    libraries, folders, oldest = [], [], 0
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size, first, second = struct.unpack_from("<4I", data, at)
        if command in (LOAD_LIBRARY, RUN_PATH):
            (libraries if command == LOAD_LIBRARY else folders).append(data[at + first:at + size].split(b"\0")[0].decode())
        if command == BUILD_VERSION:
            oldest = second >> 16
        at += size
    return libraries, folders, oldest


def main(build):
    for file in (build / "bin" / "acutance", build / "bin" / "vmaf", build / "lib" / "libvmaf.3.dylib"):
        data = file.read_bytes()
        libraries, folders, oldest = facts(data)
        print(f"{file}: {len(data) / 1e6:.1f} MB, for macOS {oldest} or later, loads {' '.join(libraries)}")
        if libraries != [SYSTEM] or folders or str(build.parent).encode() in data:
            sys.exit(f"{file}: it needs more than {SYSTEM}, or names {build.parent}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
