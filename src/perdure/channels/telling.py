"""Telling a channel what happened in the chats of its threads: an answer, a failure, a call that waits."""

from collections.abc import Awaitable, Callable, Mapping

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.channels.github import post_github
from perdure.channels.heard import mark
from perdure.channels.post import Ask, Out, Told
from perdure.channels.slack import post_slack
from perdure.config.triggers import Channel, read_trigger
from perdure.core.card import ChatSource
from perdure.core.chat import ActionKind
from perdure.core.errors import PerdureError
from perdure.core.message import Role
from perdure.core.public import shown_text
from perdure.store.pool import Pool
from perdure.store.tables import channels
from perdure.store.tables.webhooks import TakenEvent
from perdure.triggers.admission import Admission, Occasion
from perdure.worker.webhooks import Http

POSTERS: Mapping[Channel, Callable[[Out, Told, Http], Awaitable[tuple[int | None, str]]]] = {
    Channel.GITHUB: post_github,
    Channel.SLACK: post_slack,
}
EVENTS = ("chat.finished", "chat.failed", "chat.needs_you")
_LOOKED_AT = 20
_NOTHING = 204
_GONE, _MISSING = 410, 404


class Telling:
    """Posts what the outbox holds for a channel. It reads the chat as its owner, as any client would."""

    def __init__(self, pool: Pool, admission: Admission) -> None:
        self._pool = pool
        self._admission = admission

    async def tell(self, event: TakenEvent, credential: str, http: Http) -> tuple[int | None, str]:
        """What the channel answered, and why it did not take it."""
        found = await channels.place(self._pool, event.webhook_id, event.chat_id)
        if found is None or event.thread is None:
            return _NOTHING, "The chat is gone."
        occasion = Occasion("", ChatSource.TRIGGER, found.owner_id, found.organisation_id, found.role)
        try:
            told = await self._said(self._admission.caller(occasion), event)
        except PerdureError as error:
            return None, str(error)
        if told is None:
            return _NOTHING, ""
        channel = read_trigger(found.options).channel
        assert channel is not None
        again = event.attempts > 1
        out = Out(event.name.hex, event.url, credential, event.thread, again, event.created_at)
        status, detail = await POSTERS[channel](out, told, http)
        # A webhook that answers so is switched off; an issue that is gone is one of many.
        return (_MISSING if status == _GONE else status), detail

    async def _said(self, caller: Caller, event: TakenEvent) -> Told | None:
        assert event.chat_id is not None
        seen = await caller.chats.read(event.chat_id)
        match event.event:
            case "chat.finished":
                return await _answer(caller, event)
            case "chat.failed":
                error = seen.chat.last_error
                return None if error is None else Told(f"It stopped on an error: {error.message}")
            case _:
                return await _asked(caller, seen)


async def _answer(caller: Caller, event: TakenEvent) -> Told | None:
    assert event.chat_id is not None
    before = None if event.number is None else event.number + 1
    found = await caller.chats.newest(event.chat_id, before=before, after=None, limit=_LOOKED_AT)
    for message in found:
        if message.role is Role.USER:
            return None
        if message.role is Role.ASSISTANT and (text := shown_text(message.parts).strip()):
            return Told(text)
    return None


async def _asked(caller: Caller, seen: Seen) -> Told | None:
    """What waits for a decision now. What was decided meanwhile asks for nothing."""
    action, waiting = seen.chat.action, await caller.chats.action(seen)
    if action is None or waiting is None:
        return None
    if action.kind is not ActionKind.APPROVAL:
        return Told("The agent waits for an answer. Open the chat in Perdure to give it.")
    asks = tuple(
        Ask(call.tool, call.args, mark(seen.chat.last_assistant, index))
        for index, call in zip(action.calls, waiting.calls, strict=True)
        if call.decision is None
    )
    return Told("The agent asks for an approval.", asks) if asks else None
