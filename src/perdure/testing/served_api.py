"""A served API for tests: real HTTP on a loopback port, a fresh database behind it."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import aiohttp
import msgspec
import uvicorn

from perdure.access.entrance import Entrance
from perdure.access.keyring import Keyring
from perdure.access.login_services import LoginServices
from perdure.access.oidc import Oidc
from perdure.access.roles import Role
from perdure.access.rows import ActorRows
from perdure.access.secret_texts import TOKEN_PREFIX, digest, mint
from perdure.access.signed_urls import SignedUrls
from perdure.access.signing_in import Household, Reception, first_household
from perdure.access.vapid import VapidKeys
from perdure.agent.configured_models import ConfiguredModels
from perdure.agent.configured_sources import configured_rules
from perdure.api.asgi_app import AsgiApp
from perdure.api.frames import FrameProtocol
from perdure.api.http import App
from perdure.api.local_worker import LocalWorker, NoWorker
from perdure.api.page import Page
from perdure.api.probe import Probe
from perdure.api.server import Api
from perdure.api.services import Services
from perdure.api.table import TABLE
from perdure.api.titles import Titles
from perdure.config.config import Config
from perdure.core.clock import SystemClock
from perdure.core.ids import OrganisationId, ReplicaId, UserId
from perdure.core.timing import IDLE_CONNECTION_KEPT
from perdure.machine.announcer import Announcer
from perdure.machine.machine import Machine
from perdure.observe.measures.all import Measures
from perdure.providers.catalog import Catalog
from perdure.providers.client import ProviderClient
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus, Pubsub
from perdure.store.search import SearchIndex
from perdure.store.templates import TemplateRows
from perdure.store.workspace_contexts import WorkspaceContextRows
from perdure.store.workspaces import WorkspaceRows
from perdure.testing.workspace_folder import workspace_folder
from perdure.tools.family import Family
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.hooks.post import Post
from perdure.tools.mcp.exchange import open_exchange
from perdure.tools.reports import Waits
from perdure.worker.purses import Purses
from perdure.worker.wording import Wording
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.shelf import Shelf

SECRET = "a secret key that only tests use"  # noqa: S105
NO_REPLICA = ReplicaId(UUID(int=0))


def services_for(
    pool: Pool,
    client: ProviderClient,
    *,
    taker: LocalWorker | None = None,
    pubsub: Pubsub | None = None,
    folder: Path | None = None,
) -> Services:
    """What handlers work with, over a test's own database."""
    clock, bus, keyring, measures = SystemClock(), pubsub or LocalBus(), Keyring.of([SECRET]), Measures()
    config = Config(pool, bus, keyring, clock)
    machine = Machine(Execution(pool), Announcer(bus))
    workspaces: Workspaces | None = None
    if folder is not None:
        drivers = Drivers(folder, LocalDriver(folder))
        workspaces = Workspaces(WorkspaceRows(pool), drivers, Shelf(TemplateRows(pool)), bus, clock)
    catalog = Catalog.load()
    models = ConfiguredModels(config, catalog)
    wording = Wording(
        models=models,
        rules=lambda card: configured_rules(config, card),
        client=client,
        purses=Purses(pool, clock),
        replica_id=lambda: NO_REPLICA,
    )
    return Services(
        machine=machine,
        family=Family(pool, machine, config, measures.agents),
        waits=Waits(pool, machine, measures.agents),
        rows=lambda actor: ActorRows(actor, pool),
        entrance=Entrance(pool, bus, clock),
        reception=Reception(pool, clock),
        login_services=LoginServices(pool, keyring, Oidc(clock), clock),
        config=config,
        keyring=keyring,
        pubsub=bus,
        signed_urls=SignedUrls(keyring, clock),
        vapid=VapidKeys(pool, keyring),
        taker=taker or NoWorker(),
        probe=Probe(config, catalog, client, clock),
        titles=Titles(pool, wording),
        clock=clock,
        measures=measures,
        workspaces=workspaces,
        contexts=workspaces and Contexts(WorkspaceContextRows(pool), workspaces, bus),
        hooks=Hooks(pool, config, keyring, clock, measures.hooks, Post(clock)),
        mcp=open_exchange(pool, config, keyring, clock, measures.mcp, workspaces).desk,
    )


class _Server(uvicorn.Server):
    """Uvicorn that says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@asynccontextmanager
async def listening(app: App) -> AsyncGenerator[str]:
    """The application over real sockets; the result is where."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        kept = int(IDLE_CONNECTION_KEPT.total_seconds())
        server = _Server(
            uvicorn.Config(
                app, lifespan="off", log_config=None, access_log=False, ws=FrameProtocol, timeout_keep_alive=kept
            )
        )
        serve_api = asyncio.create_task(server.serve(sockets=[listener]))
        await server.listening.wait()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
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
    household: Household
    url: str
    search: SearchIndex

    async def person(
        self, name: str = "ada", role: Role = Role.MEMBER, organisation: OrganisationId | None = None
    ) -> Person:
        """A new person with a token that may do all that its owner may."""
        of = organisation or self.household.organisation
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
async def _closing(workspaces: Workspaces | None) -> AsyncGenerator[None]:
    yield
    if workspaces is not None:
        await workspaces.close()


@asynccontextmanager
async def serve_api(pool: Pool, *, taker: LocalWorker | None = None) -> AsyncGenerator[ServedApi]:
    async with ProviderClient(SystemClock()) as client, workspace_folder(pool) as folder:
        services = services_for(pool, client, taker=taker, folder=folder)
        household = await first_household(pool)
        site = AsgiApp(api=Api(services, TABLE), page=Page(None))
        async with listening(site) as url, _closing(services.workspaces):
            yield ServedApi(pool, services, household, url, SearchIndex(pool, services.clock))
