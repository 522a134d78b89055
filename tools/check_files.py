#!/usr/bin/env python3
"""Checks the files of the tree: each is used, short, finished and portable.

usage: check_files.py [--root DIR] [--compile-commands FILE] [--words-in PATH]

--words-in: where the words are checked, a prefix of paths ("" is the whole tree), in place of WORD_PLACES.

- Every C++ source belongs to a CMake target (compile_commands.json, or its name in a CMakeLists.txt for the parts that
  an option leaves out), and every header is included, directly or not, by such a source.
- Comments, messages and pages use the field's words: INSTEAD lists phrases that they avoid.
- No string outside src/metric names a metric or a feature: what others need of a metric, it declares (docs/develop/architecture.md).
- What differs between systems is in src/base/system: no other source asks for Windows or includes POSIX' headers, except SYSTEM_PLACES.
- No file is longer than its kind allows; no text promises work for another day; no path of somebody's machine.
- No source below src/ calls a function of the C library whose last bit depends on that library: math/exact_math.h has
  them.
Exit status 0 when all hold, 1 otherwise.
"""
import argparse
import io
import json
import pathlib
import re
import subprocess
import sys
import tokenize

SOURCE_FOLDERS = ("src", "cli", "include", "python", "plugins", "tests", "bench")
INCLUDE_FOLDERS = ("src", "include", "", "tests/structure/additions")
CODE_LINES = 600
WORD_PLACES = ("",)  # the whole tree
NOT_PLAIN = {
    "docs/history/": "a record of its time",
    "models/": "numbers",
    "tools/check_files.py": "the list itself",
    "tests/structure/checks_test.py": "phrases that the check must find",
}
# Phrases that are never the plainest: a pattern between word boundaries, and what to write.
INSTEAD = {
    r"(?:all|none|nothing|no one) but": "all except, only",
    r"but for": "except",
    r"as far as": "where, to the extent that",
    r"whatever": "regardless of, any",
    r"whoever|somebody|nobody": "the class, the thread, any program, no program",
    r"besides?": "next to, in addition to",
    r"so many(?! \w+ that| that| as)": "N, the number of ...",
    r"no more than": "at most",
    r"unmade": "lazy, deferred",
    r"(?:go|goes|going|went|gone) on(?=[.,;:)]|$| (?:with|without|from|here|where|there|after|until|and|at)\b)": "continue",
    r"mend(?:s|ed|ing)?": "fix",
    r"belie[sd]?": "contradict",
    r"belongs? together": "are aligned, form pairs",
    r"(?:another|the wrong|other) moments?(?: of)?": "the wrong frame, a time offset",
    r"for a person": "human-readable",
    r"lets? go of": "free",
    r"(?:stream|file|container|header|metadata|video|source)s? (?:tells?|told|(?:do|does|did) not tell)": "declare, signal",
    r"turned (?:videos?|pictures?|frames?)": "rotated",
    r"signed (?:videos?|pictures?|frames?)": "fingerprinted",
    r"belated(?:ly)?|unlooked": "late; not checked",
}
AVOIDED = re.compile(rf"\b(?:{'|'.join(f'({pattern})' for pattern in INSTEAD)})(?!\w)".replace(" ", r"\s+"), re.I)
# Character literals, raw strings, strings, comments.
CPP_TEXT = re.compile(r"""'(?:[^'\\\n]|\\.)'|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<string>(?:[^"\\\n]|\\.)*)"|//(?P<line>[^\n]*)|"""
                      r"""/\*(?P<block>.*?)\*/""", re.S)
PROMISES = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
MACHINE_PATHS = re.compile(r"(?<![\w./${}])/(?:" + "|".join(("ho" + "me", "ro" + "ot", "wo" + "rk")) + r")/\w")
# sqrt, floor, ldexp and their like are exact everywhere.
LIBRARY_MATHS = re.compile(
    r"(?<![\w.>:])(?:std::|::|__builtin_)?(?:a?(?:sin|cos|tan)h?|atan2|exp(?:2|10|m1)?|log(?:2|10|1p|b)?|pow|cbrt|hypot|"
    r"erfc?|[lt]gamma|fma)[fl]?\s*\(")
# Files that may name metrics, and why.
NAMES_METRICS = {
    "src/metric/": "they define them",
    "src/api/libvmaf/": "libvmaf's names",
    "src/api/vship/": "vship's names",
    "plugins/": "names of other plugins",
    "cli/vmaf": "libvmaf's flags",
    "cli/score_options": "examples in help",
    "src/run/options.inc": "examples in help",
    "src/run/doctor/": "an example command",
    "src/model/model_parser.cc": "a rule of the model format that names its features",
    "src/report/avm_release.cc": "qualities of AVM's common test conditions",
    "src/report/avm_release.h": "qualities of AVM's common test conditions",
    "src/report/avm_rate_files.cc": "scores of the AOM's common test conditions",
    "src/report/ctc.cc": "columns of the AOM's common test conditions",
}
# Headers of one system, the macros that tell systems apart, and a path made of a string, whose encoding Windows takes for another.
SYSTEM = re.compile(r"^\s*#\s*(?:include <(?:windows|unistd|fcntl|poll|dlfcn|link|pthread|sched|signal|spawn|dirent|io|sys/\w+)\.h>"
                    r"|(?:el)?if.*\b(?:_WIN32|_MSC_VER|__MINGW\w+|__APPLE__|__linux__)\b)|\b(?:filesystem|fs)::path\((?!\))", re.M)
SYSTEM_PLACES = {
    "src/base/system/": "the layer itself",
    "src/base/large_pages.h": "what Linux alone has",
    "src/backend/emu/": "fibers",
    "src/backend/sycl/": "a runtime of Linux, and its signal handlers",
}
OUTPUTS = re.compile(r"\b(?:OutputSpec k\w+\[[^\]]*\]|auto kOutputs) =\s(.*?[})];)$", re.M | re.S)
METRIC = re.compile(r"^const Metric (k\w+) = \{(.*?)^\};", re.M | re.S)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"|//.*')
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+HWY_TARGET_INCLUDE)\s+["<]([^">]+)[">]', re.M)
TEXT = {".cc", ".h", ".py", ".sh", ".md", ".txt", ".cmake", ".json", ".in", ".1", ""}


def tracked_files(root):
    """All files of the tree: git's list, with what is new and not ignored; without git, all except builds."""
    try:
        listing = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                                 check=True, capture_output=True, text=True).stdout
        return sorted({root / line for line in listing.splitlines() if (root / line).is_file()})
    except (OSError, subprocess.CalledProcessError):
        return sorted(path for path in root.rglob("*")
                      if path.is_file() and not path.relative_to(root).parts[0].startswith(("build", ".")))


def compiled_sources(root, files, compile_commands):
    """Sources, and texts that are compiled at run time or embedded, that a target names."""
    found = set()
    if compile_commands:
        for entry in json.loads(compile_commands.read_text(encoding="utf-8")):
            found.add((pathlib.Path(entry["directory"]) / entry["file"]).resolve())
    for lists in (path for path in files if path.name == "CMakeLists.txt"):
        for word in re.findall(r"[\w./-]+\.(?:cc|h)\b", lists.read_text(encoding="utf-8")):
            for name in {word, word.replace("_posix.cc", "_windows.cc")}:
                found.add((lists.parent / name.lstrip("/")).resolve())
    return found


def reached(root, starts):
    """All files of the tree that the starts include, directly or not, and the starts."""
    seen, queue = set(), list(starts)
    while queue:
        path = queue.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
            queue += [root / base / name for base in INCLUDE_FOLDERS] + [path.parent / name]
    return seen


def unused(root, files, compile_commands):
    code = [path for path in files
            if path.suffix in (".cc", ".h") and path.relative_to(root).parts[0] in SOURCE_FOLDERS]
    compiled = compiled_sources(root, files, compile_commands)
    clients = [path for path in files if path.suffix == ".c"]  # which tests compile
    used = reached(root, [path for path in code if path in compiled] + clients)
    for path in code:
        if path not in used:
            verb = "compiles" if path.suffix == ".cc" else "includes"
            yield f"{path.relative_to(root)}: nothing {verb} this file; use it or remove it"
    if not used:
        yield "no compiled source found"


def text_problems(root, path):
    """What is wrong inside one file."""
    name = path.relative_to(root)
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if path.suffix in (".cc", ".h", ".py", ".sh") and len(lines) > CODE_LINES:
        yield f"{name}: {len(lines)} lines; a reader takes at most {CODE_LINES}: split it"
    for number, line in enumerate(lines, 1):
        if PROMISES.search(line):
            yield f"{name}:{number}: '{PROMISES.search(line).group()}' promises work for another day"
        if MACHINE_PATHS.search(line):
            yield f"{name}:{number}: a path of one machine: {line.strip()}"


def cpp_prose(text):
    """(offset, text) of comments and of strings with blanks; lines that continue each other are one."""
    prose, last_kind, last_end = [], None, 0
    for match in CPP_TEXT.finditer(text):
        kind = match.lastgroup
        if kind and (kind in ("line", "block") or " " in match.group(kind)):
            if kind == last_kind and not text[last_end:match.start()].strip():
                prose[-1].append((match.start(kind), match.group(kind).strip("/")))
            else:
                prose.append([(match.start(kind), match.group(kind))])
            last_kind, last_end = kind, match.end()
    return prose


def python_prose(text):
    """The same of Python: comments, and strings with blanks."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or token.type == tokenize.STRING and " " in token.string:
            yield [(starts[token.start[0] - 1] + token.start[1], token.string)]


def page_prose(text):
    """A page without its code."""
    yield [(0, re.sub(r"```.*?```|`[^`\n]*`", lambda code: re.sub(r"[^\n]", " ", code.group()), text, flags=re.S))]


PROSE = {".cc": cpp_prose, ".h": cpp_prose, ".inc": cpp_prose, ".py": python_prose, ".pyi": python_prose, ".md": page_prose,
         ".in": page_prose, ".1": page_prose, ".json": page_prose}


def avoided_words(root, path):
    """Phrases of INSTEAD in comments, messages and pages."""
    name = path.relative_to(root).as_posix()
    if path.suffix not in PROSE or name.startswith(tuple(NOT_PLAIN)):
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    for pieces in PROSE[path.suffix](text):
        joined = "\n".join(piece for _, piece in pieces)
        for match in AVOIDED.finditer(joined):
            before, rest = 0, match.start()
            while rest > len(pieces[before][1]):
                rest -= len(pieces[before][1]) + 1
                before += 1
            line = text.count("\n", 0, pieces[before][0] + rest) + 1
            words = " ".join(match.group().split())
            yield f"{name}:{line}: '{words}': write {list(INSTEAD.values())[match.lastindex - 1]}"


def inexact_maths(root, path):
    """Calls whose result depends on the C library, in a file that computes scores."""
    name = path.relative_to(root)
    scored = name.parts[0] == "src" and name.parts[1] not in ("math", "kernel") and path.suffix in (".cc", ".h")
    if not scored or path.stem.endswith(("_test", "_bench")) or "testing" in name.parts:
        return
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        call = LIBRARY_MATHS.search(line.split("//")[0])
        if call:
            yield f"{name}:{number}: '{call.group()}' has another last bit in each C library: use math/exact_math.h"


def system_words(root, path):
    """What belongs into src/base/system."""
    name = path.relative_to(root).as_posix()
    is_ours = path.suffix in (".cc", ".h") and name.startswith(("src/", "cli/")) and not name.startswith(tuple(SYSTEM_PLACES))
    if not is_ours or re.search(r"_(test|bench)\.|/testing/", name):
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    for match in SYSTEM.finditer(text):
        yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: '{match.group()}': put what differs between systems into src/base/system"


def metric_names(root, files):
    """The names of the metrics that users see and of their outputs, and outputs' names without what libvmaf puts round
    them: "VMAF_integer_feature_adm3_score", "integer_adm3", "adm3"."""
    inc = root / "src/metric/metrics.inc"
    public = re.findall(r"^ACU_METRIC\((\w+)\)", inc.read_text(encoding="utf-8"), re.M) if inc.is_file() else []
    names = set()
    for path in files:
        if path.suffix != ".cc" or path.relative_to(root).parts[:2] != ("src", "metric"):
            continue
        text = path.read_text(encoding="utf-8")
        metrics = [body for metric, body in METRIC.findall(text) if metric in public]
        for body in metrics:
            names.add(re.search(r'\.name = "([^"]+)"', body).group(1))
        for body in OUTPUTS.findall(text) if metrics else []:
            found = re.findall(r'\.(?:name|alias) = "([^"]+)"', body)
            found += [name.replace("#", str(scale)) for name in re.findall(r'"(\w+#)"', body) for scale in range(10)]
            for name in found:
                names |= {name, re.sub(r"^\w+_feature_|^integer_|_score$", "", name),
                          re.sub(r"^\w+_feature_|_score$", "", name)}
    return names - {"null"}  # JSON's word, too


def named_metrics(root, path, names):
    """Strings that name a metric where none may."""
    name = path.relative_to(root).as_posix()
    if path.suffix not in (".cc", ".h", ".inc") or not name.startswith(("src/", "cli/")):
        return
    if name.startswith(tuple(NAMES_METRICS)) or re.search(r"_(test|bench)\.|/test(ing/|_)", name):
        return
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for literal in LITERAL.findall("" if line.startswith("#include") else line):
            for word in sorted(names.intersection(re.findall(r"[\w-]+", literal))):
                yield f"{name}:{number}: '{word}' is a metric's: let the metric declare what is needed of it"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--compile-commands", type=pathlib.Path)
    parser.add_argument("--words-in")
    options = parser.parse_args()
    root = options.root.resolve()

    files = tracked_files(root)
    problems = list(unused(root, files, options.compile_commands))
    names = metric_names(root, files)
    word_places = WORD_PLACES if options.words_in is None else options.words_in
    for path in files:
        problems += named_metrics(root, path, names)
        if path.suffix in TEXT and path.relative_to(root).parts[0] != "models":
            problems += text_problems(root, path)
            problems += inexact_maths(root, path)
            problems += system_words(root, path)
        if path.relative_to(root).as_posix().startswith(word_places):
            problems += avoided_words(root, path)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
