"""What a part becomes in Anthropic's answer: content blocks, each with its start, its end and what flows between."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from perdure.sim.anthropic.blocks import REDACTED, SEARCH, THINKING
from perdure.sim.document import Json
from perdure.sim.script import Call, Reasoning, Search, Source, Step, Text, arguments
from perdure.sim.signatures import seal, sign

SCREEN = "computer"


@dataclass(frozen=True, slots=True)
class ContentBlock:
    """A block as it starts, as it ends, and what flows in between."""

    start: dict[str, Json]
    final: dict[str, Json]
    flowing: tuple[str, str, Text | Reasoning | str] | None = None
    closing: tuple[dict[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one step; `id` makes the ids of its calls."""

    id: str
    step: Step
    screen_set: bool = False
    """Whether a screen is used with a set of tools, one to each action."""

    def of(self, part: Text | Reasoning | Call | Search, index: int) -> Iterator[ContentBlock]:
        """The content blocks that a part becomes; the first stands at this index."""
        match part:
            case Text():
                yield _text_block(part, self.step)
            case Reasoning(text, redacted=True):
                data = seal(REDACTED, text)
                yield ContentBlock(
                    {"type": "redacted_thinking", "data": data}, {"type": "redacted_thinking", "data": data}
                )
            case Reasoning(text):
                signature = sign(THINKING, text)
                yield ContentBlock(
                    {"type": "thinking", "thinking": "", "signature": ""},
                    {"type": "thinking", "thinking": text, "signature": signature},
                    ("thinking_delta", "thinking", part),
                    ({"type": "signature_delta", "signature": signature},),
                )
            case Call():
                yield self._call_block(part, index)
            case Search():
                yield from self._search_blocks(part, index)

    def _call_block(self, call: Call, index: int) -> ContentBlock:
        head: dict[str, Json] = {
            "type": "tool_use",
            "id": call.id or f"toolu_{self.id}{index:02d}",
            "name": call.name,
        }
        if self.screen_set and call.name == SCREEN and call.raw is None:
            head |= {"name": call.input.get("action"), "toolset_name": SCREEN}
            rest = {name: value for name, value in call.input.items() if name != "action"}
            call = Call(name=call.name, input=rest)
        return ContentBlock(
            {**head, "input": {}}, {**head, "input": call.input}, ("input_json_delta", "partial_json", arguments(call))
        )

    def _search_blocks(self, search: Search, index: int) -> Iterator[ContentBlock]:
        id_ = f"srvtoolu_{self.id}{index:02d}"
        head: dict[str, Json] = {"type": "server_tool_use", "id": id_, "name": "web_search"}
        query: dict[str, Json] = {"query": search.query}
        written = msgspec.json.encode(query).decode()
        yield ContentBlock(
            {**head, "input": {}}, {**head, "input": query}, ("input_json_delta", "partial_json", written)
        )
        if self.step.finish == "paused" and self.step.parts[-1] is search:
            return
        content: Json = (
            {"type": "web_search_tool_result_error", "error_code": search.error}
            if search.error
            else [_result(source) for source in search.sources]
        )
        result: dict[str, Json] = {"type": "web_search_tool_result", "tool_use_id": id_, "content": content}
        yield ContentBlock(result, result)


def _text_block(part: Text, step: Step) -> ContentBlock:
    sources = (
        [source for other in step.parts if isinstance(other, Search) for source in other.sources] if part.cited else []
    )
    citations = [_citation(source) for source in sources]
    start: dict[str, Json] = {"type": "text", "text": ""}
    final: dict[str, Json] = {"type": "text", "text": part.text}
    if citations:
        start["citations"] = []
        final["citations"] = list[Json](citations)
    closing = tuple[dict[str, Json], ...]({"type": "citations_delta", "citation": one} for one in citations)
    return ContentBlock(start, final, ("text_delta", "text", part), closing)


def _citation(source: Source) -> dict[str, Json]:
    return {
        "type": "web_search_result_location",
        "cited_text": source.text[:150],
        "encrypted_index": seal(SEARCH, source.url),
        "title": source.title,
        "url": source.url,
    }


def _result(source: Source) -> dict[str, Json]:
    return {
        "type": "web_search_result",
        "url": source.url,
        "title": source.title,
        "encrypted_content": seal(SEARCH, source.text),
        "page_age": None,
    }
