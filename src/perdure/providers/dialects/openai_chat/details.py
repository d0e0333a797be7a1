"""What OpenRouter tells of a thought besides its words: signatures and sealed pieces, which it wants back unchanged."""

from perdure.core.message import Reasoning, ToolCall
from perdure.providers.dialects.dialect import Json
from perdure.providers.dialects.gemini.encode import UNSIGNED
from perdure.providers.dialects.wire import objects
from perdure.providers.projection.turns import AssistantTurn, Target

DETAILS = "reasoning_details"
SEALED = "reasoning.encrypted"
GEMINI = "google/gemini"
_GROWING = frozenset({"text", "summary"})


class ThoughtDetails:
    """The details of one answer, put together from their pieces."""

    def __init__(self) -> None:
        self._known: list[tuple[Json, dict[str, list[str]]]] = []

    def add(self, pieces: object) -> bool:
        """Whether these pieces prove anything. What does not need not come back."""
        proven = False
        for piece in objects(pieces):
            head, growing = self._place(piece)
            for name, value in piece.items():
                if name in _GROWING and isinstance(value, str):
                    growing.setdefault(name, []).append(value)
                elif value is not None:
                    head[name] = value
            proven = proven or bool(piece.get("signature") or piece.get("data"))
        return proven

    def whole(self) -> list[Json]:
        return [{**head, **{name: "".join(words) for name, words in growing.items()}} for head, growing in self._known]

    def _place(self, piece: Json) -> tuple[Json, dict[str, list[str]]]:
        """Where a piece belongs: words of the same kind and number go on, anything else is another detail."""
        kind, number = piece.get("type"), piece.get("index")
        last = self._known[-1] if self._known else None
        if last is not None and kind != SEALED and (last[0].get("type"), last[0].get("index")) == (kind, number):
            return last
        self._known.append(({}, {}))
        return self._known[-1]


def told_again(turn: AssistantTurn, target: Target) -> list[Json]:
    """The details that go with an answer. Gemini refuses calls without one: other models' get what Google documents."""
    parts = [part for part in turn.parts if isinstance(part, Reasoning | ToolCall)]
    told = [detail for part in parts for detail in target.data(part.provider_metadata).get(DETAILS, [])]
    call = next((part for part in parts if isinstance(part, ToolCall)), None)
    if call is not None and target.model.startswith(GEMINI) and all(detail.get("type") != SEALED for detail in told):
        unsigned = {"type": SEALED, "data": UNSIGNED, "id": call.call_id, "format": "google-gemini-v1", "index": 0}
        told.append(unsigned)
    return told
