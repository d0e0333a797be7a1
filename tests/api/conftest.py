"""A served API, and a person who uses it."""

from collections.abc import AsyncIterator

import pytest

from perdure.store.pool import Pool
from perdure.testing.site import Person, Town, serving


@pytest.fixture
async def town(pool: Pool) -> AsyncIterator[Town]:
    """With every experiment on that has routes."""
    async with serving(pool) as town:
        await town.pool.execute(
            "INSERT INTO settings (organisation_id, name, value) VALUES ($1, 'experiments', '[\"hooks\"]')",
            town.household.organisation,
        )
        yield town


@pytest.fixture
async def ada(town: Town) -> AsyncIterator[Person]:
    async with await town.person("ada") as person:
        yield person
