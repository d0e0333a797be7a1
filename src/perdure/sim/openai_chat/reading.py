"""From a valid Chat Completions request to what it asks."""

from collections.abc import Iterator

import msgspec

from perdure.sim.ask import Answered, Ask, Called, Figures, Said, Tool
from perdure.sim.document import Json, Node, arguments_of, is_object
from perdure.sim.media import DOCUMENT_TOKENS, IMAGE_TOKENS
from perdure.sim.prompt_cache import Block, PromptCache
from perdure.sim.script import TOKEN


def ask(body: Node, id: str, scope: str, cache: PromptCache) -> Ask:  # noqa: A002
    """What a checked request asks."""
    fields = body.fields()
    messages = [message.fields() for message in body["messages"].items()]
    blocks = list(_blocks(fields, messages))
    size = sum(block.tokens for block in blocks)
    return Ask(
        id=id,
        model=body["model"].text(),
        stream=fields.get("stream") is True,
        history=tuple(_said(message) for message in messages if message["role"] not in ("system", "developer")),
        system="\n\n".join(_text(one.get("content")) for one in messages if one["role"] in ("system", "developer")),
        tools=tuple(_tools(fields.get("tools"))),
        search=body.has("web_search_options"),
        forced_tool=_forced(body),
        schema=_schema(fields.get("response_format")),
        reasoning=fields.get("reasoning_effort") != "none",
        max_tokens=_number(fields.get("max_completion_tokens")) or _number(fields.get("max_tokens")),
        chat=_optional(fields.get("prompt_cache_key")) or _optional(fields.get("user")),
        figures=Figures(size, cache.automatic(scope + body["model"].text(), blocks) if size >= 1_024 else 0),
        options={"usage": _wants_usage(fields)},
    )


def _blocks(fields: dict[str, Json], messages: list[dict[str, Json]]) -> Iterator[Block]:
    if fields.get("tools"):
        data = msgspec.json.encode(fields["tools"])
        yield Block(data, len(data) // TOKEN + 1)
    for message in messages:
        data = msgspec.json.encode(message)
        yield Block(data, _size(message, len(data)))


def _size(message: dict[str, Json], length: int) -> int:
    content = message.get("content")
    if not isinstance(content, list):
        return length // TOKEN + 1
    sizes = {"image_url": IMAGE_TOKENS, "file": DOCUMENT_TOKENS}
    parts = [part for part in content if is_object(part)]
    return sum(sizes.get(str(part.get("type"))) or len(str(part.get("text", ""))) // TOKEN + 1 for part in parts)


def _said(message: dict[str, Json]) -> Said:
    text = _text(message.get("content"))
    if message["role"] == "tool":
        return Said("tool", results=(Answered(str(message["tool_call_id"]), text),))
    calls = message.get("tool_calls")
    return Said(
        str(message["role"]),
        text,
        tuple(_called(one) for one in calls if is_object(one)) if isinstance(calls, list) else (),
    )


def _called(call: dict[str, Json]) -> Called:
    function = call.get("function")
    match function:
        case {"name": str(name), "arguments": str(arguments)}:
            return Called(str(call["id"]), name, arguments_of(arguments))
        case _:
            return Called(str(call["id"]), "", {})


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if is_object(part) and "text" in part)


def _tools(tools: Json) -> Iterator[Tool]:
    for tool in tools if isinstance(tools, list) else []:
        match tool:
            case {"function": {"name": str(name), "parameters": dict(schema)}}:
                yield Tool(name, schema)
            case {"function": {"name": str(name)}}:
                yield Tool(name)
            case _:
                pass


def _forced(body: Node) -> str | None:
    match body.fields().get("tool_choice"):
        case "required":
            return next(body["tools"].items())["function"]["name"].text()
        case {"function": {"name": str(name)}}:
            return name
        case _:
            return None


def _schema(shape: Json) -> dict[str, Json] | None:
    match shape:
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return schema
        case {"type": "json_object"}:
            return {"type": "object"}
        case _:
            return None


def _wants_usage(fields: dict[str, Json]) -> bool:
    options = fields.get("stream_options")
    return is_object(options) and options.get("include_usage") is True


def _number(value: Json) -> int | None:
    return value if isinstance(value, int) else None


def _optional(value: Json) -> str | None:
    return value if isinstance(value, str) else None
