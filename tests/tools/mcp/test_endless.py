"""Servers that never come to the end of their answer: they are given up long before memory is."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from perdure.config.mcp import Transport
from perdure.tools.mcp.messages import Refusal, Unreachable
from perdure.tools.mcp.protocol.session import OpenSession
from perdure.tools.mcp.protocol.transports import LONGEST_LINE
from perdure.tools.mcp.transport import TransportOptions

PIECE = b"x" * 65_536
MOST = 6 * LONGEST_LINE


class Endless:
    """Answers every request with one long word. It tires of it in the end, for the sake of the machine it runs on."""

    sent = 0
    url = ""

    def __init__(self, head: bytes) -> None:
        self._head = head

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n" + self._head + b"\r\n")
        try:
            while self.sent < MOST:
                writer.write(PIECE)
                await writer.drain()
                self.sent += len(PIECE)
            await reader.read()
        except ConnectionError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def endless(head: bytes) -> AsyncGenerator[Endless]:
    server = Endless(head)
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
