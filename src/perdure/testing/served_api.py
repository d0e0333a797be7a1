"""A served API for tests: real HTTP on a loopback port, a fresh database behind it."""

import asyncio
import socket
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp
import msgspec
import uvicorn

from perdure.access.actor import Role
from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.access.signing_in import FirstAccount
from perdure.api.frames import FrameProtocol
from perdure.api.http import App
from perdure.api.services import Services
from perdure.app.assembly import assemble
from perdure.app.parts import Parts, Runs
from perdure.core.ids import OrganisationId, UserId
from perdure.core.timing import IDLE_CONNECTION_KEPT
from perdure.settings import Settings
from perdure.store.pool import Pool
from perdure.store.search import SearchIndex
from perdure.testing.fakes import SECRET, LocalPubsub
from perdure.testing.workspace_folder import workspace_folder

NOWHERE = "http://127.0.0.1:9"
"""Where the demo model of a served API would be. Nobody asks it."""


class _Server(uvicorn.Server):
    """Uvicorn that says when it listens, and ends when it is told to instead of at its next look, and at once."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()
        self._told = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    def end(self) -> None:
        self.should_exit = True
        self._told.set()

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """What is being answered is answered."""
        for listener in [*self.servers, *(sockets or [])]:
            listener.close()
        state = self.server_state
        for connection in list(state.connections):
            connection.shutdown()
        while state.connections or state.tasks:  # noqa: ASYNC110 - neither tells anybody that it ends
            await asyncio.sleep(0.001)


@asynccontextmanager
async def listening(app: App) -> AsyncGenerator[str]:
    """The application over real sockets; the result is where."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        kept = int(IDLE_CONNECTION_KEPT.total_seconds())
        server = _Server(
            uvicorn.Config(
                app,
                interface="asgi3",
                lifespan="off",
                log_config=None,
                access_log=False,
                ws=FrameProtocol,
                timeout_keep_alive=kept,
            )
        )
        serve_api = asyncio.create_task(server.serve(sockets=[listener]))
        await server.listening.wait()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.end()
            await serve_api


@dataclass(frozen=True, slots=True)
class Response:
    """What the server said."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


@dataclass(slots=True)
class Person:
    """Somebody who uses the API, with a token or, once signed in, with the cookie of a session."""

    id: UserId
    organisation_id: OrganisationId
    url: str
    token: str = field(repr=False)
    cookie: str = field(default="", repr=False)
    _http: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._http = aiohttp.ClientSession()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._http is not None:
            await self._http.close()

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        assert self._http is not None
        raw = None if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        content = None if raw is None else BytesIO(raw)
        proof = {"cookie": self.cookie} if self.cookie else {"authorization": f"Bearer {self.token}"}
        sent = {**proof, **{name.replace("_", "-"): value for name, value in headers.items()}}
        url = f"{self.url}/api/v1{path}"
        async with self._http.request(method, url, data=content, headers=sent, allow_redirects=False) as response:
            lowered = {name.lower(): value for name, value in response.headers.items()}
            return Response(response.status, lowered, await response.read())

    async def events(self, path: str) -> AsyncGenerator[dict[str, Any]]:
        """The events of a stream, for as long as it lasts."""
        assert self._http is not None
        headers = {"authorization": f"Bearer {self.token}", "accept": "text/event-stream"}
        async with self._http.get(f"{self.url}/api/v1{path}", headers=headers) as response:
            async for line in response.content:
                if line.startswith(b"data: "):
                    yield msgspec.json.decode(line[6:])

    async def get(self, path: str, **headers: str) -> Response:
        return await self.ask("GET", path, **headers)

    async def post(self, path: str, body: Any = None, **headers: str) -> Response:
        return await self.ask("POST", path, {} if body is None else body, **headers)

    async def put(self, path: str, body: Any, **headers: str) -> Response:
        return await self.ask("PUT", path, body, **headers)

    async def patch(self, path: str, body: Any, **headers: str) -> Response:
        return await self.ask("PATCH", path, body, **headers)

    async def delete(self, path: str, **headers: str) -> Response:
        return await self.ask("DELETE", path, **headers)


@dataclass(slots=True)
class ServedApi:
    """A served API and the people who use it."""

    pool: Pool
    services: Services
    account: FirstAccount
    url: str
    search: SearchIndex
    stream_patterns: frozenset[str]
    """The paths of what is followed instead of asked for."""

    async def has_no_model(self) -> None:
        """As before anything was set up: without the demo model, and the provider that has it."""
        await self.pool.execute("DELETE FROM model_settings")
        await self.pool.execute("DELETE FROM providers")
        self.services.config.changed(self.account.organisation)

    async def person(
        self, name: str = "ada", role: Role = Role.MEMBER, organisation: OrganisationId | None = None
    ) -> Person:
        """A new person with a token that may do all that its owner may."""
        of = organisation or self.account.organisation
        user = await self.pool.fetchval(
            "INSERT INTO users (organisation_id, email, name, role) VALUES ($1, $2, $3, $4) RETURNING id",
            of,
            f"{name}@example.com",
            name,
            role.value,
        )
        token = mint(TOKEN_PREFIX)
        await self.pool.execute(
            "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', '{admin}')",
            digest(token),
            user,
        )
        return Person(user, of, self.url, token)


@asynccontextmanager
async def serve_api(database_url: str, pool: Pool, **chosen: Any) -> AsyncGenerator[ServedApi]:
    """A replica that answers requests, and does nothing by itself. `chosen` are settings."""
    with tempfile.TemporaryDirectory(prefix="perdure-api-") as name:
        settings = Settings(database_url=database_url, data_dir=Path(name), secret_key=(SECRET,), **chosen)
        parts = Parts(pool=pool, pubsub=LocalPubsub(), runs=Runs.NOTHING)
        async with (
            workspace_folder(pool, settings.data_dir / "workspaces"),
            assemble(settings, parts=parts, demo=NOWHERE) as replica,
            listening(replica.asgi) as url,
        ):
            services = replica.services
            search = SearchIndex(pool, services.clock)
            patterns = frozenset(route.pattern.pattern for route in replica.streams.routes)
            yield ServedApi(pool, services, replica.account, url, search, patterns)
