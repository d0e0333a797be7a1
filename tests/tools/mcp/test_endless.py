"""Servers that never come to the end of their answer: they are given up long before memory is."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from perdure.config.mcp import Transport
from perdure.tools.mcp.messages import Refusal, Unreachable
from perdure.tools.mcp.protocol.discovery import authorization_server_of
from perdure.tools.mcp.protocol.session import OpenSession
from perdure.tools.mcp.protocol.transports import LONGEST_LINE
from perdure.tools.mcp.transport import TransportOptions
from perdure.tools.network import Network

PIECE = b"x" * 65_536
MOST = 6 * LONGEST_LINE


class Endless:
    """Answers every request with one long word. It tires of it in the end, for the sake of the machine it runs on."""

    sent = 0
    url = ""

    def __init__(self, head: bytes, piece: bytes) -> None:
        self._head = head
        self._piece = piece

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n" + self._head + b"\r\n")
        try:
            while self.sent < MOST:
                writer.write(self._piece)
                await writer.drain()
                self.sent += len(self._piece)
            await reader.read()
        except ConnectionError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def endless(head: bytes, piece: bytes = PIECE) -> AsyncGenerator[Endless]:
    server = Endless(head, piece)
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/mcp"
    try:
        yield server
    finally:
        listening.close()


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Type: application/json\r\n",
        b"Content-Type: text/event-stream\r\n",
        b"Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
    ],
    ids=["json", "events", "packed"],
)
async def test_an_answer_without_an_end_is_given_up(head: bytes) -> None:
    async with endless(head) as server:
        with pytest.raises((Unreachable, Refusal)):
            await OpenSession.to(
                TransportOptions(name="endless", transport=Transport.HTTP, url=server.url), lambda: None
            )
    assert server.sent < MOST


@pytest.mark.parametrize("piece", [PIECE, b"\n" * 65_536, b"[" * 65_536], ids=["word", "blank", "deep"])
async def test_nor_does_an_answer_without_an_end_keep_anybody_from_signing_in_elsewhere(piece: bytes) -> None:
    async with endless(b"Content-Type: application/json\r\n", piece) as server:
        with pytest.raises(Unreachable):
            await authorization_server_of(server.url, "", Network())
    assert server.sent < MOST


async def test_blank_lines_without_an_end_are_no_answer() -> None:
    async with endless(b"Content-Type: application/json\r\n", b"\n" * 65_536) as server:
        with pytest.raises((Unreachable, Refusal)):
            await OpenSession.to(
                TransportOptions(name="endless", transport=Transport.HTTP, url=server.url), lambda: None
            )
    assert server.sent < MOST
