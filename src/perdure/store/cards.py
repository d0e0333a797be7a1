"""Chats as lists and headers show them, from the view `cards` joined with `chats` and the reader's marker."""

from datetime import timedelta

import msgspec

from perdure.core.card import ChatSource
from perdure.core.chat import Chat, Status
from perdure.core.commit import asked_of_owner
from perdure.core.events import ChatCard, DiffStatus
from perdure.core.ids import UserId
from perdure.core.timing import SWEEP_PERIOD
from perdure.store.row_readers import reader_of
from perdure.store.tables.cards import CardRow

card_row_of = reader_of(CardRow)
_labels = msgspec.json.Decoder(dict[str, str])
_diffs = msgspec.json.Decoder(DiffStatus)

# A sweep finds a chat that nobody took; one that waits longer than two of them waits for room.
_PATIENCE: timedelta = 2 * SWEEP_PERIOD


def card_of(row: CardRow, chat: Chat, *, reader: UserId, read_number: int) -> ChatCard:
    """The card as this reader sees it, who has read the chat up to a message."""
    return ChatCard(
        id=chat.id,
        owner_id=row.owner_id,
        title=row.title,
        status=chat.status,
        created_at=row.created_at,
        updated_at=row.listed_at,
        archived=chat.archived,
        parent_id=row.parent_id,
        root_id=row.root_id,
        source=ChatSource(row.source),
        children=row.children,
        model=row.model,
        effort=row.effort,
        plan_mode=row.plan_mode,
        labels=_labels.decode(row.labels),
        pin=row.pin if row.owner_id == reader else 0,
        unread=chat.last_assistant > read_number or _said_by_others(chat, reader, read_number),
        shared=row.shared,
        turn_label=row.turn_label,
        summary=row.summary,
        workspace_id=row.workspace_id,
        diff=_diffs.decode(row.diff) if row.diff else None,
        context_dirty=row.context_dirty,
        cost=row.cost,
        unpriced_calls=row.unpriced_calls,
        context_tokens=row.context_tokens,
        context_limit=row.context_limit,
        last_error=chat.last_error,
        action=chat.action.kind if chat.action else None,
        asks=asked_of_owner(chat, plan_mode=row.plan_mode),
        waiting_for_capacity=_waits(row, chat),
    )


def _said_by_others(chat: Chat, reader: UserId, read_number: int) -> bool:
    """Whether somebody else began a turn that the reader has not seen."""
    return chat.asked_by is not None and chat.asked_by != reader and chat.turn > read_number


def _waits(row: CardRow, chat: Chat) -> bool:
    if chat.status is not Status.RUNNING or chat.owned or chat.updated_at is None:
        return False
    return row.read_at - chat.updated_at > _PATIENCE
