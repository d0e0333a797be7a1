"""Where a program starts: one deployment, one caller."""

from types import TracebackType
from typing import Any, Self
from uuid import UUID

from msgspec import Struct

from perdure.client.chats import Chats
from perdure.client.connection import Connection
from perdure.core.message import File
from perdure.core.timing import REQUEST_PATIENCE


class StoredFile(Struct, frozen=True):
    id: UUID
    name: str
    media_type: str


class Models(Struct, frozen=True):
    items: tuple[dict[str, Any], ...]


class Client:
    """A connection to a deployment. Use it as an async context manager.

    `timeout` is how many seconds one answer may take; a request is repeated a few times before it fails with
    TimeoutError. Streams go on for as long as somebody follows. `program` says who asks: `cli` is the terminal's own.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        token: str | None = None,
        timeout: float = REQUEST_PATIENCE.total_seconds(),
        program: str = "",
    ) -> None:
        self._program = program
        self._url = url
        self._token = token
        self._timeout = timeout
        self._connection: Connection | None = None

    async def __aenter__(self) -> Self:
        self._connection = Connection(self._url, self._token, program=self._program, patience=self._timeout)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    @property
    def connection(self) -> Connection:
        assert self._connection is not None, "use it as `async with Client(...) as client`"
        return self._connection

    @property
    def chats(self) -> Chats:
        return Chats(self.connection)

    async def models(self) -> list[dict[str, Any]]:
        """What a chat may use."""
        return list((await self.connection.get("/models", Models)).items)

    async def upload(self, name: str, content: bytes, *, media_type: str = "application/octet-stream") -> File:
        """Keep a file, to be said in a message."""
        kept = await self.connection.upload("/files", StoredFile, content, name=name, media_type=media_type)
        return File(str(kept.id), kept.name, kept.media_type)
