"""Asking the model once: its stream goes into the output, its last word comes back."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from msgspec import structs

from perdure.agent.attempt_output import AttemptOutput
from perdure.agent.compaction.shorten import Fitted
from perdure.agent.history import History, newest_user_message
from perdure.agent.kept_responses import system_mark
from perdure.agent.notices import notice
from perdure.agent.prepare import Prepared
from perdure.agent.results import unreadable
from perdure.agent.toolset import Toolset
from perdure.core.deltas import Finish
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ErrorKind
from perdure.core.message import AnyPart, FinishReason, NewMessage, Role, Text, ToolCall
from perdure.core.timing import Clock
from perdure.providers.client import ProviderClient
from perdure.providers.errors.classification import ClassifiedError, ModelCallFailed, classify
from perdure.providers.errors.failures import Filtered
from perdure.providers.model import cost
from perdure.providers.projection.step import repair_step
from perdure.providers.stream import ModelStream

Asked = AbstractAsyncContextManager[ModelStream]
CUT_SHORT = "The answer reached the model's output limit and was cut. Continue to get the rest."
FILES_LEFT_OUT = "Too large for what the model can read at once, and left out: {names}."
FILES_REFUSED = "Refused by the provider, and left out: {names}."
NOTHING_SAID = "The model answered nothing."


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A complete answer, ready to be committed."""

    messages: tuple[NewMessage, ...]
    finish: Finish
    cost: int | None
    block_hashes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """A response that the provider may be giving already, and who wants to know the name of the one that it gives."""

    response_id: str | None = None
    named: Callable[[str], None] | None = None


NEW = Given()


async def generate(
    client: ProviderClient,
    prepared: Prepared,
    history: History,
    output: AttemptOutput,
    clock: Clock,
    *,
    given: Given = NEW,
    reached: Callable[[str], None] = lambda _: None,
) -> Answer:
    """One attempt. What arrives before a failure or a cancellation stays in the output."""
    told = prepared.told(history)
    while True:
        try:
            asked = _asked(client, prepared, history, told, given.response_id)
            finish, hashes = await _heard(asked, output, clock, given=given, reached=reached)
            answer = _answer(prepared, history, told, output, finish, hashes)
            return replace(answer, messages=_with_unreadable(answer.messages, clock))
        except ProviderFailure as failure:
            less = None if output.parts else _less(prepared, history, told, classify(failure))
            if less is None:
                raise
            told = less


def _less(prepared: Prepared, history: History, told: Fitted, error: ClassifiedError) -> Fitted | None:
    """What the model is told instead, where the provider refused what it was told, and telling less may help."""
    if error.kind is ErrorKind.CONTEXT_OVERFLOW:
        return prepared.told_less(history, told)
    return prepared.told_in_words(told) if error.about_a_file else None


async def _heard(
    asked: Asked, output: AttemptOutput, clock: Clock, *, given: Given, reached: Callable[[str], None]
) -> tuple[Finish, Sequence[str]]:
    """The stream, into the output, until its last word."""
    started: float | None = None
    try:
        async with asked as stream:
            started = clock.monotonic()
            stream.named = given.named
            reached("generate.opened")
            async for batch in stream:
                output.answer(batch)
                reached("generate.streaming")
            return stream.finish, stream.block_hashes
    finally:
        output.runtime_ms = None if started is None else round((clock.monotonic() - started) * 1000)


def _asked(
    client: ProviderClient, prepared: Prepared, history: History, told: Fitted, response_id: str | None
) -> Asked:
    """The model's stream: a new answer, or one that is being given already."""
    model = prepared.model
    if response_id is not None:
        return client.resume(model.route, response_id, model.settings)
    return client.stream(model.route, prepared.request(history, told.messages))


def _answer(
    prepared: Prepared, history: History, told: Fitted, output: AttemptOutput, finish: Finish, hashes: Sequence[str]
) -> Answer:
    model = prepared.model
    parts = tuple(_with_server(part, prepared.toolset) for part in _given(repair_step(output.parts), finish))
    if finish.reason is FinishReason.CONTENT_FILTER and not any(isinstance(part, Text) for part in parts):
        raise ModelCallFailed(classify(Filtered(finish.explanation or ""), model.route.provider))
    price = model.route.model.price
    paid = None if finish.usage is None or price is None else cost(finish.usage, price)
    said = _messages(parts, _stamp(prepared, output, finish, paid))
    messages = (*said, *_withheld(finish, model.route.provider), *_about_files(told, history))
    return Answer(messages=messages, finish=finish, cost=paid, block_hashes=hashes)


def _about_files(told: Fitted, history: History) -> tuple[NewMessage, ...]:
    """What people are told of files that the model did not get: once, until they say something again."""
    about = ((FILES_LEFT_OUT, told.left_out), (FILES_REFUSED, told.refused))
    said = [notice("files_left_out", words.format(names=", ".join(names))) for words, names in about if names]
    asked = newest_user_message(history)
    since = history.since(asked.number) if asked and said else history.messages
    return tuple(each for each in said if not any(message.parts == each.parts for message in since))


def _given(parts: tuple[AnyPart, ...], finish: Finish) -> tuple[AnyPart, ...]:
    """The parts that were given whole: a call that was cut before its arguments is not one without arguments."""
    last = parts[-1] if parts else None
    cut = finish.reason is FinishReason.LENGTH and isinstance(last, ToolCall) and not last.args.strip()
    return parts[:-1] if cut else parts


def _with_server(part: AnyPart, toolset: Toolset) -> AnyPart:
    """A call of an MCP tool says which server it goes to."""
    if isinstance(part, ToolCall) and (server := toolset.server(part.tool)):
        return structs.replace(part, mcp_server_id=server)
    return part


def _with_unreadable(messages: tuple[NewMessage, ...], clock: Clock) -> tuple[NewMessage, ...]:
    answer, *notices = messages
    return (answer, *unreadable(answer.parts, clock), *notices)


def _withheld(finish: Finish, provider: str) -> tuple[NewMessage, ...]:
    """A word about an answer that its provider broke off, where it says why."""
    if finish.reason is not FinishReason.CONTENT_FILTER or finish.explanation is None:
        return ()
    told = classify(Filtered(finish.explanation), provider)
    return (notice("content_filter", f"{told.message} {told.detail or ''}".strip()),)


def _stamp(prepared: Prepared, output: AttemptOutput, finish: Finish, paid: int | None) -> NewMessage:
    """An answer without its parts."""
    model = prepared.model
    return NewMessage(
        role=Role.ASSISTANT,
        parts=(),
        model=model.name,
        effort=model.settings.effort,
        usage=finish.usage,
        cost=paid,
        runtime_ms=output.runtime_ms,
        context_limit=finish.context_limit or model.window,
        finish_reason=finish.reason,
        provider_response_id=finish.response_id,
        system_mark=None if finish.response_id is None else system_mark(prepared.system),
    )


def _messages(parts: tuple[AnyPart, ...], stamp: NewMessage) -> tuple[NewMessage, ...]:
    cut = (notice("length", CUT_SHORT),) if stamp.finish_reason is FinishReason.LENGTH else ()
    if not parts:
        return cut or (notice("empty_answer", NOTHING_SAID),)
    return structs.replace(stamp, parts=parts), *cut
