"""Videos that differ in size or light, and the pictures behind scores."""
import numpy as np
import pytest
from pictures import FRAMES, HEIGHT, WIDTH, assert_same_bits, clip, write_y4m

import acutance


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The distorted video at half the size."""
    frames = [[plane[::2, ::2] for plane in planes] for planes in clip(24)]
    return write_y4m(tmp_path_factory.mktemp("small") / "small.y4m", frames)


def test_videos_of_other_sizes_are_scaled(files, small, command_scores):
    half = f"{WIDTH // 2}x{HEIGHT // 2}"
    for scale, size in (("ref", (WIDTH, HEIGHT)), ("dis", (WIDTH // 2, HEIGHT // 2)), ((72, 48), (72, 48))):
        result = acutance.score(files[0], small, model=None, features="psnr", scale=scale, scale_filter="lanczos")
        assert (result.width, result.height, result.frames) == (*size, FRAMES)
        to = "{}x{}".format(*size)
        assert any(f"to {to} (lanczos)" in warning for warning in result.warnings), result.warnings
        text = scale if isinstance(scale, str) else to
        assert_same_bits(result, command_scores(files[0], small, "--no-model", "--feature", "psnr", "--scale", text,
                                                "--scale-filter", "lanczos"))
    assert f"from {half} to {WIDTH}x{HEIGHT} (bicubic)" in acutance.score(files[0], small).warnings[0]


@pytest.mark.parametrize("options, text", [
    ({"scale": "half"}, 'scale "half"'), ({"scale": (0, 5)}, "width=0"), ({"scale": 5}, "scale=5"),
    ({"scale": "0x5"}, 'scale "0x5"'), ({"scale_filter": "cubic"}, "bicubic, lanczos, bilinear, area, aom"),
    ({"scale_filter": 3}, "scale_filter=3"), ({"crop": "1:2"}, 'crop "1:2"'), ({"crop": 3}, "crop=3"),
    ({"deinterlace": "always"}, 'deinterlace "always"'), ({"deinterlace": True}, "deinterlace=True")])
def test_sizes_and_filters_that_there_are_not(files, small, options, text):
    with pytest.raises(acutance.InvalidArgumentError) as caught:
        acutance.score(files[0], small, **options)
    assert text in str(caught.value)


def write_hdr(path):
    """Two grey frames whose file says that they are HDR by PQ."""
    av = pytest.importorskip("av")
    with av.open(str(path), "w") as file:
        stream = file.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p10le"
        stream.codec_context.color_trc = 16
        for _ in range(2):
            frame = av.VideoFrame.from_ndarray(np.full((HEIGHT * 3 // 2, WIDTH), 512, np.uint16), format="yuv420p10le")
            frame.color_trc = 16
            file.mux(stream.encode(frame))
        file.mux(stream.encode())
    return path


def test_hdr_against_sdr(files, tmp_path):
    hdr = write_hdr(tmp_path / "hdr.mkv")
    try:
        plain = acutance.score(hdr, hdr, model=None, features="psnr")
    except acutance.UnsupportedError as error:
        pytest.skip(f"no containers here: {error}")
    assert plain.frames == 2
    with pytest.raises(acutance.UnsupportedError, match="HDR"):
        acutance.score(files[0], hdr, model=None, features="psnr")
    forced = acutance.score(files[0], hdr, model=None, features="psnr", force=True)
    assert forced.frames == 2 and any("HDR" in warning for warning in forced.warnings)


def test_maps(tmp_path):
    path = write_y4m(tmp_path / "a.y4m", clip(3, 2, width=224, height=216))
    acutance.score(path, path, model=None, features="cambi", maps=tmp_path / "maps")
    assert (tmp_path / "maps" / "cambi_heatmap_scale_0_000001.tif").read_bytes()[:2] in (b"II", b"MM")
    with pytest.raises(acutance.InvalidArgumentError, match="maps"):
        acutance.score(path, path, model=None, features="psnr", maps=tmp_path / "none")
    with acutance.Session(None, features="cambi", maps=tmp_path / "session") as session:
        for planes in clip(3, 2, width=224, height=216):
            session.add(planes[0], planes[0])
        session.finish()
    assert len(list((tmp_path / "session").glob("cambi_heatmap_scale_?_000000.tif"))) == 5


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """A video of 96 frames in motion, the same without its first 5, and without 3 in the middle."""
    random = np.random.default_rng(1)
    # Coarse shapes: signatures see means of 32 x 18 cells.
    film = np.kron(random.integers(0, 256, (96, 9, 16), np.uint8), np.ones((1, 8, 8), np.uint8))
    grey = np.full((36, 64), 128, np.uint8)
    folder = tmp_path_factory.mktemp("moving")
    frames = [(luma, grey, grey) for luma in film]
    return [write_y4m(folder / f"{name}.y4m", part) for name, part in (("whole", frames), ("late", frames[5:]),
                                                                   ("gap", frames[:40] + frames[43:]))]


def test_frames_are_paired(moving):
    found = acutance.score(*moving[:2], model=None, features="psnr")
    assert found.frames == 91
    assert found.alignment.pairs[0] == (5, 0)
    assert min(found["psnr_y"]) == 60
    given = acutance.score(*moving[:2], model=None, features="psnr", align="-5")
    number = acutance.score(*moving[:2], model=None, features="psnr", align=-5)
    assert dict(number.alignment.pairs) == dict(given.alignment.pairs)
    assert_same_bits(found, given)
    plain = acutance.score(*moving[:2], model=None, features="psnr", align="index")
    assert max(plain["psnr_y"]) < 30
    held = acutance.score(moving[0], moving[2], model=None, features="psnr", missing="hold")
    assert held.alignment.held == 3
    assert held.alignment.pairs[39:44] == [(39, 39), (40, 39), (41, 39), (42, 39), (43, 40)]
    assert sorted(held["psnr_y"])[3] == 60 > 30 > sorted(held["psnr_y"])[2]
