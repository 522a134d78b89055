#!/usr/bin/env python3
"""vmaf-mcp drives the `vmaf` command: versions, backends and models listed, a backend probed, a pair scored.

usage: [VMAF_BIN=COMMAND] mcp_smoke.py        with a Python that has vmaf-mcp; without VMAF_BIN it finds an installed vmaf

Exits with status 0 when every answer is right.
"""
import asyncio
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
from clips import distorted_sample, frames, reference_sample  # noqa: E402

WIDTH, HEIGHT, FRAMES = 64, 48, 6
wrong = []


def expect(what, holds):
    print(f"{'ok' if holds else 'WRONG'}: {what}")
    if not holds:
        wrong.append(what)


def own_mean(reference, distorted, log):
    """What the command says by itself."""
    vmaf = os.environ.get("VMAF_BIN") or shutil.which("vmaf")
    subprocess.run([vmaf, "-r", reference, "-d", distorted, "-w", str(WIDTH), "-h", str(HEIGHT), "-p", "420", "-b", "8",
                    "--json", "-o", log], check=True)
    return json.loads(log.read_text())["pooled_metrics"]["vmaf"]["mean"]


async def call(session, tool, **arguments):
    answer = await session.call_tool(tool, arguments)
    return json.loads(answer.content[0].text)


async def check(session, folder):
    version = await call(session, "vmaf_version")
    expect(f"version {version['version']}", version["version"] == "3.2.1" and version["error"] is None)
    expect("the CPU is a backend", (await call(session, "list_backends"))["cpu"] is True)
    models = [model["name"] for model in (await call(session, "list_models"))["models"]]
    expect(f"models {', '.join(models)}", "vmaf_v0.6.1" in models)
    probe = await call(session, "probe_backend", backend="cpu")
    expect(f"probe scores {probe['score']}", probe["runtime_healthy"] and probe["score"] == 97.428043)

    reference, distorted = folder / "ref.yuv", folder / "dis.yuv"
    for path, sample in ((reference, reference_sample), (distorted, distorted_sample)):
        path.write_bytes(b"".join(frames(WIDTH, HEIGHT, FRAMES, sample)))
    scores = await call(session, "vmaf_score", ref=str(reference), dis=str(distorted), width=WIDTH, height=HEIGHT,
                        pixfmt="420", bitdepth=8)
    mean = scores["pooled_metrics"]["vmaf"]["mean"]
    expect(f"vmaf of a pair {mean}", mean == own_mean(reference, distorted, folder / "log.json"))


async def main():
    program = pathlib.Path(sys.executable).with_name("vmaf-mcp")
    # The server lists the JSON files of model/ next to its own installation.
    models = pathlib.Path(sys.prefix) / "model"
    models.mkdir(exist_ok=True)
    for path in (ROOT / "models").glob("*.json"):
        shutil.copy(path, models)
    with tempfile.TemporaryDirectory() as folder:
        server = StdioServerParameters(command=str(program), args=[], env={**os.environ, "VMAF_MCP_ALLOW": folder})
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            await check(session, pathlib.Path(folder))


asyncio.run(main())
sys.exit(1 if wrong else 0)
