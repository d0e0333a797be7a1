"""From a valid request to what it asks: the history in neutral words, and the prompt in cacheable blocks."""

from collections.abc import Iterator

import msgspec

from perdure.sim.anthropic.order import Turn
from perdure.sim.anthropic.settings import TOOLSET, thinks
from perdure.sim.ask import Answered, Ask, Called, Figures, Said, Tool
from perdure.sim.document import Json, Node, is_object
from perdure.sim.media import DOCUMENT_TOKENS, IMAGE_TOKENS
from perdure.sim.prompt_cache import Block, PromptCache
from perdure.sim.script import TOKEN
from perdure.sim.wire import Request


def ask(body: Node, spoken: list[Turn], blocks: list[Block], request: Request, cache: PromptCache) -> Ask:
    """What a checked request asks."""
    marked = any(block.mark for block in blocks)
    cached = cache.marked(request.scope + body["model"].text(), blocks) if marked else (0, 0)
    tools = list(body["tools"].items()) if body.has("tools") else []
    fields = body.fields()
    return Ask(
        id=request.id,
        model=body["model"].text(),
        stream=fields.get("stream") is True,
        history=tuple(_said(turn) for turn in spoken if turn[1] != "system"),
        system=_text(fields.get("system")),
        tools=tuple(_tool(tool) for tool in tools if tool.has("input_schema")),
        search=any(str(tool.fields().get("type", "")).startswith("web_search_") for tool in tools),
        forced_tool=_forced(body),
        schema=_schema(body),
        reasoning=thinks(body),
        max_tokens=body["max_tokens"].integer(),
        chat=_user(body),
        figures=Figures(sum(block.tokens for block in blocks), *cached),
        options={"screen_set": any(tool.fields().get("type") == TOOLSET for tool in tools)},
    )


def prompt_blocks(body: Node, spoken: list[Turn]) -> Iterator[Block]:
    """The prompt in the order in which it is cached: tools, system, messages."""
    whole = body.has("cache_control")
    for tool in body["tools"].items() if body.has("tools") else ():
        yield _block("tool", tool.fields())
    for part in _parts(body.fields().get("system")):
        yield _block("system", part)
    for at, (_, role, blocks) in enumerate(spoken):
        for index, part in enumerate(blocks):
            yield _block(role, part, mark=whole and at == len(spoken) - 1 and index == len(blocks) - 1)


def _parts(content: Json) -> list[dict[str, Json]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if is_object(part)] if isinstance(content, list) else []


def _block(role: str, part: dict[str, Json], *, mark: bool = False) -> Block:
    bare = {name: value for name, value in part.items() if name != "cache_control"} if "cache_control" in part else part
    data = msgspec.json.encode(bare)
    size = {"image": IMAGE_TOKENS, "document": DOCUMENT_TOKENS}.get(str(part.get("type")))
    return Block(role.encode() + data, size or len(data) // TOKEN + 1, mark or part.get("cache_control") is not None)


def _said(turn: Turn) -> Said:
    _, role, blocks = turn
    return Said(
        role,
        "\n".join(str(block["text"]) for block in blocks if block["type"] == "text"),
        tuple(_called(block) for block in blocks if block["type"] == "tool_use"),
        tuple(_answered(block) for block in blocks if block["type"] == "tool_result"),
    )


def _called(block: dict[str, Json]) -> Called:
    given = block["input"]
    return Called(str(block["id"]), str(block["name"]), given if is_object(given) else {})


def _answered(block: dict[str, Json]) -> Answered:
    return Answered(str(block["tool_use_id"]), _text(block.get("content")), block.get("is_error") is True)


def _text(content: Json) -> str:
    return "\n".join(str(part["text"]) for part in _parts(content) if part.get("type") == "text")


def _tool(tool: Node) -> Tool:
    return Tool(tool["name"].text(), tool["input_schema"].fields())


def _forced(body: Node) -> str | None:
    choice = body.get("tool_choice")
    if choice is None or choice["type"].value not in ("any", "tool"):
        return None
    return choice["name"].text() if choice.has("name") else next(body["tools"].items())["name"].text()


def _schema(body: Node) -> dict[str, Json] | None:
    config = body.get("output_config")
    shape = config.get("format") if config is not None else None
    return shape["schema"].fields() if shape is not None else None


def _user(body: Node) -> str | None:
    metadata = body.get("metadata")
    user = metadata.get("user_id") if metadata is not None else None
    return user.text() if user is not None else None
