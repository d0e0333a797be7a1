"""One replica inside the test's own process: real database, real HTTP to a simulator, the rest as in production."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from perdure.app.assembly import assemble
from perdure.app.replica import Replica
from perdure.config.demo import offer_demo
from perdure.core.card import NewCard
from perdure.core.chat import AT_REST, Busy, Chat
from perdure.core.commit import Commit
from perdure.core.ids import ChatId, ModelName, UserId
from perdure.core.message import Kind, Message, NewMessage, Role, Text, ToolCall, ToolResult
from perdure.core.timing import Clock, SystemClock
from perdure.live.episodes import Episode, Piece
from perdure.machine.change import Owner
from perdure.machine.transitions import Acquire, Create, RecordGenerationAttempt, SendMessage
from perdure.settings import Settings
from perdure.store.histories import load_history
from perdure.store.pool import Pool
from perdure.testing.fakes import SECRET, Chosen, SimulatedModels
from perdure.testing.metric_reader import MetricReader
from perdure.testing.pgbouncer import listen_url, prepares
from perdure.testing.workspace_folder import workspace_folder
from perdure.worker.capacity import Capacity
from perdure.worker.draining import Limits

PATIENCE = 60
AT_ONCE = Limits(timedelta(), timedelta())


class InProcessReplica:
    """A replica, its model and somebody who talks to it."""

    def __init__(self, replica: Replica, chosen: Chosen, folder: Path) -> None:
        foundation, workers = replica.foundation, replica.workers
        self.replica = replica
        self.folder = folder
        """Where its workspaces are."""
        self.pool = foundation.pool
        self.measures = foundation.measures
        self.clock = foundation.clock
        self.bus = foundation.pubsub
        self.announcer = foundation.announcer
        self.config = foundation.config
        self.machine = foundation.machine
        self.numbers = MetricReader(foundation.measures.metrics)
        self.worker = workers.worker
        self.lease = workers.lease
        self.runner_services = workers.runner_services
        self.episodes = workers.runner_services.episodes
        self.tool_services = workers.tools.services
        self.shipped = workers.tools.toolbox
        """The tools that a deployment offers."""
        self.models = chosen.models
        self.tools = chosen.tools
        self.sources = chosen.sources
        self.servers = chosen.servers
        self.organisation = foundation.account.organisation
        self.user = foundation.account.owner

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
        card.setdefault("owner_id", self.user)
        new = NewCard(organisation_id=self.organisation, title=text[:40], model=model, **card)
        owner = await self._owner(card["owner_id"])
        said = msgspec.structs.replace(self.says(text, model=model), created_by=card["owner_id"])
        transitions = [Create((said,)), Acquire(owner), RecordGenerationAttempt()]
        committed = await self.machine.create(chat_id, new, transitions)
        self.worker.runners.taken(committed, owner)
        return chat_id

    async def _owner(self, user: UserId) -> Owner:
        """A place for a chat, once the lease is held: a busy machine may renew it late."""
        await self.lease.held()
        owner = self.worker.runners.take(user)
        assert owner is not None
        return owner

    async def someone_waits(self, text: str) -> ChatId:
        """A new chat that nobody has taken."""
        chat_id = ChatId(uuid4())
        new = NewCard(organisation_id=self.organisation, owner_id=self.user, title=text[:40])
        await self.machine.create(chat_id, new, [Create((self.says(text),))])
        return chat_id

    async def someone_adds(self, chat_id: ChatId, text: str, busy: Busy = Busy.QUEUE) -> Commit:
        owner = await self._owner(self.user)

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
    pool: Pool,
    sim_url: str,
    *,
    clock: Clock | None = None,
    limits: Limits = AT_ONCE,
    capacity: Capacity | None = None,
    **models: Any,
) -> AsyncGenerator[InProcessReplica]:
    """A replica that lives as long as the block."""
    chosen, room = Chosen(models=SimulatedModels(sim_url, **models)), capacity or Capacity()
    with tempfile.TemporaryDirectory(prefix="perdure-replica-") as name:
        settings = Settings(
            database_url=url,
            listen_url=listen_url(url),
            prepared_statements=prepares(url),
            data_dir=Path(name),
            secret_key=(SECRET,),
            capacity=room.chats,
            capacity_per_user=room.per_user,
        )
        parts = chosen.parts(pool, clock or SystemClock(), limits)
        async with (
            workspace_folder(pool, settings.data_dir / "workspaces") as folder,
            assemble(settings, parts=parts) as replica,
        ):
            try:
                yield InProcessReplica(replica, chosen, folder)
            finally:
                await replica.workers.worker.drain()
