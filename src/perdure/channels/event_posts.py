"""The post that an event makes: read from the chat as any client would."""

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.channels.inbound import mark
from perdure.channels.posts import PendingCall, Post
from perdure.core.action import ActionKind
from perdure.core.message import Role
from perdure.core.public import shown_text
from perdure.store.tables.webhooks import TakenEvent

_LOOKED_AT = 20


async def post_for(caller: Caller, event: TakenEvent) -> Post | None:
    """None where there is nothing to say."""
    assert event.chat_id is not None
    seen = await caller.chats.read(event.chat_id)
    match event.event:
        case "chat.finished":
            return await _answer(caller, event)
        case "chat.failed":
            error = seen.chat.last_error
            return None if error is None else Post(f"It stopped on an error: {error.message}")
        case _:
            return await _asked(caller, seen)


async def _answer(caller: Caller, event: TakenEvent) -> Post | None:
    assert event.chat_id is not None
    before = None if event.number is None else event.number + 1
    found = await caller.chats.newest(event.chat_id, before=before, after=None, limit=_LOOKED_AT)
    for message in found:
        if message.role is Role.USER:
            return None
        if message.role is Role.ASSISTANT and (text := shown_text(message.parts).strip()):
            return Post(text)
    return None


async def _asked(caller: Caller, seen: Seen) -> Post | None:
    """What waits for a decision now. What was decided meanwhile asks for nothing."""
    action, waiting = seen.chat.action, await caller.chats.action(seen)
    if action is None or waiting is None:
        return None
    if action.kind is not ActionKind.APPROVAL:
        return Post("The agent waits for an answer. Open the chat in Perdure to give it.")
    asks = tuple(
        PendingCall(call.tool, call.args, mark(seen.chat.last_assistant, index))
        for index, call in zip(action.calls, waiting.calls, strict=True)
        if call.decision is None
    )
    return Post("The agent asks for an approval.", asks) if asks else None
