"""A running agent program for the tests of this folder, and somebody who wants a workspace."""

import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.inside import Inside
from tests.workspaces.yard import Yard

from perdure.core.ids import OrganisationId, UserId
from perdure.store.pool import Pool
from perdure.workspaces.local.layout import delete_tree
from perdure.workspaces.service import Wish


@pytest.fixture
async def inside() -> AsyncGenerator[Inside]:
    """Under a short path, because a socket's path has at most 107 bytes."""
    root = Path(tempfile.mkdtemp(prefix="perdure-"))
    agent = Inside(root)
    await agent.start()
    try:
        yield agent
    finally:
        await agent.leaves()
        delete_tree(root)


@pytest.fixture
async def wish(pool: Pool) -> Wish:
    """Somebody's wish for a workspace from a template of their own."""
    organisation, user = OrganisationId(uuid4()), UserId(uuid4())
    await pool.execute("INSERT INTO organisations (id, name) VALUES ($1, 'house')", organisation)
    person = "INSERT INTO users (id, organisation_id, email) VALUES ($1, $2, 'a@example.com')"
    await pool.execute(person, user, organisation)
    return Wish(owner_id=user, organisation_id=organisation, template="other", parameters={}, most=1)


@pytest.fixture
async def yard(pool: Pool, wish: Wish) -> AsyncGenerator[Yard]:
    with tempfile.TemporaryDirectory(prefix="perdure-") as folder:
        found = Yard(pool, Path(folder), wish)
        yield found
        await found.clear()
