"""A model finds a title when somebody asks for one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        yield fleet


async def test_a_title_is_proposed_or_stored(fleet: Fleet) -> None:
    chat_id = await fleet.asks(0, "Where do the storks spend the winter?")
    await fleet.comes_to_rest(0, chat_id)
    named = await fleet.person.patch(f"/chats/{chat_id}", {"title": "Birds"})
    assert named.status == 200
    proposed = await fleet.person.post(f"/chats/{chat_id}/title/propose")
    assert (proposed.status, bool(proposed.json["title"])) == (200, True)
    assert (await fleet.chat(0, chat_id))["title"] == "Birds"
    stored = await fleet.person.post(f"/chats/{chat_id}/title/regenerate")
    assert stored.json["chat"]["title"] == proposed.json["title"]
    assert (await fleet.chat(0, chat_id))["title"] == proposed.json["title"]


async def test_a_model_that_fails_is_said_and_changes_nothing(fleet: Fleet) -> None:
    chat_id = await fleet.asks(0, "hello")
    await fleet.comes_to_rest(0, chat_id)
    await fleet.person.patch(f"/chats/{chat_id}", {"title": "Named"})
    await fleet.pool.execute("UPDATE providers SET base_url = 'http://127.0.0.1:9'")
    await fleet.person.put("/settings/system_prompt", {"value": ""})
    said = await fleet.person.post(f"/chats/{chat_id}/title/regenerate")
    assert said.status == 502
    assert (await fleet.chat(0, chat_id))["title"] == "Named"
