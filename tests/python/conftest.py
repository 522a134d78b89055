"""Clips of the tests, and the acutance command to compare with."""
import json
import os
import pathlib
import subprocess

import pytest
from pictures import clip, write_y4m

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ACUTANCE_BIN", ROOT / "build" / "bin"))


@pytest.fixture(scope="session")
def pair():
    """(reference, distorted): lists of planes."""
    return clip(0), clip(24)


@pytest.fixture(scope="session")
def files(pair, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    return write_y4m(folder / "reference.y4m", pair[0]), write_y4m(folder / "distorted.y4m", pair[1])


@pytest.fixture(scope="session")
def command_scores(tmp_path_factory):
    """A function that gives what `acutance score` logs, to the last digit: name -> list."""
    program = BIN / "acutance"
    if not program.exists():
        pytest.skip(f"no command to compare with: {program} (make build)")

    def run(*arguments):
        log = tmp_path_factory.mktemp("logs") / "log.json"
        subprocess.run([program, "score", *map(str, arguments), "--output", log, "--precision", "max", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL, timeout=120)
        frames = json.loads(log.read_text())["frames"]
        return {name: [frame["metrics"].get(name, float("nan")) for frame in frames] for name in frames[0]["metrics"]}

    return run
