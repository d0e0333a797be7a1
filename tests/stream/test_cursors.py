"""Whatever is cut, wherever one reconnects: what a client assembles is what the database holds."""

import asyncio
import random
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import aiohttp
from tests.stream.pair import Half, pair
from tests.stream.serving import over_sse, over_websocket
from tests.stream.watcher import history

from perdure.client.transcript import Transcript
from perdure.core.chat import Busy, Status
from perdure.core.events import AnyEvent, HistoryReset, MessageEvent
from perdure.core.failure import ErrorKind, RetryState
from perdure.core.ids import ChatId, RunnerId
from perdure.core.message import Role, Text
from perdure.live.episodes import Episode
from perdure.machine.change import Owner
from perdure.machine.transitions import Abandon, Acquire, RecordGenerationAttempt, RecordRetryState
from perdure.store.pool import Pool
from perdure.testing.scripted import ScriptedChat, texts

CUTS = 520
TURNS = 40


class EventTaken:
    """Notifies whenever a client of a chat takes an event: what paces the chat's life without a clock."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def notify(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    async def next(self) -> None:
        await self._next.wait()


@dataclass
class Reader:
    """A client that is cut all the time and comes back to either replica over either transport."""

    chat_id: ChatId
    urls: tuple[str, str]
    chance: random.Random
    taken: EventTaken
    transcript: Transcript = field(default_factory=Transcript)
    connections: int = 0
    _told: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    async def read(self, session: aiohttp.ClientSession, enough: Callable[[], bool]) -> None:
        while not enough():
            over: Any = self.chance.choice((over_websocket, over_sse))
            self.connections += 1
            left = self.chance.randint(1, 12)
            async with aclosing(
                over(session, self.chance.choice(self.urls), self.chat_id, self.transcript.cursor)
            ) as s:
                async for event in s:
                    self._take(event)
                    left -= 1
                    if left == 0 or enough():
                        break

    def _take(self, event: AnyEvent) -> None:
        self.taken.notify()
        assert self.transcript.add(event), f"told twice: {event}"
        match event:
            case MessageEvent(message=message):
                assert (message.number, message.revision) not in self._told, f"told twice: {message}"
                self._told.add((message.number, message.revision))
            case HistoryReset(after=after):
                self._told = {told for told in self._told if told[0] <= after}
            case _:
                pass


class Life:
    """What happens to a chat: turns, retries, edits, queued and steering messages, an owner that is lost."""

    def __init__(self, chat: ScriptedChat, halves: tuple[Half, Half], chance: random.Random, taken: EventTaken) -> None:
        self._chat = chat
        self._halves = halves
        self._chance = chance
        self._taken = taken

    async def turn(self) -> None:
        chat, chance = self._chat, self._chance
        if chat.chat.status is Status.WAITING:
            await chat.send(f"question {chance.random()}")
        episode = await chat.attempt()
        said = await self._speaks(episode)
        for mishap in chance.sample((self._retries, self._loses_its_owner, self._is_queued_to), chance.randint(0, 2)):
            episode = await mishap(episode)
            said = await self._speaks(episode) if not episode.seq else said
        if chance.random() < 0.15:
            await chat.edit(self._some_question(await history(chat.scripted.pool, chat.id)), "on second thought")
            return
        await chat.commit(Text(said), ends=True)
        if chat.chat.owned and chat.chat.status is Status.WAITING:
            await chat.follows(Abandon())

    def _some_question(self, messages: Any) -> int:
        return self._chance.choice([message.number for message in messages if message.role is Role.USER])

    async def _speaks(self, episode: Episode) -> str:
        words = [f"{self._chance.randint(0, 99)} " for _ in range(self._chance.randint(2, 12))]
        for word in words:
            episode.add(Role.ASSISTANT, texts(word))
            if self._chance.random() < 0.7:
                await self._taken.next()
        return "".join(words)

    async def _retries(self, _: Episode) -> Episode:
        assert self._chat.chat.updated_at is not None
        retry = RetryState(1, 10, "overloaded", ErrorKind.OVERLOADED, self._chat.chat.updated_at)
        await self._chat.follows(RecordRetryState(retry))
        return await self._chat.attempt()

    async def _loses_its_owner(self, _: Episode) -> Episode:
        """The other replica takes over. What was in memory here is gone; what was stored may be short of it."""
        chat = self._chat
        old, new = self._halves if chat.scripted is self._halves[0].scripted else self._halves[::-1]
        assert chat.scripted is old.scripted
        chat.scripted = new.scripted
        owner = Owner(new.scripted.replica_id, RunnerId(uuid4()))
        await chat.follows(Acquire(owner, chat.chat.worker_id), RecordGenerationAttempt())
        return new.scripted.episodes.open(chat.key)

    async def _is_queued_to(self, episode: Episode) -> Episode:
        await self._chat.send("by the way", self._chance.choice((Busy.QUEUE, Busy.STEER)))
        return episode


async def test_what_clients_assemble_over_random_cuts_is_what_the_database_holds(pool: Pool) -> None:
    chance = random.Random(20_260_101)
    async with pair(pool) as halves, aiohttp.ClientSession() as session:
        chats = [await chance.choice(halves).scripted.create(f"chat {n}") for n in range(3)]
        urls = (halves[0].url, halves[1].url)
        taken = {chat.id: EventTaken() for chat in chats}
        readers = [Reader(chat.id, urls, random.Random(n), taken[chat.id]) for n, chat in enumerate(chats * 4)]
        reading = [asyncio.ensure_future(reader.read(session, lambda: False)) for reader in readers]
        lives = [Life(chat, halves, chance, taken[chat.id]) for chat in chats]
        turns = 0
        while turns < TURNS or sum(reader.connections for reader in readers) < CUTS:
            await asyncio.gather(*(life.turn() for life in lives))
            turns += 1
            assert not any(task.done() for task in reading), [task for task in reading if task.done()]
        for task in reading:
            task.cancel()
        await asyncio.wait(reading)
        for reader in readers:
            await _agrees(reader, session, pool)
        assert sum(reader.connections for reader in readers) >= CUTS


async def _agrees(reader: Reader, session: aiohttp.ClientSession, pool: Pool) -> None:
    """After one more look, the client has it all."""
    expected = await history(pool, reader.chat_id)
    queue = await pool.fetchval("SELECT queue FROM chats WHERE id = $1", reader.chat_id)
    status = await pool.fetchval("SELECT status FROM chats WHERE id = $1", reader.chat_id)
    told = reader.transcript

    def complete() -> bool:
        known = (told.messages, told.status, len(told.queue), told.preview)
        return known == (expected, status, len(queue), None)

    await asyncio.wait_for(reader.read(session, complete), 60)
    assert [(queued.number, queued.steer) for queued in told.queue] == [(abs(entry), entry < 0) for entry in queue]
