"""What hooks have to say about a step: calls denied or rewritten, rows added, an ending put off."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import structs

from perdure.agent.attempt_output import interrupted
from perdure.agent.decision import Policy
from perdure.agent.history import History
from perdure.agent.notices import WITHHELD, notice, rows, unheard
from perdure.agent.toolset import Toolset
from perdure.config.hooks import HookEvent
from perdure.core.errors import HookDispatchFailed, ProviderFailure
from perdure.core.failure import ChatError
from perdure.core.message import AnyPart, FinishReason, Kind, NewMessage, Role, Text, ToolCall, ToolResult
from perdure.tools.arguments import decoded
from perdure.tools.hooks.messages import Subject, Verdict
from perdure.worker.owned_chat import OwnedChat

GO_ON = "Do not stop yet."


@dataclass(frozen=True, slots=True)
class Hooked:
    """The messages of a step as hooks leave them, and what ends the turn, if anything does."""

    messages: tuple[NewMessage, ...]
    failure: ChatError | None = None


@dataclass(frozen=True, slots=True)
class Usable:
    """The tools of a turn, and what may be done with them."""

    toolset: Toolset
    policies: Mapping[str, Policy]

    def among(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        """The calls that somebody can carry out. Nobody is asked about others."""
        if len(calls) > 1 and any(self.toolset.exclusive(call.tool) for call in calls):
            return []
        return [call for call in calls if self._may_run(call)]

    def _may_run(self, call: ToolCall) -> bool:
        return self.policies.get(call.tool) is not Policy.DENY and self.toolset.may_run(call)


async def before_tools(owned: OwnedChat, usable: Usable, messages: tuple[NewMessage, ...]) -> Hooked:
    """Ask about every call of an answer that can run, before it is committed; and about the end where there is none.

    Raises HookDispatchFailed where a hook cannot be asked about a call. Nothing of the answer is kept then, so that
    whoever tries again asks again.
    """
    history = await owned.history()
    calls = [part for part in messages[0].parts if isinstance(part, ToolCall) and not part.provider_executed]
    if not await _anybody(owned, history, HookEvent.PRE_TOOL_USE, HookEvent.STOP):
        return Hooked(messages)
    if not calls:
        return await _at_the_end(owned, history, messages)
    asked = usable.among(calls)
    verdicts = await asyncio.gather(*(_about_call(owned, history, call) for call in asked))
    return Hooked(_decided(owned, messages, dict(zip([call.call_id for call in asked], verdicts, strict=True))))


async def after_tools(owned: OwnedChat, usable: Usable, results: Sequence[NewMessage]) -> tuple[NewMessage, ...]:
    """Ask about the results of calls that could run. What hooks add follows them in the same commit.

    Raises HookDispatchFailed where a hook cannot be asked. The results stay in the journal until somebody tries again.
    """
    history = await owned.history()
    if not await _anybody(owned, history, HookEvent.POST_TOOL_USE):
        return tuple(results)
    inputs = {call.call_id: call.args for call in usable.among(history.calls(owned.chat.last_assistant))}
    asked = [result for result in results if _call_of(result) in inputs]
    verdicts = await asyncio.gather(*(_about_result(owned, history, result, inputs) for result in asked))
    known = {_call_of(result): verdict for result, verdict in zip(asked, verdicts, strict=True)}
    left = [_withheld(result, known.get(_call_of(result), Verdict())) for result in results]
    return (*left, *(row for verdict in verdicts for row in rows(verdict)))


async def at_the_end(owned: OwnedChat) -> tuple[NewMessage, ...]:
    """What hooks add to an answer whose turn would end now, although it was committed before.

    Raises ProviderFailure where one cannot be asked.
    """
    history = await owned.history()
    last = history.last
    if last is None or not await _anybody(owned, history, HookEvent.STOP):
        return ()
    hooked = await _at_the_end(owned, history, (last,))
    if hooked.failure is not None:
        raise ProviderFailure(hooked.failure)
    return hooked.messages[1:]


def _call_of(result: NewMessage) -> str:
    part = result.parts[0]
    assert isinstance(part, ToolResult)
    return part.call_id


async def around_compaction(owned: OwnedChat, event: HookEvent, payload: dict[str, Any]) -> Verdict:
    """What hooks say before or after a compaction. They guide it; they do not forbid it."""
    history = await owned.history()
    try:
        return await _ask(owned, history, event, payload)
    except HookDispatchFailed as error:
        raise ProviderFailure(unheard(error)) from error


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
        return Hooked(messages, unheard(error))
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
        raise HookDispatchFailed("A hook returned an input that is not an object.")
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
    about = Subject(organisation_id=card.organisation_id, owner_id=card.asker, chat_id=chat.id, turn=chat.turn)
    key = f"{chat.id}:{chat.history_version}:{chat.generation_attempt}:{payload.get('call_id', '')}"
    return await hooks.ask(event, about, payload, tool=tool, key=key)


async def _anybody(owned: OwnedChat, history: History, *events: HookEvent) -> bool:
    hooks = owned.services.hooks
    if hooks is None:
        return False
    asked = [await hooks.listening(history.card.organisation_id, event) for event in events]
    return any(asked)


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
