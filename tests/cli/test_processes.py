"""Several processes behind one address."""

import asyncio
import os
import re
import signal
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from tests.cli.conftest import Spawn

from perdure.proof.processes import SERVE
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.polling import PATIENCE, seen

CONNECTED = "03"
SOCKET = re.compile(r"/perdure-\w+/\d-\d+\.sock$")
TWO = (*SERVE, "--processes", "2")


@asynccontextmanager
async def pair(database_url: str, pool: Pool, folder: Path) -> AsyncGenerator[Fleet]:
    async with open_fleet(database_url, pool, folder, count=1, first=TWO) as fleet:
        await fleet.ready()
        yield fleet
        # Killed, it could not wait for its processes, which would go on beside the next test.
        await fleet.replicas[0].stop()


def processes(fleet: Fleet) -> set[int]:
    """Those that a supervisor has started and that live."""
    pid = fleet.replicas[0].process.pid
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if Path(f"/proc/{pid}").exists()}


async def asked_anew(fleet: Fleet, text: str) -> str:
    """Ask over a connection of its own: it leads to any of the processes."""
    await fleet.person.__aexit__(None, None, None)
    await fleet.person.__aenter__()
    return await fleet.asks(0, text)


async def owners(pool: Pool) -> int:
    return await pool.fetchval("SELECT count(DISTINCT worker_id) FROM chats WHERE worker_id IS NOT NULL")


def connected_siblings() -> bool:
    """Whether a process is connected to the Unix socket of another."""
    lines = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return any(len(line) > 7 and line[5] == CONNECTED and SOCKET.search(line[7]) is not None for line in lines)


async def test_both_processes_drive_chats_and_whoever_is_asked_tells_all_of_each(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with pair(database_url, pool, tmp_path) as fleet:
        chats: list[str] = []
        async with asyncio.timeout(PATIENCE.total_seconds()):
            while len(chats) < 4 or await owners(pool) < 2:
                chats.append(await asked_anew(fleet, f"[[say:one {len(chats)} ]] [[gate:end]] [[say:two]]"))
        streams = [fleet.at(0).events(f"/chats/{chat}/stream") for chat in chats]
        for stream in streams:
            await anext(stream)

        async def follows_across() -> bool:
            """A connection leads to any of the processes, also to the chat's own: open them until one does not."""
            streams.append(fleet.at(0).events(f"/chats/{chats[0]}/stream"))
            await anext(streams[-1])
            return connected_siblings()

        await seen(follows_across)
        await fleet.sim.gates["end"].set(open=True)
        for chat in chats:
            assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
        for stream in streams:
            await stream.aclose()
        for number, chat in enumerate(chats):
            assert (await fleet.said(0, chat))[-1] == f"one {number}two"


async def test_one_page_of_numbers_has_those_of_every_process(database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with pair(database_url, pool, tmp_path) as fleet:
        page = await fleet.numbers(0)
        assert set(re.findall(r'^process_start_time_seconds\{process="(\d)"\}', page, re.MULTILINE)) == {"0", "1"}


async def test_a_process_that_is_killed_is_started_again_and_what_it_did_goes_on(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with pair(database_url, pool, tmp_path) as fleet:
        chat = await fleet.asks(0, "[[say:one]] [[gate:end]] [[say:two]]")
        await fleet.until(0, chat, lambda card: card["status"] == "running")
        before = processes(fleet)
        for pid in before:
            os.kill(pid, signal.SIGKILL)

        async def two_new_ones() -> bool:
            found = processes(fleet)
            return len(found) == 2 and not found & before

        await seen(two_new_ones)
        await fleet.sim.gates["end"].set(open=True)
        # Connections to the dead are waiting in the queues of the sockets, which are the supervisor's.
        assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
        assert (await fleet.said(0, chat))[-1] == "onetwo"


async def test_a_hangup_replaces_every_process_while_requests_are_answered(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with pair(database_url, pool, tmp_path) as fleet, aiohttp.ClientSession() as http:
        before = processes(fleet)
        fleet.replicas[0].process.send_signal(signal.SIGHUP)
        answers: list[int] = []

        async def replaced() -> bool:
            async with http.get(f"{fleet.replicas[0].url}/healthz", headers={"connection": "close"}) as answer:
                answers.append(answer.status)
            found = processes(fleet)
            return len(found) == 2 and not found & before

        await seen(replaced)
        assert set(answers) == {200}


async def test_processes_end_with_their_supervisor_and_leave_the_address(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path, count=1, first=TWO) as fleet:
        left = processes(fleet)
        port = int(fleet.replicas[0].url.rpartition(":")[2])
        fleet.replicas[0].kill()

        async def gone() -> bool:
            with socket.socket() as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    trial.bind(("127.0.0.1", port))
                except OSError:
                    return False
            return not alive(left)

        await seen(gone)


async def test_a_signal_ends_all_of_them_in_order(database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with open_fleet(database_url, pool, tmp_path, count=1, first=TWO) as fleet:
        left = processes(fleet)
        assert await fleet.replicas[0].stop() == 0
        assert not alive(left)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--processes", "none"), "--processes is not usable: it must be a number above zero"),
        (("--processes", "0"), "--processes is not usable: it must be a number above zero"),
        (("--processes", "2", "--bind", "127.0.0.1:1x"), "--bind is not usable"),
        (("--processes", "2", "--bind", "203.0.113.1:80"), "Cannot listen on 203.0.113.1:80"),
    ],
)
def test_what_cannot_be_served_is_one_line(spawn: Spawn, arguments: tuple[str, ...], complaint: str) -> None:
    process = spawn("serve", *arguments)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told.count("\n")) == (2, 1), told
    assert complaint in told


def test_a_first_process_that_cannot_start_ends_all(spawn: Spawn) -> None:
    process = spawn(
        "serve", "--processes", "2", "--bind", "127.0.0.1:0", database_url="postgresql://nobody@127.0.0.1:1/x"
    )
    _, told = process.communicate(timeout=120)
    assert process.returncode == 2, told
    assert "Traceback" not in told


def test_an_address_in_use_is_not_shared_with_strangers(spawn: Spawn) -> None:
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        port = stranger.getsockname()[1]
        process = spawn("serve", "--processes", "2", "--bind", f"127.0.0.1:{port}")
        _, told = process.communicate(timeout=60)
    assert process.returncode == 2
    assert f"Cannot listen on 127.0.0.1:{port}" in told
