"""A served API, and a person who uses it."""

from collections.abc import AsyncIterator

import pytest

from perdure.store.pool import Pool
from perdure.testing.served_api import Person, ServedApi, serve_api


@pytest.fixture
async def api(database_url: str, pool: Pool) -> AsyncIterator[ServedApi]:
    """With every experiment on that has routes."""
    async with serve_api(database_url, pool) as api:
        await api.pool.execute(
            "INSERT INTO settings (organisation_id, name, value) VALUES ($1, 'experiments', '[\"hooks\"]')",
            api.account.organisation,
        )
        yield api


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada") as person:
        yield person
