"""Annotations that agree with the code, for strict users."""
import ast
import pathlib
import re
import subprocess
import sys

import pytest

import acutance

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command):
    done = subprocess.run([sys.executable, "-m", *map(str, command)], cwd=ROOT, capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_is_strict_with_a_user_s_program():
    pytest.importorskip("mypy")
    run("mypy", "--strict", "--config-file=", "--cache-dir", "build/mypy", "tests/python/typed_sample.py")


def test_mypy_is_strict_with_the_package_itself():
    pytest.importorskip("mypy")
    run("mypy", "--config-file", "pyproject.toml")


def stub_signatures():
    """Name -> parameters, of all functions, methods and (None) properties of the extension's stub."""
    found = {}

    def visit(nodes, prefix):
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                is_property = any(isinstance(word, ast.Name) and word.id == "property" for word in node.decorator_list)
                names = [argument.arg for argument in node.args.args]
                found[prefix + node.name] = None if is_property else [name for name in names if name != "self"]

    stub = pathlib.Path(acutance.__file__).with_name("_core.pyi")
    visit(ast.parse(stub.read_text()).body, "")
    return found


def true_signatures():
    """The same of the extension itself."""

    def parameters(function):
        (text, *_), = function.__nb_signature__
        text = text.partition(" -> ")[0]
        while "[" in text:
            text = re.sub(r"\[[^][]*\]", "", text)  # types may be no Python: ndarray[writable=False]
        return re.findall(r"(\w+):", text)

    found = {}
    for name, value in vars(acutance._core).items():
        if isinstance(value, type):
            for member, function in vars(value).items():
                if isinstance(function, property):
                    found[f"{name}.{member}"] = None
                elif hasattr(function, "__nb_signature__"):
                    found[f"{name}.{member}"] = parameters(function)
        elif hasattr(value, "__nb_signature__"):
            found[name] = parameters(value)
    return found


def test_the_stub_is_the_extension():
    assert stub_signatures() == true_signatures()


def test_a_wrong_program_is_found(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "wrong.py"
    program.write_text("import acutance\nscore: str = acutance.score('a', 'b').score\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", "build/mypy",
                           str(program)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "Incompatible types in assignment" in done.stdout
