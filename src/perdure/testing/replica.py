"""One replica inside the test's own process: real database, real HTTP to a simulator, the rest as in production."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import msgspec
from asyncpg import Pool, Record

from perdure.access.keyring import Keyring
from perdure.agent.continuity import Bookmarks
from perdure.agent.history import Histories
from perdure.agent.prepare import Preparation
from perdure.agent.run_tools import ToolRunner
from perdure.agent.stored_files import StoredFiles
from perdure.config.config import Config
from perdure.config.demo import offer_demo
from perdure.core.chat import AT_REST, Busy, Chat
from perdure.core.clock import Clock, SystemClock
from perdure.core.ids import ChatId, ModelName, OrganisationId, UserId
from perdure.core.message import Kind, Message, NewMessage, Role
from perdure.core.parts import Text, ToolCall, ToolResult
from perdure.live.episodes import Episode, Episodes, Piece
from perdure.live.segments import Segments
from perdure.machine.announcer import Announcer
from perdure.machine.machine import Committed, Machine
from perdure.machine.transitions.lifecycle import Create
from perdure.machine.transitions.messages import SendMessage
from perdure.machine.transitions.ownership import Acquire
from perdure.machine.transitions.steps import RecordGenerationAttempt
from perdure.observe.call_meter import CallMeter
from perdure.observe.measures.all import Measures
from perdure.observe.tool_watch import ToolWatch
from perdure.providers.client import ProviderClient
from perdure.store.commit import NewCard
from perdure.store.connection import connect
from perdure.store.execution import Execution
from perdure.store.histories import load_history
from perdure.store.journal import Journal
from perdure.store.pubsub import LocalBus
from perdure.testing.fakes import ChosenServers, FixedTools, PlainSources, SimulatedModels
from perdure.testing.metric_reader import MetricReader
from perdure.tools.family import Family
from perdure.tools.reports import Waits
from perdure.worker.capacity import Capacity
from perdure.worker.draining import Limits
from perdure.worker.forgetting import Forgetting, NoKeys
from perdure.worker.kit import Kit
from perdure.worker.lease import Lease
from perdure.worker.meter import Meter
from perdure.worker.purses import Purses
from perdure.worker.worker import Worker

PATIENCE = 60
AT_ONCE = Limits(timedelta(), timedelta())


class InProcessReplica:
    """A replica, its model and somebody who talks to it."""

    def __init__(
        self, pool: "Pool[Record]", models: SimulatedModels, client: ProviderClient, clock: Clock, measures: Measures
    ) -> None:
        self.pool = pool
        self.measures = measures
        self.clock = clock
        self.models = models
        self.bus = LocalBus()
        self.announcer = Announcer(self.bus)
        self.announcer.follow(Meter(measures.turns).committed)
        self.numbers = MetricReader(measures.metrics)
        self.machine = Machine(Execution(pool, measures=measures.database), self.announcer, clock)
        self.episodes = Episodes()
        self.tools = FixedTools()
        self.sources = PlainSources()
        self.servers = ChosenServers()
        files = StoredFiles(pool)
        journal = Journal(pool)
        self.config = Config(pool, self.bus, Keyring.of(["a secret key that only tests use"]), clock)
        family = Family(pool, self.machine, self.config, measures.agents)
        self.services: dict[type, Any] = {Family: family, Config: self.config}
        """What tools reach the rest through; a test adds what its tools need."""
        self.kit = Kit(
            machine=self.machine,
            histories=Histories(pool),
            preparation=Preparation(models, self.tools, self.sources, files, self.servers),
            client=client,
            tools=ToolRunner(journal, files, clock, self.services, watch=ToolWatch(clock, measures.tools)),
            journal=journal,
            family=family,
            waits=Waits(pool, self.machine, measures.agents),
            episodes=self.episodes,
            segments=Segments(pool, self.episodes),
            clock=clock,
            purses=Purses(pool, clock),
            measures=measures,
            bookmarks=Bookmarks(pool),
            forgetting=Forgetting(journal, NoKeys(), clock),
        )
        self.organisation = OrganisationId(uuid4())
        self.user = UserId(uuid4())

    async def move_in(self) -> None:
        await self.pool.execute("INSERT INTO organisations (id, name) VALUES ($1, 'replica')", self.organisation)
        await self.pool.execute(
            "INSERT INTO users (id, organisation_id, email) VALUES ($1, $2, $3)",
            self.user,
            self.organisation,
            f"{self.user}@example.com",
        )

    async def sets(self, **settings: Any) -> None:
        """What the organisation sets up, by name."""
        for name, value in settings.items():
            await self.pool.execute(
                "INSERT INTO settings (organisation_id, name, value) VALUES ($1, $2, $3)",
                self.organisation,
                name,
                msgspec.json.encode(value).decode(),
            )
        self.config.changed(self.organisation)

    async def offers(self, *names: str) -> None:
        """Models that chats may name, all played by the simulator."""
        await offer_demo(self.pool, self.organisation, self.models.url)
        for name in names:
            await self.pool.execute(
                "INSERT INTO model_settings (organisation_id, name, model, provider_id, options) "
                "SELECT organisation_id, $2, $2, provider_id, options FROM model_settings "
                "WHERE organisation_id = $1 LIMIT 1",
                self.organisation,
                name,
            )
        self.config.changed(self.organisation)

    def says(self, text: str, *, model: str | None = None) -> NewMessage:
        return NewMessage(
            role=Role.USER, parts=(Text(text),), created_by=self.user, model=ModelName(model) if model else None
        )

    async def someone_asks(
        self, text: str, *, model: str | None = None, chat_id: ChatId | None = None, **card: Any
    ) -> ChatId:
        """A new chat, taken by this replica in the same commit."""
        chat_id = chat_id or ChatId(uuid4())
        new = NewCard(organisation_id=self.organisation, owner_id=self.user, title=text[:40], model=model, **card)
        owner = self.worker.runners.take(self.user)
        assert owner is not None
        transitions = [Create((self.says(text, model=model),)), Acquire(owner), RecordGenerationAttempt()]
        committed = await self.machine.create(chat_id, new, transitions)
        self.worker.runners.taken(committed, owner)
        return chat_id

    async def someone_waits(self, text: str) -> ChatId:
        """A new chat that nobody has taken."""
        chat_id = ChatId(uuid4())
        new = NewCard(organisation_id=self.organisation, owner_id=self.user, title=text[:40])
        await self.machine.create(chat_id, new, [Create((self.says(text),))])
        return chat_id

    async def someone_adds(self, chat_id: ChatId, text: str, busy: Busy = Busy.QUEUE) -> Committed:
        owner = self.worker.runners.take(self.user)
        assert owner is not None

        def bundle(chat: Chat) -> list[Any]:
            send = SendMessage(self.says(text), busy)
            idle = chat.status in AT_REST and not chat.owned
            return [send, Acquire(owner), RecordGenerationAttempt()] if idle else [send]

        committed = await self.machine.change_by(chat_id, bundle)
        self.worker.runners.taken(committed, owner)
        return committed

    async def until(self, chat_id: ChatId, condition: Callable[[Chat], bool], *, patience: float = PATIENCE) -> Chat:
        """The chat once it is as hoped for, and everybody here was told so: a row is seen before its commit returns."""
        moved = asyncio.Event()
        stop = self.announcer.follow(lambda committed: moved.set() if committed.chat.id == chat_id else None)
        try:
            async with asyncio.timeout(patience):
                while True:
                    moved.clear()
                    chat = await self.machine.load(chat_id)
                    if condition(chat):
                        await self.machine.settled()
                        return chat
                    await moved.wait()
        finally:
            stop()

    async def shows(self, chat_id: ChatId, wanted: Callable[[Piece], bool] = lambda _: True) -> Episode:
        """The chat's answer in flight, once a part like this is seen of it."""
        moved = asyncio.Event()
        stop = self.episodes.follow(chat_id, lambda _: moved.set())
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    moved.clear()
                    episode = self.episodes.of(chat_id)
                    if episode is not None and any(wanted(piece) for piece in episode.parts_since(0)):
                        return episode
                    await moved.wait()
        finally:
            stop()

    async def comes_to_rest(self, chat_id: ChatId) -> Chat:
        return await self.until(chat_id, lambda chat: chat.status in AT_REST)

    async def messages(self, chat_id: ChatId) -> tuple[Message, ...]:
        return (await load_history(self.pool, chat_id)).messages

    async def said(self, chat_id: ChatId) -> list[str]:
        """The conversation as words: what was said, called and answered."""
        return [
            word
            for message in await self.messages(chat_id)
            if message.kind is Kind.ORDINARY
            for word in _words(message)
        ]

    worker: Worker
    lease: Lease


def _words(message: Message) -> list[str]:
    words: list[str] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                words.append(text)
            case ToolCall(tool=tool, args=args):
                words.append(f"{tool}({args})")
            case ToolResult(tool=tool, result=result, is_error=is_error):
                words.append(f"{tool}{' failed' if is_error else ''}: {result}")
            case _:
                pass
    return words


@asynccontextmanager
async def open_replica(
    url: str,
    pool: "Pool[Record]",
    sim_url: str,
    *,
    clock: Clock | None = None,
    limits: Limits = AT_ONCE,
    capacity: Capacity | None = None,
    **models: Any,
) -> AsyncGenerator[InProcessReplica]:
    """A replica that lives as long as the block."""
    clock, measures = clock or SystemClock(), Measures()
    async with ProviderClient(SystemClock(), watchers=[CallMeter(measures.calls, clock)]) as client:
        replica = InProcessReplica(pool, SimulatedModels(sim_url, **models), client, clock, measures)
        await replica.move_in()
        lease = Lease(lambda: connect(url), SystemClock(), version="test", capacity=200)
        replica.lease = lease
        replica.worker = Worker(
            replica.kit, lease, pool, replica.announcer, replica.bus, capacity=capacity, limits=limits
        )
        await lease.start()
        running = asyncio.create_task(replica.worker.run())
        try:
            yield replica
        finally:
            await replica.worker.drain()
            running.cancel()
            await asyncio.wait({running})
