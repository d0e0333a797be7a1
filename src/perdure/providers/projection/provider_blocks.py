"""What the provider executed itself: kept for the model that can read it, told as text to every other."""

from collections.abc import Callable, Iterable

from msgspec import structs

from perdure.core.message import AnyPart, Text, ToolCall, ToolResult
from perdure.providers.projection.calls import arguments


def repaired(
    parts: Iterable[AnyPart],
    *,
    readable: Callable[[ToolResult], bool],
    seen: set[str],
) -> list[AnyPart]:
    """The parts with provider-executed blocks in legal order: each call directly before its result.

    A call without its result is dropped. A result without its call, before it, under another name or with a
    repeated id becomes text, and so does a pair that the reader cannot read. `seen` remembers the ids of the
    messages before.
    """
    parts = list(parts)
    pairs = _pairs(parts, seen)
    paired = set(pairs.values())
    kept: list[AnyPart] = []
    for position, part in enumerate(parts):
        match part:
            case ToolCall(provider_executed=True):
                if position in pairs:
                    kept.extend(_pair(part, parts[pairs[position]], readable=readable))
            case ToolResult(provider_executed=True):
                if position not in paired:
                    kept.append(told(part))
            case _:
                kept.append(part)
    return [part for part in kept if not (isinstance(part, Text) and not part.text.strip())]


def with_sound_arguments(part: AnyPart) -> AnyPart:
    """The part, or a call of the provider's own with arguments that are an object, whatever the model wrote."""
    if isinstance(part, ToolCall) and part.provider_executed:
        return structs.replace(part, args=arguments(part.args))
    return part


def told(result: ToolResult, call: ToolCall | None = None) -> Text:
    """A provider's result in words."""
    asked = f" {call.args}" if call is not None and call.args.strip() not in ("", "{}") else ""
    return Text(f"[{result.tool or 'tool'}{asked}]\n{result.result}".rstrip())


def _pairs(parts: list[AnyPart], seen: set[str]) -> dict[int, int]:
    """By position of the call, the position of the first result that follows it with its id and name.

    A call without an id has no result: nobody could say whose it is.
    """
    open_calls: dict[str, int] = {}
    pairs: dict[int, int] = {}
    for position, part in enumerate(parts):
        match part:
            case ToolCall(provider_executed=True, call_id=call_id) if call_id and call_id not in seen:
                seen.add(call_id)
                open_calls[call_id] = position
            case ToolResult(provider_executed=True, call_id=call_id) if call_id in open_calls:
                call = parts[open_calls[call_id]]
                if isinstance(call, ToolCall) and call.tool == part.tool:
                    pairs[open_calls.pop(call_id)] = position
            case _:
                pass
    return pairs


def _pair(call: ToolCall, result: AnyPart, *, readable: Callable[[ToolResult], bool]) -> list[AnyPart]:
    if not isinstance(result, ToolResult) or readable(result):
        return [call, result]
    return [told(result, call)]
