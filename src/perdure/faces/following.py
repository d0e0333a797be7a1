"""One turn of a chat, followed from its beginning: what is committed, then what comes."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from perdure.access.chats import Chats
from perdure.core.action import ActionKind
from perdure.core.chat import Status
from perdure.core.cursor import Cursor
from perdure.core.events import (
    ActionRequired,
    AnyEvent,
    ErrorEvent,
    HistoryReset,
    MessageEvent,
    MessagePart,
    PreviewReset,
    StatusEvent,
)
from perdure.core.failure import ChatError
from perdure.core.ids import ChatId
from perdure.core.message import Message, ToolResult
from perdure.core.public import public_message
from perdure.faces.turn import Ended, Outcome, TurnEvent, TurnLog, outcome_after
from perdure.stream.batches import Batch
from perdure.stream.hubs import Hubs

DECIDED = frozenset({ActionKind.APPROVAL, ActionKind.OUTCOME_UNKNOWN, ActionKind.ELICITATION, ActionKind.BUDGET})
"""What a person is asked."""
_PAGE = 200


class TurnFeed:
    """The events of the turn that answers message `after`, batch by batch, until it is over."""

    def __init__(self, chats: Chats, hubs: Hubs, chat_id: ChatId, after: int, own_tools: frozenset[str]) -> None:
        self._chats = chats
        self._hubs = hubs
        self._chat_id = chat_id
        self._after = after
        self._own_tools = own_tools
        """Tools of the client, whose results begin a turn of their own for whoever follows."""
        self._log = TurnLog(after)
        self._state = _State()

    async def batches(self) -> AsyncIterator[list[TurnEvent]]:
        """Ends with `Ended`. Raises `stream.subscription.Ended` where the stream is cut before that."""
        seen = await self._chats.read(self._chat_id)
        events = await self._history()
        yield events
        if _over(events):
            return
        async with AsyncExitStack() as stack:
            cursor = Cursor.parse(seen.cursor_after(seen.chat))
            subscription = await stack.enter_async_context(self._hubs.follow(self._chat_id, cursor))
            while True:
                events = self._taken(await subscription.next())
                if events:
                    yield events
                if _over(events):
                    return

    async def now(self) -> list[TurnEvent]:
        """What is committed of the turn, and its end if it is over."""
        seen = await self._chats.read(self._chat_id)
        events = await self._history()
        if _over(events):
            return events
        chat = seen.chat
        self._state.status, self._state.error = chat.status, chat.last_error
        self._state.action = None if chat.action is None else chat.action.kind
        ended = self._state.ended(self._log.last)
        return [*events, ended] if ended is not None else events

    def pausing(self, kinds: frozenset[ActionKind] = DECIDED) -> "TurnFeed":
        """The same for somebody who would rather be told that a decision of these kinds is needed than wait for it."""
        self._state.pauses = kinds
        return self

    async def _history(self) -> list[TurnEvent]:
        """What is committed of the turn."""
        events: list[TurnEvent] = []
        number = self._after
        while page := await self._chats.oldest(self._chat_id, after=number, limit=_PAGE):
            for message in page:
                events += self._message(public_message(message))
                if _over(events):
                    return events
            number = page[-1].number
        return events

    def _taken(self, batch: Batch) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        for event in batch.events:
            # A watch has other events; a chat's stream has these.
            events += self._event(event)  # pyright: ignore[reportArgumentType]
            if _over(events):
                return events
        ended = self._state.ended(self._log.last)
        return [*events, ended] if ended is not None else events

    def _event(self, event: AnyEvent) -> list[TurnEvent]:
        match event:
            case MessagePart(part=part):
                return self._log.arrived(part)
            case MessageEvent(message=message):
                return self._message(message)
            case PreviewReset():
                self._log.forget()
            case HistoryReset(after=after) if after < self._after:
                return [Ended(Outcome.REPLACED)]
            case StatusEvent(status=status):
                self._state.status = status
            case ErrorEvent(error=error):
                self._state.error = error
            case ActionRequired(action=action):
                self._state.action = None if action is None else action.kind
            case _:
                pass
        return []

    def _message(self, message: Message) -> list[TurnEvent]:
        if self._log.begins_another(message):
            return [Ended(outcome_after(self._log.last))]
        if message.number > self._after and self._brings_results(message):
            return [Ended(Outcome.CALLS)]
        return list(self._log.committed(message))

    def _brings_results(self, message: Message) -> bool:
        return any(isinstance(part, ToolResult) and part.tool in self._own_tools for part in message.parts)


class _State:
    """Where the chat stands, as far as the stream told."""

    status: Status | None = None
    error: ChatError | None = None
    action: ActionKind | None = None
    pauses: frozenset[ActionKind] = frozenset()

    def ended(self, last: Message | None) -> Ended | None:
        match self.status:
            case Status.WAITING:
                return Ended(outcome_after(last))
            case Status.ERROR:
                return Ended(Outcome.FAILED, self.error)
            case Status.REQUIRES_ACTION if self.action is ActionKind.CLIENT_TOOL:
                return Ended(Outcome.CALLS)
            case Status.REQUIRES_ACTION if self.action in self.pauses:
                return Ended(Outcome.ASKS)
            case _:
                return None


def _over(events: list[TurnEvent]) -> bool:
    return bool(events) and isinstance(events[-1], Ended)
