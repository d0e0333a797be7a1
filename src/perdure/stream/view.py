"""A chat as its followers see it, and how a change that this process committed moves it on without a read."""

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.core.after import asked_parts, card_after, pending, queue_after
from perdure.core.chat import Chat
from perdure.core.commit import Commit
from perdure.core.events import ChatCard, PendingAction, QueuedMessage
from perdure.core.ids import MessageNumber
from perdure.core.message import Message
from perdure.core.parts import AnyPart
from perdure.core.public import public_message, visible
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
