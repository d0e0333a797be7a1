"""Calls that ask a person before they are carried out: noted, and made again with the answers by whoever lives."""

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.core.errors import RunLost
from perdure.tools.call import CallContext, CallQuestion, InputNeeded
from perdure.tools.mcp.answering import questions_for_people
from perdure.tools.mcp.messages import Asked, Brought, Refusal

LARGEST = 256 * 1024
_LOST = "The server was given the answers, and nobody knows what came of the call. It may or may not have been done."


class AskedCall(Struct, frozen=True, kw_only=True, tag="asked", forbid_unknown_fields=True):
    """Where a call stands, as the journal keeps it."""

    round: int
    questions: tuple[CallQuestion, ...]
    """Each with the round in its key: a server may ask under the same one again."""
    state: str | None
    sent: bool = False
    """Whether it was made again. What is asked once more is another round."""


def asked_call(handle: str) -> AskedCall | None:
    """The call that a handle is about. None where it is a task's."""
    try:
        return msgspec.json.decode(handle, type=AskedCall)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


async def put(ctx: CallContext, asked: Asked, before: AskedCall | None) -> bool:
    """Note what a call asks, and ask it. False where a person cannot answer it."""
    number = 0 if before is None else before.round + 1
    questions = questions_for_people(asked.questions)
    if not questions:
        return False
    named = tuple(CallQuestion(f"{number}.{one.key}", one.message, one.schema, one.url) for one in questions)
    call = AskedCall(round=number, questions=named, state=asked.state)
    await _note(ctx, call)
    raise InputNeeded(named)


async def brought(ctx: CallContext, call: AskedCall, *, repeatable: bool) -> Brought:
    """What to make the call again with. Raises InputNeeded where nobody has answered yet."""
    answers: dict[str, Any] = msgspec.json.decode(ctx.answers) if ctx.answers else {}
    if any(question.key not in answers for question in call.questions):
        # Whoever was told of the questions is gone, before they were put to a person.
        raise InputNeeded(call.questions)
    if not call.sent:
        await _note(ctx, replace(call, sent=True))
    elif not repeatable:
        raise RunLost(_LOST)
    start = len(f"{call.round}.")
    return Brought({question.key[start:]: answers[question.key] for question in call.questions}, call.state)


async def _note(ctx: CallContext, call: AskedCall) -> None:
    handle = msgspec.json.encode(call).decode()
    if len(handle) > LARGEST:
        raise Refusal("it asks for more than can be kept")
    await ctx.handed(handle)
