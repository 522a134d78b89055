"""Files to results: the same bits as the command, and all parts of a Result."""
import json
import pickle

import numpy as np
import pytest
from pictures import FRAMES, HEIGHT, WIDTH, assert_same_bits, clip, write_y4m

import acutance


def test_same_bits_as_the_command(files, command_scores):
    result = acutance.score(*files, model="vmaf_v0.6.1", features="psnr")
    assert_same_bits(result, command_scores(*files, "--feature", "psnr"))
    assert (result.frames, result.width, result.height, result.bit_depth, result.pixel_format) == (
        FRAMES, WIDTH, HEIGHT, 8, "420")
    assert result.device == "" and result.warnings == [] and result.seconds > 0


def test_an_encode_has_the_scores_that_it_has_alone(files, pair, tmp_path):
    encodes = [files[1], write_y4m(tmp_path / "short.y4m", pair[1][:6]), write_y4m(tmp_path / "late.y4m", pair[1][3:])]
    options = {"model": "vmaf_v0.6.1", "features": "motion", "align": "index"}
    together = acutance.score(files[0], encodes, **options)
    for result, encode in zip(together.videos, encodes, strict=True):
        alone = acutance.score(files[0], encode, **options)
        assert result.frames == alone.frames
        assert_same_bits(result, dict(alone))


def test_options_models_and_ranges(files, command_scores):
    neg = acutance.Model("vmaf_v0.6.1", name="mine", options={"adm": {"adm_enhn_gain_limit": 1.0}}, disable_clip=True)
    result = acutance.score(*files, model=["vmaf_v0.6.1neg", neg], features={"psnr": {"enable_mse": True}},
                            first_frame=2, frame_count=7, subsample=3, threads=1)
    expected = command_scores(*files, "--model", "vmaf_v0.6.1neg", "--model",
                              "version=vmaf_v0.6.1:name=mine:disable_clip:adm.adm_enhn_gain_limit=1",
                              "--feature", "psnr=enable_mse=true", "--frames", "2:9", "--subsample", "3")
    for name, values in expected.items():
        logged = [i for i, value in enumerate(values) if value == value]
        # The log has the frames of the subsample only, and of those in between what motion needs.
        frames = range(0, 7, 3) if len(values) == 3 else range(7)
        np.testing.assert_array_equal(result[name][[frames[i] for i in logged]], np.array(values)[logged], err_msg=name)
    assert result.models == ("vmaf_v0.6.1neg", "mine")
    assert result.frames == 7 and np.isnan(result["mine"][[1, 2, 4, 5]]).all()


def test_ten_bit_and_raw(tmp_path, command_scores):
    pictures = clip(0, 4, depth=10), clip(9, 4, depth=10)
    y4m = [write_y4m(tmp_path / f"{i}.y4m", frames, 10) for i, frames in enumerate(pictures)]
    raw = []
    for i, frames in enumerate(pictures):
        raw.append(tmp_path / f"{i}.yuv")
        raw[-1].write_bytes(b"".join(plane.tobytes() for planes in frames for plane in planes))
    expected = command_scores(*y4m)
    assert_same_bits(acutance.score(*y4m), expected)
    assert_same_bits(acutance.score(*raw, size=(WIDTH, HEIGHT), bit_depth=10), expected)


def test_nv12_and_p010(tmp_path):
    for name, depth in (("nv12", 8), ("p010", 10)):
        planar, semi_planar = [], []
        for i in (0, 9):
            frames = clip(i, 4, depth=depth)
            planar.append(tmp_path / f"{i}.yuv")
            planar[-1].write_bytes(b"".join(plane.tobytes() for planes in frames for plane in planes))
            semi_planar.append(tmp_path / f"{i}.{name}")
            shift = 0 if depth == 8 else 16 - depth
            semi_planar[-1].write_bytes(b"".join((plane << shift).tobytes() for luma, *chroma in frames
                                                 for plane in (luma, np.stack(chroma, axis=-1))))
        options = {"size": (WIDTH, HEIGHT), "model": None, "features": "psnr"}
        expected = acutance.score(*planar, bit_depth=depth, **options)
        assert_same_bits(acutance.score(*semi_planar, pixel_format=name, **options), dict(expected))
    with pytest.raises(acutance.InvalidArgumentError, match="10 bits, not 12"):
        acutance.score(*semi_planar, pixel_format="p010", bit_depth=12, **options)


def test_numpy_s_numbers_are_options(files):
    options = {"adm_enhn_gain_limit": np.float64(1.5)}
    plain = acutance.score(*files, model=None, features={"adm": {"adm_enhn_gain_limit": 1.5}})
    result = acutance.score(*files, model=None, features={"adm": options, "psnr": {"enable_chroma": np.False_}},
                            threads=np.int64(1))
    assert_same_bits(result, {**plain, "psnr_y": result["psnr_y"]})
    half = acutance.score(*files, model=None, features={"adm": {"adm_enhn_gain_limit": np.float32(1.5)}})
    assert_same_bits(half, dict(plain))


def test_models_refuse_options_of_features_that_they_do_not_read():
    with pytest.raises(acutance.InvalidArgumentError, match="psnr"):
        acutance.Model("vmaf_v0.6.1", options={"psnr": {"enable_mse": True}})


def test_several_videos_share_a_reference(files, tmp_path):
    other = write_y4m(tmp_path / "other.y4m", clip(7))
    both = acutance.score(files[0], (path for path in (files[1], other)))
    first, second = both.videos
    np.testing.assert_array_equal(first["vmaf_v0.6.1"], acutance.score(*files)["vmaf_v0.6.1"])
    np.testing.assert_array_equal(second["vmaf_v0.6.1"], acutance.score(files[0], other)["vmaf_v0.6.1"])
    assert both.score == first.score < second.score
    assert "video 1 of 2" in both._repr_html_() and "video 2 of 2" in second._repr_html_()


def test_result_is_a_mapping_of_arrays(files):
    result = acutance.score(*files, features="psnr")
    vmaf = result["vmaf_v0.6.1"]
    assert vmaf.dtype == np.float64 and vmaf.shape == (FRAMES,) and not vmaf.flags.writeable
    assert list(result)[-1] == "vmaf_v0.6.1" and len(result) == len(list(result))
    assert "integer_adm2" in result and "VMAF_integer_feature_adm2_score" in result and "adm" not in result
    assert dict(result).keys() == set(result)
    assert result.get("adm") is None and 0 not in result
    with pytest.raises(acutance.NotFoundError, match="did you mean 'psnr_y'"):
        result["psnr_yy"]


def test_pooling(files):
    result = acutance.score(*files, features={"psnr": {"enable_apsnr": True}})
    vmaf = result["vmaf_v0.6.1"]
    assert result.score == result.pool("vmaf_v0.6.1") == pytest.approx(vmaf.mean(), abs=1e-12)
    assert result.pool("vmaf_v0.6.1", "min", 3, 5) == vmaf[3:6].min()
    assert result.pool("vmaf_v0.6.1", "min", range(3, 6)) == vmaf[3:6].min()
    assert result.pool("vmaf_v0.6.1", first=range(3, 4)) == vmaf[3]
    assert result.mean_interval("vmaf_v0.6.1", 0.9, range(1, 6)) == result.mean_interval("vmaf_v0.6.1", 0.9, 1, 5)
    assert result.pool("vmaf_v0.6.1", "max") == result.pooled["vmaf_v0.6.1"]["max"] == vmaf.max()
    assert result.pool("vmaf_v0.6.1", "harmonic_mean") == pytest.approx(1 / (1 / (vmaf + 1)).mean() - 1)
    assert result.aggregates.keys() == {"apsnr_y", "apsnr_cb", "apsnr_cr"}
    assert result.pool("vmaf_v0.6.1", "p5", 1) == pytest.approx(np.percentile(vmaf[1:], 5), abs=1e-12)
    assert result.pool("vmaf_v0.6.1", "worst_second", frame_rate=2) == pytest.approx(
        min((a + b) / 2 for a, b in zip(vmaf, vmaf[1:])), abs=1e-12)
    low, high = result.mean_interval("vmaf_v0.6.1")
    assert low < result.score < high
    for arguments in (("vmaf_v0.6.1", "meddian"), ("vmaf_v0.6.1", "worst_second"), ("vmaf_v0.6.1", "mean", 5, 4), ("vmaf_v0.6.1", "mean", -1),
                      ("vmaf_v0.6.1", "mean", 0, FRAMES)):
        with pytest.raises(acutance.InvalidArgumentError):
            result.pool(*arguments)
    without_model = acutance.score(*files, model=None, features="psnr")
    with pytest.raises(acutance.NotFoundError, match="psnr_y"):
        without_model.score


def test_pandas(files):
    pandas = pytest.importorskip("pandas")
    result = acutance.score(*files)
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.shape == (FRAMES, len(result)) and frame.index.name == "frame"
    np.testing.assert_array_equal(frame["vmaf_v0.6.1"], result["vmaf_v0.6.1"])


@pytest.mark.parametrize("format", ["xml", "json", "csv", "sub"])
def test_logs(files, tmp_path, format):
    result = acutance.score(*files)
    by_ending, by_name = tmp_path / f"log.{format}", tmp_path / "log.txt"
    result.write_log(by_ending, precision="max")
    result.write_log(by_name, format, precision="max")
    assert by_ending.read_bytes() == by_name.read_bytes()
    if format == "json":
        frames = json.loads(by_ending.read_text())["frames"]
        assert [frame["metrics"]["vmaf_v0.6.1"] for frame in frames] == result["vmaf_v0.6.1"].tolist()
    with pytest.raises(acutance.IoError) as error:
        result.write_log(tmp_path / "no" / "folder.xml")
    assert isinstance(error.value, OSError)


def test_looks_in_a_notebook(files):
    result = acutance.score(*files, model=["vmaf_v0.6.1", "vmaf_v0.6.1neg"])
    text = result._repr_html_()
    assert text.startswith("<p>acutance.Result: vmaf_v0.6.1 ") and text.count("<iframe") == 1
    assert "&lt;!DOCTYPE html&gt;" in text and len(text) < 200_000
    assert repr(result).startswith("<acutance.Result: vmaf_v0.6.1 ") and len(repr(result)) < 120


def test_errors_are_typed_and_name_the_input(files, tmp_path):
    reference, distorted = files
    broken = tmp_path / "broken.y4m"
    broken.write_bytes(reference.read_bytes()[:-100])
    cases = [
        (acutance.NotFoundError, "missing.y4m", ("missing.y4m", distorted), {}),
        (acutance.NotFoundError, "vmaf_v0.6.1", (reference, distorted), {"model": "vmaf_v0.6.2"}),
        (acutance.InvalidArgumentError, "psnr", (reference, distorted), {"features": "psnrr"}),
        (acutance.InvalidArgumentError, "enable_mse", (reference, distorted), {"features": {"psnr": {"enable_ms": 1}}}),
        (acutance.InvalidArgumentError, "cuda", (reference, distorted), {"backend": "cudda"}),
        (acutance.InvalidArgumentError, "threads=-1", (reference, distorted), {"threads": -1}),
        (acutance.InvalidArgumentError, "subsample", (reference, distorted), {"subsample": 0}),
        (acutance.InvalidArgumentError, "frame_count=0", (reference, distorted), {"frame_count": 0}),
        (acutance.InvalidArgumentError, "first_frame=1.5", (reference, distorted), {"first_frame": 1.5}),
        (acutance.InvalidArgumentError, "(width, height)", (reference, distorted), {"size": "96x64"}),
        (acutance.InvalidArgumentError, "paths", (reference, None), {}),
        (acutance.InvalidArgumentError, "no distorted", (reference, []), {}),
        (acutance.InvalidArgumentError, "420", (reference, distorted), {"size": (16, 16), "pixel_format": "421"}),
        (acutance.InvalidArgumentError, "Session", (np.zeros((8, 8)), distorted), {}),
        (acutance.BadDataError, "broken.y4m", (reference, broken), {}),
        (acutance.InvalidArgumentError, "", (reference, distorted), {"model": None}),
    ]
    for kind, text, arguments, options in cases:
        with pytest.raises(kind) as error:
            acutance.score(*arguments, **options)
        assert text in str(error.value) and isinstance(error.value, acutance.AcutanceError), options


def test_a_shorter_file_is_a_warning(files, tmp_path):
    short = write_y4m(tmp_path / "short.y4m", clip(24, 5))
    result = acutance.score(files[0], short, model="vmaf_v0.6.1")
    assert result.frames == 5 and "short.y4m" in result.warnings[0]
    assert "short.y4m" in result._repr_html_() and "video 1" not in result._repr_html_()


def test_tracebacks_name_what_users_import():
    assert {getattr(acutance, name).__module__ for name in acutance.__all__} == {"acutance"}
    error = pickle.loads(pickle.dumps(acutance.NotFoundError("no such thing")))
    assert isinstance(error, acutance.NotFoundError) and str(error) == "no such thing"


def test_options_that_a_model_leaves_without_effect_are_a_warning(files):
    debug = {"vif": {"debug": True}}
    result = acutance.score(*files, model="vmaf_v0.6.1", features=debug)
    assert len(result.warnings) == 1 and "debug=true is ignored" in result.warnings[0]
    asked = acutance.score(*files, model=acutance.Model("vmaf_v0.6.1", options=debug))
    assert not asked.warnings and "integer_vif_num" in asked and "integer_vif_num" not in result


def test_a_collection_says_how_sure_it_is(files):
    result = acutance.score(*files, model=acutance.Model("vmaf_b_v0.6.3", name="b"))
    assert result.models[:5] == ("b_bagging", "b_stddev", "b_ci_p95_lo", "b_ci_p95_hi", "b_0001")
    assert len(result.models) == 24
    assert result.score == result.pool("b_bagging")
    assert result.pool("b_ci_p95_lo") < result.score < result.pool("b_ci_p95_hi")


def test_lists():
    assert acutance.models()[0].name == "vmaf_v0.6.1"
    psnr = next(feature for feature in acutance.features() if feature.name == "psnr")
    assert "psnr_y" in psnr.outputs and "enable_mse" in {option.name for option in psnr.options}
    lower = {name for feature in acutance.features() for name in feature.lower_is_better}
    assert {"butteraugli_max", "cambi", "mse_y"} <= lower and not {"psnr_y", "ciede2000", "motion2"} & lower
    assert {"cuda", "emu"} <= {backend.name for backend in acutance.backends()}
    assert all(device.name for device in acutance.devices())
    assert all(backend.devices or backend.missing for backend in acutance.backends())


def test_devices_give_the_same_bits(files):
    on_cpu = acutance.score(*files, model=None, features=["psnr", "motion"])
    on_device = acutance.score(*files, model=None, features=["psnr", "motion"], backend="emu", device=0)
    assert "emu" in on_device.device
    assert_same_bits(on_device, dict(on_cpu))


def test_join(tmp_path):
    reference, distorted = (write_y4m(tmp_path / f"{noise}.y4m", clip(noise, 30)) for noise in (0, 24))
    journals = []
    for first, count in ((0, 11), (11, 7), (18, None)):
        journals.append(tmp_path / f"{first}.journal")
        acutance.score(reference, distorted, model="vmaf_b_v0.6.3", first_frame=first, frame_count=count,
                       journal=journals[-1])
    whole = acutance.score(reference, distorted, model="vmaf_b_v0.6.3")
    joined = acutance.join(reversed(journals))
    assert joined.models == whole.models
    assert_same_bits(joined, dict(whole))
    with pytest.raises(acutance.InvalidArgumentError):
        acutance.join(journals[::2])
    with pytest.raises(acutance.NotFoundError):
        acutance.join(tmp_path / "absent")


def test_cached_reference(files, tmp_path):
    av = pytest.importorskip("av")
    path = tmp_path / "reference.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("ffv1", rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for planes in clip(0):
            packed = np.concatenate([plane.ravel() for plane in planes]).reshape(-1, WIDTH)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(packed, format="yuv420p")))
        container.mux(stream.encode())
    expected = acutance.score(*files, features="psnr")
    cached = acutance.CachedReference(path)
    assert (cached.path, cached.frames, cached.bytes) == (str(path), 0, 0)
    for _ in range(2):
        assert_same_bits(acutance.score(cached, files[1], features="psnr"), dict(expected))
        assert (cached.frames, cached.bytes) == (FRAMES, FRAMES * WIDTH * HEIGHT * 3 // 2)
    assert cached.device_frames == 0
    for most, frames in ((None, FRAMES), (0, 0)):
        cached = acutance.CachedReference(path, max_device_memory=most)
        for _ in range(2):
            assert_same_bits(acutance.score(cached, files[1], features="psnr", backend="emu"), dict(expected))
            assert cached.device_frames == frames
    small = acutance.CachedReference(path, max_memory=1000)
    for _ in range(2):
        assert_same_bits(acutance.score(small, files[1], features="psnr"), dict(expected))
        assert small.frames == 0
    with pytest.raises(acutance.NotFoundError):
        acutance.score(acutance.CachedReference(tmp_path / "absent.mkv"), files[1])
    with pytest.raises(acutance.InvalidArgumentError):
        acutance.CachedReference(3)
