"""A request in the words of the Messages API."""

from base64 import b64encode
from typing import Any

from msgspec import Raw

from perdure.core.message import Effort
from perdure.core.parts import Reasoning, Text, ToolCall, ToolResult
from perdure.core.screen import Screen
from perdure.providers.dialects.conversation import Conversation, conversation
from perdure.providers.dialects.dialect import PLAIN, Encoded, Json, Quirks, finished, path_for
from perdure.providers.dialects.wire import to_json
from perdure.providers.effort import budget, clamped
from perdure.providers.model import Model, Thinking
from perdure.providers.projection.media import Attachment
from perdure.providers.projection.turns import Answer, AssistantTurn, Target, ToolTurn, Turn, UserTurn
from perdure.providers.prompt import block_hash
from perdure.providers.request import ModelRequest, WebSearch

NAME = "anthropic_messages"
PATH = "/v1/messages"
HEADERS = {"anthropic-version": "2023-06-01"}
BETA = "anthropic-beta"
BINDING = "thinking-binding-controls-2026-08-01"
COMPUTER = "computer-use-2025-11-24"
MARK = {"type": "ephemeral"}
MARKED_MESSAGES = 2


def encode(request: ModelRequest, model: Model, quirks: Quirks = PLAIN) -> Encoded:
    target = Target(
        dialect=NAME,
        model=model.id,
        images=model.images,
        documents=model.documents,
        tools=bool(request.tools) or request.screen is not None,
        continues_paused=True,
    )
    spoken = conversation(request, target, lambda turns: _messages(turns, target))
    tools, system = _tools(request), [{"type": "text", "text": text} for text in request.system if text.strip()]
    hashes = [block_hash(to_json(block)) for block in (tools, *system) if block]
    _mark(tools, system, spoken.recent)
    body = {
        "model": model.id,
        "max_tokens": _max_tokens(request, model),
        "system": system or None,
        "tools": tools or None,
        "messages": spoken.body(MARKED_MESSAGES),
        "stream": True,
        **_thoughts(request, model, spoken),
    }
    betas = [*([BINDING] if model.binds_thinking else []), *([COMPUTER] if request.screen else [])]
    headers = {**HEADERS, BETA: ",".join(betas)} if betas else HEADERS
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
    sampling = {"temperature": settings.temperature, "top_p": settings.top_p, "top_k": settings.top_k}
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


def _tools(request: ModelRequest) -> list[Json]:
    tools: list[Json] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema} for tool in request.tools
    ]
    if request.web_search is not None:
        tools.append(_web_search(request.web_search))
    if request.screen is not None:
        tools.append(_computer(request.screen))
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


def _computer(screen: Screen) -> Json:
    size = {"display_width_px": screen.width, "display_height_px": screen.height}
    return {"type": "computer_20251124", "name": "computer", **size}


def _mark(tools: list[Json], system: list[Json], messages: list[Json]) -> None:
    """Where the provider may keep its cache: after the system text, and after each of the last two messages."""
    for block in (system or tools)[-1:]:
        block["cache_control"] = MARK
    for message in messages[-MARKED_MESSAGES:]:
        message["content"][-1]["cache_control"] = MARK


def _messages(turns: list[Turn], target: Target) -> list[Json]:
    """Answers and what the user says after them are one message, the answers first."""
    messages: list[Json] = []
    for turn in turns:
        match turn:
            case UserTurn(parts=parts):
                role, content = "user", [_said(part) for part in parts]
            case ToolTurn(answers=answers):
                role, content = "user", [_answer(answer) for answer in answers]
            case AssistantTurn(parts=parts):
                role, content = "assistant", [_own(part, target) for part in parts]
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


def _answer(answer: Answer) -> Json:
    content: Any = answer.text
    if answer.attachments:
        content = [{"type": "text", "text": answer.text}, *map(_said, answer.attachments)]
    block: Json = {"type": "tool_result", "tool_use_id": answer.call_id, "content": content}
    if answer.error:
        block["is_error"] = True
    return block


def _own(part: Text | Reasoning | ToolCall | ToolResult, target: Target) -> Json:
    data = target.data(part.provider_metadata)
    match part:
        case Text(text=text):
            return {"type": "text", "text": text, **data}
        case Reasoning() if "redacted" in data:
            return {"type": "redacted_thinking", "data": data["redacted"]}
        case Reasoning(text=text):
            return {"type": "thinking", "thinking": text, "signature": data.get("signature", "")}
        case ToolCall():
            kind = "server_tool_use" if part.provider_executed else "tool_use"
            arguments = Raw(part.args.encode() or b"{}")
            return {"type": kind, "id": part.call_id, "name": part.tool, "input": arguments}
        case ToolResult():
            return dict(data["block"])
