"""A request in the words of the Responses API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from perdure.core.message import FinishReason, Kind, NewMessage, Reasoning, Role, Text, ToolCall, ToolResult, Visibility
from perdure.providers.dialects.conversation import conversation
from perdure.providers.dialects.described import Tools, describing, tools_hash
from perdure.providers.dialects.dialect import PLAIN, Encoded, Json, Quirks, finished, path_for
from perdure.providers.dialects.openai_responses.screen import screen_shown, screen_used, seen_screens
from perdure.providers.dialects.wire import data_url, to_json
from perdure.providers.model import Model, Thinking
from perdure.providers.projection.media import Attachment
from perdure.providers.projection.provider_blocks import told
from perdure.providers.projection.turns import Answer, AssistantTurn, Target, ToolTurn, Turn, UserTurn
from perdure.providers.prompt import block_hash
from perdure.providers.request import BACKGROUND, CHAIN, ModelRequest, ToolSpec, WebSearch, named

_WHOLE = (FinishReason.STOP, FinishReason.LENGTH)


def link(messages: Sequence[NewMessage], model: str) -> tuple[str, Sequence[NewMessage]] | None:
    """The response to hang on and the messages since. None where the chain has to be left."""
    shown = [message for message in messages if message.visibility is not Visibility.USER]
    since: list[NewMessage] = []
    for message in reversed(shown):
        if message.role is Role.ASSISTANT:
            whole = message.finish_reason in _WHOLE and message.kind is Kind.ORDINARY
            kept = message.provider_response_id
            return (kept, since[::-1]) if whole and kept and since and _by(message, model) else None
        if message.role is not Role.USER or message.kind is Kind.BOUNDARY:
            return None
        since.append(message)
    return None


def _by(message: NewMessage, model: str) -> bool:
    """Whether nothing in an answer says that another model gave it."""
    marks = (getattr(part, "provider_metadata", None) for part in message.parts)
    return all(mark is None or mark.model == model for mark in marks)


NAME = "openai_responses"
PATH = "/responses"
MIN_OUTPUT_TOKENS = 16
AFTER = "after"
"""Kept with a search: the id of the thought that it came from."""

Own = Text | Reasoning | ToolCall | ToolResult


def encode(request: ModelRequest, model: Model, quirks: Quirks = PLAIN) -> Encoded:
    """The request. The options `chain` and `background` are ours and mean what `Continuation` says."""
    options = dict(request.settings.options)
    chain, background = bool(options.pop(CHAIN, False)), bool(options.pop(BACKGROUND, False))
    linked = link(request.messages, model.id) if chain else None
    previous, messages = linked or (request.continuation.previous_response_id, ())
    background = background or request.continuation.background
    target = Target(
        dialect=NAME,
        model=model.id,
        images=model.images,
        documents=model.documents,
        tools=(bool(request.tools) or request.screen is not None) and model.tools,
        sound=_sound,
    )
    spoken = conversation(request, target, lambda turns: _said_before(turns, target), messages=messages)
    system = [text for text in request.system if text.strip()]
    tools = _tools(request) if model.tools else []
    body = {
        "model": model.id,
        "instructions": "\n\n".join(system) or None,
        "input": spoken.body(),
        "tools": tools or None,
        "stream": True,
        "store": chain or background or request.continuation.store,
        "background": background or None,
        "previous_response_id": previous,
        "prompt_cache_key": request.cache_key,
        **_settings(request, model),
    }
    blocks = map(to_json, system)
    hashes = (*([tools_hash(tools)] if tools else []), *map(block_hash, blocks), *spoken.hashes)
    return Encoded(
        path_for(model, PATH, quirks), {}, finished(body, options, quirks), hashes, chained=linked is not None
    )


def _settings(request: ModelRequest, model: Model) -> Json:
    settings = request.settings
    limit = max(settings.max_output_tokens, MIN_OUTPUT_TOKENS)
    chosen: Json = {"max_output_tokens": min(limit, model.max_output) if model.max_output else limit}
    if model.thinking is not Thinking.NONE:
        effort = {"effort": named(settings.effort, model)} if settings.effort is not None else {}
        chosen["reasoning"] = {**effort, "summary": "auto"}
        chosen["include"] = ["reasoning.encrypted_content"]
    if model.sampling:
        chosen |= {"temperature": settings.temperature, "top_p": settings.top_p}
    if request.output_schema is not None:
        shape = {"type": "json_schema", "name": "answer", "schema": request.output_schema, "strict": False}
        chosen["text"] = {"format": shape}
    return chosen


def _tool(tool: ToolSpec) -> Json:
    described = {"name": tool.name, "description": tool.description, "parameters": tool.schema, "strict": False}
    return {"type": "function", **described}


_described = describing(_tool)


def _tools(request: ModelRequest) -> Tools:
    tools = _described(request.tools)
    # It knows no list of what is blocked: rather no search than one that leads there.
    if request.web_search is not None and not request.web_search.blocked_domains:
        tools.append(_web_search(request.web_search))
    if request.screen is not None:
        tools.append({"type": "computer"})
    return tools


def _web_search(search: WebSearch) -> Json:
    if search.allowed_domains:
        return {"type": "web_search", "filters": {"allowed_domains": search.allowed_domains}}
    return {"type": "web_search"}


def _said_before(turns: list[Turn], target: Target) -> list[Json]:
    seen = seen_screens(turns, target)
    return [item for turn in turns for item in _items(turn, target, seen)]


def _items(turn: Turn, target: Target, seen: Mapping[str, Json]) -> list[Json]:
    match turn:
        case UserTurn(parts=parts):
            return [{"type": "message", "role": "user", "content": [_said(part) for part in parts]}]
        case ToolTurn(answers=answers):
            return [screen_shown(a, seen[a.call_id]) if a.call_id in seen else _answer(a) for a in answers]
        case AssistantTurn(parts=parts):
            return [item for part in _founded(parts, target) if (item := _own(part, target, seen)) is not None]


def _said(part: Text | Attachment) -> Json:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if part.picture:
        return {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
    return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}


def _answer(answer: Answer) -> Json:
    output: Any = answer.text
    if answer.attachments:
        output = [{"type": "input_text", "text": answer.text}, *map(_said, answer.attachments)]
    return {"type": "function_call_output", "call_id": answer.call_id, "output": output}


def _sound(part: Reasoning | ToolResult, data: Json) -> bool:
    """A thought is sealed under its id; a search is a whole item."""
    match part, data:
        case Reasoning(), {"id": str(item_id), "encrypted_content": str(sealed)}:
            return bool(item_id and sealed)
        case ToolResult(), {"item": {"type": str(), "id": str(item_id)}}:
            return bool(item_id)
        case _:
            return False


def _founded(parts: Iterable[Own], target: Target) -> Iterator[Own]:
    """The parts, with a search told in words where the thought is missing that it came from and cannot go without."""
    thoughts: set[str] = set()
    for part in parts:
        data = target.data(part.provider_metadata)
        if isinstance(part, Reasoning):
            thoughts.add(data["id"])
        if isinstance(part, ToolResult) and data.get(AFTER) is not None and data[AFTER] not in thoughts:
            yield told(part)
        else:
            yield part


def _searched(item: Json) -> Json:
    """A search as it was. One that was given up before it did anything has no action, which an empty one is not."""
    action = item.get("action")
    done = isinstance(action, dict) and "type" in action
    return item if done else {name: value for name, value in item.items() if name != "action"}


def _own(part: Own, target: Target, seen: Mapping[str, Json]) -> Json | None:
    """An item of the model's own. Calls and texts go without their ids, so that none is missed if it is dropped."""
    data = target.data(part.provider_metadata)
    match part:
        case Text(text=text):
            content: list[Json] = [{"type": "output_text", "text": text, "annotations": []}]
            return {"type": "message", "role": "assistant", "content": content, **data}
        case Reasoning(text=text):
            summary = [{"type": "summary_text", "text": text}] if text else []
            return {"type": "reasoning", "summary": summary, **data}
        case ToolCall(provider_executed=True):
            return None
        case ToolCall(call_id=call_id) if call_id in seen:
            return screen_used(call_id, seen[call_id])
        case ToolCall():
            return {"type": "function_call", "call_id": part.call_id, "name": part.tool, "arguments": part.args}
        case ToolResult():
            return _searched(data["item"])


def listening(response_id: str, after: int | None) -> Encoded:
    """Ask for the events of a response: all of them, or those behind the one numbered `after`."""
    since = "" if after is None else f"&starting_after={after}"
    return Encoded(f"{PATH}/{response_id}?stream=true{since}", {}, None, ())


def giving_up(response_id: str) -> Encoded:
    """Ask that a response be abandoned."""
    return Encoded(f"{PATH}/{response_id}/cancel", {}, b"{}", ())
