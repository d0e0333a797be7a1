"""One compaction: stage after stage until the prompt is proven to be small enough."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec
from msgspec import structs

from perdure.agent.compaction.shorten import without_outputs
from perdure.agent.compaction.size import Cut, Frame, compactions_since_answer, cut_at, prompt_tokens, said_tokens
from perdure.agent.compaction.summary import Summary
from perdure.agent.decision import Source
from perdure.agent.history import History, newest_user_message
from perdure.core.errors import ProviderFailure
from perdure.core.ids import MessageNumber
from perdure.core.message import AnyPart, Kind, Message, NewMessage, Role, Text, ToolCall, ToolResult, Usage, Visibility
from perdure.core.timing import Clock
from perdure.providers.estimate import BYTES_PER_TOKEN
from perdure.tools.call import within

TOOL_NAME = "chat_summarized"
HEADING = "A summary of the conversation before this point:\n\n"
LATEST = "The user's newest message, word for word:"
CUT_MARK = "[The conversation before this point was cut because it could not be summarised. Use recall to read it.]"
# How much of the window the tail may take: less each time a compaction did not help.
TAIL_SHARES = (4, 8, 16)
# What the notes take that say where a text was cut.
NOTES_BYTES = 200
_log = logging.getLogger(__name__)


class Summaries(Protocol):
    """Whoever can say in few words what a conversation was about."""

    async def summarise(self, messages: Sequence[NewMessage]) -> Summary: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """A compaction that is proven to help, as rows to commit."""

    messages: tuple[NewMessage, ...]
    usage: Usage
    result: ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to compact, for whom and why."""

    history: History
    frame: Frame
    window: int
    """Tokens that fit both the model that answers and the one that summarises."""
    threshold: float
    source: Source
    call: ToolCall

    @property
    def before(self) -> int:
        return prompt_tokens(self.history, self.frame)

    @property
    def estimated(self) -> int:
        """The prompt as it is, by the same measure as the one that follows."""
        return self.frame.tokens + said_tokens(self.history, self.frame)

    @property
    def target(self) -> int:
        """Half the threshold, as far as the frame leaves room for that.

        Where somebody asks for it, or the provider refused a prompt that we thought small: half of what was said.
        """
        limit, frame = int(self.window * min(self.threshold, 1)), self.frame.tokens
        target = max(limit // 2, min(frame + limit // 8, limit))
        if self.source is Source.AUTOMATIC:
            return target
        return min(target, frame + max(0, min(self.before, self.estimated) - frame) // 2)

    @property
    def level(self) -> int:
        return min(compactions_since_answer(self.history), len(TAIL_SHARES) - 1)

    @property
    def tail_room(self) -> int:
        return min(self.window // TAIL_SHARES[self.level], max(0, self.target - self.frame.tokens) // 2)


@dataclass(frozen=True, slots=True)
class _Text:
    """What stands for the old part, and what it took to get it."""

    text: str
    usage: Usage = field(default_factory=Usage)
    runtime_ms: int | None = None
    """How long a model was asked; None where none was."""
    failure: str | None = None


async def compact(job: Job, summariser: Summaries, clock: Clock) -> Compaction:
    """The summary row, and the rows that tell people. The prompt that follows is below the target.

    A chat so short that its summary would be longer stays as it is, and people are told so.
    """
    cut = cut_at(job.history.prompt(), job.tail_room, job.frame)
    old = without_outputs(cut.old)
    summary = await _summary(job, summariser, old, clock)
    boundary = _bounded(job, cut, summary.text)
    after = job.frame.tokens + job.frame.of((boundary, *cut.tail))
    if job.source is Source.MANUAL and after >= job.estimated:
        result = _result(job, job.before, None)
        told = (_told_call(job, summary), _told_result(result))
        return Compaction(messages=told, usage=summary.usage, result=result)
    result = _result(job, after, summary.failure)
    told = (boundary, _told_call(job, summary), _told_result(result))
    return Compaction(messages=told, usage=summary.usage, result=result)


async def _summary(job: Job, summariser: Summaries, old: Sequence[Message], clock: Clock) -> _Text:
    """The summary, or a deterministic cut where no model gives one."""
    if job.level == len(TAIL_SHARES) - 1:
        return _Text(_truncated(old))
    began = clock.monotonic()
    try:
        summary = await summariser.summarise(old)
    except (ProviderFailure, TimeoutError) as error:
        if isinstance(error, TimeoutError) and _cancelled():
            raise
        _log.warning("the summary failed: %s", str(error) or type(error).__name__)
        failure = str(error) or "The summary took too long."
        return _Text(_truncated(old), runtime_ms=_since(began, clock), failure=failure)
    return _Text(summary.text, summary.usage, _since(began, clock))


def _since(began: float, clock: Clock) -> int:
    return round((clock.monotonic() - began) * 1000)


def _cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _truncated(old: Sequence[Message]) -> str:
    """The words of the people and the model, cut short: what is left when no model helps."""
    said = "\n".join(
        f"{message.role.value}: {part.text}" for message in old for part in message.parts if isinstance(part, Text)
    )
    return f"{CUT_MARK}\n\n{said}"


def _bounded(job: Job, cut: Cut, text: str) -> NewMessage:
    """The summary row, cut until the whole prompt is below the target. The user's newest message is never cut."""
    latest = _latest(job.history, cut)
    row = NewMessage(
        role=Role.USER, parts=latest, visibility=Visibility.MODEL, kind=Kind.BOUNDARY, covers=_covered(cut.old)
    )
    room = job.target - job.frame.tokens - job.frame.of((row, *cut.tail))
    summary = within(text, max(1_000, room * BYTES_PER_TOKEN - len(HEADING) - NOTES_BYTES))
    return structs.replace(row, parts=(Text(HEADING + summary), *latest))


def _latest(history: History, cut: Cut) -> tuple[AnyPart, ...]:
    """The user's newest message with its files, where the tail does not have it."""
    latest = newest_user_message(history)
    if latest is None or any(message.number == latest.number for message in cut.tail):
        return ()
    return Text(LATEST), *latest.parts


def _covered(old: Sequence[Message]) -> MessageNumber:
    """The newest message that a summary of these stands for.

    An earlier summary's own number says when it was made: the tail that it kept is older than that.
    """
    numbers = ((message.covers or 0) if message.kind is Kind.BOUNDARY else message.number for message in old)
    return MessageNumber(max(numbers, default=0))


def _told_call(job: Job, summary: _Text) -> NewMessage:
    return NewMessage(
        role=Role.ASSISTANT,
        parts=(job.call,),
        visibility=Visibility.USER,
        kind=Kind.COMPACTION,
        runtime_ms=summary.runtime_ms,
    )


def _told_result(result: ToolResult) -> NewMessage:
    return NewMessage(role=Role.TOOL, parts=(result,), visibility=Visibility.USER, kind=Kind.COMPACTION)


def _result(job: Job, after: int, failure: str | None) -> ToolResult:
    told = {"source": job.source.value, "tokens_before": job.before, "tokens_after": after}
    if failure:
        told["error"] = failure
    return ToolResult(job.call.call_id, TOOL_NAME, msgspec.json.encode(told).decode(), is_error=failure is not None)
