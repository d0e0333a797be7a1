"""What a client is told when a chat moved: events in a fixed order, each with the cursor that resumes after it."""

from collections.abc import Iterator

from msgspec.structs import replace

from perdure.core.cursor import Cursor
from perdure.core.events import (
    ActionRequired,
    AnyEvent,
    ChatEvent,
    ErrorEvent,
    HistoryReset,
    MessageEvent,
    PreviewReset,
    QueueUpdate,
    RetryEvent,
    StatusEvent,
)
from perdure.core.ids import MessageNumber
from perdure.core.message import Role
from perdure.core.public import public_queued
from perdure.stream.view import News, View

START = Cursor()
_ANSWERS = frozenset({Role.ASSISTANT, Role.TOOL})


def sync(seen: Cursor, news: News, view: View, *, before: View | None = None) -> tuple[list[AnyEvent], Cursor]:
    """The events for somebody who has seen that much, and what they have seen after them.

    Without a view from before, everything but messages and card is told whether it changed or not.
    """
    events: list[AnyEvent] = []
    seen = replace(seen, line=view.line)
    if news.cut is not None:
        events.append(HistoryReset(cursor=str(seen), after=MessageNumber(news.cut - 1)))
    for message in news.messages:
        seen = seen.after_message(message)
        events.append(MessageEvent(cursor=str(seen), message=message))
    resets = _leaves_preview(seen, news, view)
    seen = replace(seen, snapshot=view.chat.snapshot_version, number=None)
    if not resets:
        seen = _at_episode(seen, view)
    events += _states(str(seen), view, before)
    if seen.metadata != view.metadata_version:
        seen = replace(seen, metadata=view.metadata_version)
        events.append(ChatEvent(cursor=str(seen), chat=view.card))
    if resets:
        seen = _at_episode(seen, view)
        events.append(PreviewReset(cursor=str(seen)))
    return events, seen


def start_again(view: View, news: News) -> tuple[list[AnyEvent], Cursor]:
    """The events for somebody whose cursor the database has never reached: forget everything, here is all."""
    events, seen = sync(START, News(news.messages, MessageNumber(1)), view)
    events.append(PreviewReset(cursor=str(seen)))
    return events, seen


def _episode(view: View) -> tuple[int, int]:
    return view.chat.history_version, view.chat.generation_attempt


def _at_episode(seen: Cursor, view: View) -> Cursor:
    history, attempt = _episode(view)
    seq = seen.seq if seen.episode == (history, attempt) else 0
    return replace(seen, history=history, attempt=attempt, seq=seq)


def _leaves_preview(seen: Cursor, news: News, view: View) -> bool:
    """Whether parts that were sent belong to an episode that is over, and no committed answer takes their place."""
    if not seen.seq or seen.episode == _episode(view):
        return False
    return not any(message.role in _ANSWERS and message.revision > seen.history for message in news.messages)


def _states(cursor: str, view: View, before: View | None) -> Iterator[AnyEvent]:
    """Queue, status, error, action and retry, as far as they differ from before."""
    if before is None or before.queue != view.queue:
        yield QueueUpdate(cursor=cursor, queue=tuple(map(public_queued, view.queue)))
    if before is None or before.chat.status is not view.chat.status:
        yield StatusEvent(cursor=cursor, status=view.chat.status)
    if before is None or before.chat.last_error != view.chat.last_error:
        yield ErrorEvent(cursor=cursor, error=view.chat.last_error)
    if before is None or before.action != view.action:
        yield ActionRequired(cursor=cursor, action=view.action)
    if before is None or before.chat.retry_state != view.chat.retry_state:
        yield RetryEvent(cursor=cursor, retry=view.chat.retry_state)
