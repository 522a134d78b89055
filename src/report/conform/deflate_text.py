#!/usr/bin/env python3
"""Writes a source file that holds a deflated text, after its size.

usage: deflate_text.py OUT.cc HEADER NAME=FILE
"""
import pathlib
import sys
import zlib

PIECE = 100  # bytes of a line


def main(output, header, text):
    name, _, path = text.partition("=")
    raw = pathlib.Path(path).read_bytes()
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = f"{len(raw)}\n".encode() + deflate.compress(raw) + deflate.flush()
    lines = (", ".join(str(byte) for byte in data[at:at + PIECE]) for at in range(0, len(data), PIECE))
    pathlib.Path(output).write_text(
        f'#include "{header}"\n\nnamespace acutance {{\nstatic constexpr unsigned char {name}Bytes[] = {{\n'
        + ",\n".join(lines) + f"}};\nconst std::string_view {name}(reinterpret_cast<const char*>({name}Bytes), {len(data)});\n"
        "}  // namespace acutance\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
