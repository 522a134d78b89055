"""Misuse is an exception that says what to do; nothing aborts."""
import multiprocessing
import subprocess
import sys
import threading

import numpy as np
import pytest
from pictures import clip, picture, write_y4m

import acutance

Y = picture(0, 0)[0]
Y16 = Y.astype(np.uint16)


@pytest.mark.parametrize(
    ("options", "reference", "distorted", "error", "text"),
    [
        ({}, Y, Y[:32], acutance.InvalidArgumentError, "96x32"),
        ({}, Y, (Y, Y[:32, :48], Y[:32, :48]), acutance.InvalidArgumentError, "400"),
        ({}, Y.astype(np.float32), Y, acutance.InvalidArgumentError, "float32"),
        ({}, Y.astype(np.int8), Y, acutance.InvalidArgumentError, "int8"),
        ({}, Y16.astype(">u2"), Y, acutance.InvalidArgumentError, "byte order"),
        ({}, Y16, Y16, acutance.InvalidArgumentError, "bit_depth"),
        ({"bit_depth": 10}, Y, Y, acutance.InvalidArgumentError, "uint8"),
        ({"bit_depth": 8}, Y16, Y16, acutance.InvalidArgumentError, "uint16"),
        ({"bit_depth": 10}, (Y16, Y[:32, :48], Y[:32, :48]), Y16, acutance.InvalidArgumentError, "mix"),
        ({}, np.dstack([Y, Y, Y]), Y, acutance.InvalidArgumentError, "(64, 96, 3)"),
        ({}, Y[0], Y, acutance.InvalidArgumentError, "2-d"),
        ({}, (Y, Y), (Y, Y), acutance.InvalidArgumentError, "2 planes"),
        ({}, (Y, Y[:3, :3], Y[:3, :3]), Y, acutance.InvalidArgumentError, "none of"),
        ({"pixel_format": "420"}, (Y, Y, Y), (Y, Y, Y), acutance.InvalidArgumentError, "pixel_format='420'"),
        ({}, [], Y, acutance.InvalidArgumentError, "0 planes"),
        ({}, None, Y, acutance.InvalidArgumentError, "NoneType"),
        ({}, (Y, "cb", "cr"), Y, acutance.InvalidArgumentError, "str"),
        ({}, np.zeros((0, 0), np.uint8), np.zeros((0, 0), np.uint8), acutance.InvalidArgumentError, "0"),
        ({}, np.zeros((1, 40000), np.uint8), Y, acutance.InvalidArgumentError, "32768"),
        ({"videos": 2}, Y, [Y], acutance.InvalidArgumentError, "videos=2"),
        ({"videos": 2}, Y, None, acutance.InvalidArgumentError, "videos=2"),
        ({"features": "psnr", "pixel_format": "420"}, Y, Y, acutance.InvalidArgumentError, "chroma"),
    ],
)
def test_pictures_that_do_not_fit(options, reference, distorted, error, text):
    with acutance.Session(**options) as session:
        with pytest.raises(error) as caught:
            session.add(reference, distorted)
        assert text in str(caught.value)


class Tensor:
    """A DLPack exporter with given answers."""

    def __init__(self, device, capsule):
        self.device, self.capsule = device, capsule

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule


USED = Y.__dlpack__()
np.from_dlpack(Tensor((1, 0), USED))


@pytest.mark.parametrize("device", [(1, 0), (2, 0), None])
@pytest.mark.parametrize("capsule", [None, 3, USED, BufferError("it is busy"), RuntimeError("it is busy")])
def test_tensors_that_lend_nothing(device, capsule):
    with acutance.Session() as session:
        with pytest.raises(acutance.UnsupportedError, match="does not lend its samples"):
            session.add(Tensor(device, capsule), Y)
        session.add(Y, Y)
        session.finish()


@pytest.mark.parametrize(
    ("options", "text"),
    [({"model": None}, "nothing to compute"), ({"bit_depth": 11}, "bit_depth=11"), ({"pixel_format": "411"}, "411"),
     ({"videos": 0}, "from 1"), ({"threads": 5000}, "5000"), ({"backend": "cudda"}, "did you mean 'cuda'"),
     ({"videos": 1.0}, "videos=1.0"), ({"bit_depth": "8"}, "bit_depth='8'"), ({"pixel_format": 420}, "pixel_format=420"),
     ({"backend": None}, "backend=None"), ({"device": "0", "backend": "emu"}, "device='0'"),
     ({"features": {"psnr": None}}, "mapping"), ({"features": ("psnr", {"enable_mse": True})}, "mapping"),
     ({"features": 3}, "not 3"), ({"features": {"psnr": {"enable_mse": None}}}, "enable_mse=None"),
     ({"model": 3}, "not 3"), ({"model": acutance.models()[0]}, "ModelInfo"),
     ({"backend": "cpu", "device": 1}, "device"), ({"features": {"psnr": {"enable_mse": "perhaps"}}}, "perhaps")],
)
def test_sessions_that_cannot_be(options, text):
    with pytest.raises(acutance.InvalidArgumentError, match=text):
        acutance.Session(**options)


def test_backend_without_a_device():
    missing = [backend for backend in acutance.backends() if not backend.devices]
    if not missing:
        pytest.skip("every backend has a device here")
    with pytest.raises(acutance.NoDeviceError), acutance.Session(None, "psnr", backend=missing[0].name) as session:
        session.add(picture(0, 0), picture(0, 9))


def test_order_of_calls():
    session = acutance.Session()
    with pytest.raises(acutance.SessionError, match="no result before finish"):
        session.result
    with pytest.raises(acutance.SessionError, match="no frame"):
        session.finish()
    session.close()
    session.close()
    for call in (lambda: session.add(Y, Y), session.finish, lambda: session.score("vmaf", 0)):
        with pytest.raises(acutance.SessionError, match="closed"):
            call()
    session = acutance.Session()
    session.add(Y, Y)
    session.add(Y, Y)
    assert session.finish() is session.result
    for call in (lambda: session.add(Y, Y), session.finish):
        with pytest.raises(acutance.SessionError):
            call()


@pytest.mark.parametrize("call", [
    lambda ref, dis: acutance.score(f"{ref}\0.mp4", dis),
    lambda ref, dis: acutance.score(ref, [f"{dis}\0.mp4"]),
    lambda ref, dis: acutance.score(acutance.CachedReference(f"{ref}\0"), dis),
    lambda ref, dis: acutance.score(ref, dis).write_log("log\0.json"),
    lambda ref, dis: acutance.at_least(f"{ref}\0", dis, 3),
])
def test_a_null_character_does_not_end_a_path(files, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(acutance.InvalidArgumentError, match="null character"):
        call(*(str(file) for file in files))
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("model", [5, [5], b"vmaf_v0.6.1", 2.5])
def test_a_model_is_a_name_a_path_or_a_model(files, model):
    with pytest.raises(acutance.InvalidArgumentError, match="a model is"):
        acutance.score(*files, model=model)


def test_a_wrong_picture_leaves_the_session_usable():
    with acutance.Session() as session:
        session.add(Y, Y)
        with pytest.raises(acutance.InvalidArgumentError, match="frame 1"):
            session.add(Y[:32], Y[:32])
        session.add(Y, Y)
        assert session.finish().frames == 2


def test_one_session_from_two_threads():
    reference, distorted = (clip(noise, 2, width=1280, height=720) for noise in (0, 9))
    session = acutance.Session(threads=1)
    begun = threading.Event()
    errors = []

    def work():
        begun.set()
        try:
            for _ in range(20):
                session.add(reference[0], distorted[0])
        except acutance.SessionError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    while thread.is_alive():
        try:
            session.add(reference[1], distorted[1])
        except acutance.SessionError as error:
            errors.append(error)
            break
    thread.join()
    assert errors and all("another thread" in str(error) for error in errors)
    session.close()


def _use_in_child(session, queue):
    try:
        session.add(Y, Y)
    except acutance.SessionError as error:
        queue.put(str(error))


FORKED = """
import os, sys, time, warnings
import acutance
warnings.simplefilter("ignore", DeprecationWarning)
child = None
def fork(progress):
    global child
    if child is None:
        child = os.fork()
try:
    acutance.score(*sys.argv[1:], threads=1, progress=fork)
except Exception as error:
    os._exit(7 if child == 0 and "another process" in str(error) else 2)
if child == 0:
    os._exit(3)
for _ in range(500):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        break
    time.sleep(0.02)
else:
    os.kill(child, 9)
    sys.exit("the child waits")
print(os.waitstatus_to_exitcode(status))
"""


def test_a_forked_child_does_not_wait_for_its_parents_thread(tmp_path):
    files = [write_y4m(tmp_path / f"{noise}.y4m", clip(noise, 4, width=640, height=360) * 20) for noise in (0, 9)]
    program = subprocess.run([sys.executable, "-c", FORKED, *files], capture_output=True, text=True, timeout=60,
                             check=False)
    assert program.stdout == "7\n", program.stdout + program.stderr


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_value():
    context = multiprocessing.get_context("fork")
    with acutance.Session(threads=2) as session:
        session.add(Y, Y)
        queue = context.Queue()
        child = context.Process(target=_use_in_child, args=(session, queue))
        child.start()
        assert "another process" in queue.get(timeout=20)
        child.join(20)
        assert child.exitcode == 0
        session.finish()


@pytest.mark.parametrize(("options", "text"), [
    ({"align": 2.5}, "align=2.5"), ({"align": True}, "align=True"), ({"align": None}, "align=None"),
    ({"max_memory": 0}, "max_memory=0"), ({"max_memory": "1G"}, "max_memory='1G'"),
    ({"max_device_memory": -1}, "max_device_memory=-1")])
def test_values_of_other_types(files, options, text):
    with pytest.raises(acutance.InvalidArgumentError, match=text):
        acutance.score(*files, **options)


def test_a_bound_of_memory_holds(files):
    with pytest.raises(acutance.OutOfMemoryError, match="are allowed"):
        acutance.score(*files, max_memory=1)
    with acutance.Session(max_memory=1) as session, pytest.raises(acutance.OutOfMemoryError, match="are allowed"):
        session.add(Y, Y)
        session.finish()
    assert acutance.score(*files, max_memory=2**30).score == acutance.score(*files).score


@pytest.mark.parametrize("pair", [("a.mp4",), "ab", ("a", "b", "c"), 3, (1, 2)])
def test_pairs_that_are_none(pair):
    with pytest.raises(acutance.InvalidArgumentError, match="a pair is"):
        acutance.batch([pair])
