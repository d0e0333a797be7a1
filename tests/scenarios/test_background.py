"""An answer that the provider makes in the background outlives the replica that asked for it, however that ends."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.polling import seen

KEPT = """
UPDATE providers SET dialect = 'openai_responses', options = '{"headers":{"authorization":"Bearer sim-key"}}';
UPDATE model_settings SET options = (options::jsonb || '{"provider_options":{"background":true}}')::text
"""


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        await pool.execute(KEPT)
        yield fleet


def asked(fleet: Fleet) -> int:
    """How often the model was asked to answer. Whoever asks it for a title gives it no tools."""
    bodies = [msgspec.json.decode(entry.body, type=dict[str, Any]) for entry in fleet.sim.requests if entry.body]
    return sum("tools" in body and body["background"] is True for body in bodies)


async def test_a_killed_replicas_answer_in_the_background_is_listened_to_by_another(fleet: Fleet, pool: Pool) -> None:
    chat = await fleet.asks(0, "[[say:Half]] [[gate:open]] [[say:-whole]]")
    await fleet.sim.gates["open"].reached()
    await seen(lambda: pool.fetchval("SELECT count(*) FROM background_responses"))
    await fleet.dies(0)
    await fleet.sim.gates["open"].set(open=True)
    assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
    assert (await fleet.said(1, chat))[1:] == ["Half-whole"]
    assert asked(fleet) == 1
