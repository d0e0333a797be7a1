"""One change, one statement: a compare-and-swap on the chat's row that every other write hangs on.

The statement has only the pieces that a change needs. A piece takes its values from the change and says its shape; the
text depends on the shapes alone, so that it is assembled once for each of a few dozen combinations and prepared once
per connection. Only the swap may fail softly, by finding no row; whatever else does not fit raises and undoes all.
This is the one place where SQL is not in a file of its own: the pieces mean nothing apart.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from perdure.core.message import NewMessage
from perdure.store.commit import NewCard, Write
from perdure.store.rows import CHAT_COLUMNS, MESSAGE_COLUMNS, encoded

# How many changes that insert nothing a row remembers.
REMEMBERED = 8


class Text:
    """SQL under construction: named pieces, and what must be true of them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.outcome: list[str] = ["swap.updated_at", "swap.action_deadline_at", "swap.compaction_requested_at"]
        self._count = 0

    def value(self) -> str:
        """The placeholder of the next value."""
        self._count += 1
        return f"${self._count}"

    def piece(self, name: str, sql: str) -> None:
        self.pieces.append(f"{name} AS ({sql})")

    def expect(self, name: str, what: str) -> None:
        """Undo everything unless the piece touched as many rows as the next value says."""
        self.outcome.append(f"expect((SELECT count(*) FROM {name}) = {self.value()}, '{what}')")

    def __str__(self) -> str:
        return f"WITH {', '.join(self.pieces)} SELECT {', '.join(self.outcome)} FROM swap"


Shape = Any
"""What the text of a piece depends on. None where the change does not need the piece."""
Take = Callable[[Write, list[object]], Hashable]
Say = Callable[[Text, Shape], None]

# The change's name, wherever it is written. The swap's first values are the same in every statement.
_CHANGE = "$2::uuid"


def statement(write: Write) -> tuple[str, list[object]]:
    """The SQL of a change, and its arguments."""
    values: list[object] = [write.chat.id, write.change_id, write.chat.snapshot_version]
    shapes = tuple([take(write, values) for take, _ in PIECES])
    return _text(shapes), values


@cache
def _text(shapes: tuple[Hashable, ...]) -> str:
    text = Text()
    for _ in range(3):
        text.value()
    for shape, (_, say) in zip(shapes, PIECES, strict=True):
        if shape is not None:
            say(text, shape)
    return str(text)


# The chat whose fence must hold besides.


def _take_guard(write: Write, values: list[object]) -> Hashable:
    if write.guard is None:
        return None
    fence = write.guard.fence
    values += (write.guard.chat_id, fence.worker_id, fence.runner_id, fence.status.value, fence.history_version)
    return True


def _say_guard(text: Text, _: Shape) -> None:
    columns = ("id", "worker_id", "runner_id", "status", "history_version")
    where = " AND ".join(f"{column} = {text.value()}{'::text' * (column == 'status')}" for column in columns)
    text.piece("guard", f"SELECT 1 FROM chats WHERE {where} FOR SHARE")


# The chat's own row: swapped, or inserted.

_columns_of = attrgetter(*CHAT_COLUMNS)
_COLUMNS = tuple(CHAT_COLUMNS.items())
_TYPES = {
    **dict.fromkeys(("status", "last_error", "retry_state", "action", "open_calls"), "text"),
    **dict.fromkeys(("archived", "budget_declined", "continuing", "newest_is_user"), "boolean"),
    **dict.fromkeys(("worker_id", "runner_id"), "uuid"),
    **dict.fromkeys(("action_deadline_at", "compaction_requested_at"), "timestamptz"),
    **dict.fromkeys(("budget_limit", "budget_spent", "budget_reserved"), "bigint"),
    **dict.fromkeys(("history_version", "queue_version", "retry_version"), "bigint"),
    "queue": "integer[]",
}


def _take_chat(write: Write, values: list[object]) -> Hashable:
    base, chat = write.base, write.chat
    if base is None:
        changed = _COLUMNS
    else:
        values.append(base.snapshot_version)
        pairs = zip(_COLUMNS, _columns_of(base), _columns_of(chat), strict=True)
        changed = [column for column, old, new in pairs if old is not new and old != new]
    names: list[str] = []
    for name, of in changed:
        if name == "action_deadline_at" and write.action_deadline is not None:
            values.append(write.action_deadline)
            names.append("deadline")
        elif name == "compaction_requested_at" and write.compaction_requested:
            names.append("compaction")
        else:
            values.append(of(chat))
            names.append(name)
    return base is None, write.guard is not None, write.named, tuple(names)


def _say_chat(text: Text, shape: Shape) -> None:
    created, guarded, named, names = shape
    seen = "" if created else text.value()
    columns = {"snapshot_version": "$3::bigint", "change_id": _CHANGE, "updated_at": "now()"}
    columns |= dict(_column(text, name) for name in names)
    if not named:
        columns["recent_changes"] = f"(array_prepend({_CHANGE}, recent_changes))[1:{REMEMBERED}]"
    returned = "RETURNING id, snapshot_version, updated_at, action_deadline_at, compaction_requested_at"
    if created:
        source = " FROM guard" if guarded else ""
        listed, given = ", ".join(columns), ", ".join(columns.values())
        text.piece("swap", f"INSERT INTO chats (id, {listed}) SELECT $1::uuid, {given}{source} {returned}")
    else:
        sets = ", ".join(f"{name} = {value}" for name, value in columns.items())
        where = f"id = $1 AND snapshot_version = {seen}{' AND EXISTS (SELECT FROM guard)' if guarded else ''}"
        text.piece("swap", f"UPDATE chats SET {sets} WHERE {where} {returned}")


def _column(text: Text, name: str) -> tuple[str, str]:
    """A column of the chat, and the SQL of its new value. Some moments are the database's to name."""
    if name == "deadline":
        return "action_deadline_at", f"now() + {text.value()}::interval"
    if name == "compaction":
        return "compaction_requested_at", "now()"
    return name, f"{text.value()}::{_TYPES.get(name, 'integer')}"


# A new chat's card.

_CARD_TYPES = {
    **dict.fromkeys(("organisation_id", "owner_id", "parent_id", "root_id", "workspace_id"), "uuid"),
    "labels": "jsonb",
    "plan_mode": "boolean",
    "client_tool_deadline": "interval",
}
_CARD_COLUMNS = tuple(NewCard.__dataclass_fields__)


def _take_new_card(write: Write, values: list[object]) -> Hashable:
    if write.new_card is None:
        return None
    values += (getattr(write.new_card, name) for name in _CARD_COLUMNS)
    return True


def _say_new_card(text: Text, _: Shape) -> None:
    values = ", ".join(f"{text.value()}::{_CARD_TYPES.get(name, 'text')}" for name in _CARD_COLUMNS)
    text.piece("card", f"INSERT INTO chat_cards (id, {', '.join(_CARD_COLUMNS)}) SELECT swap.id, {values} FROM swap")


# What an edit hides.


def _take_cut(write: Write, values: list[object]) -> Hashable:
    if write.cut_from is None:
        return None
    values += (write.cut_from, 1)
    return True


def _say_cut(text: Text, _: Shape) -> None:
    number = f"{text.value()}::integer"
    # A summary that covers only what stays, stays.
    text.piece(
        "hidden",
        "UPDATE messages m SET hidden_in = swap.snapshot_version, revision = swap.snapshot_version FROM swap "
        f"WHERE m.chat_id = swap.id AND m.number >= {number} AND m.hidden_in IS NULL "
        f"AND NOT (m.kind = 'boundary' AND m.covers < {number}) RETURNING m.number, m.role",
    )
    text.expect(f"hidden WHERE number = {number} AND role = 'user'", "the edited message is a live message of a user")


# Rows of messages: one is given as values, several as arrays.

Rows = Sequence[tuple[int, NewMessage]]
_MESSAGE = tuple(MESSAGE_COLUMNS.items())
_QUEUED = tuple((name, MESSAGE_COLUMNS[name]) for name in ("parts", "created_by", "model", "effort", "client_id"))
# A column that no message of the change has a value for is left out of the statement.
_ALWAYS = frozenset({"role", "visibility", "kind", "parts"})


def _take_rows(rows: Rows, columns: Sequence[Any], values: list[object]) -> Hashable:
    if len(rows) == 1:
        ((number, message),) = rows
        values.append(number)
        names: list[str] = []
        for name, (_, of) in columns:
            value = of(message)
            if value is not None or name in _ALWAYS:
                names.append(name)
                values.append(value)
        return False, tuple(names)
    values.append([number for number, _ in rows])
    values += ([of(message) for _, message in rows] for _, (_, of) in columns)
    return True, tuple(name for name, _ in columns)


def _listed(text: Text, shape: Shape) -> tuple[str, str, str]:
    """The columns of the rows, their values, and where the values come from."""
    many, names = shape
    typed = {"number": "integer", **{name: MESSAGE_COLUMNS[name][0] for name in names}}
    columns = ", ".join(typed)
    if not many:
        return columns, ", ".join(f"{text.value()}::{kind}" for kind in typed.values()), "swap"
    arrays = ", ".join(f"{text.value()}::{kind}[]" for kind in typed.values())
    return columns, ", ".join(f"r.{name}" for name in typed), f"swap, unnest({arrays}) AS r({columns})"


def _take_messages(write: Write, values: list[object]) -> Hashable:
    return _take_rows(write.messages, _MESSAGE, values) if write.messages else None


def _say_messages(text: Text, shape: Shape) -> None:
    columns, listed, source = _listed(text, shape)
    text.piece(
        "appended",
        f"INSERT INTO messages (chat_id, revision, change_id, {columns}) "
        f"SELECT swap.id, swap.snapshot_version, {_CHANGE}, {listed} FROM {source}",
    )


def _take_enqueued(write: Write, values: list[object]) -> Hashable:
    return _take_rows(write.enqueued, _QUEUED, values) if write.enqueued else None


def _say_enqueued(text: Text, shape: Shape) -> None:
    columns, listed, source = _listed(text, shape)
    text.piece(
        "enqueued",
        f"INSERT INTO queued_messages (chat_id, change_id, {columns}) "
        f"SELECT swap.id, {_CHANGE}, {listed} FROM {source}",
    )


# What leaves the queue, what is said differently in it, what enters the history from it.


def _take_removed(write: Write, values: list[object]) -> Hashable:
    if not write.removed:
        return None
    values += (list(write.removed), len(write.removed))
    return True


def _say_removed(text: Text, _: Shape) -> None:
    text.piece(
        "removed",
        "UPDATE queued_messages q SET removed_in = swap.snapshot_version FROM swap WHERE q.chat_id = swap.id "
        f"AND q.number = ANY({text.value()}::integer[]) AND q.removed_in IS NULL RETURNING 1",
    )
    text.expect("removed", "every removed message is in the queue")


def _take_rewritten(write: Write, values: list[object]) -> Hashable:
    if not write.rewritten:
        return None
    values.append([number for number, _ in write.rewritten])
    values.append([encoded(parts) for _, parts in write.rewritten])
    values.append(len(write.rewritten))
    return True


def _say_rewritten(text: Text, _: Shape) -> None:
    text.piece(
        "rewritten",
        "UPDATE queued_messages q SET parts = r.parts "
        f"FROM swap, unnest({text.value()}::integer[], {text.value()}::text[]) AS r(number, parts) "
        "WHERE q.chat_id = swap.id AND q.number = r.number AND q.removed_in IS NULL RETURNING 1",
    )
    text.expect("rewritten", "every rewritten message is in the queue")


def _take_promoted(write: Write, values: list[object]) -> Hashable:
    if not write.promoted:
        return None
    values.append([queued for queued, _ in write.promoted])
    values.append([number for _, number in write.promoted])
    values.append(len(write.promoted))
    return True


def _say_promoted(text: Text, _: Shape) -> None:
    queued, numbers = f"{text.value()}::integer[]", f"{text.value()}::integer[]"
    text.piece(
        "moved",
        "DELETE FROM queued_messages q USING swap WHERE q.chat_id = swap.id "
        f"AND q.number = ANY({queued}) AND q.removed_in IS NULL RETURNING q.*",
    )
    # The change that sent the message keeps its name on it, so that its sender can find it whatever happened since.
    text.piece(
        "promoted",
        "INSERT INTO messages (chat_id, revision, number, role, visibility, kind, parts, created_by, model, effort, "
        "client_id, queued_as, change_id) "
        "SELECT swap.id, swap.snapshot_version, p.number, 'user', 'both', 'ordinary', m.parts, m.created_by, m.model, "
        "m.effort, m.client_id, m.number, m.change_id "
        f"FROM swap, moved m JOIN unnest({queued}, {numbers}) AS p(queued, number) ON p.queued = m.number RETURNING 1",
    )
    text.expect("promoted", "every promoted message is in the queue")


def _take_files(write: Write, values: list[object]) -> Hashable:
    if not write.files:
        return None
    values.append(list(write.files))
    return True


def _say_files(text: Text, _: Shape) -> None:
    text.piece(
        "linked",
        f"INSERT INTO file_links (chat_id, file_id) SELECT swap.id, f FROM swap, unnest({text.value()}::uuid[]) AS f "
        "ON CONFLICT DO NOTHING",
    )


# The card, and what its owner is told.

_ADDED = ("cost", "unpriced_calls", "turns")
_REPLACED = ("context_tokens", "context_limit")


def _take_card(write: Write, values: list[object]) -> Hashable:
    card = write.card
    if card is None or write.new_card is not None:
        return None
    added = tuple([name for name in _ADDED if getattr(card, name)])
    replaced = tuple([name for name in _REPLACED if getattr(card, name) is not None])
    values += [getattr(card, name) for name in (*added, *replaced)]
    return added, replaced, card.unpin


def _say_card(text: Text, shape: Shape) -> None:
    added, replaced, unpinned = shape
    sets = ["metadata_version = c.metadata_version + 1", "updated_at = now()"]
    sets += [f"{name} = c.{name} + {text.value()}" for name in added]
    sets += [f"{name} = {text.value()}" for name in replaced]
    if unpinned:
        sets.append("pin = 0")
    text.piece(
        "carded",
        f"UPDATE chat_cards c SET {', '.join(sets)} FROM swap WHERE c.id = swap.id "
        "RETURNING c.id, c.owner_id, c.title, c.parent_id, swap.snapshot_version",
    )


def _take_inbox(write: Write, values: list[object]) -> Hashable:
    if not write.inbox or write.new_card is not None:
        return None
    values.append(write.inbox[-1])
    return write.card is not None, write.inbox[-1] == "needs_you"


def _say_inbox(text: Text, shape: Shape) -> None:
    carded, also_children = shape
    card = "(SELECT c.*, swap.snapshot_version FROM swap JOIN chat_cards c ON c.id = swap.id)"
    text.piece(
        "told",
        "INSERT INTO inbox (user_id, chat_id, kind, title, snapshot_version) "
        f"SELECT c.owner_id, c.id, {text.value()}::text, c.title, c.snapshot_version "
        f"FROM {'carded' if carded else card} c {'' if also_children else 'WHERE c.parent_id IS NULL '}"
        "ON CONFLICT (user_id, chat_id, kind) DO UPDATE SET title = excluded.title, created_at = excluded.created_at, "
        "snapshot_version = excluded.snapshot_version, read_at = NULL, pushed_at = NULL",
    )


# The answer that a repeated request gets.

_KEY_COLUMNS = {"caller": "uuid", "route": "text", "key": "text", "request_hash": "bytea", "answer": "text"}


def _take_key(write: Write, values: list[object]) -> Hashable:
    if write.key is None:
        return None
    values += (getattr(write.key, name) for name in _KEY_COLUMNS)
    return True


def _say_key(text: Text, _: Shape) -> None:
    listed = ", ".join(f"{text.value()}::{kind}" for kind in _KEY_COLUMNS.values())
    text.piece("kept", f"INSERT INTO idempotency_keys ({', '.join(_KEY_COLUMNS)}) SELECT {listed} FROM swap")


PIECES: Sequence[tuple[Take, Say]] = (
    (_take_guard, _say_guard),
    (_take_chat, _say_chat),
    (_take_new_card, _say_new_card),
    (_take_cut, _say_cut),
    (_take_messages, _say_messages),
    (_take_enqueued, _say_enqueued),
    (_take_removed, _say_removed),
    (_take_rewritten, _say_rewritten),
    (_take_promoted, _say_promoted),
    (_take_files, _say_files),
    (_take_card, _say_card),
    (_take_inbox, _say_inbox),
    (_take_key, _say_key),
)
