"""Verdicts from a part of the frames, comparisons of encodes, and lists, as the commands report them."""
import json
import subprocess

import pytest
from conftest import BIN
from pictures import clip, write_y4m

import acutance

NOISES = (6, 12, 24, 48)


@pytest.fixture(scope="module")
def encodes(tmp_path_factory):
    """The reference, and two folders of encodes: files of less noise are larger."""
    folder = tmp_path_factory.mktemp("ladder")
    reference = write_y4m(folder / "reference.y4m", clip(0, 40))
    for curve, extra in (("a", 0), ("b", 3)):
        (folder / curve).mkdir()
        for rate, noise in enumerate(NOISES):
            path = write_y4m(folder / curve / f"{noise:02}.y4m", clip(noise + extra, 40))
            path.write_bytes(path.read_bytes().replace(b"\n", b" X" + b"x" * (180 - 50 * rate) + b"\n", 1))
    return reference, folder / "a", folder / "b"


def document_of(*arguments, status=0):
    done = subprocess.run([BIN / "acutance", *map(str, arguments)], capture_output=True, timeout=120)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def test_verdicts_are_the_command_s(encodes):
    reference, folder, _ = encodes
    encode = folder / "12.y4m"
    mean = acutance.score(reference, encode).score
    for bound, holds in ((mean - 20, True), (mean + 1e-7, False)):
        verdict = acutance.at_least(reference, encode, bound, certain=True)
        theirs = document_of("score", reference, encode, "-q", "-m", "vmaf_v0.6.1", "--at-least", repr(bound), "--certain",
                             "--json", status=0 if holds else 3)
        assert bool(verdict) is verdict.holds is holds is theirs["holds"]
        assert verdict.text == theirs["text"].replace("vmaf is", "vmaf_v0.6.1 is")
        for name in ("certain", "confidence", "mean_of_read", "least_mean", "greatest_mean", "frames", "frames_read"):
            assert getattr(verdict, name) == theirs[name]
    assert acutance.at_most(reference, encode, mean + 20) and not acutance.at_most(reference, encode, mean - 20)
    assert not acutance.at_most(reference, encode, 1, model="auto", align="index", frame_count=20)


def test_verdicts_refuse(encodes):
    reference, folder, _ = encodes
    encode = folder / "12.y4m"
    for options, error in (({"model": None}, acutance.InvalidArgumentError), ({"subsample": 2}, acutance.InvalidArgumentError),
                           ({"confidence": 1}, acutance.InvalidArgumentError), ({"worst_frame": 2}, TypeError),
                           ({"model": acutance.Model("vmaf_v0.6.1", disable_clip=True)}, acutance.UnsupportedError)):
        with pytest.raises(error):
            acutance.at_least(reference, encode, 1, certain=True, **options)
    with pytest.raises(acutance.InvalidArgumentError, match="bound"):
        acutance.at_least(reference, encode, "much")
    with pytest.raises(acutance.InvalidArgumentError, match="paths"):
        acutance.at_least(reference, [encode, encode], 1)
    with pytest.raises(acutance.NotFoundError):
        acutance.at_least(reference, folder / "absent.y4m", 1)


def test_a_comparison_is_the_command_s(encodes, tmp_path):
    reference, folder, _ = encodes
    files = [folder / "06.y4m", folder / "48.y4m"]
    ours = acutance.compare(reference, files, features="psnr", by="psnr_y")
    assert dict(ours) == document_of("compare", reference, *files, "-q", "--feature", "psnr", "--by", "psnr_y",
                                     "--json")["comparison"]
    assert [encode["best"] for encode in ours["encodes"]] == [True, True] and ours["differences"][0]["sure"]
    assert "95 % interval" in str(ours) and "06.y4m" in repr(ours)
    assert len(ours.result.videos) == 2 and ours.result.videos[1].score == acutance.score(reference, files[1]).score
    ours.report(tmp_path / "out.html")
    assert (tmp_path / "out.html").read_text() == ours.report() and "best at its rate" in ours.report()
    assert "best at its rate" not in ours.result.report()
    with pytest.raises(acutance.InvalidArgumentError, match="psnr_y"):
        acutance.compare(reference, files, features="psnr", by="psnr_z")
    with pytest.raises(acutance.InvalidArgumentError, match="no model"):
        acutance.compare(reference, files, model=None, features="psnr")


def test_a_ladder_is_the_command_s(encodes, tmp_path):
    reference, first, second = encodes
    ours = acutance.ladder(reference, {"a": first, "b": sorted(second.iterdir())}, anchor="b", model=None, features="psnr",
                           by="psnr_y")
    assert dict(ours) == document_of("ladder", reference, first, second, "-q", "--anchor", "b", "--feature", "psnr", "--by",
                                     "psnr_y", "--json")["ladder"]
    assert [curve["name"] for curve in ours["curves"]] == ["b", "a"] and ours["differences"][0]["by"]["pchip"]["bd_rate"] < 0
    assert "rates" in ours.report()
    document_of("ladder", reference, first, second, "-q", "--anchor", "b", "--feature", "psnr", "--by", "psnr_y", "--json",
                "--no-model", "--ctc-csv", tmp_path / "command.csv")
    ours.ctc_csv(tmp_path / "ours.csv")
    assert (tmp_path / "ours.csv").read_text() == ours.ctc_csv() == (tmp_path / "command.csv").read_text()
    with pytest.raises(acutance.NotFoundError, match="for a ladder alone"):
        acutance.compare(reference, sorted(second.iterdir()), model=None, features="psnr", by="psnr_y").ctc_csv()
    with pytest.raises(acutance.InvalidArgumentError, match="there are a"):
        acutance.ladder(reference, {"a": first}, anchor="c")
    part = acutance.ladder(reference, {"a": first}, model=None, features="psnr", by="psnr_y", frame_count=10)
    assert [[point["bit_rate"] for point in curve["points"]] for curve in (part["curves"][0], ours["curves"][1])] == 2 * [
        [point["bit_rate"] for point in ours["curves"][1]["points"]]], "bit rates are those of the whole videos"


def test_a_ladder_passes_over_what_is_no_video(encodes, tmp_path):
    reference, first, second = encodes
    for file in first.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "sizes.txt").write_text("06.y4m 12 kB\n")
    with pytest.warns(UserWarning, match="passed over, no video: .*sizes.txt"):
        ours = acutance.ladder(reference, {"a": tmp_path, "b": second}, model=None, features="psnr", by="psnr_y")
    known = acutance.ladder(reference, {"a": first, "b": second}, model=None, features="psnr", by="psnr_y")
    assert ours["differences"] == known["differences"]
    (tmp_path / "notes").mkdir()
    with pytest.raises(acutance.NotFoundError, match="there is no file in it"):
        acutance.ladder(reference, {"a": tmp_path / "notes"})
    (tmp_path / "notes" / "a.txt").write_text("nothing")
    with pytest.raises(acutance.NotFoundError, match="there is no video in it .*a.txt"):
        acutance.ladder(reference, {"a": tmp_path / "notes"})


def test_known_points_have_any_unit(tmp_path):
    curves = {"a": [(1000, 80), (2000, 86), (3000, 90), (4000, 93)], "b": [(3600, 93), (900, 80), (1800, 86), (2700, 90)]}
    ours = acutance.bd(curves)
    path = tmp_path / "points.csv"
    path.write_text("".join(f"{name},{rate},{quality}\n" for name, points in curves.items() for rate, quality in points))
    assert dict(ours) == document_of("bd", path, "--json")["ladder"]
    assert ours["differences"][0]["by"]["cubic"]["bd_rate"] == pytest.approx(-10)
    assert "bit/s" not in str(ours) and " 1800 " in str(ours)
    short = acutance.bd({"a": curves["a"], "c": curves["b"][:2]})["differences"][0]
    assert "4 at least" in short["refusal"] and short["by"] == {}
    for wrong in ({}, {"a": [1, 2]}, {"a": []}, [("a", [])]):
        with pytest.raises(acutance.InvalidArgumentError):
            acutance.bd(wrong)
    with pytest.raises(acutance.NotFoundError):
        ours.report()


def test_a_list_goes_on(encodes, tmp_path):
    reference, folder, _ = encodes
    pairs = [(reference, folder / "12.y4m"), (reference, folder / "absent.y4m"), (reference, folder / "24.y4m")]
    options = {"jobs": 2, "folder": tmp_path / "journals", "align": "index"}
    found = {done.pair: done for done in acutance.batch(pairs, **options)}
    assert sorted(found) == [0, 1, 2] and isinstance(found[1].error, acutance.NotFoundError)
    assert found[2].result.score == acutance.score(*pairs[2]).score
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "journals").iterdir()}
    again = {done.pair: done for done in acutance.batch(pairs, **options)}
    assert again[0].result.score == found[0].result.score and len(before) == 2
    assert {path: path.stat().st_mtime_ns for path in before} == before
    other = {done.pair: done for done in acutance.batch(pairs, **options, model="vmaf_v0.6.1neg")}
    assert isinstance(other[0].error, acutance.InvalidArgumentError)


def test_a_list_may_be_left(encodes, tmp_path):
    reference, folder, _ = encodes
    for done in acutance.batch([(reference, folder / "12.y4m")] * 20, folder=tmp_path):
        assert done.error is None
        break
    left = acutance.batch([(reference, folder / "12.y4m")], folder=tmp_path)
    assert next(left).result.frames == 40
