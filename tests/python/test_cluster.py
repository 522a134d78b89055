"""A Ray cluster on this machine: the same scores as without it, even where workers or files are lost."""
import os
import signal
import warnings

import pytest
from pictures import clip, write_y4m

import acutance

ray = pytest.importorskip("ray", reason="ray is not installed (pip install acutance[cluster])")
from acutance import cluster  # noqa: E402


@pytest.fixture(scope="module")
def workers():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=3, include_dashboard=False, configure_logging=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    return [write_y4m(folder / f"{noise}.y4m", clip(noise, 30)) for noise in (0, 9, 24)]


def log_of(result, path, video=0):
    result.videos[video].write_log(path, "csv", precision="max")
    return path.read_bytes()


def kill_once(marker):
    """A progress function that kills the first worker that gets to a frame."""
    def progress(_):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)
    return progress


@pytest.mark.parametrize("total", (30, None))
def test_frames_are_counted_once_something_is_known(monkeypatch, total):
    def score(*_, progress, **__):
        assert progress(acutance.Progress(0))
        assert not progress(acutance.Progress(2, total))
        progress(acutance.Progress(5, 5))  # the end of what was stopped

    monkeypatch.setattr(cluster, "score", score)
    assert cluster._count_frames("a", "b", {}) == total


@pytest.mark.filterwarnings("ignore")
def test_parts_of_lost_workers_join_to_the_same_log(workers, videos, tmp_path):
    reference, *encodes = videos
    marker = tmp_path / "killed"
    options = {"model": ["vmaf_v0.6.1", "vmaf_b_v0.6.3"], "features": "psnr", "align": "index"}
    pairs = [(reference, encodes[0]), (reference, tmp_path / "absent.y4m"), (reference, encodes[1])]
    found = {done.pair: done for done in cluster.score_many(pairs, frames_per_part=8, folder=tmp_path / "shared",
                                                             progress=kill_once(marker), **options)}
    assert marker.exists() and sorted(found) == [0, 1, 2]
    assert isinstance(found[1].error, acutance.NotFoundError) and found[1].result is None
    for index, encode in ((0, encodes[0]), (2, encodes[1])):
        assert found[index].error is None
        expected = acutance.score(reference, encode, threads=1, **options)
        assert found[index].result.models == expected.models
        assert log_of(found[index].result, tmp_path / "a.csv") == log_of(expected, tmp_path / "b.csv")
    assert len(list((tmp_path / "shared").glob("*.journal"))) == 8  # 30 frames are four parts


@pytest.mark.filterwarnings("ignore")
def test_whole_files_without_a_folder(workers, videos):
    (done,) = cluster.score_many([videos[:2]], model=None, features=["psnr", "motion"])
    assert done.error is None and done.result.frames == 30
    assert done.result.models == ()
    (lost,) = cluster.score_many([videos[:2]], retries=0, progress=lambda _: os.kill(os.getpid(), signal.SIGKILL))
    assert isinstance(lost.error, acutance.IoError) and "lost" in str(lost.error)
