"""What a user writes; mypy --strict reads it."""
from __future__ import annotations

import pathlib

import numpy as np
import numpy.typing as npt

import acutance


def show(progress: acutance.Progress) -> None:
    print(progress.frames, progress.total, progress.score)


def from_files(reference: pathlib.Path) -> float:
    result = acutance.score(
        reference,
        ["a.mp4", pathlib.Path("b.mp4")],
        model=["vmaf_v0.6.1", acutance.Model("m.json", options={"adm": {"adm_enhn_gain_limit": 1.0}})],
        features=["psnr", {"psnr": {"enable_mse": True}}],
        size=(1920, 1080),
        progress=show,
    )
    scores: npt.NDArray[np.float64] = result["vmaf_v0.6.1"]
    for video in result.videos:
        for name, values in video.items():
            print(name, values.mean(), video.pool(name, "min", 3, 9))
    result.write_log("log.xml")
    return result.score + float(scores[0]) + result.pooled["psnr_y"]["harmonic_mean"]


def decisions(reference: pathlib.Path) -> float:
    verdict: acutance.MeanVerdict = acutance.at_least(reference, "a.mp4", 93, confidence=0.99)
    found = acutance.ladder(reference, {"x264": "x264/", "svt": ["a.mkv", "b.mkv"]}, anchor="svt", threads=2)
    known = acutance.bd({"a": [(1000, 80.5)], "b": [(900, 80.5)]})
    for done in acutance.batch([(reference, "a.mp4")], jobs=2):
        print(done.name, done.error, done.result)
    print(acutance.compare(reference, ["a.mp4", "b.mp4"]), known["differences"], found.report())
    return verdict.mean_of_read if verdict else found.result.score


async def from_memory(frames: list[tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]]) -> acutance.Result:
    with acutance.Session("vmaf_v0.6.1", features="psnr", progress=True) as first:
        for reference, distorted in frames:
            first.add(reference, distorted)
        first.finish()
    async with acutance.Session(None, "psnr", bit_depth=10, backend="auto") as session:
        for reference, distorted in frames:
            await session.add_async((reference, reference, reference), (distorted, distorted, distorted))
        early: float | None = session.score("psnr_y", 0)
        print(early, session.frames_done, [device.name for device in acutance.devices()])
        return await session.finish_async()


def guarded() -> acutance.Result | None:
    try:
        return acutance.score("a.mp4", "b.mp4")
    except (acutance.NotFoundError, acutance.BadDataError) as error:
        print(error)
        return None
