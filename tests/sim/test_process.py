"""The simulator as a program: from the command line, and as a process that a scenario starts."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import aiohttp
from tests.sim.wires import CHAT

from perdure.sim.process import READY, simulator_process
from perdure.sim.speed import measure


async def test_a_process_answers_from_its_scripts(tmp_path: Path) -> None:
    scripts = tmp_path / "scripts.json"
    scripts.write_text('{"scripts": [{"name": "a", "steps": [{"parts": [{"type": "text", "text": "aloud"}]}]}]}')
    async with (
        simulator_process(scripts=scripts) as running,
        aiohttp.ClientSession() as client,
        CHAT.ask(client, running.url, "[[script:a]]") as answer,
    ):
        assert b"alou" in await answer.read()


async def test_the_command_line_listens_and_stops_when_told() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from perdure.cli.main import run; run()",
        "sim",
        "--port",
        "0",
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    assert line.startswith(READY)
    async with (
        aiohttp.ClientSession() as client,
        client.get(line.removeprefix(READY).strip() + "/sim/health") as answer,
    ):
        assert answer.status == 200
    os.kill(process.pid, signal.SIGTERM)
    assert await process.wait() == 0


async def test_a_simulator_does_not_outlive_whoever_started_it() -> None:
    pipe = asyncio.subprocess.PIPE
    starter = await asyncio.create_subprocess_exec(sys.executable, "-c", _STARTER, stdout=pipe, stderr=pipe)
    assert starter.stdout is not None
    assert starter.stderr is not None
    assert (await starter.stdout.readline()).startswith(b"http://")
    starter.kill()
    # Both hold this pipe: it ends when the last of them does.
    async with asyncio.timeout(60):
        await starter.stderr.read()
    await starter.wait()


_STARTER = """
import asyncio
from perdure.sim.process import simulator_process

async def run():
    async with simulator_process() as running:
        print(running.url, flush=True)
        await asyncio.Event().wait()

asyncio.run(run())
"""


async def test_a_delta_costs_next_to_nothing() -> None:
    speeds = await measure(requests=20, deltas=2_000)
    assert {speed.wire for speed in speeds} == {"anthropic", "openai_chat", "openai_responses", "gemini"}
    assert all(speed.per_delta < speed.per_request / 20 for speed in speeds)
