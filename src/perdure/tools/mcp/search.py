"""Finding tools by what they are for, where all their descriptions together would fill the prompt."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from perdure.core.message import NewMessage, ToolResult
from perdure.tools.tool import Effect, Tool, ToolContext, tool

FIND_TOOLS = "find_tools"
MATCHES = 20
NAME_WEIGHT = 3
_WORD = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

Query = Annotated[str, Meta(max_length=200)]


class Match(Struct, frozen=True):
    name: str
    description: str


class Found(Struct, frozen=True):
    """What find_tools answers: read again from the history to know which tools are in use."""

    matches: tuple[Match, ...]
    unknown: tuple[str, ...] = ()


def finder(catalog: Sequence[Tool]) -> Tool:
    """The tool `find_tools`, over these tools."""

    @tool(Effect.READS, reframes=True)
    async def find_tools(
        ctx: ToolContext,  # noqa: ARG001
        queries: Annotated[
            list[Query], Meta(max_length=10, description="What tools should be able to do, in a few words each.")
        ] = [],  # noqa: B006
        names: Annotated[list[Query], Meta(max_length=40, description="Tools whose full names are known.")] = [],  # noqa: B006
    ) -> str:
        """Look for more tools. Those that are found can be called from the next step on."""
        return msgspec.json.encode(search(catalog, queries, names)).decode()

    return find_tools


def search(catalog: Sequence[Tool], queries: Sequence[str], names: Sequence[str]) -> Found:
    """The best matches: those asked for by name first, then by how well they fit any of the queries."""
    known = {one.name: one for one in catalog}
    wanted = [known[name] for name in dict.fromkeys(names) if name in known]
    unknown = tuple(name for name in dict.fromkeys(names) if name not in known)
    ranked = _ranked(catalog, queries)
    chosen = list({one.name: one for one in (*wanted, *ranked)}.values())[:MATCHES]
    return Found(tuple(Match(one.name, one.description.split("\n")[0][:300]) for one in chosen), unknown)


def found_in(messages: Iterable[NewMessage]) -> list[str]:
    """The tools that were found in a history, by when they were last found, oldest first."""
    names: dict[str, None] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolResult) and part.tool == FIND_TOOLS and not part.is_error:
                for name in _names(part.result):
                    names.pop(name, None)
                    names[name] = None
    return list(names)


def _names(result: str) -> list[str]:
    try:
        return [match.name for match in msgspec.json.decode(result, type=Found).matches]
    except msgspec.DecodeError:
        return []


def _ranked(catalog: Sequence[Tool], queries: Sequence[str]) -> list[Tool]:
    words = [_words(one) for one in catalog]
    spread = Counter(word for known in words for word in known)
    scores = [max((_score(known, query, spread, len(catalog)) for query in queries), default=0.0) for known in words]
    order = sorted(range(len(catalog)), key=lambda index: (-scores[index], catalog[index].name))
    return [catalog[index] for index in order if scores[index] > 0]


def _words(one: Tool) -> dict[str, int]:
    described = dict.fromkeys(_split(one.description), 1)
    return {**described, **dict.fromkeys(_split(one.name), NAME_WEIGHT)}


def _score(known: dict[str, int], query: str, spread: Counter[str], total: int) -> float:
    """Rare words count more than those that every tool has."""
    return sum(known[word] * math.log(1 + total / spread[word]) for word in set(_split(query)) if word in known)


def _split(text: str) -> list[str]:
    return _WORD.findall(_CAMEL.sub(" ", text).lower())
