"""Connections to models: the body is what the server said, and the connection is used again or gone."""

import asyncio
import gzip
import ssl
import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import aiohttp
import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.certificates import self_signed
from tests.providers.servers import Canned, answer

from perdure.providers.connections import UNREAD_BYTES, Addressee, Connection, Connections, DirectResponse, target_of

KEPT = timedelta(seconds=60)
BODY = b"data: one\n\ndata: two\n\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
PATIENCE = 60


@asynccontextmanager
async def connections(ca_file: Path | None = None) -> AsyncGenerator[Connections]:
    opened = Connections(kept=KEPT, ca_file=None if ca_file is None else str(ca_file))
    try:
        yield opened
    finally:
        opened.close()


def at(server: Canned) -> Addressee:
    target = target_of(f"{server.url}/v1/messages?beta=1")
    assert target is not None
    return target


async def read(response: DirectResponse) -> bytes:
    whole = bytearray()
    while piece := await response.readany():
        whole += piece
    return bytes(whole)


async def asked(opened: Connections, server: Canned, body: bytes | None = b"{}") -> DirectResponse:
    return await opened.request("POST", at(server), {"x-api-key": "a key"}, body)


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not so():  # noqa: ASYNC110
            await asyncio.sleep(0)


def _given(opened: Connections, asking: "asyncio.Task[DirectResponse]") -> bool:
    return asking.done() or opened.idle > 0


def chunked(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*pieces, b""))


SOUND = {
    "measured": HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
    "in chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(BODY[:7], BODY[7:]),
    "after a hint": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    + HEAD
    + b"Content-Length: %d\r\n\r\n" % len(BODY)
    + BODY,
    "compressed": HEAD + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(gzip.compress(BODY)),
    "deflated": HEAD
    + b"Content-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n"
    + chunked(zlib.compress(BODY)),
}


@pytest.mark.parametrize("sent", SOUND.values(), ids=SOUND)
async def test_a_sound_answer_is_read_whole_and_its_connection_is_used_again(sent: bytes) -> None:
    async with Canned(sent) as server, connections() as opened:
        for _ in range(3):
            response = await asked(opened, server)
            assert (response.status, response.content_type) == (200, "text/event-stream")
            assert await read(response) == BODY
            assert response.at_eof()
        assert server.connections == 1
        assert len(server.requests) == 3


async def test_a_body_without_a_length_ends_with_its_connection() -> None:
    async with Canned(HEAD + b"\r\n" + BODY, hangs_up=True) as server, connections() as opened:
        for _ in range(2):
            assert await read(await asked(opened, server)) == BODY
        assert server.connections == 2


@pytest.mark.parametrize("length", ["Content-Length: 400\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n15\r\n"])
async def test_what_came_of_a_body_that_breaks_off_is_read_before_the_break_is_told(length: str) -> None:
    async with Canned(HEAD + length.encode() + BODY[:9], hangs_up=True) as server, connections() as opened:
        response = await asked(opened, server)
        assert await response.readany() == BODY[:9]
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.readany()


async def test_the_request_says_where_it_goes_and_how_long_it_is() -> None:
    async with Canned(answer(BODY)) as server, connections() as opened:
        await read(await asked(opened, server, b'{"a":1}'))
        head, _, body = server.requests[0].partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        assert lines[0] == "POST /v1/messages?beta=1 HTTP/1.1"
        assert f"host: {server.url.removeprefix('http://')}" in lines
        assert {"content-length: 7", "x-api-key: a key", "accept-encoding: identity"} <= set(lines)
        assert body == b'{"a":1}'


@pytest.mark.parametrize("value", ["Müller", "a\x85b", "中文", "a\u2028b", "👍"])
async def test_a_header_may_hold_any_letters(value: str) -> None:
    async with Canned(answer(BODY)) as server, connections() as opened:
        response = await opened.request("POST", at(server), {"x-tenant": value}, b"{}")
        await read(response)
        assert f"x-tenant: {value}" in server.requests[0].decode().split("\r\n")


@pytest.mark.parametrize("value", ["a\r\nx-other: b", "a\nb", "a\0"])
async def test_no_header_brings_another_one_along(value: str) -> None:
    async with Canned(answer(BODY)) as server, connections() as opened:
        with pytest.raises(ValueError, match="header"):
            await opened.request("POST", at(server), {"x-tenant": value}, b"{}")
        assert not server.requests


async def test_an_answer_that_is_not_read_to_its_end_closes_its_connection() -> None:
    async with Canned(HEAD + b"Content-Length: 400\r\n\r\n" + BODY) as server, connections() as opened:
        response = await asked(opened, server)
        response.close()
        with pytest.raises(aiohttp.ClientConnectionError):
            await read(response)
        await asked(opened, server)
        assert server.connections == 2


async def test_a_server_is_not_listened_to_while_much_waits_to_be_read() -> None:
    size = 64 * UNREAD_BYTES
    async with Canned(HEAD + b"Content-Length: %d\r\n\r\n" % size + b"x" * size) as server, connections() as opened:
        response = await asked(opened, server)
        seen, most = 0, 0
        while piece := await response.readany():
            seen, most = seen + len(piece), max(most, len(piece))
            # Others have their turns, and the server may send as much as it can.
            for _ in range(100):
                await asyncio.sleep(0)
        assert seen == size
        assert most < size / 4
        await read(await asked(opened, server))
        assert server.connections == 1


async def test_whoever_is_cancelled_after_the_answer_was_complete_takes_nobody_elses_connection() -> None:
    """An answer may come whole in one piece: its connection is free before those who asked go on."""
    async with Canned(SOUND["measured"]) as server, connections() as opened:
        await read(await asked(opened, server))
        for _ in range(20):
            first = asyncio.create_task(asked(opened, server))
            await until(partial(_given, opened, first))
            second = asyncio.create_task(asked(opened, server))
            first.cancel()
            async with asyncio.timeout(PATIENCE):
                assert await read(await second) == BODY
            await asyncio.gather(first, return_exceptions=True)


async def test_many_at_once_hear_their_own_answers() -> None:
    async with Canned(SOUND["in chunks"]) as server, connections() as opened:

        async def asks() -> None:
            for _ in range(10):
                assert await read(await asked(opened, server)) == BODY

        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(asks() for _ in range(20)))
        assert server.connections <= 20


async def test_a_connection_that_the_server_closed_meanwhile_is_not_used() -> None:
    async with Canned(SOUND["measured"]) as server, connections() as opened:
        await read(await asked(opened, server))
        server.hang_up()
        await until(lambda: not opened.idle)
        assert await read(await asked(opened, server)) == BODY


async def test_tls_is_spoken_with_those_whom_the_ca_file_names_and_with_nobody_else(tmp_path: Path) -> None:
    ca_file = self_signed(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(ca_file)
    async with Canned(SOUND["in chunks"], tls) as server, connections(ca_file) as trusting, connections() as strict:
        for _ in range(2):
            assert await read(await asked(trusting, server)) == BODY
        assert server.connections == 1
        with pytest.raises(ssl.SSLError):
            await asked(strict, server)


def test_it_is_the_same_on_the_loop_that_servers_run_on() -> None:
    async def run() -> None:
        await test_many_at_once_hear_their_own_answers()
        await test_a_server_is_not_listened_to_while_much_waits_to_be_read()

    uvloop.run(run())


@pytest.mark.parametrize(
    ("url", "host", "path"),
    [
        ("http://127.0.0.1:11434/v1/chat/completions", "127.0.0.1:11434", "/v1/chat/completions"),
        ("https://api.example.com/a%20b/c?d=%2F", "api.example.com", "/a%20b/c?d=%2F"),
        ("https://[::1]:8443/x", "[::1]:8443", "/x"),
        ("https://api.example.com?x=1", "api.example.com", "/?x=1"),
    ],
)
def test_a_url_goes_out_as_it_was_signed(url: str, host: str, path: str) -> None:
    target = target_of(url)
    assert target is not None
    assert (target.host, target.path) == (host, path)


@pytest.mark.parametrize(
    "url", ["https://user:secret@api.example.com/", "https://bücher.example/", "unix:///run/x", "x"]
)
def test_a_url_that_says_more_than_a_host_and_a_path_is_for_the_general_client(url: str) -> None:
    assert target_of(url) is None


def _cut(whole: bytes, places: list[int]) -> list[bytes]:
    marks = sorted({0, len(whole), *(place % (len(whole) + 1) for place in places)})
    return [whole[begin:end] for begin, end in pairwise(marks)]


class _Wire(asyncio.Transport):
    """A transport that sends nothing: what comes is put into the protocol by hand."""

    def write(self, data: object) -> None:
        pass

    def abort(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False


@given(sent=st.sampled_from(sorted(SOUND)), places=st.lists(st.integers(0, 1000), max_size=12))
def test_however_the_network_cuts_an_answer_it_is_the_same(sent: str, places: list[int]) -> None:
    async def run() -> bytes:
        opened = Connections(kept=KEPT)
        target = target_of("http://model.test/")
        assert target is not None
        connection = Connection(target.place)
        connection.connection_made(_Wire())
        asking = asyncio.create_task(connection.ask(b"", opened))
        await asyncio.sleep(0)
        for piece in _cut(SOUND[sent], places):
            connection.data_received(piece)
        whole = await read(await asking)
        opened.close()
        return whole

    assert asyncio.run(run()) == BODY
