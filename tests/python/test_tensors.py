"""Batches of clips in tensors: each clip has the bits that the command writes for a file of it. The tests of torch and jax are
skipped where these are not installed; tests/gpu/tensor_check.py has tensors on a card."""
import copy
import pickle
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from pictures import luma

import acutance
from acutance import _libraries
from acutance.metrics import VideoQuality

N, T, WIDTH, HEIGHT = 4, 3, 224, 216
FEATURES = {"vmaf_v1": ["--model", "version=vmaf_v1.0.16_3d0h:name=vmaf_v1.0.16_3d0h"],
            "vmaf_v0.6.1": ["--model", "version=vmaf_v0.6.1:name=vmaf_v0.6.1"]}
FEATURES |= {name: ["--no-model", "--feature", name]
             for name in ("ssimulacra2", "cvvdp", "xpsnr", "float_ms_ssim", "ciede", "psnr")}
MODELS = {"vmaf_v1": "vmaf_v1.0.16_3d0h", "vmaf_v0.6.1": "vmaf_v0.6.1"}


def batch(noise, channels=3, depth=8, clips=N, frames=T, width=WIDTH, height=HEIGHT):
    """(N, T, C, H, W): each clip begins elsewhere, so that a clip that sees the frames of another gets other scores."""
    return np.stack([[[luma(31 * n + 2 * t + 7 * c, noise, width, height, depth) for c in range(channels)]
                      for t in range(frames)] for n in range(clips)])


def write_y4m(path, clip, depth=8):
    """A clip of shape (T, 3, H, W), or three planes (T, h, w)."""
    planes = [clip[:, c] for c in range(3)] if isinstance(clip, np.ndarray) else clip
    height, width = planes[0].shape[1:]
    chroma = {(height, width): "444", (height // 2, width // 2): "420", (height, width // 2): "422"}[planes[1].shape[1:]]
    tag = f"C{chroma}" + ("" if depth == 8 else f"p{depth}")
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 {tag}\n".encode())
        for t in range(len(planes[0])):
            file.write(b"FRAME\n" + b"".join(np.ascontiguousarray(plane[t]).tobytes() for plane in planes))
    return path


@pytest.fixture
def commanded(command_scores, tmp_path):
    """What the command logs for clip n: name -> one score a frame."""

    def score(reference, distorted, options, depth=8):
        files = [write_y4m(tmp_path / f"{name}.y4m", clip, depth)
                 for name, clip in (("reference", reference), ("distorted", distorted))]
        return command_scores(*files, "--align", "index", *options)

    return score


def assert_clips(scores, commanded, clips, options, depth=8):
    for n, (reference, distorted) in enumerate(clips):
        for name, expected in commanded(reference, distorted, options, depth).items():
            np.testing.assert_array_equal(np.asarray(scores[name])[n], expected, err_msg=f"clip {n}, {name}")


def scorer_of(metric, **options):
    if metric in MODELS:
        return acutance.ClipScorer(MODELS[metric], **options)
    return acutance.ClipScorer(None, metric, **options)


@pytest.mark.parametrize("metric", FEATURES)
@pytest.mark.parametrize("depth", [8, 10])
def test_clips_have_the_command_s_bits(metric, depth, commanded):
    reference, distorted = batch(0, depth=depth), batch(24, depth=depth)
    scorer = scorer_of(metric, frame_rate=25, bit_depth=None if depth == 8 else depth)
    for _ in range(2):  # the second time with the sessions of the first
        scores = scorer.score(reference, distorted)
        assert_clips(scores, commanded, zip(reference, distorted), FEATURES[metric], depth)


@pytest.mark.parametrize("metric", ["vmaf_v0.6.1", "cvvdp", "xpsnr", "psnr"])
def test_clips_on_a_device_have_the_command_s_bits(metric, commanded):
    reference, distorted = batch(0), batch(24)
    scores = scorer_of(metric, frame_rate=25, backend="emu", sessions=2).score(reference, distorted)
    assert_clips(scores, commanded, zip(reference, distorted), FEATURES[metric])


@pytest.mark.parametrize("sizes", [(2, 2), (1, 2)])
def test_planes_of_their_own_sizes(sizes, commanded):
    rows, columns = sizes
    videos = [[batch(noise, 1)[:, :, 0]] + [batch(noise, 1, width=WIDTH // columns, height=HEIGHT // rows)[:, :, 0]] * 2
              for noise in (0, 24)]
    scores = scorer_of("psnr").score(*map(tuple, videos))
    clips = [[[plane[n] for plane in video] for video in videos] for n in range(N)]
    assert_clips(scores, commanded, clips, FEATURES["psnr"])


def test_what_is_not_contiguous_is_read_as_it_is():
    reference, distorted = batch(0), batch(24)
    expected = scorer_of("psnr").score(reference, distorted).frames
    last = [np.ascontiguousarray(np.moveaxis(video, 2, -1)) for video in (reference, distorted)]
    found = scorer_of("psnr").score(*(np.moveaxis(video, -1, 2) for video in last)).frames
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)
    every_second = scorer_of("psnr").score(np.repeat(reference, 2, 1)[:, ::2], distorted).frames
    np.testing.assert_array_equal(every_second["psnr_y"], expected["psnr_y"])


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("depth", [8, 10])
def test_floats_are_rounded_to_the_depth(kind, depth):
    top = 2**depth - 1
    reference, distorted = (np.random.default_rng(seed).random((2, 3, 3, 64, 64), np.float32) * 1.2 - 0.1 for seed in (1, 2))
    whole = [np.rint(np.clip(video.astype(kind).astype(np.float32), 0, 1) * np.float32(top)).astype(
        np.uint8 if depth == 8 else np.uint16) for video in (reference, distorted)]
    scorer = scorer_of("psnr", bit_depth=depth)
    expected = scorer.score(*whole)
    np.testing.assert_array_equal(scorer.score(reference.astype(kind), distorted.astype(kind))["psnr_y"], expected["psnr_y"])
    holes = reference.astype(kind)
    holes[0, 0, 0, 0, 0] = np.nan  # counts as 0
    black = whole[0].copy()
    black[0, 0, 0, 0, 0] = 0
    np.testing.assert_array_equal(scorer.score(holes, distorted.astype(kind))["psnr_y"],
                                  scorer.score(black, whole[1])["psnr_y"])


def write_png(path, rgb):
    """Of an array (3, height, width) of uint8."""
    _, height, width = rgb.shape
    rows = b"".join(b"\0" + np.ascontiguousarray(np.moveaxis(rgb, 0, -1)[y]).tobytes() for y in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


@pytest.mark.parametrize("metric", ["psnr", "ssimulacra2"])
def test_rgb_becomes_what_the_command_makes_of_it(metric, command_scores, tmp_path):
    random = np.random.default_rng(5)
    reference = random.integers(0, 256, (2, 1, 3, 64, 96), np.uint8)
    distorted = np.clip(reference + random.integers(-9, 10, reference.shape), 0, 255).astype(np.uint8)
    scores = scorer_of(metric, color="rgb").score(reference, distorted)
    for n in range(2):
        files = [write_png(tmp_path / f"{name}.png", video[n, 0]) for name, video in (("r", reference), ("d", distorted))]
        try:
            expected = command_scores(*files, *FEATURES[metric])
        except subprocess.CalledProcessError:
            pytest.skip("the command has no decoder of PNG here")
        for name, values in expected.items():
            np.testing.assert_array_equal(scores[name][n], values, err_msg=name)


@pytest.mark.parametrize("depth", [8, 10, 12, 16])
def test_rgb_in_steps_of_12_bits_is_exact(depth):
    """Against whole numbers of any size, also at the corners of the cube."""
    top = 2**depth - 1
    corners = np.stack(np.meshgrid(*[[0, 1, top // 2, top - 1, top]] * 3), -1).reshape(-1, 3)
    samples = np.concatenate([corners, np.random.default_rng(depth).integers(0, top + 1, (5000, 3))])
    planes = [samples[:, c].astype(np.uint8 if depth == 8 else np.uint16) for c in range(3)]
    found = _libraries.yuv_of_rgb(_libraries.ArrayLibrary(np), planes, depth)
    for plane, (weights, bias) in zip(found, _libraries.yuv_weights(depth)):
        expected = [(sum(w * int(s) for w, s in zip(weights, rgb)) + bias) >> 24 for rgb in samples]
        np.testing.assert_array_equal(plane, np.clip(expected, 0, top))


Y = np.zeros((2, 3, 1, 64, 64), np.uint8)


@pytest.mark.parametrize(
    ("options", "reference", "distorted", "text"),
    [
        ({}, Y[0], Y[0], r"\(N, T, C, H, W\)"),
        ({}, Y, Y[:1], "differ in their number"),
        ({}, Y, Y[:, :2], "differ in their number"),
        ({}, Y, Y.astype(np.uint16), "bit_depth"),
        ({}, Y.astype(np.float64), Y, "float64"),
        ({}, Y[:0], Y[:0], "no picture"),
        ({}, Y, Y[..., :32], "sizes"),
        ({"color": "rgb"}, Y, Y, "C = 3"),
        ({}, (Y[:, :, 0],) * 2, (Y[:, :, 0],) * 2, r"\(y, cb, cr\)"),
        ({}, (Y[:, :, 0], Y[:, :, 0, :9], Y[:, :, 0, :9]), (Y[:, :, 0],) * 3, "none of 4:2:0"),
        ({"bit_depth": 10}, Y, Y, "uint16"),
    ],
)
def test_what_does_not_fit_is_an_error(options, reference, distorted, text):
    scorer = acutance.ClipScorer(None, "motion", **options)
    with pytest.raises(acutance.InvalidArgumentError, match=text):
        scorer.score(reference, distorted)


def test_names_are_checked_when_the_scorer_is_made():
    with pytest.raises(acutance.AcutanceError, match="vmaf_v0.6.2"):
        acutance.ClipScorer("vmaf_v0.6.2")
    with pytest.raises(acutance.InvalidArgumentError, match="psnrr"):
        acutance.ClipScorer(None, "psnrr")
    with pytest.raises(acutance.InvalidArgumentError, match="ssimulacra3"):
        VideoQuality("ssimulacra3")


def test_features_of_chroma_refuse_luma_alone():
    with pytest.raises(acutance.InvalidArgumentError):
        acutance.ClipScorer(None, "ciede").score(Y, Y)


def test_an_error_leaves_the_scorer_usable():
    scorer = acutance.ClipScorer(None, "float_ms_ssim")
    with pytest.raises(acutance.InvalidArgumentError, match="176x176"):
        scorer.score(Y, Y)
    large = batch(0, 1)
    assert scorer.score(large, large)["float_ms_ssim"].shape == (N, T)


KINDS = {"vmaf_v1": ("vmaf_v1", "vmaf_v1.0.16_3d0h"), "vmaf_v0.6.1": ("vmaf_v0.6.1", "vmaf_v0.6.1"),
         "ssimulacra2": ("ssimulacra2", "ssimulacra2"), "ms_ssim": ("float_ms_ssim", "float_ms_ssim"),
         "ciede2000": ("ciede", "ciede2000"), "psnr": ("psnr", "psnr_y"), "cvvdp": ("cvvdp", "cvvdp_clip"),
         "xpsnr": ("xpsnr", "xpsnr_weighted")}


@pytest.mark.parametrize("metric", KINDS)
def test_the_metric_is_the_mean_of_all_frames_or_clips(metric):
    feature, name = KINDS[metric]
    quality = VideoQuality(metric)
    values = []
    for clips, frames in ((3, 2), (1, 5)):
        reference, distorted = batch(0, clips=clips, frames=frames), batch(24 + clips, clips=clips, frames=frames)
        scores = scorer_of(feature).score(reference, distorted)
        values += list(np.ravel(scores.clips[name] if name in scores.clips else scores[name]))
        quality.update(distorted, reference)
    assert len(values) == (4 if metric in ("cvvdp", "xpsnr") else 11)
    assert float(quality.compute()) == pytest.approx(np.mean(values), rel=1e-12)
    quality.reset()
    assert int(quality.count) == 0


def test_a_batch_s_own_value_is_added_to_the_states_too():
    quality, first, second = VideoQuality("psnr"), (batch(9), batch(0)), (batch(50, clips=1), batch(0, clips=1))
    values = [scorer_of("psnr").score(*pair[::-1])["psnr_y"] for pair in (first, second)]
    assert float(quality(*first)) == pytest.approx(values[0].mean(), rel=1e-12)
    assert float(quality(*second)) == pytest.approx(values[1].mean(), rel=1e-12)
    assert float(quality.compute()) == pytest.approx(np.concatenate([np.ravel(value) for value in values]).mean(), rel=1e-12)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_have_sessions_of_their_own(duplicate):
    quality = VideoQuality("psnr")
    quality.update(batch(9), batch(0))
    other = duplicate(quality)
    assert float(other.compute()) == float(quality.compute())
    other.update(batch(50), batch(0))
    assert int(quality.count) == N * T and int(other.count) == 2 * N * T


def test_without_torchmetrics(monkeypatch):
    """A process in which its import fails."""
    code = ("import sys; sys.modules['torchmetrics'] = None\n"
            "import numpy as np; from acutance.metrics import VideoQuality\n"
            "clips = np.zeros((2, 3, 1, 64, 64), np.uint8)\n"
            "quality = VideoQuality('psnr'); assert np.isnan(quality.compute())\n"
            "quality.update(clips, clips); assert quality.compute() == 60.0 and quality.count == 6")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


# --- torch, torchmetrics and jax, where they are.


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("color", ["yuv", "rgb"])
@pytest.mark.parametrize("name", ["torch", "jax"])
def test_tensors_score_as_arrays(name, kind, color):
    library = pytest.importorskip(name)
    depth = 10 if kind == "uint16" else 8
    arrays = [batch(noise, depth=depth) for noise in (0, 24)]
    if kind.startswith("float"):
        arrays = [(array / np.float32(255)).astype(kind) for array in arrays]
    options = {"color": color, "bit_depth": None if depth == 8 else depth}
    expected = scorer_of("psnr", **options).score(*arrays)
    made = [library.from_numpy(array) if name == "torch" else library.numpy.asarray(array) for array in arrays]
    scores = scorer_of("psnr", **options).score(*made)
    assert type(scores["psnr_y"]).__module__.startswith(("torch", "jax"))
    wide = np.asarray(scores["psnr_y"]).dtype == np.float64
    for score, values in expected.frames.items():
        np.testing.assert_array_equal(np.asarray(scores[score]), values if wide else values.astype(np.float32), err_msg=score)


def in_process(rank, folder, port):
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    quality = VideoQuality("psnr")
    clips = 3 if rank == 0 else 1  # the mean of the processes' means would be another number
    quality.update(batch(9 + 40 * rank, clips=clips), batch(0, clips=clips))
    (folder / f"{rank}.txt").write_text(repr(float(quality.compute())))
    dist.destroy_process_group()


def test_processes_add_up_sums_and_counts(tmp_path):
    pytest.importorskip("torchmetrics")
    import socket

    import torch.multiprocessing

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(in_process, (tmp_path, port), nprocs=2)
    values = np.concatenate([np.ravel(scorer_of("psnr").score(batch(0, clips=c), batch(noise, clips=c))["psnr_y"])
                             for noise, c in ((9, 3), (49, 1))])
    found = [float((tmp_path / f"{rank}.txt").read_text()) for rank in range(2)]
    assert found[0] == found[1] == pytest.approx(values.mean(), rel=1e-12)


def test_a_collection_of_torchmetrics_takes_it():
    torchmetrics = pytest.importorskip("torchmetrics")
    import torch

    names = {"a": VideoQuality("psnr"), "b": VideoQuality("ssimulacra2")}
    collection = torchmetrics.MetricCollection(names, compute_groups=False)
    collection.update(torch.from_numpy(batch(9)), torch.from_numpy(batch(0)))
    alone = VideoQuality("psnr")
    alone.update(batch(9), batch(0))
    assert float(collection.compute()["a"]) == pytest.approx(float(alone.compute()), rel=1e-12)
