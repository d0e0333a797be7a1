"""A machine on a real database, and chats to try it on."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from tests.machine.place import Place

from perdure.store.pool import Pool, open_pool
from perdure.testing.postgres import Databases


@pytest.fixture
async def place(database_url: str, pool: Pool) -> Place:
    """A database of this test's own."""
    place = Place(database_url, pool)
    await place.furnish()
    return place


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_place(databases: Databases) -> AsyncIterator[Place]:
    """One database for the tests of a module, each of which makes its own chats."""
    async with databases.fresh() as url, open_pool(url) as pool:
        place = Place(url, pool)
        await place.furnish()
        yield place


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lawless_place(databases: Databases) -> AsyncIterator[Place]:
    """A database that does not refuse invalid states."""
    async with databases.fresh() as url, open_pool(url) as pool:
        await pool.execute("ALTER TABLE chats DROP CONSTRAINT chats_valid_state")
        place = Place(url, pool)
        await place.furnish()
        yield place
