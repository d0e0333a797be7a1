"""A request in the words of the Messages API."""

import re
from base64 import b64encode
from typing import Any

from msgspec import Raw, json

from perdure.core.message import Effort, Reasoning, Text, ToolCall, ToolResult
from perdure.providers.dialects.anthropic_messages.screen import (
    SCREEN,
    SCREEN_BETA,
    member_call,
    screen_offered,
    takes_set,
)
from perdure.providers.dialects.conversation import Conversation, conversation
from perdure.providers.dialects.described import Tools, describing, tools_hash
from perdure.providers.dialects.dialect import PLAIN, Encoded, Json, Quirks, Searches, finished, path_for
from perdure.providers.dialects.wire import to_json
from perdure.providers.model import Model, Thinking
from perdure.providers.projection.media import Attachment
from perdure.providers.projection.turns import Answer, AssistantTurn, Target, ToolTurn, Turn, UserTurn
from perdure.providers.prompt import block_hash
from perdure.providers.request import ModelRequest, WebSearch, budget, clamped

NAME = "anthropic_messages"
PATH = "/v1/messages"
HEADERS = {"anthropic-version": "2023-06-01"}
BETA = "anthropic-beta"
BINDING = "thinking-binding-controls-2026-08-01"
MARK = {"type": "ephemeral"}
MARKED_MESSAGES = 2
SERVER_CALL = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
"""What the API calls its own calls, and takes back."""


def encode(request: ModelRequest, model: Model, quirks: Quirks = PLAIN) -> Encoded:
    target = Target(
        dialect=NAME,
        model=model.id,
        images=model.images,
        documents=model.documents,
        tools=bool(request.tools) or request.screen is not None,
        continues_paused=True,
        sound=_sound,
    )
    as_set = request.screen is not None and takes_set(model, quirks)
    spoken = conversation(request, target, lambda turns: _messages(turns, target, as_set=as_set), key=as_set)
    tools = _tools(request, quirks, as_set=as_set)
    system = [{"type": "text", "text": text} for text in request.system if text.strip()]
    hashes = [*([tools_hash(tools)] if tools else []), *(block_hash(to_json(block)) for block in system)]
    _mark(tools, system, spoken.recent)
    betas = [*([BINDING] if model.binds_thinking else []), *([SCREEN_BETA] if request.screen and not as_set else [])]
    body = {
        "model": model.id,
        "max_tokens": _max_tokens(request, model),
        "system": system or None,
        "tools": tools or None,
        "messages": spoken.body(MARKED_MESSAGES),
        "stream": True,
        "anthropic_beta": betas if betas and quirks.betas_in_body else None,
        **_thoughts(request, model, spoken),
    }
    headers = {**HEADERS, BETA: ",".join(betas)} if betas and not quirks.betas_in_body else HEADERS
    return Encoded(
        path_for(model, PATH, quirks),
        headers,
        finished(body, request.settings.options, quirks),
        (*hashes, *spoken.hashes),
    )


def _max_tokens(request: ModelRequest, model: Model) -> int:
    wanted = request.settings.max_output_tokens
    return min(wanted, model.max_output) if model.max_output else wanted


def _thoughts(request: ModelRequest, model: Model, spoken: Conversation) -> Json:
    """Thinking, effort, structured output, and sampling: the API ties them together."""
    settings = request.settings
    config: Json = {}
    if request.output_schema is not None:
        config["format"] = {"type": "json_schema", "schema": request.output_schema}
    effort = clamped(settings.effort, model) if settings.effort else None
    thinking, level = _thinking(effort, request, model, spoken)
    if level is not None:
        config["effort"] = level
    # Most models take a temperature or a top-p, not both.
    top_p = settings.top_p if settings.temperature is None else None
    sampling = {"temperature": settings.temperature, "top_p": top_p, "top_k": settings.top_k}
    may_sample = model.sampling and (thinking is None or thinking["type"] == "disabled")
    return {"thinking": thinking, "output_config": config or None, **(sampling if may_sample else {})}


def _thinking(
    effort: Effort | None, request: ModelRequest, model: Model, spoken: Conversation
) -> tuple[Json | None, Effort | None]:
    """How to think, and how eagerly."""
    named = Effort.LOW if effort in (Effort.NONE, Effort.MINIMAL) else effort
    match model.thinking:
        case Thinking.NONE:
            return None, None
        case Thinking.EFFORT:
            return None, named
        case Thinking.ADAPTIVE:
            if effort is Effort.NONE:
                return {"type": "disabled"}, None
            if _must_not_think(spoken):
                return None, named
            adaptive: Json = {"type": "adaptive", "display": "summarized"}
            if model.binds_thinking:
                adaptive["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
            return adaptive, named
        case Thinking.BUDGET:
            tokens = budget(effort, _max_tokens(request, model)) if effort else 0
            allowed = tokens and not _must_not_think(spoken)
            return ({"type": "enabled", "budget_tokens": tokens} if allowed else None), None


def _must_not_think(spoken: Conversation) -> bool:
    """With thinking on, an exchange with tools that is under way must have begun with a thought.

    It did not if another model began it, or if thinking was off then.
    """
    under_way = any(isinstance(turn, ToolTurn) for turn in spoken.turns[-2:])
    return under_way and spoken.begun_with_thought is False


_described = describing(lambda tool: {"name": tool.name, "description": tool.description, "input_schema": tool.schema})


def _tools(request: ModelRequest, quirks: Quirks, *, as_set: bool) -> Tools:
    tools = _described(request.tools)
    if request.web_search is not None and quirks.searches is not Searches.NEVER:
        tools.append(_web_search(request.web_search))
    if request.screen is not None:
        tools.append(screen_offered(request.screen, as_set=as_set))
    return tools


def _web_search(search: WebSearch) -> Json:
    tool: Json = {"type": "web_search_20250305", "name": "web_search"}
    if search.allowed_domains:
        tool["allowed_domains"] = search.allowed_domains
    elif search.blocked_domains:
        tool["blocked_domains"] = search.blocked_domains
    if search.max_uses:
        tool["max_uses"] = search.max_uses
    return tool


def _mark(tools: Tools, system: list[Json], messages: list[Json]) -> None:
    """Where the provider may keep its cache: after the system text, and after each of the last two messages."""
    if system:
        system[-1]["cache_control"] = MARK
    elif tools:
        last = tools[-1]
        tools[-1] = {**(json.decode(last) if isinstance(last, Raw) else last), "cache_control": MARK}
    for message in messages[-MARKED_MESSAGES:]:
        message["content"][-1]["cache_control"] = MARK


def _messages(turns: list[Turn], target: Target, *, as_set: bool) -> list[Json]:
    """Answers and what the user says after them are one message, the answers first."""
    messages: list[Json] = []
    members: set[str] = set()
    for turn in turns:
        match turn:
            case UserTurn(parts=parts):
                role, content = "user", [_said(part) for part in parts]
            case ToolTurn(answers=answers):
                shown = [_said(item) for answer in answers if answer.error for item in answer.attachments]
                results = [_answer(answer, member=answer.call_id in members) for answer in answers]
                role, content = "user", [*results, *shown]
            case AssistantTurn(parts=parts):
                role, content = "assistant", [_own(part, target, as_set=as_set) for part in parts]
                members.update(block["id"] for block in content if "toolset_name" in block)
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += content
        else:
            messages.append({"role": role, "content": content})
    return messages


def _said(part: Text | Attachment) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    source = {"type": "base64", "media_type": part.media_type, "data": b64encode(part.data).decode()}
    return {"type": "image" if part.picture else "document", "source": source}


def _answer(answer: Answer, *, member: bool) -> Json:
    """A result. One that is an error may hold nothing but text: what it shows comes after all the results."""
    content: Any = answer.text
    if answer.attachments and not answer.error:
        content = [{"type": "text", "text": answer.text}, *map(_said, answer.attachments)]
    block: Json = {"type": "tool_result", "tool_use_id": answer.call_id, "content": content}
    if answer.error:
        block["is_error"] = True
    if member:
        block["toolset_name"] = SCREEN
    return block


def _sound(part: Reasoning | ToolResult, data: Json) -> bool:
    """A thought has its signature or is sealed; a result is a whole block that names its call as the API names them."""
    match part, data:
        case Reasoning(), {"redacted": str(sealed)}:
            return bool(sealed)
        case Reasoning(), {"signature": str(signature)}:
            return bool(signature)
        case ToolResult(call_id=call_id), {"block": {"type": str(), "tool_use_id": str(named)}}:
            return named == call_id and SERVER_CALL.fullmatch(call_id) is not None
        case _:
            return False


def _own(part: Text | Reasoning | ToolCall | ToolResult, target: Target, *, as_set: bool) -> Json:
    data = target.data(part.provider_metadata)
    match part:
        case Text(text=text):
            return {"type": "text", "text": text, **data}
        case Reasoning() if "redacted" in data:
            return {"type": "redacted_thinking", "data": data["redacted"]}
        case Reasoning(text=text):
            return {"type": "thinking", "thinking": text, "signature": data.get("signature", "")}
        case ToolCall() if as_set and (told := member_call(part)) is not None:
            return told
        case ToolCall():
            kind = "server_tool_use" if part.provider_executed else "tool_use"
            return {"type": kind, "id": part.call_id, "name": part.tool, "input": Raw(part.args.encode())}
        case ToolResult():
            return dict(data["block"])
