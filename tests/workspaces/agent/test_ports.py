"""The ports of a workspace: its own processes', whoever else listens on the same machine."""

import asyncio
import contextlib
import shlex
import socket
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.workspaces.agent.test_http import raw
from tests.workspaces.inside import Inside

from perdure.core.errors import WorkspaceRefused
from perdure.testing.polling import seen
from perdure.testing.ports import free_port
from perdure.workspaces.agent.limits import TUNNELS_MOST


async def serves(inside: Inside, *arguments: str) -> int:
    """A port on which a command of the workspace serves."""
    port = free_port()
    await inside.client.processes.start(f"exec python3 -m http.server {port} {' '.join(arguments)}")

    async def listed() -> bool:
        return port in [each.port for each in await inside.client.ports.list()]

    assert await seen(listed)
    return port


@contextlib.asynccontextmanager
async def foreign() -> AsyncGenerator[int]:
    """Somebody else on the same machine who listens, and counts who came."""
    came: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(await reader.read(1))
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
    assert came == []


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "::1", "::"])
async def test_what_a_command_serves_is_listed_and_reached(inside: Inside, address: str) -> None:
    port = await serves(inside, "--bind", address)
    (found,) = [each for each in await inside.client.ports.list() if each.port == port]
    assert found.command == f"python3 -m http.server {port} --bind {address}"
    # Whatever host is named, the way leads to the port.
    async with inside.client.ports.session(port).get("http://example.com/") as answer:
        assert (answer.status, "Directory listing" in await answer.text()) == (200, True)


async def test_what_others_on_the_machine_serve_is_neither_listed_nor_reached(inside: Inside) -> None:
    async with foreign() as port:
        assert port not in [each.port for each in await inside.client.ports.list()]
        with pytest.raises(WorkspaceRefused, match=f"nothing in this workspace listens on port {port}"):
            await inside.client.ports.session(port).get("http://localhost/")


async def test_a_port_that_somebody_else_took_over_is_no_longer_reached(inside: Inside) -> None:
    port = await serves(inside)
    (process,) = await inside.client.processes.list()
    await inside.client.processes.stop(process.id)
    refused = pytest.raises(WorkspaceRefused, match="nothing in this workspace listens")
    with socket.create_server(("127.0.0.1", port)), refused:
        await inside.client.ports.session(port).get("http://localhost/")


@pytest.mark.parametrize("port", [b"0", b"x", b"65536", b"99999", b"999999999", b"-1", b"%31"])
async def test_what_is_no_port_is_refused(inside: Inside, port: bytes) -> None:
    answer = await raw(inside, b"POST /v1/ports/%s/connect HTTP/1.1\r\nConnection: close\r\n\r\n" % port)
    assert answer.split(b" ")[1] in (b"400", b"404")


async def test_so_many_connections_are_open_at_most_and_their_ends_make_room(inside: Inside) -> None:
    program = (
        "import socket\ns = socket.create_server(('127.0.0.1', 0), backlog=512)\n"
        "print(s.getsockname()[1], flush=True)\n"
        "kept = []\nwhile True: kept.append(s.accept())"
    )
    process = await inside.client.processes.start(f"exec python3 -c {shlex.quote(program)}")
    port = int((await first_line(inside, process.id)).strip())

    async def opened() -> socket.socket:
        return await inside.client.ports.connection.tunnel(f"/v1/ports/{port}/connect")

    kept = [await opened() for _ in range(TUNNELS_MOST)]
    with pytest.raises(WorkspaceRefused, match="connections to ports are open"):
        await opened()
    for sock in kept:
        sock.close()

    async def room() -> bool:
        with contextlib.suppress(WorkspaceRefused):
            (await opened()).close()
            return True
        return False

    assert await seen(room)


async def first_line(inside: Inside, process: str) -> str:
    said = b""
    async for frame in inside.client.processes.follow(process):
        said += frame.content
        if b"\n" in said:
            break
    return said.decode()


async def test_a_server_that_takes_nothing_holds_up_nobody_else(inside: Inside) -> None:
    """What one connection does not take fills no memory: whoever sends waits."""
    program = (
        "import socket, time\ns = socket.create_server(('127.0.0.1', 0))\nprint(s.getsockname()[1], flush=True)\n"
        "c = s.accept(); time.sleep(600)"
    )
    process = await inside.client.processes.start(f"exec python3 -c {shlex.quote(program)}")
    port = int((await first_line(inside, process.id)).strip())
    loop = asyncio.get_running_loop()
    with await inside.client.ports.connection.tunnel(f"/v1/ports/{port}/connect") as sock:
        before = memory(inside.pid)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2):
                while True:
                    await loop.sock_sendall(sock, bytes(1024 * 1024))
        assert (await inside.client.health()).version == 1
        assert memory(inside.pid) - before < 16 * 1024


def memory(pid: int) -> int:
    """In kilobytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def test_a_page_through_many_connections_at_once_comes_whole(inside: Inside) -> None:
    (inside.tree / "big").write_bytes(bytes(range(256)) * 4096)
    port = await serves(inside)
    session = inside.client.ports.session(port)

    async def read() -> int:
        async with session.get("http://localhost/big") as answer:
            return len(await answer.read())

    assert set(await asyncio.gather(*(read() for _ in range(100)))) == {256 * 4096}
