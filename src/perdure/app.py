"""From settings to a running system: the one file that names every part."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

import perdure
from perdure.access.entrance import Entrance
from perdure.access.key_file import open_keyring
from perdure.access.rows import ActorRows
from perdure.access.signing_in import Household, Reception, first_household
from perdure.api.operation import Asgi, Operation
from perdure.api.page import Page
from perdure.api.server import Api
from perdure.api.services import Services
from perdure.api.site import Site, Stream
from perdure.api.table import TABLE
from perdure.api.taker import Nobody, Taker
from perdure.config.config import Config
from perdure.config.demo import offer_demo
from perdure.core.clock import SystemClock
from perdure.core.errors import Misconfigured
from perdure.core.timing import READINESS_PATIENCE
from perdure.machine.announcer import Announcer
from perdure.machine.machine import Machine
from perdure.observe.metrics import Metrics
from perdure.settings import Settings
from perdure.store.connection import connect
from perdure.store.database import open_database
from perdure.store.execution import Execution
from perdure.store.migrations.runner import migrate
from perdure.store.pool import Pool, open_pool
from perdure.store.pubsub import LocalBus

_LOOPBACK = ("127.", "::1", "localhost")


@dataclass(slots=True, kw_only=True)
class System:
    """A replica that runs."""

    pool: Pool
    metrics: Metrics
    services: Services
    household: Household
    announcer: Announcer
    streams: tuple[Stream, ...] = ()
    draining: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def asgi(self) -> Asgi:
        site = Site(api=Api(self.services, TABLE), page=Page(page_folder()), streams=self.streams)
        return Operation(readiness=self.obstacles, metrics=self.metrics, rest=site)

    async def obstacles(self) -> Mapping[str, str]:
        """What keeps this replica from taking traffic."""
        if self.draining.is_set():
            return {"replica": "it is shutting down"}
        try:
            async with asyncio.timeout(READINESS_PATIENCE.total_seconds()):
                await self.pool.fetchval("SELECT 1")
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            return {"database": str(error) or type(error).__name__}
        return {}

    async def login_link(self) -> str | None:
        """A path that signs the owner in once, while nobody could sign in otherwise."""
        if self.household.reachable:
            return None
        return f"/api/v1/login/link?token={await self.services.reception.link(self.household.owner)}"

    async def offer_demo(self, url: str) -> bool:
        """Whether the simulator at this address is the deployment's model now."""
        offered = await offer_demo(self.pool, self.household.organisation, url)
        self.services.config.changed(self.household.organisation)
        return offered


@asynccontextmanager
async def running(settings: Settings) -> AsyncGenerator[System]:
    """Everything a replica is made of, started from the bottom up and stopped in reverse."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(open_database(settings))
        await bring_up_to_date(url)
        pool = await stack.enter_async_context(open_pool(url, size=settings.database_pool))
        household = await first_household(pool)
        refuse_open_door(settings, household)
        pubsub = LocalBus()
        announcer = Announcer(pubsub)
        services = assemble(settings, pool, pubsub, Machine(Execution(pool), announcer), Nobody())
        stack.callback(services.entrance.follow())
        stack.callback(services.config.follow())
        yield System(pool=pool, metrics=Metrics(), services=services, household=household, announcer=announcer)


def assemble(settings: Settings, pool: Pool, pubsub: LocalBus, machine: Machine, taker: Taker) -> Services:
    """What handlers work with."""
    clock = SystemClock()
    keyring = open_keyring(settings.secret_key, settings.data_dir)
    return Services(
        machine=machine,
        rows=lambda actor: ActorRows(actor, pool),
        entrance=Entrance(pool, pubsub, clock),
        reception=Reception(pool, clock),
        config=Config(pool, pubsub, keyring, clock),
        keyring=keyring,
        taker=taker,
        clock=clock,
    )


def refuse_open_door(settings: Settings, household: Household) -> None:
    """An address that others can reach needs somebody who can sign in."""
    if not household.reachable and not settings.bind.host.startswith(_LOOPBACK):
        raise Misconfigured(
            f"Nobody could sign in at {settings.bind} yet. Set a password first: "
            "perdure users password owner@localhost. Or listen on 127.0.0.1."
        )


def page_folder() -> Path | None:
    """Where the built web page is: in the package, or in the checkout that we run from."""
    package = Path(perdure.__file__).parent
    folders = (package / "page", package.parents[1] / "web" / "dist")
    return next((folder for folder in folders if folder.is_dir()), None)


async def bring_up_to_date(url: str) -> tuple[str, ...]:
    """Migrate the database. Says what was applied."""
    connection = await connect(url)
    try:
        return tuple(f"{migration.number:04} {migration.name}" for migration in await migrate(connection))
    finally:
        await connection.close()
