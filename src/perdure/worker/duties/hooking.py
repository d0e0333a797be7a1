"""What hooks have to say about a step: calls denied or rewritten, rows added, an ending put off."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import structs

from perdure.agent.attempt_output import interrupted
from perdure.agent.history import History
from perdure.agent.hooked import WITHHELD, rows
from perdure.agent.notices import notice
from perdure.config.hooks import HookEvent
from perdure.core.errors import HookDispatchFailed, ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import FinishReason, Kind, NewMessage, Role
from perdure.core.parts import AnyPart, Text, ToolCall, ToolResult
from perdure.tools.arguments import decoded, is_json_object
from perdure.tools.hooks.speech import Subject, Verdict
from perdure.worker.owned_chat import OwnedChat

NOT_RUN = "Nothing was run, because a hook that must agree could not be asked."
GO_ON = "Do not stop yet."


@dataclass(frozen=True, slots=True)
class Hooked:
    """The messages of a step as hooks leave them, and what ends the turn, if anything does."""

    messages: tuple[NewMessage, ...]
    failure: ChatError | None = None


async def before_tools(owned: OwnedChat, messages: tuple[NewMessage, ...]) -> Hooked:
    """Ask about every call of an answer before it is committed; and about the end of the turn where there is none."""
    history = await owned.history()
    calls = [part for part in messages[0].parts if isinstance(part, ToolCall) and _asked_about(part)]
    if not await _anybody(owned, history, HookEvent.PRE_TOOL_USE, HookEvent.STOP):
        return Hooked(messages)
    if not calls:
        return await _at_the_end(owned, history, messages)
    try:
        verdicts = await asyncio.gather(*(_about_call(owned, history, call) for call in calls))
    except HookDispatchFailed as error:
        answers = tuple(
            interrupted(call.call_id, call.tool, now=owned.services.clock.now(), text=NOT_RUN) for call in calls
        )
        return Hooked((*messages, *answers), failed(error))
    return Hooked(_decided(owned, messages, dict(zip([call.call_id for call in calls], verdicts, strict=True))))


async def after_tools(owned: OwnedChat, results: Sequence[NewMessage]) -> Hooked:
    """Ask about results. What hooks add follows them in the same commit."""
    history = await owned.history()
    if not await _anybody(owned, history, HookEvent.POST_TOOL_USE):
        return Hooked(tuple(results))
    inputs = {call.call_id: call.args for call in history.calls(owned.chat.last_assistant)}
    try:
        verdicts = await asyncio.gather(*(_about_result(owned, history, result, inputs) for result in results))
    except HookDispatchFailed as error:
        return Hooked(tuple(results), failed(error))
    left = tuple(_withheld(result, verdict) for result, verdict in zip(results, verdicts, strict=True))
    return Hooked((*left, *(row for verdict in verdicts for row in rows(verdict))))


async def around_compaction(owned: OwnedChat, event: HookEvent, payload: dict[str, Any]) -> Verdict:
    """What hooks say before or after a compaction. They guide it; they do not forbid it."""
    history = await owned.history()
    try:
        return await _ask(owned, history, event, payload)
    except HookDispatchFailed as error:
        raise ProviderFailure(failed(error)) from error


def failed(error: HookDispatchFailed) -> ChatError:
    return ChatError(str(error), ErrorKind.HOOK_DISPATCH_FAILED, retryable=True)


async def _at_the_end(owned: OwnedChat, history: History, messages: tuple[NewMessage, ...]) -> Hooked:
    """Whether the turn may end. It can be put off once."""
    answer = messages[0]
    ends = answer.role is Role.ASSISTANT and answer.kind is Kind.ORDINARY and answer.finish_reason is FinishReason.STOP
    if not ends or history.prodded(owned.chat.turn):
        return Hooked(messages)
    text = "".join(part.text for part in answer.parts if isinstance(part, Text))
    try:
        verdict = await _ask(owned, history, HookEvent.STOP, {"text": text})
    except HookDispatchFailed as error:
        return Hooked(messages, failed(error))
    if verdict.denied is None:
        return Hooked((*messages, *(notice("hook", said) for said in verdict.messages)))
    prodding = structs.replace(verdict, contexts=verdict.contexts or (GO_ON,))
    return Hooked((*messages, *rows(prodding)))


async def _about_call(owned: OwnedChat, history: History, call: ToolCall) -> Verdict:
    payload = {
        "tool": call.tool,
        "call_id": call.call_id,
        "mcp_server_id": call.mcp_server_id,
        "input": decoded(call.args),
    }
    verdict = await _ask(owned, history, HookEvent.PRE_TOOL_USE, payload, tool=call.tool)
    if verdict.input is not None and not isinstance(verdict.input, dict):
        raise HookDispatchFailed("A hook gave a new input that is not an object.")
    return verdict


async def _about_result(owned: OwnedChat, history: History, result: NewMessage, inputs: dict[str, str]) -> Verdict:
    part = result.parts[0]
    assert isinstance(part, ToolResult)
    payload = {
        "tool": part.tool,
        "call_id": part.call_id,
        "arguments": inputs.get(part.call_id, ""),
        "output": part.result,
        "is_error": part.is_error,
    }
    return await _ask(owned, history, HookEvent.POST_TOOL_USE, payload, tool=part.tool)


async def _ask(
    owned: OwnedChat, history: History, event: HookEvent, payload: dict[str, Any], *, tool: str = ""
) -> Verdict:
    hooks, chat, card = owned.services.hooks, owned.chat, history.card
    if hooks is None:
        return Verdict()
    about = Subject(organisation_id=card.organisation_id, owner_id=card.owner_id, chat_id=chat.id, turn=chat.turn)
    key = f"{chat.id}:{chat.history_version}:{chat.generation_attempt}:{payload.get('call_id', '')}"
    return await hooks.ask(event, about, payload, tool=tool, key=key)


async def _anybody(owned: OwnedChat, history: History, *events: HookEvent) -> bool:
    hooks = owned.services.hooks
    if hooks is None:
        return False
    asked = [await hooks.listening(history.card.organisation_id, event) for event in events]
    return any(asked)


def _asked_about(call: ToolCall) -> bool:
    return not call.provider_executed and is_json_object(call.args)


def _decided(
    owned: OwnedChat, messages: tuple[NewMessage, ...], verdicts: dict[str, Verdict]
) -> tuple[NewMessage, ...]:
    """The answer with new inputs where there are some, an error result for each denied call, and what was added."""
    answer = structs.replace(messages[0], parts=tuple(_rewritten(part, verdicts) for part in messages[0].parts))
    refused = [
        interrupted(part.call_id, part.tool, now=owned.services.clock.now(), text=f"Denied by a hook: {verdict.denied}")
        for part in answer.parts
        if isinstance(part, ToolCall) and (verdict := verdicts.get(part.call_id)) and verdict.denied is not None
    ]
    told = [notice("hook", text) for verdict in verdicts.values() for text in verdict.messages]
    return (answer, *messages[1:], *refused, *told)


def _rewritten(part: AnyPart, verdicts: dict[str, Verdict]) -> AnyPart:
    if not isinstance(part, ToolCall) or part.call_id not in verdicts:
        return part
    verdict = verdicts[part.call_id]
    if verdict.input is None or verdict.denied is not None:
        return part
    return structs.replace(part, args=msgspec.json.encode(verdict.input).decode(), rewritten=True)


def _withheld(result: NewMessage, verdict: Verdict) -> NewMessage:
    part = result.parts[0]
    if verdict.denied is None or not isinstance(part, ToolResult):
        return result
    text = WITHHELD.format(verdict.denied)
    return structs.replace(result, parts=(structs.replace(part, result=text, is_error=True, media=()),))
