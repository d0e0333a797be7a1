"""From a valid Responses request, and the responses before it, to what it asks."""

from collections.abc import Iterator

import msgspec

from perdure.sim.ask import Answered, Ask, Called, Figures, Said, Tool
from perdure.sim.document import Json, Node, arguments_of, is_object
from perdure.sim.media import DOCUMENT_TOKENS, IMAGE_TOKENS
from perdure.sim.prompt_cache import Block, PromptCache
from perdure.sim.script import TOKEN

Item = dict[str, Json]


def ask(body: Node, items: list[Item], id: str, scope: str, cache: PromptCache) -> Ask:  # noqa: A002
    """What a checked request asks; the items include those of the responses it continues."""
    fields = body.fields()
    blocks = list(_blocks(fields, items))
    size = sum(block.tokens for block in blocks)
    options: dict[str, Json] = {name: fields.get(name) for name in _ECHOED}
    options["items"] = list[Json](items)
    tools = [tool for tool in _list(fields.get("tools")) if is_object(tool)]
    return Ask(
        id=id,
        model=body["model"].text(),
        stream=fields.get("stream") is True,
        history=tuple(_merged(items)),
        system=_system(fields, items),
        tools=tuple(_tool(tool) for tool in tools if tool.get("type") == "function"),
        search=any(str(tool.get("type")).startswith("web_search") for tool in tools),
        forced_tool=_forced(fields.get("tool_choice"), tools),
        schema=_schema(fields.get("text")),
        reasoning=_effort(fields) != "none",
        max_tokens=_whole(fields.get("max_output_tokens")),
        chat=_optional(fields.get("prompt_cache_key")) or _optional(fields.get("user")),
        figures=Figures(size, cache.automatic(scope + body["model"].text(), blocks) if size >= 1_024 else 0),
        options=options,
        background=fields.get("background") is True,
    )


_ECHOED = (
    "background",
    "include",
    "instructions",
    "max_output_tokens",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt_cache_key",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
    "user",
)


def _blocks(fields: dict[str, Json], items: list[Item]) -> Iterator[Block]:
    head = msgspec.json.encode([fields.get("instructions"), fields.get("tools")])
    yield Block(head, len(head) // TOKEN + 1)
    for item in items:
        data = msgspec.json.encode(item)
        yield Block(data, _size(item, len(data)))


def _size(item: Item, length: int) -> int:
    content = item.get("content") if "content" in item else item.get("output")
    if not isinstance(content, list):
        return length // TOKEN + 1
    sizes = {"input_image": IMAGE_TOKENS, "input_file": DOCUMENT_TOKENS}
    parts = [part for part in content if is_object(part)]
    return sum(sizes.get(str(part.get("type"))) or len(str(part.get("text", ""))) // TOKEN + 1 for part in parts)


def _merged(items: list[Item]) -> Iterator[Said]:
    """Items that came out of one response are one message of the history."""
    pending: list[Said] = []
    for item in items:
        said = _said(item)
        if said is None:
            continue
        if said.role == "assistant":
            pending.append(said)
            continue
        if pending:
            yield _joined(pending)
            pending = []
        yield said
    if pending:
        yield _joined(pending)


def _joined(pending: list[Said]) -> Said:
    text = "".join(said.text for said in pending)
    return Said("assistant", text, tuple(call for said in pending for call in said.calls))


def _said(item: Item) -> Said | None:
    match item:
        case {"type": "function_call", "call_id": str(id_), "name": str(name), "arguments": str(arguments)}:
            return Said("assistant", calls=(Called(id_, name, arguments_of(arguments)),))
        case {"type": "computer_call", "call_id": str(id_), "actions": actions}:
            return Said("assistant", calls=(Called(id_, "computer", {"actions": actions}),))
        case {"type": "computer_call_output", "call_id": str(id_)}:
            return Said("tool", results=(Answered(id_, "a picture of the screen"),))
        case {"type": "function_call_output", "call_id": str(id_), "output": output}:
            return Said("tool", results=(Answered(id_, _text(output)),))
        case {"role": "user" | "assistant" as role, "content": content}:
            return Said(role, _text(content))
        case {"type": "reasoning" | "web_search_call"}:
            return Said("assistant")
        case _:
            return None


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in _list(content) if is_object(part) and "text" in part)


def _system(fields: dict[str, Json], items: list[Item]) -> str:
    texts = [_optional(fields.get("instructions")) or ""]
    texts += [_text(item.get("content")) for item in items if item.get("role") in ("system", "developer")]
    return "\n\n".join(text for text in texts if text)


def _tool(tool: dict[str, Json]) -> Tool:
    schema = tool.get("parameters")
    return Tool(str(tool["name"]), schema if is_object(schema) else {})


def _forced(choice: Json, tools: list[dict[str, Json]]) -> str | None:
    match choice:
        case "required":
            return next((str(tool["name"]) for tool in tools if tool.get("type") == "function"), None)
        case {"type": "function", "name": str(name)}:
            return name
        case _:
            return None


def _schema(text: Json) -> dict[str, Json] | None:
    match text:
        case {"format": {"type": "json_schema", "schema": dict(schema)}}:
            return schema
        case {"format": {"type": "json_object"}}:
            return {"type": "object"}
        case _:
            return None


def _effort(fields: dict[str, Json]) -> Json:
    match fields.get("reasoning"):
        case {"effort": effort}:
            return effort
        case _:
            return None


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) else None


def _optional(value: Json) -> str | None:
    return value if isinstance(value, str) else None
