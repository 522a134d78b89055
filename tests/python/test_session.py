"""Pictures from memory: every kind of array gives the command's bits."""
import gc
import weakref

import numpy as np
import pytest
from pictures import FRAMES, assert_same_bits, clip, picture, write_y4m

import acutance


def run(reference, distorted, **options):
    with acutance.Session(**options) as session:
        for pair in zip(reference, distorted):
            session.add(*pair)
        return session.finish()


class Tensor:
    """Something that is no numpy array and speaks DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


def strided(array):
    """The same samples in rows that are far apart, in no order that a row may have."""
    wide = np.zeros((array.shape[0], array.shape[1] * 2 + 5), array.dtype)
    wide[:, 3 : 3 + array.shape[1] * 2 : 2] = array
    return wide[:, 3 : 3 + array.shape[1] * 2 : 2]


def padded(array):
    wide = np.zeros((array.shape[0], array.shape[1] + 7), array.dtype)
    wide[:, : array.shape[1]] = array
    return wide[:, : array.shape[1]]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("kind", [np.asarray, padded, strided, read_only, Tensor,
                                  lambda array: array[::-1].copy()[::-1]])
@pytest.mark.parametrize("copy", [False, True])
def test_arrays_score_as_the_file(files, pair, command_scores, kind, copy):
    reference, distorted = ([tuple(kind(plane) for plane in planes) for planes in video] for video in pair)
    result = run(reference, distorted, features="psnr", copy=copy)
    assert_same_bits(result, command_scores(*files, "--feature", "psnr"))


def test_torch_tensors(files, pair, command_scores):
    torch = pytest.importorskip("torch")
    reference, distorted = ([tuple(torch.from_numpy(plane) for plane in planes) for planes in video] for video in pair)
    assert_same_bits(run(reference, distorted), command_scores(*files))


def test_luma_alone(files, pair, command_scores):
    result = run([planes[0] for planes in pair[0]], [planes[0] for planes in pair[1]])
    assert_same_bits(result, command_scores(*files))
    assert result.pixel_format == "400"


def test_ten_bit(tmp_path, command_scores):
    reference, distorted = clip(0, 4, depth=10), clip(9, 4, depth=10)
    files = write_y4m(tmp_path / "r.y4m", reference, 10), write_y4m(tmp_path / "d.y4m", distorted, 10)
    result = run(reference, distorted, bit_depth=10, features="psnr")
    assert_same_bits(result, command_scores(*files, "--feature", "psnr"))
    assert result.bit_depth == 10


def test_pixel_formats():
    y = picture(0, 0)[0]
    noisy = picture(0, 9)[0]
    for shape, name in (((32, 48), "420"), ((64, 48), "422"), ((64, 96), "444")):
        chroma = [np.full(shape, value, np.uint8) for value in (90, 130)]
        result = run([(y, *chroma)], [(noisy, *chroma)], model=None, features="psnr")
        assert result.pixel_format == name and result["psnr_cb"][0] == 60.0
    odd = y[:63, :95], noisy[:63, :95]
    for shape in ((31, 47), (32, 48)):
        chroma = [np.full(shape, 90, np.uint8)] * 2
        assert run([(odd[0], *chroma)], [(odd[1], *chroma)], model=None, features="psnr").pixel_format == "420"
    thin = np.zeros((1, 8), np.uint8), np.zeros((1, 4), np.uint8), np.zeros((1, 4), np.uint8)
    with pytest.raises(acutance.InvalidArgumentError, match="pixel_format"):
        run([thin], [thin], model=None, features="psnr")
    assert run([thin], [thin], model=None, features="psnr", pixel_format="422").pixel_format == "422"


def test_pyav_frames(files, pair, command_scores):
    av = pytest.importorskip("av")

    def frames(video):
        """PyAV takes chroma as rows of luma's width, one plane after the other."""
        for y, cb, cr in video:
            chroma = np.concatenate([cb.ravel(), cr.ravel()]).reshape(-1, y.shape[1])
            yield av.VideoFrame.from_ndarray(np.vstack([y, chroma]), format="yuv420p")

    result = run(frames(pair[0]), frames(pair[1]), features="psnr")
    assert_same_bits(result, command_scores(*files, "--feature", "psnr"))
    grey = [[av.VideoFrame.from_ndarray(planes[0], format="gray") for planes in video] for video in pair]
    assert_same_bits(run(*grey), command_scores(*files))
    rgb = av.VideoFrame(96, 64, "rgb24")
    with pytest.raises(acutance.UnsupportedError, match="reformat"):
        run([rgb], [rgb])


def test_decoded_by_pyav(files, command_scores):
    av = pytest.importorskip("av")

    def decoded(path):
        with av.open(str(path)) as container:
            yield from container.decode(video=0)

    assert_same_bits(run(*map(decoded, files)), command_scores(*files))


def test_several_videos(pair):
    other = clip(7)
    with acutance.Session(videos=2) as session:
        for reference, first, second in zip(pair[0], pair[1], other):
            session.add(reference, [first, second])
        both = session.finish()
    np.testing.assert_array_equal(both.videos[1]["vmaf_v0.6.1"], run(pair[0], other)["vmaf_v0.6.1"])
    np.testing.assert_array_equal(both["vmaf_v0.6.1"], run(*pair)["vmaf_v0.6.1"])


def test_scores_on_the_way(pair):
    with acutance.Session(None, "psnr", threads=1) as session:
        assert session.score("psnr_y", 0) is None
        session.add(pair[0][0], pair[1][0])
        early = session.score("psnr_y", 0)
        assert session.frames_added == session.frames_done == 1
        assert session.score("psnr_y", 1) is None
        assert session.finish()["psnr_y"][0] == early
        assert session.result.frames == session.frames_done == 1


@pytest.mark.parametrize("threads", [1, 3])
def test_arrays_are_given_back(threads):
    alive = []
    with acutance.Session(threads=threads) as session:
        for frame in range(FRAMES):
            planes = picture(frame, 0), picture(frame, 9)
            alive += [weakref.ref(plane) for side in planes for plane in side]
            session.add(*planes)
            del planes
            assert sum(ref() is not None for ref in alive) <= 6 * (threads + 4)
        session.finish()
    gc.collect()
    assert not any(ref() is not None for ref in alive)


def test_a_buffer_filled_again_is_an_error(pair):
    buffer = np.empty_like(pair[0][0][0])
    with acutance.Session(threads=2) as session:
        with pytest.raises(acutance.InvalidArgumentError, match="copy=True"):
            for reference, distorted in zip(*pair):
                buffer[:] = reference[0]
                session.add(buffer, distorted[0])
            session.finish()
    with acutance.Session(threads=2, copy=True) as session:
        for reference, distorted in zip(*pair):
            buffer[:] = reference[0]
            session.add(buffer, distorted[0])
        result = session.finish()
    np.testing.assert_array_equal(result["vmaf_v0.6.1"], run(*pair)["vmaf_v0.6.1"])
