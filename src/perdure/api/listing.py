"""What a list of chats is asked for, and where its next page begins."""

import base64
import binascii
from decimal import Decimal
from uuid import UUID

import msgspec

from perdure.access.chats import Listing, Seen
from perdure.api.wire.chats import ListQuery
from perdure.core.errors import InvalidInput, Validation

_LAST_PIN = 2**31 - 1
KEYS = ("title", "search", "archived", "unread", "source", "label", "repo", "pr", "shared")


class Position(msgspec.Struct, array_like=True, frozen=True):
    """The last chat of a page, as the order of the list sees it."""

    pin: int
    age: str
    id: UUID


def listing_of(query: ListQuery) -> Listing:
    return Listing(
        archived=bool(query.archived),
        unread=query.unread,
        shared=query.shared,
        labels=_label(query.label) if query.label else None,
        after=_after(query.cursor),
        limit=query.limit,
    )


def next_cursor(seen: list[Seen], limit: int) -> str | None:
    """Where the next page begins, if this one is full."""
    if len(seen) < limit:
        return None
    last = seen[-1]
    row = last.row
    pin = row["pin"] if last.own and row["pin"] else _LAST_PIN
    position = Position(pin, str(-row["age"]), last.chat.id)
    return base64.urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def _after(cursor: str | None) -> tuple[int, Decimal, UUID] | None:
    if cursor is None:
        return None
    try:
        position = msgspec.json.decode(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), type=Position)
        age = Decimal(position.age)
        if not age.is_finite() or not 0 <= position.pin <= _LAST_PIN:
            raise ValueError
        return position.pin, age, position.id
    except (ValueError, ArithmeticError, binascii.Error, msgspec.MsgspecError) as error:
        raise InvalidInput("This cursor is not one of ours.", Validation("cursor", "not a cursor")) from error


def _label(text: str) -> str:
    key, colon, value = text.partition(":")
    if not colon or not key or not value:
        raise InvalidInput("A label is written key:value.", Validation("label", "must be key:value"))
    return msgspec.json.encode({key: value}).decode()
