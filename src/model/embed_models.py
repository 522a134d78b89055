#!/usr/bin/env python3
"""Writes the source file that holds the built-in models: the files of a folder, and their names.

usage: embed_models.py FOLDER OUT.cc

FOLDER/models.txt has a line `name | what it was made for | what it is` for each file <name>.json next to it. Models
share most of their support vectors, one a line of the SVM's text (its line ends are written \\n in JSON): a file becomes
a list of numbers of lines, and each distinct line is stored once, a ninth of the files' bytes.
"""
import pathlib
import re
import sys

LINE = re.compile(rb".*?(?:\\n|\n)|.+\Z", re.S)


def read_table(folder):
    """Rows of models.txt, which must name the folder's JSON files, each once."""
    text = (folder / "models.txt").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line and line[0] != "#"]
    for row in rows:
        if len(row) != 3 or not all(row):
            sys.exit(f"models.txt: expected `name | made for | description`: {' | '.join(row)}")
    named, found = sorted(row[0] for row in rows), sorted(file.stem for file in folder.glob("*.json"))
    if named != found:
        sys.exit(f"models.txt names {', '.join(named)}; the folder's JSON files are {', '.join(found)}")
    return rows


def literal(data):
    """A string literal of C++ of those bytes."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data) + '"'


def rows_of(numbers):
    return "\n".join("    " + ", ".join(map(str, numbers[i:i + 20])) + "," for i in range(0, len(numbers), 20))


def main(folder, output):
    table = read_table(folder)
    numbers = {}  # of distinct lines
    files = [[numbers.setdefault(line, len(numbers)) for line in LINE.findall((folder / (row[0] + ".json")).read_bytes())]
             for row in table]
    if len(numbers) > 0xFFFF:
        sys.exit(f"{len(numbers)} distinct lines; their numbers have 16 bits")
    begins = [0]
    for line in numbers:
        begins.append(begins[-1] + len(line))
    parts = ['#include "model/builtin_models.h"\n\nnamespace acutance {\n', "static constexpr char kText[] ="]
    parts += ["    " + literal(line) for line in numbers]
    parts += [";\nstatic constexpr uint32_t kBegins[] = {", rows_of(begins), "};"]
    for i, lines in enumerate(files):
        parts += [f"static constexpr uint16_t kLines{i}[] = {{", rows_of(lines), "};"]
    parts += ["\nconst char* const BuiltinModel::kText = acutance::kText;",
              "const uint32_t* const BuiltinModel::kBegins = acutance::kBegins;\n",
              "std::span<const BuiltinModel> BuiltinModels() {", "  static constexpr BuiltinModel kModels[] = {"]
    parts += [f"      {{{', '.join(literal(cell.encode()) for cell in row)}, kLines{i}}}," for i, row in enumerate(table)]
    parts += ["  };", "  return kModels;", "}\n\n}  // namespace acutance\n"]
    output.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
