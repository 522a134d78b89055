"""The commands acutance and vmaf of a wheel: one program in the package's folder, which is either by the name that it is called by.

Numpy and the package are not imported.
"""
import os
import pathlib
import sys


def _run(name: str) -> None:
    program = pathlib.Path(__file__).with_name("acutance") / "acutance"
    os.execv(program, [name, *sys.argv[1:]])


def acutance() -> None:
    _run("acutance")


def vmaf() -> None:
    _run("vmaf")
