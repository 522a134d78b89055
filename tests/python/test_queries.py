"""Parquet and Arrow files of scores, read by the programs that people query them with."""
import json
import math
import subprocess

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from conftest import BIN

import acutance

OPTIONS = ("--model", "vmaf_v0.6.1", "--feature", "psnr", "--quiet")


def run(*words):
    return subprocess.run([str(word) for word in (BIN / "acutance", *words)], capture_output=True, check=True, text=True,
                          timeout=120).stdout


@pytest.fixture(name="tables")
def fixture_tables(files, tmp_path):
    """format -> path, and the log with all digits."""
    paths = {kind: tmp_path / f"scores.{kind}" for kind in ("parquet", "arrow")}
    for path in paths.values():
        run("score", *files, *OPTIONS, "--output", path)
    return paths


def read(path):
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path)
    with pyarrow.ipc.open_file(path) as file:
        return file.read_all()


def test_rows_are_the_log_s(files, tables, command_scores):
    expected = command_scores(*files, *OPTIONS)
    frames = len(expected["psnr_y"])
    for path in tables.values():
        table = read(path)
        table.validate(full=True)
        rows = table.to_pydict()
        assert rows["frame"] == rows["reference_frame"] == rows["distorted_frame"] == list(range(frames))
        assert rows["reference"] == [str(files[0])] * frames and rows["distorted"] == [str(files[1])] * frames
        assert rows["seconds"] == [k / 25 for k in range(frames)] and rows["shot"] == [0] * frames
        for name, scores in expected.items():
            assert rows[name] == scores, name
        types = {field.name: str(field.type) for field in table.schema}
        assert (types["reference"], types["frame"], types["shot"], types["psnr_y"]) == ("string", "int64", "int64", "double")


def test_the_metadata_has_the_receipt(files, tables):
    for path in tables.values():
        receipt = json.loads(read(path).schema.metadata[b"acutance.receipt"])
        assert receipt["kind"] == "receipt" and receipt["inputs"][1]["path"] == str(files[1])


def test_other_programs_read_them(tables):
    expected = read(tables["parquet"]).to_pandas()
    pandas.testing.assert_frame_equal(pandas.read_feather(tables["arrow"]), expected)
    for frame in (polars.read_parquet(tables["parquet"]), polars.read_ipc(tables["arrow"])):
        assert frame.to_dict(as_series=False) == expected.to_dict(orient="list")
    (shot, least, count), = duckdb.sql(
        f"select shot, min(\"vmaf_v0.6.1\"), count(*) from '{tables['parquet']}' group by shot").fetchall()
    assert (shot, least, count) == (0, expected["vmaf_v0.6.1"].min(), len(expected))


def test_nulls_and_infinity(files, tmp_path):
    """A video next to itself, every second frame of it."""
    path = tmp_path / "same.parquet"
    run("score", files[0], files[0], "--no-model", "--feature", "psnr_hvs", "--subsample", "2", "--quiet", "--output", path)
    rows = read(path).to_pydict()
    assert rows["frame"][:2] == [0, 2] and all(math.isinf(score) for score in rows["psnr_hvs"])
    assert duckdb.sql(f"select count(*) from '{path}' where isinf(psnr_hvs)").fetchall() == [(len(rows["frame"]),)]


def test_a_batch_writes_one_file(files, tmp_path):
    jobs = tmp_path / "list.csv"
    jobs.write_text("reference,distorted,name\n" + f"{files[0]},{files[1]},first\n{files[0]},{files[0]},second\n"
                    + f"{files[0]},missing.y4m,third\n")
    command = [str(BIN / "acutance"), "batch", str(jobs), "--out", str(tmp_path / "out"), "--scores",
               str(tmp_path / "all.parquet"), "-q", "--", "--model", "vmaf_v0.6.1"]
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode == 1
    table = read(tmp_path / "all.parquet")
    counts = duckdb.sql(f"select name, count(*), avg(\"vmaf_v0.6.1\") from '{tmp_path / 'all.parquet'}' group by name "
                        "order by name").fetchall()
    frames = table.num_rows // 2
    assert [(name, count) for name, count, _ in counts] == [("first", frames), ("second", frames)]
    assert counts[1][2] > counts[0][2]
    assert sorted(table.schema.metadata) == [b"acutance.receipt.first", b"acutance.receipt.second"]
    refused = subprocess.run([*command, "--output", "{name}.json"], capture_output=True, timeout=120, check=False)
    assert refused.returncode == 2 and b"--scores keeps a file of each pair" in refused.stderr


def test_a_result_writes_them(files, tables, tmp_path):
    acutance.score(*files, model="vmaf_v0.6.1", features="psnr", shots=True).write_log(tmp_path / "ours.parquet")
    assert read(tmp_path / "ours.parquet").to_pydict() == read(tables["parquet"]).to_pydict()
