"""A served API, and a person who uses it."""

from collections.abc import AsyncIterator

import pytest

from perdure.store.pool import Pool
from perdure.testing.site import Person, Town, serving


@pytest.fixture
async def town(pool: Pool) -> AsyncIterator[Town]:
    async with serving(pool) as town:
        yield town


@pytest.fixture
async def ada(town: Town) -> AsyncIterator[Person]:
    async with await town.person("ada") as person:
        yield person
