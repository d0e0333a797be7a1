"""A fresh step, made fit to be committed: what no reader could use is gone before it is kept."""

from collections.abc import Iterable
from uuid import uuid4

from msgspec import structs

from perdure.core.message import AnyPart, Reasoning, Text, ToolCall
from perdure.providers.projection.provider_blocks import repaired


def repair_step(parts: Iterable[AnyPart]) -> tuple[AnyPart, ...]:
    """The parts worth keeping. Nothing left means that the turn is complete."""
    sound = repaired(parts, readable=lambda _: True, seen=set())
    seen: set[str] = set()
    return tuple(_with_own_id(part, seen) for part in sound if not _blank(part))


def _blank(part: AnyPart) -> bool:
    match part:
        case Text(text=text):
            return not text.strip()
        case Reasoning(text=text, provider_metadata=metadata):
            return not text.strip() and metadata is None
        case ToolCall(tool=tool):
            return not tool
        case _:
            return False


def _with_own_id(part: AnyPart, seen: set[str]) -> AnyPart:
    if not isinstance(part, ToolCall) or part.provider_executed:
        return part
    if part.call_id and part.call_id not in seen:
        seen.add(part.call_id)
        return part
    fresh = structs.replace(part, call_id=fresh_call_id())
    seen.add(fresh.call_id)
    return fresh


def fresh_call_id() -> str:
    """An id for a call whose provider gave none, or one it had used."""
    return f"call_{uuid4().hex[:24]}"
