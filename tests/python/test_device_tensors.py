"""Tensors on a CUDA device, as DLPack describes them. They lie in the host's memory here, which the emulator takes for a
device's; tests/gpu/torch_check.py has true ones."""
import asyncio
import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest
from pictures import FRAMES, assert_same_bits, clip, picture

import acutance

FEATURES = ["psnr", "motion"]


class Tensor:
    """Exports a numpy array as DLPack's `device`, index `index`, and records the streams and threads that asked."""

    def __init__(self, array, device=2, index=0):
        self.array, self.device, self.streams = array, (device, index), []
        self.threads = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        self.threads.append(threading.get_ident())
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        place = pointer(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p)  # DLTensor: data, then the device
        (ctypes.c_int32 * 2).from_address(place)[:] = self.device
        return capsule


def run(reference, distorted, backend="emu", **options):
    with acutance.Session(None, FEATURES, backend=backend, **options) as session:
        for frames in zip(reference, distorted):
            session.add(*frames)
        return session.finish()


def on_device(video, kind=lambda plane: plane, **where):
    return [tuple(Tensor(kind(plane), **where) for plane in planes) for planes in video]


def padded(array):
    wide = np.zeros((array.shape[0], array.shape[1] + 7), array.dtype)
    wide[:, : array.shape[1]] = array
    return wide[:, : array.shape[1]]


@pytest.mark.parametrize("kind", [lambda plane: plane, padded])
@pytest.mark.parametrize("depth", [8, 10])
def test_tensors_score_as_arrays(kind, depth):
    pair = clip(0, depth=depth), clip(24, depth=depth)
    options = {} if depth == 8 else {"bit_depth": depth}
    expected = run(*pair, backend="cpu", **options)
    assert_same_bits(run(*(on_device(video, kind) for video in pair), **options), dict(expected))
    managed = on_device(pair[1], device=13)
    assert_same_bits(run(pair[0], managed, **options), dict(expected))  # next to arrays on the host


def test_the_producer_orders_its_work_before_the_default_stream(pair):
    tensors = on_device(pair[0])
    run(tensors, pair[1])
    assert all(tensor.streams == [1] for planes in tensors for tensor in planes)


def test_asyncio_asks_on_the_thread_that_knows_the_producer_s_stream(pair):
    tensors = on_device(pair[0])

    async def main():
        async with acutance.Session(None, FEATURES, backend="emu") as session:
            await asyncio.gather(*(session.add_async(*frames) for frames in zip(tensors, pair[1])))
            return await session.finish_async()

    assert_same_bits(asyncio.run(main()), dict(run(*pair, backend="cpu")))
    assert {thread for planes in tensors for tensor in planes for thread in tensor.threads} == {threading.get_ident()}


def test_tensors_are_held_until_their_frame_is_done():
    alive = []
    with acutance.Session(None, FEATURES, backend="emu") as session:
        for frame in range(FRAMES):
            planes = picture(frame, 0), picture(frame, 9)
            alive += [weakref.ref(plane) for side in planes for plane in side]
            session.add(*on_device(planes))
            del planes
        assert alive[-1]() is not None
        result = session.finish()
    gc.collect()
    assert not any(ref() is not None for ref in alive)
    assert_same_bits(result, dict(run(clip(0), clip(9), backend="cpu")))


Y = picture(0, 0)[0]


@pytest.mark.parametrize(
    ("options", "frame", "error", "text"),
    [
        ({"backend": "cpu"}, Tensor(Y), acutance.UnsupportedError, r'backend="cpu"; make .* backend="cuda".*\.cpu\(\)'),
        ({"backend": "auto"}, Tensor(Y), acutance.UnsupportedError, 'backend="auto"'),
        ({"copy": True}, Tensor(Y), acutance.UnsupportedError, "copy=True"),
        ({}, Tensor(Y, device=10), acutance.UnsupportedError, "type 10: .* CUDA's alone"),
        ({}, Tensor(Y, index=1), acutance.InvalidArgumentError, "on device 1, .* works on device 0; choose device 1"),
        ({}, Tensor(Y[:, ::2]), acutance.InvalidArgumentError, "contiguous"),
        ({}, Tensor(np.lib.stride_tricks.as_strided(Y, Y.shape, (0, 1))), acutance.InvalidArgumentError, "overlap"),
        ({}, Tensor(Y[::-1]), acutance.InvalidArgumentError, "top to bottom"),
        ({}, Tensor(Y.astype(np.float32)), acutance.InvalidArgumentError, "uint8 or uint16"),
        ({}, Tensor(Y.astype(np.uint16)), acutance.InvalidArgumentError, "bit_depth"),
        ({}, Tensor(Y[None]), acutance.InvalidArgumentError, r"\(1, 64, 96\)"),
        ({}, (Tensor(Y), Y, Y), acutance.InvalidArgumentError, "several devices"),
        ({}, (Tensor(Y), Tensor(Y, index=1), Tensor(Y)), acutance.InvalidArgumentError, "several devices"),
    ],
)
def test_tensors_that_do_not_fit(options, frame, error, text):
    with acutance.Session(None, "motion", **{"backend": "emu"} | options) as session:
        with pytest.raises(error, match=text):
            session.add(frame, frame)
        if options.get("backend") != "auto":
            session.add(Y, Y)
            assert session.finish().frames == 1


def test_a_tensor_that_cannot_be_lent():
    class Stuck(Tensor):
        def __dlpack__(self, *, stream=None):
            raise BufferError("it is not ready")

    with acutance.Session() as session, pytest.raises(acutance.UnsupportedError, match="it is not ready"):
        session.add(Stuck(Y), Y)


def test_chroma_that_nothing_reads_may_lie_anyhow():
    interleaved = np.zeros((32, 96), np.uint8)
    frame = Tensor(Y), Tensor(interleaved[:, ::2]), Tensor(interleaved[:, 1::2])
    with acutance.Session(None, "motion", backend="emu") as session:
        session.add(frame, frame)
        session.finish()
    with acutance.Session(None, "psnr", backend="emu") as session:
        with pytest.raises(acutance.InvalidArgumentError, match="contiguous"):
            session.add(frame, frame)
