"""A chat as its followers see it, how a commit moves that on, and what they are told about it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from perdure.core.chat import Chat
from perdure.core.commit import Commit, asked_parts, card_after, pending, queue_after
from perdure.core.cursor import Cursor
from perdure.core.events import (
    ActionRequired,
    AnyEvent,
    ChatCard,
    ChatEvent,
    ErrorEvent,
    HistoryReset,
    MessageEvent,
    PendingAction,
    PreviewReset,
    QueuedMessage,
    QueueUpdate,
    RetryEvent,
    StatusEvent,
)
from perdure.core.ids import MessageNumber
from perdure.core.message import AnyPart, Message, Role
from perdure.core.public import public_message, public_queued, visible
from perdure.store.following import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything about a chat that streams show besides its messages, as it is at two versions: snapshot and card."""

    chat: Chat
    card: ChatCard
    metadata_version: int
    queue: tuple[QueuedMessage, ...]
    line: int | None = None
    """The line of the database's history that it is on."""
    asked: Sequence[AnyPart] = ()
    """The parts of the message that the open calls belong to."""

    @property
    def action(self) -> PendingAction | None:
        return pending(self.chat, self.asked)


@dataclass(frozen=True, slots=True)
class News:
    """What happened to the messages between two views."""

    messages: tuple[Message, ...] = ()
    cut: MessageNumber | None = None


def view_of(reading: Reading) -> View:
    return View(
        chat=reading.chat,
        card=reading.card,
        metadata_version=reading.metadata_version,
        queue=reading.queue,
        line=reading.line.now,
        asked=reading.asked,
    )


def moved_on(view: View, commit: Commit) -> tuple[View, News] | None:
    """The view after a commit, and its news. None where the commit does not follow the view."""
    chat = commit.chat
    if not _follows(view, commit):
        return None
    after = View(
        chat=chat,
        card=card_after(view.card, commit),
        metadata_version=commit.metadata_version or view.metadata_version,
        queue=queue_after(view.queue, commit),
        line=commit.line,
        asked=asked_parts(view.asked, commit) if chat.open_calls else (),
    )
    messages = tuple(public_message(message) for message in commit.messages if visible(message))
    return after, News(messages, commit.hidden_from)


def _follows(view: View, commit: Commit) -> bool:
    """Whether the commit was made on exactly what the view shows, the card included, and all of it is known here."""
    base, chat, known = commit.base, commit.chat, view.chat.snapshot_version
    if base is None or base.snapshot_version != known or chat.snapshot_version != known + 1:
        return False
    if len(commit.promoted_messages) != len(commit.promoted) or commit.line is None:
        # The answer of the database got lost.
        return False
    return commit.card is None or commit.metadata_version == view.metadata_version + 1


def behind(view: View, snapshot: int, metadata: int) -> bool:
    """Whether a hint about these versions says something new."""
    return snapshot > view.chat.snapshot_version or metadata > view.metadata_version


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
    if before is None or before.chat.status is not view.chat.status or _skipped(before, view):
        yield StatusEvent(cursor=cursor, status=view.chat.status)
    if before is None or before.chat.last_error != view.chat.last_error:
        yield ErrorEvent(cursor=cursor, error=view.chat.last_error)
    if before is None or before.action != view.action:
        yield ActionRequired(cursor=cursor, action=view.action)
    if before is None or before.chat.retry_state != view.chat.retry_state:
        yield RetryEvent(cursor=cursor, retry=view.chat.retry_state)


def _skipped(before: View, view: View) -> bool:
    """Whether there were versions between the two: a whole turn, perhaps, for whose end somebody waits."""
    return view.chat.snapshot_version > before.chat.snapshot_version + 1
