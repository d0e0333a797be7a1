"""Where the database is: at the URL we were given, or in an embedded server. From here on nobody can tell."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from perdure.core.errors import PerdureError
from perdure.core.timing import EMBEDDED_TEND_PERIOD
from perdure.settings import Settings
from perdure.store.embedded.server import EmbeddedPostgres, Lease

log = logging.getLogger("perdure.store")


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[str]:
    """The URL of a database that is there for as long as it is held."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    server = EmbeddedPostgres(settings.data_dir, binaries=settings.postgres_bin)
    log.info("using the embedded Postgres in %s", server.cluster.home)
    lease = await asyncio.to_thread(server.lease)
    tending = asyncio.create_task(_tend(lease))
    try:
        yield lease.url
    finally:
        tending.cancel()
        await asyncio.to_thread(lease.release)


async def _tend(lease: Lease) -> None:
    while True:
        await asyncio.sleep(EMBEDDED_TEND_PERIOD.total_seconds())
        try:
            await asyncio.to_thread(lease.tend)
        except PerdureError:
            log.exception("the embedded Postgres is not well")
