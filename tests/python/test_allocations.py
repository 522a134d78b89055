"""Where memory or threads run out: each allocation of a short run fails in turn, alone and with those that follow."""
import os
import pathlib
import subprocess
import sys

import pytest

PRELOAD = pathlib.Path(os.environ.get("ACUTANCE_BIN", "build/bin")).parent / "tests" / "libfail_alloc.so"

HELPERS = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from pictures import clip, write_y4m
import acutance

fail = ctypes.CDLL(None).fail_allocations
fail.restype, fail.argtypes = ctypes.c_int64, [ctypes.c_int64] * 3
REFERENCE, DISTORTED = clip(0, 3), clip(24, 3)
FILES = write_y4m(sys.argv[2] + "/a.y4m", REFERENCE), write_y4m(sys.argv[2] + "/b.y4m", DISTORTED)
OPTIONS = {"model": None, "features": ["psnr", "motion"]}

def scores(result):
    return {name: list(result[name]) for name in result}

def session(threads):
    with acutance.Session(**OPTIONS, threads=threads) as session:
        for pair in zip(REFERENCE, DISTORTED):
            session.add(*pair)
        return scores(session.finish())

def files(threads):
    return scores(acutance.score(*FILES, **OPTIONS, threads=threads))

def fitted(threads):
    result = acutance.score(*FILES, **OPTIONS, threads=threads, scale="24x16", align="+1")
    return scores(result), list(result.alignment.pairs)

def attempt(run, threads):
    try:
        return run(threads)
    except MemoryError:
        return None
"""

FAILING = """
for run, counts in ((session, (1, 3)), (files, (1, 3)), (fitted, (2,))):
    for threads in counts:
        expected = run(threads)
        fail(-1, 0, 1)
        assert run(threads) == expected
        count = fail(-1, 0, 1)
        assert count > 50, count
        for together in (1, 4):
            failed = 0
            for n in range(0, count, together):
                print(run.__name__, threads, together, n, flush=True)
                fail(n, together, 1)
                got = attempt(run, threads)
                fail(-1, 0, 1)
                assert got in (None, expected), got
                failed += got is None
            assert failed > count // together // 4, (failed, count)
        assert run(threads) == expected
"""

FEW_THREADS = """
start = ctypes.CDLL(None).start_threads
start.restype, start.argtypes = ctypes.c_int64, [ctypes.c_int64]
for run, threads in ((session, 1), (session, 3), (files, 3)):
    expected = run(threads)
    start(-1)
    assert run(threads) == expected
    count = start(-1)
    assert count > 0
    for most in range(count):
        print(run.__name__, threads, most, flush=True)
        start(most)
        got = attempt(run, threads)
        start(-1)
        assert got in (None, expected), got
        assert got is None or most > 0
        assert run(threads) == expected
"""


def run_script(text, tmp_path):
    if not PRELOAD.exists():
        pytest.skip(f"{PRELOAD} is not built")
    run = subprocess.run([sys.executable, "-c", text, pathlib.Path(__file__).parent, tmp_path], timeout=240, check=False,
                         capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": str(PRELOAD)})
    assert run.returncode == 0, f"{run.returncode}, after {run.stdout.splitlines()[-1:]}: {run.stderr[-3000:]}"


def test_every_allocation_may_fail(tmp_path):
    run_script(HELPERS + FAILING, tmp_path)


def test_threads_may_not_start(tmp_path):
    run_script(HELPERS + FEW_THREADS, tmp_path)
