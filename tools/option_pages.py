#!/usr/bin/env python3
"""Writes what is made from the rows of options (src/run/run_options.h): Python's keywords and the manual page.

usage: option_pages.py python OUT
       option_pages.py man TEMPLATE OUT
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUN, SCORE = ROOT / "src" / "run" / "options.inc", ROOT / "cli" / "score_options.inc"
GROUPS = ("Inputs", "Models", "Frames", "Alignment", "Output", "Decisions", "Devices")
ANNOTATIONS = {
    "kFlag": "bool", "kSwitch": "bool", "kChoice": "str", "kNumber": "int", "kBytes": "int | None", "kText": "str",
    "kPath": "str | os.PathLike[str] | None", "kSize": "str | tuple[int, int]",
    "kAlignment": "str | int | os.PathLike[str]",
}
FIELD = re.compile(r'\.(\w+) =\s+(?:((?:"(?:[^"\\]|\\.)*"\s*)+)|([\w:]+))')


def read_rows(path):
    """A dict of each row's literals and names."""
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    rows = []
    for part in re.split(r"\n(?=\{\.name)", text)[1:]:
        row = {}
        for name, literals, word in FIELD.findall(part):
            row[name] = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)) if literals else word.split("::")[-1]
        rows.append(row)
    return rows


def api_name(row):
    return row.get("api_name", row["name"]).replace("-", "_")


def python_default(row):
    """Its source text."""
    text = row.get("api_fallback", row.get("fallback"))
    kind = row.get("type", "kText")
    if kind == "kFlag":
        return "False"
    if text is None:
        return "None"
    return str(text == "on") if kind == "kSwitch" else text if kind == "kNumber" else repr(text)


def python_help(row):
    """The help with Python's names of options: no hyphens, and no letters."""
    def named(match):
        rows = [each for each in read_rows(RUN) if each["name"] == match[1]]
        return api_name(rows[0]) if rows else match[1].replace("-", "_")

    return re.sub(r"--([a-z][a-z-]*)", named, row.get("api_help", row["help"]))


def python_module():
    rows = [row for row in read_rows(RUN) if row.get("type") != "kOwn"]
    lines = ['"""The options of a run, made from src/run/options.inc by tools/option_pages.py."""',
             "from __future__ import annotations", "", "import os", "from typing import Any, NamedTuple, TypedDict", "", "",
             "class Row(NamedTuple):", "    kind: str", "    annotation: str", "    default: Any", "    choices: str",
             "    help: str", "", "", "class RunOptions(TypedDict, total=False):"]
    table = ["", "", "ROWS = {"]
    for row in rows:
        default = python_default(row)
        annotation = ANNOTATIONS[row.get("type", "kText")]
        if row.get("type") == "kSize" and default == "None":
            annotation = "tuple[int, int]"
        if default == "None" and "None" not in annotation:
            annotation += " | None"
        lines.append(f"    {api_name(row)}: {annotation}")
        kind = row.get("type", "kText").removeprefix("k").lower()
        table.append(f"    {api_name(row)!r}: Row({kind!r}, {annotation!r}, {default}, {row.get('choices', '')!r},\n"
                     f"        {python_help(row)!r}),")
    return "\n".join(lines + table + ["}", ""])


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def manual_options():
    rows = read_rows(SCORE) + read_rows(RUN)
    lines = []
    for group in GROUPS:
        lines.append(f".SS {group}")
        for row in (row for row in rows if row["group"] == "k" + group):
            names = (f"\\-{row['letter']}, " if "letter" in row else "") + f"\\-\\-{roff(row['name'])}"
            lines += [".TP", f'.BI "{names}" " {roff(row["value"])}"' if "value" in row else f".B {names}"]
            default = f" (default: {row['fallback']})" if "fallback" in row else ""
            choices = f" One of {row['choices']}." if "choices" in row else ""
            lines.append(roff(f"{row['help']}.{choices}".removesuffix(".") + default + "."))
    return "\n".join(lines)


def main(arguments):
    if arguments[:1] == ["python"] and len(arguments) == 2:
        pathlib.Path(arguments[1]).write_text(python_module(), encoding="utf-8")
    elif arguments[:1] == ["man"] and len(arguments) == 3:
        template = pathlib.Path(arguments[1]).read_text(encoding="utf-8")
        pathlib.Path(arguments[2]).write_text(template.replace("@OPTIONS@", manual_options()), encoding="utf-8")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
