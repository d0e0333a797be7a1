"""Stories about streams across real replicas: the one that drives a chat is elsewhere, or dies."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.client import ApiError, Client, EventStream, Transport
from perdure.core.chat import Status
from perdure.core.cursor import Cursor
from perdure.core.events import AnyEvent, RetryEvent
from perdure.core.failure import ErrorKind
from perdure.core.message import Text
from perdure.core.timing import STREAM_RECHECK
from perdure.store.pool import Pool
from perdure.testing.fleet import PATIENCE, Fleet, open_fleet
from perdure.testing.polling import seen

HALF = "[[say:half an answer ]] [[gate:open]] [[say:and the rest]]"


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        yield fleet


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


async def test_parts_reach_a_client_of_the_other_replica(fleet: Fleet) -> None:
    chat_id = await fleet.asks(0, HALF)
    await fleet.sim.gates["open"].reached()
    async with Client(fleet.replicas[1].url, token=fleet.person.token) as client:
        stream = (await client.chats.get(chat_id)).stream()
        await _preview(stream, "half an answer")
        await fleet.sim.gates["open"].set(open=True)
        await _rest(stream)
        assert stream.transcript.messages == list(reversed(await (await client.chats.get(chat_id)).messages()))


async def test_half_an_answer_is_seen_alike_before_and_after_its_replica_is_killed(fleet: Fleet) -> None:
    chat_id = await fleet.asks(0, HALF)
    await fleet.sim.gates["open"].reached()
    async with Client(fleet.replicas[0].url, token=fleet.person.token) as client:
        before = (await client.chats.get(chat_id)).stream()
        await _preview(before, "half an answer")
    assert before.cursor is not None
    shown = Cursor.parse(before.cursor).seq
    await seen(lambda: fleet.pool.fetchval("SELECT max(seq_to) >= $1 FROM segments", shown))
    await fleet.dies(0)
    async with Client(fleet.replicas[1].url, token=fleet.person.token) as client:
        after = (await client.chats.get(chat_id)).stream()
        await _preview(after, "half an answer")
        await fleet.sim.gates["open"].set(open=True)
        resumed = (await client.chats.get(chat_id)).stream(before.cursor)
        resumed.transcript = before.transcript
        await _rest(resumed)
        whole = list(reversed(await (await client.chats.get(chat_id)).messages()))
    assert resumed.transcript.messages == whole
    assert len(whole) == 2


async def test_a_retry_is_told_to_a_client_of_the_other_replica(fleet: Fleet) -> None:
    await fleet.ready()
    chat_id = await fleet.asks(0, "[[say:ready]]")
    await fleet.comes_to_rest(0, chat_id)
    async with Client(fleet.replicas[1].url, token=fleet.person.token) as client:
        chat = await client.chats.get(chat_id)
        stream = chat.stream()
        events = aiter(stream)
        async with aclosing(events), asyncio.timeout(PATIENCE):
            told: list[RetryEvent] = []
            said = {"content": [{"type": "text", "text": "[[fault:overloaded retry_after=4 x1]] [[say:at last]]"}]}
            sent = False
            async for event in events:
                if stream.transcript.card is not None and not sent:
                    sent = (await fleet.at(0).post(f"/chats/{chat_id}/messages", said)).status == 202
                if isinstance(event, RetryEvent) and event.retry is not None:
                    told.append(event)
                rested = stream.transcript.status is Status.WAITING and len(stream.transcript.messages) == 4
                if told and rested and stream.transcript.retry is None:
                    break
    assert [event.retry.kind for event in told if event.retry] == [ErrorKind.OVERLOADED]


@pytest.mark.parametrize("transport", list(Transport))
async def test_a_share_that_is_taken_back_ends_an_open_stream(fleet: Fleet, transport: Transport) -> None:
    chat_id = await fleet.asks(0, "[[say:ready]]")
    await fleet.comes_to_rest(0, chat_id)
    assert (await fleet.at(0).patch(f"/chats/{chat_id}", {"pin": 1})).json["chat"]["pin"] == 1
    added = (await fleet.at(0).post("/users", {"email": "b@example.com", "name": "B", "role": "member"})).json["id"]
    token = mint(TOKEN_PREFIX)
    await fleet.pool.execute(
        "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', '{chat}')",
        digest(token),
        UUID(added),
    )
    assert (await fleet.at(0).put(f"/chats/{chat_id}/acl", {"users": [added]})).status == 200
    async with Client(fleet.replicas[1].url, token=token) as reader:
        stream = (await reader.chats.get(chat_id)).stream(transport=transport)
        events = aiter(stream)
        async with aclosing(events):
            while stream.transcript.card is None:
                await anext(events)
            # Where its owner keeps it is not where its readers have it.
            assert stream.transcript.card.pin == 0
            assert (await fleet.at(0).put(f"/chats/{chat_id}/acl", {"users": []})).status == 200
            with pytest.raises(ApiError) as ended:
                # Five seconds at most, on a machine that has nothing else to do.
                await asyncio.wait_for(_exhausted(events), 5 * STREAM_RECHECK.total_seconds())
    assert ended.value.status in (403, 404)
    assert timedelta(seconds=5) > STREAM_RECHECK


async def _exhausted(events: AsyncIterator[AnyEvent]) -> None:
    async for _ in events:
        pass
