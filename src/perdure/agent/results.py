"""What a call came to: as a part that is shown, and as the message that enters the history."""

from collections.abc import Iterable, Iterator, Sequence

from perdure.core.author import Author
from perdure.core.message import AnyPart, Media, NewMessage, Role, ToolCall, ToolResult
from perdure.core.timing import Clock
from perdure.tools.arguments import decoded
from perdure.tools.call import ToolFailed, ToolOutput


def result_of(call: ToolCall, output: ToolOutput, clock: Clock, *, decided_by: tuple[Author, ...] = ()) -> ToolResult:
    shown = tuple(Media(str(file.id), file.media_type, file.name) for file in output.files)
    return ToolResult(
        call.call_id,
        call.tool,
        output.text,
        is_error=output.is_error,
        media=output.media + shown,
        created_at=clock.now(),
        decided_by=decided_by,
    )


def answered(call: ToolCall, output: ToolOutput, clock: Clock, *, decided_by: tuple[Author, ...] = ()) -> NewMessage:
    """A result, as it enters the history."""
    return NewMessage(
        role=Role.TOOL,
        parts=(result_of(call, output, clock, decided_by=decided_by),),
        model=output.model,
        usage=output.usage,
        cost=output.cost,
    )


def unreadable(parts: Iterable[AnyPart], clock: Clock) -> Iterator[NewMessage]:
    """Error results for the calls of an answer whose arguments are no JSON object: there is nothing to ask anybody."""
    for call in parts:
        if isinstance(call, ToolCall) and not call.provider_executed:
            try:
                decoded(call.args)
            except ToolFailed as failure:
                yield answered(call, ToolOutput(str(failure), is_error=True), clock)


def refused_batch(exclusive: str, calls: Sequence[ToolCall], clock: Clock) -> tuple[NewMessage, ...]:
    """Error results for a batch in which a call that must be alone is not."""
    return tuple(
        answered(
            call,
            ToolOutput(
                f"{exclusive} must be called by itself. Call it again, alone."
                if call.tool == exclusive
                else f"Skipped because {exclusive} must run alone. Call this again without it.",
                is_error=True,
            ),
            clock,
        )
        for call in calls
    )
