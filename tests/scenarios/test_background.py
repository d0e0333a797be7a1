"""An answer that the provider makes in the background outlives the replica that asked for it, however that ends."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from perdure.store.pool import Pool
from perdure.testing.polling import seen
from perdure.testing.town import ReplicaTown, replicas

KEPT = """
UPDATE providers SET dialect = 'openai_responses', options = '{"headers":{"authorization":"Bearer sim-key"}}';
UPDATE model_settings SET options = (options::jsonb || '{"provider_options":{"background":true}}')::text
"""


@pytest.fixture
async def town(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[ReplicaTown]:
    async with replicas(database_url, pool, tmp_path) as town:
        await pool.execute(KEPT)
        yield town


def asked(town: ReplicaTown) -> int:
    """How often the model was asked to answer. Whoever asks it for a title gives it no tools."""
    bodies = [msgspec.json.decode(entry.body, type=dict[str, Any]) for entry in town.sim.requests if entry.body]
    return sum("tools" in body and body["background"] is True for body in bodies)


async def test_a_killed_replicas_answer_in_the_background_is_listened_to_by_another(
    town: ReplicaTown, pool: Pool
) -> None:
    chat = await town.asks(0, "[[say:Half]] [[gate:open]] [[say:-whole]]")
    await town.sim.gates["open"].reached()
    await seen(lambda: pool.fetchval("SELECT count(*) FROM background_responses"))
    await town.dies(0)
    await town.sim.gates["open"].set(open=True)
    assert (await town.comes_to_rest(1, chat))["status"] == "waiting"
    assert (await town.said(1, chat))[1:] == ["Half-whole"]
    assert asked(town) == 1
