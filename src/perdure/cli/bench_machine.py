"""Commits a second of the machine beside the floor: the bare driver doing two rows in one statement, as durably.

The floor is the driver with the pool that it brings, as whoever does without us would use it, and as the floor of the
scale test does. Over our own pool it would rise with all that makes our pool faster, and say nothing about the machine.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from uuid import uuid4

import uvloop

from perdure.access.signing_in import first_account
from perdure.core.card import CardChange, NewCard
from perdure.core.chat import Chat
from perdure.core.ids import ChatId, ReplicaId, RunnerId, UserId
from perdure.core.message import NewMessage, Role, Text, Usage
from perdure.machine.change import Owner
from perdure.machine.machine import Machine
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CommitStep,
    Create,
    FinishTurn,
    RecordGenerationAttempt,
    SendMessage,
)
from perdure.proof.evidence import sql
from perdure.proof.scale.floor import BarePool, bare_pool
from perdure.store.connection import connect
from perdure.store.embedded.server import EmbeddedPostgres
from perdure.store.execution import Execution
from perdure.store.migrations.runner import migrate
from perdure.store.pool import Pool, open_pool

BAR = 0.6
CHATS = (1, 16, 128)
CONNECTIONS = 16

_ANSWER = "The answer, of ordinary length: " + "word " * 30


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians over the rounds; the ratio is that of two neighbours in time."""

    chats: int
    commits: float
    floor: float
    ratio: float


def measured(rounds: int, commits: int) -> list[Measured]:
    """Measure on a durable server of our own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="perdure-bench-", ignore_cleanup_errors=True) as directory:
        # Root's server runs as somebody else, who must be able to walk in.
        Path(directory).chmod(0o755)
        with EmbeddedPostgres(Path(directory)).lease() as lease:
            return uvloop.run(_measured(lease.url, rounds, commits))


async def _measured(url: str, rounds: int, commits: int) -> list[Measured]:
    connection = await connect(url)
    await migrate(connection)
    await connection.execute(sql("floor_tables"))
    await connection.close()
    async with _bench(url) as bench:
        await bench.once(bench.turns, max(CHATS), 1)
        return [await _at(bench, chats, rounds, commits) for chats in CHATS]


async def _at(bench: "Bench", chats: int, rounds: int, commits: int) -> Measured:
    turns = max(2, commits // chats // 2)
    pairs = [
        (await bench.once(bench.turns, chats, turns), await bench.once(bench.floor, chats, turns))
        for _ in range(rounds)
    ]
    return Measured(
        chats,
        median(pair for pair, _ in pairs),
        median(floor for _, floor in pairs),
        median(pair / floor for pair, floor in pairs),
    )


@asynccontextmanager
async def _bench(url: str) -> AsyncGenerator["Bench"]:
    async with open_pool(url, size=CONNECTIONS) as pool, bare_pool(url, CONNECTIONS) as bare:
        account = await first_account(pool)
        bench = Bench(pool, bare, account.owner)
        card = NewCard(organisation_id=account.organisation, owner_id=account.owner, title="bench")
        await bench.prepare(card)
        yield bench


class Bench:
    """Chats to measure on: each turn is what a handler commits, then what a runner commits."""

    def __init__(self, pool: Pool, bare: BarePool, user_id: UserId) -> None:
        self._bare = bare
        self._machine = Machine(Execution(pool), lambda _: None)
        self._message = NewMessage(role=Role.USER, parts=(Text("hello there"),), created_by=user_id)
        self._answer = NewMessage(role=Role.ASSISTANT, parts=(Text(_ANSWER),), usage=Usage(10, 20), cost=5)
        self._owner = Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
        self._chats: list[Chat] = []

    async def prepare(self, card: NewCard) -> None:
        for _ in range(max(CHATS)):
            begun = await self._machine.create(ChatId(uuid4()), card, [Create((self._message,)), Acquire(self._owner)])
            self._chats.append(await self._finish(begun.chat))
            await self._bare.execute(sql("floor_chat"), begun.chat.id)

    async def once(self, work: Callable[[Chat, int], Awaitable[None]], chats: int, turns: int) -> float:
        """Commits a second over this many chats at once."""
        started = time.perf_counter()
        await asyncio.gather(*(work(chat, turns) for chat in self._chats[:chats]))
        return 2 * chats * turns / (time.perf_counter() - started)

    async def turns(self, chat: Chat, turns: int) -> None:
        for _ in range(turns):
            sent = SendMessage(self._message), Acquire(self._owner), RecordGenerationAttempt()
            committed = await self._machine.change(chat.id, *sent)
            await self._finish(committed.chat)

    async def floor(self, chat: Chat, turns: int) -> None:
        for _ in range(turns):
            await self._bare.fetchrow(sql("floor_commit"), chat.id, "running", "hello there")
            await self._bare.fetchrow(sql("floor_commit"), chat.id, "waiting", _ANSWER)

    async def _finish(self, chat: Chat) -> Chat:
        card = CardChange(cost=5, context_tokens=30)
        step = CommitStep(messages=(self._answer,), continues=False, spend=5, card=card)
        return (await self._machine.advance(chat, step, FinishTurn(), Abandon())).chat


def table(rows: Sequence[Measured]) -> str:
    lines = [f"{'chats':>6} {'commits/s':>10} {'floor/s':>10} {'ratio':>6}   bar {BAR}"]
    lines += [f"{row.chats:>6} {row.commits:>10.0f} {row.floor:>10.0f} {row.ratio:>6.2f}" for row in rows]
    return "\n".join(lines)


def missed(rows: Sequence[Measured]) -> list[str]:
    return [f"{row.ratio:.2f} of the floor at {row.chats} chats, less than {BAR}" for row in rows if row.ratio < BAR]
