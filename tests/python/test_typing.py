"""Annotations that agree with the code, for strict users."""
import ast
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import acutance

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import option_pages  # noqa: E402


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


def test_every_option_of_a_run_is_a_keyword():
    rows = option_pages.read_rows(option_pages.RUN)
    keywords = acutance._run_options.RunOptions.__annotations__
    assert len(rows) > 25
    for function in (acutance.score, acutance.score_async):
        parameters = inspect.signature(function).parameters
        assert not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
        for row in rows:
            name = option_pages.api_name(row)
            if row.get("type") == "kOwn":  # a parameter of its own; model=None is no_model
                assert name.replace("no_model", "model") in parameters
            else:
                assert name in keywords and parameters[name].default == acutance._run_options.ROWS[name].default
    shown = " ".join(acutance.score.__doc__.split())
    for name, row in acutance._run_options.ROWS.items():
        assert f"{name}: {row.help}" in shown


def test_a_wrong_option_is_a_type_error():
    with pytest.raises(TypeError, match="did you mean 'scale_filter'"):
        acutance.score("a", "b", scale_fliter="area")


def test_a_wrong_program_is_found(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "wrong.py"
    program.write_text("import acutance\nscore: str = acutance.score('a', 'b').score\n"
                       "acutance.score('a', 'b', threads='many', film_grian=False)\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", "build/mypy",
                           str(program)], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "Incompatible types in assignment" in done.stdout
    assert 'Argument "threads"' in done.stdout and 'film_grian' in done.stdout
