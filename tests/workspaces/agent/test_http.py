"""The agent program's HTTP against callers that are wrong, gone or hostile."""

import asyncio

import pytest
from tests.workspaces.inside import Inside

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import Connection


async def raw(inside: Inside, content: bytes) -> bytes:
    """What is answered. Whoever is not read to the end may find the connection broken, which is no answer."""
    reader, writer = await asyncio.open_unix_connection(str(inside.root / "socket"))
    try:
        writer.write(content)
        writer.write_eof()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_without_the_token_nothing_is_answered(inside: Inside) -> None:
    await inside.is_killed()
    inside.settings["token"] = "right"
    stranger, friend = inside.client, WorkspaceClient(Connection.unix(str(inside.root / "socket"), "right"))
    inside.client = friend
    await inside.start()
    with pytest.raises(WorkspaceRefused, match="token is missing or wrong"):
        await stranger.processes.start("touch ran")
    await stranger.close()
    assert not (inside.tree / "ran").exists()


@pytest.mark.parametrize(
    "content", [b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 100, b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000]
)
async def test_what_is_not_http_closes_the_connection_and_nothing_else(inside: Inside, content: bytes) -> None:
    await raw(inside, content)
    assert (await inside.client.health()).version == 1


async def test_a_body_too_large_is_refused_unread(inside: Inside) -> None:
    answer = await raw(inside, b"POST /v1/processes HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET /v1/nothing", b"404"),
        (b"DELETE /v1/health", b"404"),
        (b"GET /v1/processes/p0", b"404"),
        (b"GET /v1/files/lines", b"400"),
        (b"GET /v1/files/lines?path=a&offset=x", b"400"),
        (b"GET /v1/files/lines?path=a&offset=0", b"400"),
        (b"POST /v1/processes", b"400"),
    ],
)
async def test_a_wrong_request_has_a_wrong_answer(inside: Inside, request_line: bytes, status: bytes) -> None:
    answer = await raw(inside, request_line + b" HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert answer.split(b" ")[1] == status


@pytest.mark.parametrize(
    "body", [b"[]", b"{", b"null", b'{"command": 1}', b'{"command": "true", "environment": {"A": 1}}']
)
async def test_a_wrong_body_is_refused(inside: Inside, body: bytes) -> None:
    head = b"POST /v1/processes HTTP/1.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert (await raw(inside, head + body)).startswith(b"HTTP/1.1 400")


async def test_a_caller_that_leaves_while_it_waits_leaves_the_command_running(inside: Inside) -> None:
    process = await inside.client.processes.start("sleep 60")
    _, writer = await asyncio.open_unix_connection(str(inside.root / "socket"))
    writer.write(f"GET /v1/processes/{process.id}?wait_ms=60000 HTTP/1.1\r\n\r\n".encode())
    await writer.drain()
    writer.close()
    assert (await inside.client.processes.list())[0].state == "running"
