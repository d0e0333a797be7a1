"""Chats as their owners saw them last, so that the next message need not read them again.

What this process commits moves them along; what others do, it may not hear of. So a change that begins from one of them
says what it takes for granted, and the database takes it only if that still holds.
"""

from msgspec.structs import replace

from perdure.access.actor import Actor
from perdure.core.card import moved_fields
from perdure.core.chat import Chat, Status
from perdure.core.commit import Commit
from perdure.core.ids import ChatId
from perdure.store.tables.cards import CardRow
from perdure.store.tables.chats import SeenChat

ROOM = 1024


class KnownChats:
    """The chats that were written in last, each as its owner sees it."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._known: dict[ChatId, SeenChat] = {}

    def at_rest(self, chat_id: ChatId, actor: Actor) -> SeenChat | None:
        """The actor's own chat, where it waited for its next message when it was last heard of."""
        known = self._known.get(chat_id)
        if known is None or known.chat.status is not Status.WAITING:
            return None
        own = known.card.owner_id == actor.user_id and known.card.organisation_id == actor.organisation_id
        return known if own else None

    def keep(self, seen: SeenChat) -> None:
        """Take note of a chat that was read. One with agents changes by what they do, and is read again."""
        if seen.card.parent_id is not None or seen.card.children:
            return
        self._known.pop(seen.chat.id, None)
        self._known[seen.chat.id] = seen
        if len(self._known) > self._room:
            del self._known[next(iter(self._known))]

    def forget(self, chat_id: ChatId) -> None:
        self._known.pop(chat_id, None)

    def clear(self) -> None:
        """The database may have another past now, with the same versions."""
        self._known.clear()

    def committed(self, commit: Commit) -> None:
        """Take note of a change by this process."""
        known = self._known.pop(commit.chat.id, None)
        if known is None or commit.base is None or not _follows(commit.base, known, commit):
            return
        card = _card_after(known.card, commit)
        if card is not None:
            # At its end: those that nobody writes in leave first.
            self._known[commit.chat.id] = replace(known, chat=commit.chat, card=card)


def _follows(base: Chat, known: SeenChat, commit: Commit) -> bool:
    same = base.snapshot_version == known.chat.snapshot_version and base.change_id == known.chat.change_id
    return same and commit.line == known.line


def _card_after(card: CardRow, commit: Commit) -> CardRow | None:
    """The card once this is committed; None where somebody else changed it, too, or that cannot be told."""
    change = commit.card
    if change is None:
        return card
    if change.approvals or commit.metadata_version != card.metadata_version + 1:
        return None
    assert commit.chat.updated_at is not None
    moved = moved_fields(card, change)
    return replace(card, **moved, metadata_version=commit.metadata_version, listed_at=commit.chat.updated_at)
