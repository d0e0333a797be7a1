"""What requests say of tools: the same in one request after the other, so it is encoded and hashed once."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Raw

from perdure.core.remembering import MadeOnce, MadeOnceOfAll
from perdure.providers.dialects.dialect import Json
from perdure.providers.dialects.wire import to_json
from perdure.providers.prompt import block_hash
from perdure.providers.request import TOOLS_KEPT, TOOLSETS_KEPT, ToolSpec

Tools: TypeAlias = list[Json | Raw]


def describing(describe: Callable[[ToolSpec], Json]) -> Callable[[Sequence[ToolSpec]], Tools]:
    """Says tools in the words of a dialect. The list is the caller's own; what is in it is not."""
    each = MadeOnce[ToolSpec, Raw](lambda tool: Raw(to_json(describe(tool))), room=TOOLS_KEPT)
    every = MadeOnceOfAll[ToolSpec, tuple[Raw, ...]](lambda tools: tuple(map(each, tools)), room=TOOLSETS_KEPT)
    return lambda tools: [*every(tools)]


tools_hash = MadeOnceOfAll[Json | Raw, str](lambda tools: block_hash(to_json(tools)), room=TOOLSETS_KEPT)
