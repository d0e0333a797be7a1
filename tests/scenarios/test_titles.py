"""A model finds a title when somebody asks for one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from perdure.store.pool import Pool
from perdure.testing.town import ReplicaTown, replicas


@pytest.fixture
async def town(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[ReplicaTown]:
    async with replicas(database_url, pool, tmp_path, count=1) as town:
        yield town


async def test_a_title_is_proposed_or_stored(town: ReplicaTown) -> None:
    chat_id = await town.asks(0, "Where do the storks spend the winter?")
    await town.comes_to_rest(0, chat_id)
    named = await town.person.patch(f"/chats/{chat_id}", {"title": "Birds"})
    assert named.status == 200
    proposed = await town.person.post(f"/chats/{chat_id}/title/propose")
    assert (proposed.status, bool(proposed.json["title"])) == (200, True)
    assert (await town.chat(0, chat_id))["title"] == "Birds"
    stored = await town.person.post(f"/chats/{chat_id}/title/regenerate")
    assert stored.json["chat"]["title"] == proposed.json["title"]
    assert (await town.chat(0, chat_id))["title"] == proposed.json["title"]


async def test_a_model_that_fails_is_said_and_changes_nothing(town: ReplicaTown) -> None:
    chat_id = await town.asks(0, "hello")
    await town.comes_to_rest(0, chat_id)
    await town.person.patch(f"/chats/{chat_id}", {"title": "Named"})
    await town.pool.execute("UPDATE providers SET base_url = 'http://127.0.0.1:9'")
    await town.person.put("/settings/system_prompt", {"value": ""})
    said = await town.person.post(f"/chats/{chat_id}/title/regenerate")
    assert said.status == 502
    assert (await town.chat(0, chat_id))["title"] == "Named"
