"""Servers that answer with exactly the bytes a test wants, and remember what they were asked."""

import asyncio
import re
import ssl
from collections.abc import Sequence
from types import TracebackType
from typing import Self

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def answer(body: bytes, *, status: str = "200 OK", content_type: str = "text/event-stream") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


PAUSE = 0.1
"""Between the pieces of an answer: long enough for a reader to have taken the one before."""


class Canned:
    """Gives one answer to every request, whole or in pieces, over as many connections as clients open."""

    def __init__(
        self, response: bytes | Sequence[bytes], tls: ssl.SSLContext | None = None, *, hangs_up: bool = False
    ) -> None:
        self._hangs_up = hangs_up
        self._pieces = [response] if isinstance(response, bytes) else response
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []
        self.connections = 0
        self.requests: list[bytes] = []

    @property
    def url(self) -> str:
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.close()
        await self._server.wait_closed()

    def hang_up(self) -> None:
        """Close all connections that are open now."""
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        try:
            answering = True
            while answering:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b":0"
                )
                body = await reader.readexactly(int(length.split(b":")[1]))
                self.requests.append(head + body)
                await self._answer(writer)
                answering = not self._hangs_up
            writer.close()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        for number, piece in enumerate(self._pieces):
            if number:
                await asyncio.sleep(PAUSE)
            writer.write(piece)
            await writer.drain()
