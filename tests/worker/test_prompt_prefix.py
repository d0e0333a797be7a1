"""What was sent once is sent again byte for byte, so that providers find it in their caches."""

import re
from collections.abc import AsyncIterator
from itertools import pairwise

import msgspec
import pytest

from perdure.core.chat import State
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.tool import Effect, ToolContext, tool

TURNS = 50
_MARK = re.compile(rb',?"cache_control":\{[^}]*\}')


@tool(Effect.READS)
async def look(_: ToolContext, at: str) -> str:
    """Look at something."""
    return f"seen {at}"


@pytest.fixture(params=["anthropic_messages", "openai_chat"])
async def replica(
    database_url: str, pool: Pool, sim: Simulator, request: pytest.FixtureRequest
) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, dialect=request.param) as replica:
        replica.tools.tools = (look,)
        yield replica


def blocks(body: bytes) -> list[bytes]:
    """The prompt in the provider's order: tools, system text, messages. Marks for its cache move and do not count."""
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    parts = [bytes(fields[name]) for name in ("tools", "system") if name in fields]
    parts += [bytes(message) for message in msgspec.json.decode(fields["messages"], type=list[msgspec.Raw])]
    return [_MARK.sub(b"", part) for part in parts]


async def test_every_prompt_begins_with_the_one_before(replica: InProcessReplica, sim: Simulator) -> None:
    chat = await replica.someone_asks('[[call:look {"at": "0"}]] [[say:5 tokens]]')
    assert (await replica.comes_to_rest(chat)).state is State.W
    for turn in range(1, TURNS):
        await replica.someone_adds(chat, f'[[call:look {{"at": "{turn}"}}]] [[say:5 tokens]]')
        assert (await replica.comes_to_rest(chat)).state is State.W
    prompts = [blocks(bytes(entry.body)) for entry in sim.requests]
    assert len(prompts) == 2 * TURNS
    for before, after in pairwise(prompts):
        assert after[: len(before)] == before
