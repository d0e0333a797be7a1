"""Kept calls are bounded: the newest of a chat, and each for its time."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from perdure.access.signing_in import first_account
from perdure.core.card import NewCard
from perdure.core.ids import ChatId
from perdure.core.message import NewMessage, Role, Text
from perdure.machine.machine import Machine
from perdure.machine.transitions import Create
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.store.tables.debug_runs import NewDebugRun, packed, sweep, unpacked, write

DAY = timedelta(days=1)


def call(chat_id: ChatId, attempt: int, *, kept: timedelta = DAY, most: int = 10) -> NewDebugRun:
    return NewDebugRun(
        chat_id=chat_id,
        turn=1,
        attempt=attempt,
        purpose="answer",
        provider="Simulator",
        model="demo",
        started_at=datetime.now(UTC),
        first_event_ms=1,
        duration_ms=2,
        outcome="ok",
        status=200,
        error=None,
        usage=None,
        cost=None,
        blocks=(),
        request=packed(b"asked"),
        response=packed(b"said"),
        kept=kept,
        others=most - 1,
    )


@pytest.fixture
async def chat_id(pool: Pool) -> ChatId:
    account, chat_id = await first_account(pool), ChatId(uuid4())
    card = NewCard(organisation_id=account.organisation, owner_id=account.owner, title="kept")
    said = NewMessage(role=Role.USER, parts=(Text("hello"),), created_by=account.owner)
    await Machine(Execution(pool), lambda _: None).create(chat_id, card, [Create((said,))])
    return chat_id


async def attempts(pool: Pool) -> list[int]:
    return [row["attempt"] for row in await pool.fetch("SELECT attempt FROM debug_runs ORDER BY id")]


async def test_only_the_newest_calls_of_a_chat_are_kept(pool: Pool, chat_id: ChatId) -> None:
    for attempt in range(1, 5):
        await write(pool, call(chat_id, attempt, kept=DAY, most=2))
    assert await attempts(pool) == [3, 4]
    assert unpacked(await pool.fetchval("SELECT request FROM debug_runs LIMIT 1")) == b"asked"


async def test_a_call_is_dropped_when_its_time_is_over(pool: Pool, chat_id: ChatId) -> None:
    await write(pool, call(chat_id, 1, kept=-DAY, most=10))
    await write(pool, call(chat_id, 2, kept=DAY, most=10))
    await sweep(pool)
    assert await attempts(pool) == [2]


async def test_nothing_is_kept_of_a_chat_that_is_gone(pool: Pool) -> None:
    await write(pool, call(ChatId(uuid4()), 1, kept=DAY, most=10))
    assert await attempts(pool) == []
