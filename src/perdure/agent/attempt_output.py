"""Work in flight: the parts of one attempt as they come, and what is kept of them if it is cut short."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial

from msgspec import structs

from perdure.agent.compaction.size import NO_FRAME, Frame, prompt_tokens
from perdure.agent.history import History
from perdure.agent.models import ResolvedModel
from perdure.core.deltas import Accumulator, AnyDelta, ReasoningDelta, ToolCallDelta, ToolResultDelta
from perdure.core.message import AnyPart, FinishReason, NewMessage, Reasoning, Role, ToolCall, ToolResult, Usage
from perdure.core.timing import Clock
from perdure.live.episodes import Episode, on_the_loop
from perdure.live.thinning import Thinned, call_allowance
from perdure.providers.estimate import estimate
from perdure.providers.model import cost
from perdure.tools.arguments import is_json_object

INTERRUPTED = "The call was interrupted before it produced a result."
OUTCOME_UNKNOWN = "Interrupted; the outcome is unknown. Verify before you rely on it or repeat it."


class AttemptOutput:
    """What an attempt has produced so far. The step owns the content; the episode shows it."""

    def __init__(self, episode: Episode, clock: Clock) -> None:
        self.episode = episode
        self.runtime_ms: int | None = None
        """From opening the provider's stream to its end; None while none was opened."""
        self._clock = clock
        self._answer = Accumulator()
        self._results: dict[str, ToolResult] = {}
        self._progress: dict[str, Thinned] = {}
        self._reasoning: int | None = None
        self._last = -1

    def answer(self, deltas: Sequence[AnyDelta]) -> None:
        """More of the model's answer."""
        stamped: list[AnyDelta] = []
        for delta in deltas:
            if delta.index == self._last:
                stamped.append(delta)
            else:
                stamped += self._stamped(delta)
        for delta in stamped:
            self._answer.add(delta)
        self.episode.add(Role.ASSISTANT, stamped)

    def result(self, index: int, result: ToolResult) -> None:
        """A finished tool result."""
        self._end_progress(result.call_id)
        self._results[result.call_id] = result
        self.episode.add(Role.TOOL, [_whole(index, result)])

    def progress(self, index: int, call: ToolCall, text: str, *, afresh: bool = False) -> None:
        """More of a result that is not finished, or the beginning of another try at it. A flood is thinned."""
        if afresh:
            self._end_progress(call.call_id)
            self.episode.add(Role.TOOL, [ToolResultDelta(index, call.call_id, call.tool, text, result_reset=True)])
            return
        if call.call_id not in self._progress:
            allowance = call_allowance(self.episode.allowance)
            show = partial(self._show, index, call)
            self._progress[call.call_id] = Thinned(allowance, show, self._clock, on_the_loop)
        self._progress[call.call_id].add(text)

    def _show(self, index: int, call: ToolCall, text: str) -> None:
        # What waited for room may come when the attempt is over.
        if not self.episode.closed:
            self.episode.add(Role.TOOL, [ToolResultDelta(index, call.call_id, call.tool, text)])

    def _end_progress(self, call_id: str) -> None:
        shown = self._progress.pop(call_id, None)
        if shown is not None:
            shown.end()

    @property
    def parts(self) -> tuple[AnyPart, ...]:
        """What there is so far. A thought that is cut short ends now."""
        parts = self._answer.parts()
        if self._reasoning is None:
            return parts
        now = self._clock.now()
        return tuple(
            structs.replace(part, completed_at=now)
            if isinstance(part, Reasoning) and part.completed_at is None
            else part
            for part in parts
        )

    @property
    def results(self) -> dict[str, ToolResult]:
        return self._results

    def _stamped(self, delta: AnyDelta) -> Iterable[AnyDelta]:
        """The delta with the times that only we know: when a call was made, when reasoning began and ended."""
        now = self._clock.now()
        if self._reasoning is not None and delta.index != self._reasoning:
            yield ReasoningDelta(self._reasoning, completed_at=now)
            self._reasoning = None
        opens = delta.index > self._last
        self._last = max(self._last, delta.index)
        match delta:
            case ReasoningDelta() if opens:
                self._reasoning = delta.index
                yield structs.replace(delta, started_at=delta.started_at or now)
            case ToolCallDelta() | ToolResultDelta() if opens:
                yield structs.replace(delta, created_at=delta.created_at or now)
            case _:
                yield delta


def _whole(index: int, result: ToolResult) -> ToolResultDelta:
    return ToolResultDelta(
        index,
        result.call_id,
        result.tool,
        result.result,
        result_reset=True,
        is_error=result.is_error,
        media=result.media,
        done=True,
        created_at=result.created_at,
    )


def partial_answer(parts: Iterable[AnyPart], model: NewMessage, now: datetime) -> tuple[NewMessage, ...]:
    """What is kept of an answer that was cut short: all but the calls that cannot be read. Each of ours is answered."""
    kept = tuple(part for part in parts if _keepable(part))
    if not kept:
        return ()
    answer = structs.replace(model, role=Role.ASSISTANT, parts=kept, finish_reason=FinishReason.INTERRUPTED)
    answered = {part.call_id for part in kept if isinstance(part, ToolResult)}
    calls = [
        part
        for part in kept
        if isinstance(part, ToolCall) and not part.provider_executed and part.call_id not in answered
    ]
    return (answer, *(interrupted(call.call_id, call.tool, now=now) for call in calls))


def interrupted(call_id: str, tool: str, *, now: datetime, text: str = INTERRUPTED) -> NewMessage:
    """The answer to a call that never got one."""
    result = ToolResult(call_id, tool, text, is_error=True, created_at=now)
    return NewMessage(role=Role.TOOL, parts=(result,))


def _keepable(part: AnyPart) -> bool:
    match part:
        case ToolCall(provider_executed=False, args=args):
            return is_json_object(args)
        case _:
            return True


def partial_cost(
    model: ResolvedModel, history: History, parts: Sequence[AnyPart], frame: Frame = NO_FRAME
) -> int | None:
    """The prompt and the parts that came, at list price; None where there is no price. Nothing seen costs nothing."""
    price = model.route.model.price
    if not parts or price is None:
        return 0 if not parts else None
    said = estimate([NewMessage(role=Role.ASSISTANT, parts=tuple(parts))])
    return cost(Usage(input=prompt_tokens(history, frame), output=said), price)
