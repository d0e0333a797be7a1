"""A replica that runs, as whoever serves it sees it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

import perdure
from perdure.access.signing_in import Household
from perdure.api.asgi_app import AsgiApp, StreamRoute, closed
from perdure.api.operator_endpoints import Asgi, OperatorEndpoints
from perdure.api.page import Page
from perdure.api.server import Api
from perdure.api.services import Services
from perdure.api.table import TABLE
from perdure.core.timing import READINESS_PATIENCE
from perdure.observe.metrics import Metrics
from perdure.store.pool import Pool
from perdure.stream.hubs import Hubs
from perdure.stream.watch.watches import Watches
from perdure.worker.lease import Lease
from perdure.worker.worker import Worker


@dataclass(slots=True, kw_only=True)
class Replica:
    """A replica that runs."""

    pool: Pool
    metrics: Metrics
    services: Services
    household: Household
    worker: Worker
    lease: Lease
    hubs: Hubs
    watches: Watches
    outlet: StreamRoute
    """What gives other replicas the parts of answers."""
    streams: tuple[StreamRoute, ...] = ()
    serves: bool = True
    """Whether clients are answered. A replica that only drives chats has nothing for them."""
    draining: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def asgi(self) -> Asgi:
        if self.serves:
            streams = (*self.streams, self.outlet)
            site = AsgiApp(api=Api(self.services, TABLE), page=Page(page_folder()), streams=streams)
        else:
            site = AsgiApp(api=closed, page=closed, streams=(self.outlet,))
        return OperatorEndpoints(readiness=self.obstacles, metrics=self.metrics, rest=site)

    async def obstacles(self) -> Mapping[str, str]:
        """What keeps this replica from taking traffic."""
        if self.draining.is_set():
            return {"replica": "it is shutting down"}
        if self.lease.joining:
            return {"replica": "the others have not heard of it yet"}
        try:
            async with asyncio.timeout(READINESS_PATIENCE.total_seconds()):
                await self.pool.fetchval("SELECT 1")
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            return {"database": str(error) or type(error).__name__}
        return {}

    async def drain(self) -> None:
        """Hand every chat over, then ask those who follow to come again elsewhere."""
        self.draining.set()
        await self.worker.drain()
        self.dismiss()

    def dismiss(self) -> None:
        """Ask those who follow to come again elsewhere."""
        self.hubs.end()
        self.watches.end()

    async def login_link(self) -> str | None:
        """A path that signs the owner in once, while nobody could sign in otherwise."""
        if self.household.reachable:
            return None
        return f"/api/v1/login/link?token={await self.services.reception.link(self.household.owner)}"


def page_folder() -> Path | None:
    """Where the built web page is: in the package, or in the checkout that we run from."""
    package = Path(perdure.__file__).parent
    folders = (package / "page", package.parents[1] / "web" / "dist")
    return next((folder for folder in folders if folder.is_dir()), None)
