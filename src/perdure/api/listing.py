"""Where a list of chats goes on: after the last one seen, or after so many found."""

import base64
import binascii
from decimal import Decimal
from uuid import UUID

import msgspec

from perdure.access.chats import Seen
from perdure.core.errors import InvalidInput, Validation

_LAST_PIN = 2**31 - 1
_MOST_PASSED = 10_000


class Position(msgspec.Struct, array_like=True, frozen=True):
    """The last chat of a page, as the order of the list sees it."""

    pin: int
    age: str
    id: UUID


def next_cursor(seen: list[Seen], limit: int) -> str | None:
    """Where the next page begins, if this one is full."""
    if len(seen) < limit:
        return None
    last = seen[-1]
    assert last.age is not None
    pin = last.row.pin if last.own and last.row.pin else _LAST_PIN
    return _text(Position(pin, str(-last.age), last.chat.id))


def position_of(cursor: str | None) -> tuple[int, Decimal, UUID] | None:
    if cursor is None:
        return None
    try:
        position = msgspec.json.decode(_bytes(cursor), type=Position)
        age = Decimal(position.age)
        if not age.is_finite() or abs(age) > 10**12 or not 0 <= position.pin <= _LAST_PIN:
            raise ValueError
        return position.pin, age, position.id
    except (ValueError, ArithmeticError, binascii.Error, msgspec.MsgspecError) as error:
        raise _not_ours() from error


def next_passed(found: int, passed: int, limit: int) -> str | None:
    """Where the next page of a search begins, if this one is full and anybody would read that far."""
    over = found < limit or passed + found > _MOST_PASSED
    return None if over else _text(passed + found)


def passed_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        passed = msgspec.json.decode(_bytes(cursor), type=int)
    except (ValueError, binascii.Error, msgspec.MsgspecError) as error:
        raise _not_ours() from error
    if not 0 <= passed <= _MOST_PASSED:
        raise _not_ours()
    return passed


def _text(value: object) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(value)).decode().rstrip("=")


def _bytes(cursor: str) -> bytes:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def _not_ours() -> InvalidInput:
    return InvalidInput("This cursor is not one of ours.", Validation("cursor", "not a cursor"))
