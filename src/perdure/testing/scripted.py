"""Chats whose turns a test plays by hand: through the real machine, with real rows and real episodes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self
from uuid import uuid4

from perdure.core.card import NewCard
from perdure.core.chat import Busy, Chat
from perdure.core.commit import Commit
from perdure.core.deltas import AnyDelta, TextDelta
from perdure.core.ids import ChatId, MessageNumber, OrganisationId, ReplicaId, RunnerId, UserId
from perdure.core.message import AnyPart, NewMessage, Role, Text
from perdure.live.episodes import Episode, EpisodeKey, Episodes
from perdure.machine.announcer import Announcer
from perdure.machine.change import Owner
from perdure.machine.machine import Machine
from perdure.machine.transitions import (
    Acquire,
    CommitStep,
    Create,
    EditMessage,
    FinishTurn,
    RecordGenerationAttempt,
    SendMessage,
    Transition,
)
from perdure.store.execution import Execution
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus, Pubsub


@dataclass
class ScriptedChats:
    """Chats that a test drives by hand: one replica's machine and episodes, and somebody who owns them."""

    machine: Machine
    announcer: Announcer
    pubsub: Pubsub
    pool: Pool
    organisation_id: OrganisationId
    user_id: UserId
    episodes: Episodes = field(default_factory=Episodes)
    replica_id: ReplicaId = field(default_factory=lambda: ReplicaId(uuid4()))

    @classmethod
    async def set_up(cls, pool: Pool, pubsub: Pubsub | None = None) -> Self:
        """In an empty database."""
        organisation = await pool.fetchval("INSERT INTO organisations (name) VALUES ('Example') RETURNING id")
        user = await pool.fetchval(
            "INSERT INTO users (organisation_id, email) VALUES ($1, $2) RETURNING id",
            organisation,
            f"{uuid4().hex}@example.com",
        )
        return cls.beside(pool, organisation, user, pubsub)

    @classmethod
    def beside(cls, pool: Pool, organisation_id: OrganisationId, user_id: UserId, pubsub: Pubsub | None = None) -> Self:
        """On another replica, in the same database."""
        bus = pubsub or LocalBus()
        announcer = Announcer(bus)
        return cls(Machine(Execution(pool), announcer), announcer, bus, pool, organisation_id, user_id)

    async def create(self, text: str = "hello") -> "ScriptedChat":
        """A chat that runs on its first message."""
        card = NewCard(organisation_id=self.organisation_id, owner_id=self.user_id, title="A chat")
        committed = await self.machine.create(ChatId(uuid4()), card, [Create((self.says(text),))])
        return ScriptedChat(self, committed.chat)

    def says(self, text: str) -> NewMessage:
        return NewMessage(role=Role.USER, parts=(Text(text),), created_by=self.user_id)


class ScriptedChat:
    """A chat, and what a user and a worker do to it."""

    def __init__(self, scripted: ScriptedChats, chat: Chat) -> None:
        self.scripted = scripted
        self.chat = chat

    @property
    def id(self) -> ChatId:
        return self.chat.id

    async def follows(self, *transitions: Transition) -> Commit:
        committed = await self.scripted.machine.change(self.id, *transitions)
        self.chat = committed.chat
        return committed

    async def attempt(self) -> Episode:
        """A worker starts, or starts again, to answer."""
        begin: list[Transition] = [RecordGenerationAttempt()]
        if not self.chat.owned:
            begin.insert(0, Acquire(Owner(self.scripted.replica_id, RunnerId(uuid4()))))
        await self.follows(*begin)
        return self.scripted.episodes.open(self.key)

    @property
    def key(self) -> EpisodeKey:
        return EpisodeKey(self.id, self.chat.history_version, self.chat.generation_attempt)

    async def commit(self, *parts: AnyPart, ends: bool = True) -> Commit:
        """The answer is complete."""
        key = self.key
        step = CommitStep(messages=(NewMessage(role=Role.ASSISTANT, parts=parts),), continues=not ends)
        committed = await self.follows(step, *([FinishTurn()] if ends else []))
        self.scripted.episodes.close(key)
        return committed

    async def answer(self, text: str = "hi", *, pieces: int = 3) -> Commit:
        """A whole turn, streamed in pieces."""
        episode = await self.attempt()
        size = max(1, len(text) // pieces)
        for start in range(0, len(text), size):
            episode.add(Role.ASSISTANT, texts(text[start : start + size]))
        return await self.commit(Text(text))

    async def send(self, text: str, busy: Busy = Busy.QUEUE) -> Commit:
        return await self.follows(SendMessage(self.scripted.says(text), busy))

    async def edit(self, number: int, text: str) -> Commit:
        committed = await self.scripted.machine.edit(
            self.id,
            MessageNumber(number),
            lambda target: lambda _: [EditMessage(target, self.scripted.says(text))],
        )
        self.chat = committed.chat
        return committed


def texts(*pieces: str) -> Sequence[AnyDelta]:
    return [TextDelta(0, piece) for piece in pieces]
