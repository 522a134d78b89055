"""Reports, summaries, maps, and the inputs of a Result."""
import json
import os
import subprocess

import numpy as np
import pytest
from conftest import BIN
from pictures import HEIGHT, WIDTH, clip, write_y4m

import acutance


def test_a_report_is_one_page(files, tmp_path):
    result = acutance.score(*files, worst_frames=2, shots=True)
    page = result.report()
    assert page.startswith("<!DOCTYPE html>") and "distorted.y4m" in page
    assert page.count("data:image/jpeg;base64,") >= 4  # the frame that scores worst of a second
    assert result.report(tmp_path / "out.html") is None
    assert (tmp_path / "out.html").read_text() == page
    assert "data:image" not in acutance.score(*files).report()
    with pytest.raises(acutance.IoError, match="no"):
        result.report(tmp_path / "no" / "out.html")


def test_a_report_of_pictures_from_memory(pair):
    with acutance.Session(features="psnr") as session:
        for frames in zip(*pair):
            session.add(*frames)
        result = session.finish()
    assert "distorted" in result.report() and result.inputs == []
    assert result.summary()["results"][0]["distorted"] == "distorted"


def test_a_summary_is_the_command_s(files):
    ours = acutance.score(*files, model="vmaf_v0.6.1", features="psnr", shots=True, threads=1).summary(
        require="psnr_y.min>=99", segments="4f", pool="p5")
    command = subprocess.run([BIN / "acutance", "score", *files, "--model", "vmaf_v0.6.1", "--feature", "psnr", "--json", "--shots",
                              "--require", "psnr_y.min>=99", "--segments", "4f", "--pool", "p5", "--threads", "1",
                              "--quiet"], capture_output=True, timeout=120)
    theirs = json.loads(command.stdout)
    for document in (ours, theirs):
        del document["seconds"], document["fps"], document["bound"], document["warnings"]  # the command looks at the pictures' size, too
    assert json.dumps(ours).replace("vmaf_v0.6.1", "vmaf") == json.dumps(theirs).replace("vmaf_v0.6.1", "vmaf")
    assert ours["verdict"]["holds"] is False
    with pytest.raises(acutance.InvalidArgumentError, match="psnr_z"):
        acutance.score(*files, features="psnr").summary(require="psnr_z.min>=99")


def test_inputs_say_what_was_done(files, tmp_path):
    small = write_y4m(tmp_path / "small.y4m", clip(24, width=WIDTH // 2, height=HEIGHT // 2, depth=10), 10)
    result = acutance.score(files[0], small, align="index")
    reference, encode = result.inputs
    assert (reference.path, reference.width, reference.bit_depth) == (str(files[0]), WIDTH, 8)
    assert (encode.path, encode.width, encode.bit_depth, encode.frame_rate) == (str(small), WIDTH // 2, 10, 25)
    assert [change.change for change in reference.changes] == ["bit-depth"]
    assert [change.change for change in encode.changes] == ["scale"]
    assert encode.changes[0].text in result.warnings and "48x32 to 96x64" in encode.changes[0].text
    assert result.summary()["inputs"][1]["changes"][0]["change"] == "scale"
    assert encode.codec is None and encode.mastering is None and not encode.is_rgb


def test_models_are_chosen(files):
    result = acutance.score(*files, model="auto", viewing="phone")
    assert result.models and len(result.model_reasons) > 0
    assert acutance.score(*files, model="vmaf_v0.6.1").model_reasons == []
    with pytest.raises(acutance.InvalidArgumentError, match="4k-3h"):
        acutance.score(*files, model="auto", viewing="cinema")


def test_maps_of_the_worst_frames(files, tmp_path):
    result = acutance.score(*files, worst_frames=1)
    result.write_maps(tmp_path / "maps")
    names = os.listdir(tmp_path / "maps")
    array = np.load(tmp_path / "maps" / next(name for name in names if name.startswith("adm2") and name.endswith("npy")))
    assert array.shape == (2, 3) and array.dtype == np.float64
    acutance.score(*files, features="psnr", maps_video=tmp_path / "films")
    film = np.load(tmp_path / "films" / "adm2.npy")
    assert film.shape == (12, 2, 3) and (film == array).all(axis=(1, 2)).sum() == 1
    assert (tmp_path / "films" / "adm2.mkv").stat().st_size > 0
    with pytest.raises(acutance.InvalidArgumentError, match="worst_frames"):
        acutance.score(*files).write_maps(tmp_path / "none")
