"""Results of tools that ran at the client's: hooks are asked about them as about any other."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import msgspec
from msgspec import structs

from perdure.access.chats import Seen
from perdure.agent.notices import WITHHELD, rows
from perdure.api.caller import Caller
from perdure.config.hooks import HookEvent
from perdure.core.action import ActionKind
from perdure.core.commit import Commit
from perdure.core.message import ToolCall
from perdure.machine.transitions import CompleteRequiresAction, Outcome
from perdure.tools.hooks.hooks import Hooks
from perdure.tools.hooks.messages import Subject, Verdict

T = TypeVar("T")


async def completed(caller: Caller, seen: Seen, outcomes: list[Outcome], answer: Callable[[Commit], T]) -> T:
    """Answer the calls of a client's own tools that are pending: exactly those."""
    complete = CompleteRequiresAction(
        outcomes=outcomes, by=caller.actor.author, expected=frozenset({ActionKind.CLIENT_TOOL})
    )
    caller.changes.allowed(seen, complete)
    return await caller.changes.follow(seen, await heard(caller, seen, complete), answer=answer)


async def heard(caller: Caller, seen: Seen, complete: CompleteRequiresAction) -> CompleteRequiresAction:
    """The results as hooks leave them, and what they add. Raises HookDispatchFailed: then nothing is stored."""
    hooks = caller.services.hooks
    if not await hooks.listening(caller.actor.organisation_id, HookEvent.POST_TOOL_USE):
        return complete
    calls = await _calls(caller, seen)
    asked = (_about(hooks, caller, seen, outcome, calls[outcome.call_id]) for outcome in complete.outcomes)
    verdicts = await asyncio.gather(*asked)
    return structs.replace(
        complete,
        outcomes=[_left(outcome, verdict) for outcome, verdict in zip(complete.outcomes, verdicts, strict=True)],
        suffix=tuple(row for verdict in verdicts for row in rows(verdict)),
    )


async def _calls(caller: Caller, seen: Seen) -> dict[str, ToolCall]:
    chat = seen.chat
    found = await caller.chats.newest(chat.id, before=chat.last_assistant + 1, after=None, limit=1)
    return {part.call_id: part for message in found for part in message.parts if isinstance(part, ToolCall)}


async def _about(hooks: Hooks, caller: Caller, seen: Seen, outcome: Outcome, call: ToolCall) -> Verdict:
    chat, actor = seen.chat, caller.actor
    subject = Subject(
        organisation_id=actor.organisation_id, owner_id=actor.user_id, chat_id=chat.id, turn=int(chat.turn)
    )
    payload = {
        "tool": call.tool,
        "call_id": call.call_id,
        "arguments": call.args,
        "output": outcome.output,
        "is_error": outcome.is_error,
    }
    return await hooks.ask(HookEvent.POST_TOOL_USE, subject, payload, tool=call.tool)


def _left(outcome: Outcome, verdict: Verdict) -> Outcome:
    if verdict.denied is None:
        return outcome
    text = msgspec.json.encode(WITHHELD.format(verdict.denied)).decode()
    return Outcome(outcome.call_id, text, is_error=True)
