#!/usr/bin/env python3
"""Writes a source file that holds texts.

usage: embed_text.py OUT.cc HEADER NAME=FILE...
"""
import pathlib
import sys

PIECE = 8000  # bytes of a string literal; compilers limit their length


def literal(data):
    """Adjacent string literals of those bytes."""
    escaped = ["".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data[at:at + PIECE])
               for at in range(0, len(data), PIECE)]
    return "\n    ".join(f'"{piece}"' for piece in escaped)


def main(output, header, *texts):
    parts = [f'#include "{header}"\n\nnamespace acutance {{\n']
    for text in texts:
        name, _, path = text.partition("=")
        data = pathlib.Path(path).read_bytes()
        parts.append(f"static constexpr char {name}Bytes[] =\n    {literal(data)};\n"
                     f"const std::string_view {name}({name}Bytes, {len(data)});\n")
    parts.append("}  // namespace acutance\n")
    pathlib.Path(output).write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
