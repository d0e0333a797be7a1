"""From a valid Gemini request to what it asks."""

from collections.abc import Iterator

import msgspec

from perdure.sim.ask import Answered, Ask, Called, Figures, Said, Tool
from perdure.sim.document import Json, Node, is_object
from perdure.sim.gemini.order import Content, Part, read_contents
from perdure.sim.gemini.settings import forced, functions
from perdure.sim.media import IMAGE_TOKENS
from perdure.sim.prompt_cache import Block, PromptCache
from perdure.sim.script import TOKEN


def ask(body: Node, model: str, *, stream: bool, id: str, scope: str, cache: PromptCache) -> Ask:  # noqa: A002
    """What a checked request asks."""
    fields = body.fields()
    contents = read_contents(fields["contents"])
    config = _object(fields.get("generationConfig"))
    thinking = _object(config.get("thinkingConfig"))
    blocks = list(_blocks(fields, contents))
    size = sum(block.tokens for block in blocks)
    limit = config.get("maxOutputTokens")
    return Ask(
        id=id,
        model=model,
        stream=stream,
        history=tuple(_said(contents)),
        system=_text([part for _, parts in read_contents([fields.get("systemInstruction")]) for part in parts]),
        tools=tuple(Tool(name, schema) for name, schema in functions(fields)),
        search="googleSearch" in str(fields.get("tools")),
        forced_tool=forced(fields),
        schema=_schema(config),
        reasoning=thinking.get("includeThoughts") is True,
        max_tokens=limit if isinstance(limit, int) else None,
        figures=Figures(size, cache.automatic(scope + model, blocks) if size >= 1_024 else 0),
        options={"thoughts": thinking.get("includeThoughts") is True},
    )


def _blocks(fields: dict[str, Json], contents: list[Content]) -> Iterator[Block]:
    head = msgspec.json.encode([fields.get("systemInstruction"), fields.get("tools")])
    yield Block(head, len(head) // TOKEN + 1)
    for role, parts in contents:
        for part in parts:
            data = msgspec.json.encode(part)
            yield Block(role.encode() + data, IMAGE_TOKENS if "inlineData" in part else len(data) // TOKEN + 1)


def _said(contents: list[Content]) -> Iterator[Said]:
    for index, (role, parts) in enumerate(contents):
        if role == "model":
            calls = tuple(_called(part, index, number) for number, part in enumerate(parts) if "functionCall" in part)
            yield Said("assistant", _text([part for part in parts if not part.get("thought")]), calls)
        else:
            before = contents[index - 1][1] if index else []
            yield Said("user", _text(parts), results=tuple(_answers(parts, before, index)))


def _called(part: Part, index: int, number: int) -> Called:
    call = _object(part["functionCall"])
    return Called(str(call.get("id") or f"{index}.{number}"), str(call["name"]), _object(call.get("args")))


def _answers(parts: list[Part], before: list[Part], index: int) -> Iterator[Answered]:
    """Responses pair with calls by id, or by place when there is none."""
    places = [number for number, part in enumerate(before) if "functionCall" in part]
    responses = [_object(part["functionResponse"]) for part in parts if "functionResponse" in part]
    for response, place in zip(responses, places, strict=False):
        given = _object(response.get("response"))
        text = str(
            given.get("output") or given.get("result") or given.get("error") or msgspec.json.encode(given).decode()
        )
        yield Answered(str(response.get("id") or f"{index - 1}.{place}"), text, "error" in given)


def _schema(config: dict[str, Json]) -> dict[str, Json] | None:
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    if is_object(schema):
        return schema
    return {"type": "object"} if config.get("responseMimeType") == "application/json" else None


def _text(parts: list[Part]) -> str:
    return "\n".join(str(part["text"]) for part in parts if "text" in part)


def _object(value: Json) -> dict[str, Json]:
    return value if is_object(value) else {}
