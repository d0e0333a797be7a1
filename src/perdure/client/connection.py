"""One deployment over HTTP: requests that may be repeated safely, answers as structs."""

import asyncio
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import uuid4

import aiohttp
import msgspec
from msgspec import Struct

from perdure.core.errors import Validation, in_one_line
from perdure.core.timing import REQUEST_CONNECT, REQUEST_PATIENCE

T = TypeVar("T")

BASE = "/api/v1"
# What a proxy says when the replica that it asked is gone, and what one says that is about to go.
_AGAIN = frozenset({502, 503, 504})
_TRIES = 4
_FIRST_DELAY = 0.25
_encoder = msgspec.json.Encoder()


class Problem(Struct, frozen=True):
    """The shape of every error."""

    message: str
    detail: str | None = None
    kind: str | None = None
    validations: tuple[Validation, ...] = ()


class ApiError(Exception):
    """The server refused."""

    def __init__(self, status: int, problem: Problem) -> None:
        super().__init__(in_one_line(problem.message, problem.validations))
        self.status = status
        self.problem = problem


class Connection:
    """Speaks to one deployment as one caller. `patience` is how many seconds one answer may take."""

    def __init__(
        self, url: str, token: str | None, *, program: str = "", patience: float = REQUEST_PATIENCE.total_seconds()
    ) -> None:
        self.url = url.rstrip("/").removesuffix(BASE) + BASE
        self._patience = patience
        said = {"Authorization": token and f"Bearer {token}", "Perdure-Client": program}
        headers = {name: value for name, value in said.items() if value}
        timeout = aiohttp.ClientTimeout(total=patience, sock_connect=REQUEST_CONNECT.total_seconds())
        # A stream holds a connection for as long as somebody follows: there is no good number of them.
        connector = aiohttp.TCPConnector(limit=0)
        self.session = aiohttp.ClientSession(connector=connector, headers=headers, timeout=timeout)

    async def close(self) -> None:
        await self.session.close()

    async def get(self, path: str, kind: type[T], **query: Any) -> T:
        return await self.call("GET", path, kind, query={k: v for k, v in query.items() if v is not None})

    async def post(self, path: str, kind: type[T], body: object) -> T:
        return await self.call("POST", path, kind, body=body)

    async def call(
        self, method: str, path: str, kind: type[T], *, body: object = None, query: dict[str, Any] | None = None
    ) -> T:
        """Ask, and ask again when nobody answers or a replica goes: the key makes sure that it happens once."""
        content = None if body is None else _encoder.encode(body)
        headers = {"Content-Type": "application/json"} if content is not None else {}
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid4())
        return await self._asked(method, path, kind, data=content, headers=headers, params=query)

    async def upload(self, path: str, kind: type[T], content: bytes, *, name: str, media_type: str) -> T:
        """Send a file. One that is sent twice because nobody answered is kept twice, and named once."""
        headers = {"Content-Type": media_type, "X-File-Name": quote(name)}
        return await self._asked("POST", path, kind, data=content, headers=headers)

    async def _asked(self, method: str, path: str, kind: type[T], **options: Any) -> T:
        for tried in range(1, _TRIES + 1):
            try:
                return await self._once(method, path, kind, **options)
            except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError):
                if tried == _TRIES:
                    raise
            except TimeoutError as error:
                if tried == _TRIES:
                    raise TimeoutError(f"The server did not answer within {self._patience:g} s.") from error
            except ApiError as error:
                if error.status not in _AGAIN or tried == _TRIES:
                    raise
            await asyncio.sleep(_FIRST_DELAY * 2**tried)
        raise AssertionError

    async def _once(self, method: str, path: str, kind: type[T], **options: Any) -> T:
        async with self.session.request(method, self.url + path, **options) as response:
            content = await response.read()
            if response.status >= 400:
                raise refused(response.status, content)
            return msgspec.json.decode(content or b"null", type=kind)


def refused(status: int, content: bytes) -> ApiError:
    try:
        problem = msgspec.json.decode(content, type=Problem)
    except msgspec.DecodeError:
        problem = Problem(content.decode(errors="replace").strip() or f"The server answered {status}.")
    return ApiError(status, problem)
