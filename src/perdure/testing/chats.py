"""Chats in any state, brought there by the machine itself: what tests start from."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from perdure.core.action import ActionKind, CallKind
from perdure.core.card import NewCard
from perdure.core.chat import Chat, State
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.ids import ChatId, ReplicaId, RunnerId, UserId
from perdure.core.message import NewMessage, Role, Text, ToolCall, ToolResult
from perdure.machine.change import Owner
from perdure.machine.machine import Machine
from perdure.machine.transitions import (
    CommitStep,
    Create,
    EnterRequiresAction,
    FinishError,
    FinishTurn,
    Interrupt,
    SendMessage,
    SetArchived,
    Transition,
)

FAILURE = ChatError("The model is out of order.", ErrorKind.OVERLOADED)
KINDS = {"ask_page": CallKind.CLIENT, "wait": CallKind.CHILDREN}
READ = ToolCall("read", "read_file", "{}")
ASK = ToolCall("ask", "ask_page", "{}")
WAIT = ToolCall("wait", "wait", "{}")
WRITE = ToolCall("write", "write_file", "{}")
SEARCH = ToolCall("search", "web_search", "{}", provider_executed=True)


def said(text: str, by: UserId) -> NewMessage:
    """What a user says."""
    return NewMessage(role=Role.USER, parts=(Text(text),), created_by=by)


def answered(*parts: Text | ToolCall | ToolResult) -> NewMessage:
    """What a model says."""
    return NewMessage(role=Role.ASSISTANT, parts=parts)


def resulted(call: ToolCall, result: str = "done") -> NewMessage:
    """What a tool says."""
    return NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, result),))


def somebody() -> Owner:
    """An owner that nobody else is."""
    return Owner(ReplicaId(uuid4()), RunnerId(uuid4()))


class Chats:
    """Makes chats of one owner. Their last answer asks for a file, for the page, and has searched the web itself."""

    def __init__(self, machine: Machine, *, organisation_id: UUID, user_id: UserId) -> None:
        self.machine = machine
        self.user_id = user_id
        self._organisation_id = organisation_id

    def card(self, **fields: object) -> NewCard:
        made = {"organisation_id": self._organisation_id, "owner_id": self.user_id, "title": "A chat", **fields}
        return NewCard(**made)  # pyright: ignore[reportArgumentType]

    async def created(self, *transitions: Transition, **card: object) -> Chat:
        """A chat that was told hello, after these transitions."""
        begun = Create((said("hello", self.user_id),))
        committed = await self.machine.create(ChatId(uuid4()), self.card(**card), [begun])
        return await self.after(committed.chat, transitions)

    async def after(self, chat: Chat, transitions: Sequence[Transition]) -> Chat:
        """The chat after these transitions, each in a commit of its own."""
        for transition in transitions:
            chat = (await self.machine.change(chat.id, transition)).chat
        return chat

    async def at_rest(self, **card: object) -> Chat:
        """A chat whose one question is answered."""
        return await self.created(CommitStep(messages=(answered(Text("hi")),), continues=False), FinishTurn(), **card)

    async def in_state(self, state: State, *, queued: Sequence[str] = ("first", "second")) -> Chat:
        """A chat in this state, with open calls in its last answer, and with these messages waiting where some do."""
        asks = CommitStep(messages=(answered(READ, SEARCH, ASK),), continues=False, call_kinds=KINDS)
        return await self.created(asks, *self._waiting(state, queued), *_LAST[state])

    async def quiet(self, state: State, *, queued: Sequence[str] = ("first", "second")) -> Chat:
        """A chat in this state whose last answer asks for nothing."""
        says = CommitStep(messages=(answered(Text("hi")),), continues=False)
        return await self.created(says, *self._waiting(state, queued), *_LAST[state])

    async def parked(self, call: ToolCall, kind: ActionKind, *more: ToolCall, queued: Sequence[str] = ()) -> Chat:
        """A chat that waits for answers of this kind to the calls of its last answer."""
        asks = CommitStep(messages=(answered(call, *more),), call_kinds=KINDS)
        parks = EnterRequiresAction(kind, deadline=timedelta(minutes=1))
        return await self.created(asks, *self._sent(queued), parks)

    def _waiting(self, state: State, queued: Sequence[str]) -> list[SendMessage]:
        return self._sent(queued) if state.value.endswith("1") else []

    def _sent(self, texts: Sequence[str]) -> list[SendMessage]:
        return [SendMessage(said(text, self.user_id)) for text in texts]


_LAST: dict[State, tuple[Transition, ...]] = {
    State.W: (FinishTurn(),),
    State.E0: (FinishError(FAILURE),),
    State.E1: (FinishError(FAILURE),),
    State.R0: (),
    State.R1: (),
    State.I0: (Interrupt(),),
    State.I1: (Interrupt(),),
    State.A0: (EnterRequiresAction(deadline=timedelta(minutes=1)),),
    State.A1: (EnterRequiresAction(deadline=timedelta(minutes=1)),),
    State.XW: (FinishTurn(), SetArchived(archived=True)),
    State.XE0: (FinishError(FAILURE), SetArchived(archived=True)),
    State.XE1: (FinishError(FAILURE), SetArchived(archived=True)),
}
