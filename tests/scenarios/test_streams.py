"""Stories about streams across real replicas: the one that drives a chat is elsewhere, or dies."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from perdure.client import Client, EventStream
from perdure.core.chat import Status
from perdure.core.parts import Text
from perdure.store.pool import Pool
from perdure.testing.town import ReplicaTown, replicas

HALF = "[[say:half an answer ]] [[gate:open]] [[say:and the rest]]"


@pytest.fixture
async def town(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[ReplicaTown]:
    async with replicas(database_url, pool, tmp_path) as town:
        yield town


async def _preview(stream: EventStream, text: str) -> None:
    """Follow until the answer in flight begins like this."""
    events = aiter(stream)
    async with aclosing(events):
        async for _ in events:
            preview = stream.transcript.preview
            if preview and "".join(part.text for part in preview[1] if isinstance(part, Text)).startswith(text):
                return


async def _rest(stream: EventStream) -> None:
    events = aiter(stream)
    async with aclosing(events):
        async for _ in events:
            if stream.transcript.status is Status.WAITING:
                return


async def test_parts_reach_a_client_of_the_other_replica(town: ReplicaTown) -> None:
    chat_id = await town.asks(0, HALF)
    await town.sim.gates["open"].reached()
    async with Client(town.replicas[1].url, token=town.person.token) as client:
        stream = (await client.chats.get(chat_id)).stream()
        await _preview(stream, "half an answer")
        await town.sim.gates["open"].set(open=True)
        await _rest(stream)
        assert stream.transcript.messages == list(reversed(await (await client.chats.get(chat_id)).messages()))


async def test_half_an_answer_is_seen_alike_before_and_after_its_replica_is_killed(town: ReplicaTown) -> None:
    chat_id = await town.asks(0, HALF)
    await town.sim.gates["open"].reached()
    async with Client(town.replicas[0].url, token=town.person.token) as client:
        before = (await client.chats.get(chat_id)).stream()
        await _preview(before, "half an answer")
    while not await town.pool.fetchval("SELECT count(*) FROM segments"):
        pass
    town.replicas[0].kill()
    async with Client(town.replicas[1].url, token=town.person.token) as client:
        after = (await client.chats.get(chat_id)).stream()
        await _preview(after, "half an answer")
        await town.sim.gates["open"].set(open=True)
        resumed = (await client.chats.get(chat_id)).stream(before.cursor)
        resumed.transcript = before.transcript
        await _rest(resumed)
        whole = list(reversed(await (await client.chats.get(chat_id)).messages()))
    assert resumed.transcript.messages == whole
    assert len(whole) == 2
