"""From settings to a running system: the one file that names every part."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import asyncpg

from perdure.api.operation import Asgi, Operation
from perdure.core.timing import READINESS_PATIENCE
from perdure.observe.metrics import Metrics
from perdure.settings import Settings
from perdure.store.connection import connect
from perdure.store.database import open_database
from perdure.store.migrations.runner import migrate
from perdure.store.pool import Pool, open_pool


@dataclass(slots=True)
class System:
    """A replica that runs."""

    pool: Pool
    metrics: Metrics
    draining: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def asgi(self) -> Asgi:
        return Operation(readiness=self.obstacles, metrics=self.metrics)

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


@asynccontextmanager
async def running(settings: Settings) -> AsyncGenerator[System]:
    """Everything a replica is made of, started from the bottom up and stopped in reverse."""
    async with open_database(settings) as url:
        await bring_up_to_date(url)
        async with open_pool(url, size=settings.database_pool) as pool:
            yield System(pool, Metrics())


async def bring_up_to_date(url: str) -> tuple[str, ...]:
    """Migrate the database. Says what was applied."""
    connection = await connect(url)
    try:
        return tuple(f"{migration.number:04} {migration.name}" for migration in await migrate(connection))
    finally:
        await connection.close()
