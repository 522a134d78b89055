"""While it runs: progress, Ctrl-C, threads, asyncio, memory."""
import asyncio
import concurrent.futures
import io
import os
import pathlib
import signal
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from pictures import FRAMES, clip, write_y4m

import acutance


def feed(path, data, stop):
    """Writes the y4m in `data` into a pipe, its frames again and again."""
    header = data.index(b"\n") + 1
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # a reader, too: the pipe stays open
    rest = memoryview(data)
    while not stop.is_set():
        try:
            rest = rest[os.write(pipe, rest) :] or memoryview(data)[header:]
        except BlockingIOError:
            time.sleep(0.0005)
    os.close(pipe)


@pytest.fixture
def endless(tmp_path):
    """A function that makes a pair of videos that never end."""
    stop = threading.Event()
    threads = []

    def make():
        pipes = []
        for noise in (0, 9):
            data = write_y4m(tmp_path / "once.y4m", clip(noise, 4, width=320, height=180)).read_bytes()
            pipes.append(tmp_path / f"{len(threads)}.y4m")
            os.mkfifo(pipes[-1])
            threads.append(threading.Thread(target=feed, args=(pipes[-1], data, stop)))
            threads[-1].start()
        return pipes

    yield make
    stop.set()
    for thread in threads:
        thread.join()


def test_progress(files):
    seen = []
    result = acutance.score(*files, progress=seen.append)
    assert seen[-1] == acutance.Progress(FRAMES, FRAMES, result.score)
    assert [step.frames for step in seen] == sorted(step.frames for step in seen)


def test_progress_of_a_session(pair):
    seen = []
    with acutance.Session(threads=1, progress=seen.append, total=FRAMES) as session:
        for frames in zip(*pair):
            session.add(*frames)
        session.finish()
    assert [step.frames for step in seen] == list(range(1, FRAMES + 1)) and seen[0].total == FRAMES


def test_progress_bar(files, monkeypatch):
    pytest.importorskip("tqdm")
    text = io.StringIO()
    monkeypatch.setattr(sys, "stderr", text)
    acutance.score(*files)
    assert text.getvalue() == ""  # no terminal
    text.isatty = lambda: True
    acutance.score(*files)
    assert f"{FRAMES}/{FRAMES}" in text.getvalue()


def test_progress_bar_without_tqdm(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        acutance.score(*files, progress=True)


def test_an_exception_in_progress_stops_the_run(endless, files):
    class Enough(Exception):
        pass

    def stop(progress):
        raise Enough

    begin = time.monotonic()
    with pytest.raises(Enough):
        acutance.score(*endless(), progress=stop)
    assert time.monotonic() - begin < 1.5
    assert acutance.score(*files).frames == FRAMES


def test_progress_that_has_seen_enough(endless):
    result = acutance.score(*endless(), progress=lambda progress: progress.frames < 5)
    assert result.frames >= 5 and len(result["vmaf_v0.6.1"]) == result.frames


def test_a_journal(files, tmp_path):
    journal = tmp_path / "journal"
    whole = acutance.score(*files)
    acutance.score(*files, journal=journal)
    size = journal.stat().st_size
    os.truncate(journal, size - 100)
    again = acutance.score(*files, journal=journal)
    assert journal.stat().st_size == size
    assert {name: list(again[name]) for name in again} == {name: list(whole[name]) for name in whole}
    with pytest.raises(acutance.InvalidArgumentError, match="journal of another run"):
        acutance.score(*files, journal=journal, subsample=2)


INTERRUPTED = """
import os, signal, sys, threading, time
import acutance
files, small = sys.argv[1:3], sys.argv[3:5]
def interrupt():
    global sent
    time.sleep(0.4)
    sent = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    acutance.score(*files)
    print("finished")
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - sent)
print("then", acutance.score(*small).frames)
"""


def run_interrupted(*arguments):
    program = subprocess.run([sys.executable, "-c", INTERRUPTED, *map(str, arguments)], capture_output=True, text=True,
                             timeout=60, check=False)
    assert program.returncode == 0, program.stderr
    first, then = program.stdout.splitlines()
    word, seconds = first.split()
    assert not program.stderr
    assert word == "interrupted" and then == f"then {FRAMES}"
    return float(seconds)


def test_ctrl_c(endless, files):
    assert run_interrupted(*endless(), *files) < 1.5


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="no ffmpeg")
def test_ctrl_c_between_packets(files, tmp_path):
    """FFmpeg's libraries complain of half a packet."""
    film = tmp_path / "film.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:d=60,noise=alls=20:allf=t", "-c:v",
                    "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p", film], check=True, timeout=60)
    for _ in range(3):
        assert run_interrupted(film, film, *files) < 2.5


def test_ctrl_c_while_a_pipe_is_silent(files, tmp_path):
    fifo = tmp_path / "silent.y4m"
    os.mkfifo(fifo)
    writer = os.open(fifo, os.O_RDWR)
    try:
        os.write(writer, files[0].read_bytes()[:20000])
        assert run_interrupted(fifo, files[1], *files) < 2.5
    finally:
        os.close(writer)


CANCELLED = """
import asyncio, os, sys, time
import acutance
fifo, reference, other = sys.argv[1:]
def threads():
    return len(os.listdir("/proc/self/task"))
acutance.score(reference, other, threads=2)
before = threads()
async def main():
    try:
        await asyncio.wait_for(acutance.score_async(fifo, other), 0.4)
    except asyncio.TimeoutError:
        print("cancelled")
asyncio.run(main())
begin = time.monotonic()
while threads() > before and time.monotonic() - begin < 20:
    time.sleep(0.01)
print(time.monotonic() - begin)
"""


def test_a_run_that_waits_for_a_writer_ends_when_it_is_cancelled(files, tmp_path):
    fifo = tmp_path / "no-writer.y4m"
    os.mkfifo(fifo)
    program = subprocess.run([sys.executable, "-c", CANCELLED, fifo, *files], capture_output=True, text=True, timeout=60,
                             check=False)
    assert program.returncode == 0, program.stderr
    word, seconds = program.stdout.split()
    assert word == "cancelled" and float(seconds) < 2.5


def test_ctrl_c_in_a_session(pair):
    with pytest.raises(KeyboardInterrupt), acutance.Session() as session:
        for i in range(100000):
            session.add(pair[0][i % FRAMES], pair[1][i % FRAMES])
            if i == 20:
                signal.raise_signal(signal.SIGINT)
    with pytest.raises(acutance.SessionError, match="closed"):
        session.finish()


def test_two_sessions_at_once(pair, files):
    expected = acutance.score(*files)["vmaf_v0.6.1"]

    def run():
        with acutance.Session(threads=2) as session:
            for frames in zip(*pair):
                session.add(*frames)
            return session.finish()["vmaf_v0.6.1"]

    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        for scores in executor.map(lambda _: run(), range(8)):
            np.testing.assert_array_equal(scores, expected)


def test_the_gil_is_free(tmp_path):
    ticks = 0
    stop = threading.Event()

    def tick():
        nonlocal ticks
        while not stop.wait(0.002):
            ticks += 1

    thread = threading.Thread(target=tick)
    files = [write_y4m(tmp_path / f"{noise}.y4m", clip(noise, 4, width=640, height=360) * 20) for noise in (0, 9)]
    thread.start()
    begin = time.process_time()  # of all threads: other programs' work does not count
    acutance.score(*files, threads=2)
    frames = [(np.zeros((1080, 1920), np.uint8), np.ones((1080, 1920), np.uint8)) for _ in range(4)]
    with acutance.Session(threads=1) as session:
        for pair in frames:
            session.add(*pair)
        session.finish()
    worked = time.process_time() - begin
    stop.set()
    thread.join()
    assert ticks > worked / 0.002 / 10


def test_asyncio(pair, files):
    expected = acutance.score(*files)["vmaf_v0.6.1"]

    async def stream():
        async with acutance.Session() as session:
            for frames in zip(*pair):
                await session.add_async(*frames)
            return await session.finish_async()

    async def all_at_once():
        async with acutance.Session() as session:
            await asyncio.gather(*(session.add_async(*frames) for frames in zip(*pair)))
            return await session.finish_async()

    async def main():
        return await asyncio.gather(stream(), all_at_once(), acutance.score_async(*files))

    for result in asyncio.run(main()):
        np.testing.assert_array_equal(result["vmaf_v0.6.1"], expected)


def test_asyncio_cancellation(endless, pair):
    async def main():
        task = asyncio.create_task(acutance.score_async(*endless()))
        await asyncio.sleep(0.2)
        task.cancel()
        begin = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begin < 1.5
        with pytest.raises(TimeoutError if sys.version_info >= (3, 11) else asyncio.TimeoutError):
            await asyncio.wait_for(acutance.score_async(*endless()), 0.2)
        async with acutance.Session() as session:
            add = asyncio.create_task(session.add_async(pair[0][0], pair[1][0]))
            await asyncio.sleep(0)
            add.cancel()
            with pytest.raises(asyncio.CancelledError):
                await add
            await session.add_async(pair[0][1], pair[1][1])
            assert (await session.finish_async()).frames in (1, 2)

    asyncio.run(main())


def resident_kb():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def test_memory_is_flat_over_sessions(pair):
    def one():
        with acutance.Session(features="psnr", threads=2) as session:
            for frames in list(zip(*pair))[:3]:
                session.add(*frames)
            session.finish()._repr_html_()

    for _ in range(40):
        one()
    before = resident_kb()
    for _ in range(200):
        one()
    assert resident_kb() - before < 4096


@pytest.mark.parametrize("copy", [False, True])
def test_memory_is_flat_over_frames(pair, copy):
    """Only the scores of 10000 frames are retained, some 200 bytes a frame; their pictures are 12 kB each."""
    seen = []
    with acutance.Session(threads=2, copy=copy, progress=lambda progress: seen.append(progress.frames)) as session:
        for i in range(11000):
            if i == 1000:
                before = resident_kb()
            session.add(pair[0][i % FRAMES][0].copy(), pair[1][i % FRAMES][0].copy())
        grown = resident_kb() - before
        session.finish()
    assert grown < 6144 and seen[-1] == 11000
