"""What a change does to messages: those of the history, and those that wait in the queue."""

from collections.abc import Hashable, Sequence
from typing import Any

from perdure.core.commit import Commit
from perdure.core.message import NewMessage
from perdure.store.rows import MESSAGE_COLUMNS, SAID_AT, encoded
from perdure.store.statement.text import CHANGE, Shape, Text

Rows = Sequence[tuple[int, NewMessage]]
# A column that no message of the change has a value for is left out of the statement.
_ALWAYS = frozenset({"role", "visibility", "kind", "parts"})


def bind_rows(rows: Rows, columns: Sequence[Any], values: list[object]) -> Hashable:
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
    if all(message.said_at is None for _, message in rows):
        columns = [column for column in columns if column[0] != SAID_AT]
    values += ([of(message) for _, message in rows] for _, (_, of) in columns)
    return True, tuple(name for name, _ in columns)


def listed_rows(text: Text, shape: Shape) -> tuple[str, str, str]:
    """The columns of the rows, their values, and where the values come from."""
    many, names = shape
    typed = {"number": "integer", **{name: MESSAGE_COLUMNS[name][0] for name in names}}
    columns = ", ".join(typed)
    if not many:
        return columns, ", ".join(f"{text.value()}::{kind}" for kind in typed.values()), "swap"
    arrays = ", ".join(f"{text.value()}::{kind}[]" for kind in typed.values())
    return columns, ", ".join(f"r.{name}" for name in typed), f"swap, unnest({arrays}) AS r({columns})"


# What an edit hides.


def bind_hidden(commit: Commit, values: list[object]) -> Hashable:
    if commit.hidden_from is None:
        return None
    values += (commit.hidden_from, 1)
    return True


def render_hidden(text: Text, _: Shape) -> None:
    number = f"{text.value()}::integer"
    # A summary that covers only what stays, stays.
    text.piece(
        "hidden",
        "UPDATE messages m SET hidden_in = swap.snapshot_version, revision = swap.snapshot_version FROM swap "
        f"WHERE m.chat_id = swap.id AND m.number >= {number} AND m.hidden_in IS NULL "
        f"AND NOT (m.kind = 'boundary' AND m.covers < {number}) RETURNING m.number, m.role",
    )
    text.expect(f"hidden WHERE number = {number} AND role = 'user'", "the edited message is a live message of a user")


_MESSAGE = tuple(MESSAGE_COLUMNS.items())


def bind_messages(commit: Commit, values: list[object]) -> Hashable:
    return bind_rows(commit.appended, _MESSAGE, values) if commit.appended else None


def render_messages(text: Text, shape: Shape) -> None:
    columns, listed, source = listed_rows(text, shape)
    text.piece(
        "appended",
        f"INSERT INTO messages (chat_id, revision, change_id, {columns}) "
        f"SELECT swap.id, swap.snapshot_version, {CHANGE}, {listed} FROM {source}",
    )


def bind_files(commit: Commit, values: list[object]) -> Hashable:
    if not commit.files:
        return None
    values.append(list(commit.files))
    return True


def render_files(text: Text, _: Shape) -> None:
    text.piece(
        "linked",
        f"INSERT INTO file_links (chat_id, file_id) SELECT swap.id, f FROM swap, unnest({text.value()}::uuid[]) AS f "
        "ON CONFLICT DO NOTHING",
    )


_QUEUED = tuple(
    (name, MESSAGE_COLUMNS[name]) for name in ("parts", "created_by", "author", "model", "effort", "client_id")
)

PROMOTED_COLUMNS = ("number", *(name for name, _ in _QUEUED), "created_at")
"""What the answer says of messages that left the queue for the history, as arrays in the order of their numbers."""


def bind_enqueued(commit: Commit, values: list[object]) -> Hashable:
    return bind_rows(commit.enqueued, _QUEUED, values) if commit.enqueued else None


def render_enqueued(text: Text, shape: Shape) -> None:
    columns, listed, source = listed_rows(text, shape)
    text.piece(
        "enqueued",
        f"INSERT INTO queued_messages (chat_id, change_id, {columns}) SELECT swap.id, {CHANGE}, {listed} FROM {source}",
    )


def bind_removed(commit: Commit, values: list[object]) -> Hashable:
    if not commit.removed:
        return None
    values += (list(commit.removed), len(commit.removed))
    return True


def render_removed(text: Text, _: Shape) -> None:
    text.piece(
        "removed",
        "UPDATE queued_messages q SET removed_in = swap.snapshot_version FROM swap WHERE q.chat_id = swap.id "
        f"AND q.number = ANY({text.value()}::integer[]) AND q.removed_in IS NULL RETURNING 1",
    )
    text.expect("removed", "every removed message is in the queue")


def bind_rewritten(commit: Commit, values: list[object]) -> Hashable:
    if not commit.rewritten:
        return None
    values.append([number for number, _ in commit.rewritten])
    values.append([encoded(parts) for _, parts in commit.rewritten])
    values.append(len(commit.rewritten))
    return True


def render_rewritten(text: Text, _: Shape) -> None:
    text.piece(
        "rewritten",
        "UPDATE queued_messages q SET parts = r.parts "
        f"FROM swap, unnest({text.value()}::integer[], {text.value()}::text[]) AS r(number, parts) "
        "WHERE q.chat_id = swap.id AND q.number = r.number AND q.removed_in IS NULL RETURNING 1",
    )
    text.expect("rewritten", "every rewritten message is in the queue")


def bind_promoted(commit: Commit, values: list[object]) -> Hashable:
    if not commit.promoted:
        return None
    values.append([queued for queued, _ in commit.promoted])
    values.append([number for _, number in commit.promoted])
    values.append(len(commit.promoted))
    return True


def render_promoted(text: Text, _: Shape) -> None:
    queued, numbers = f"{text.value()}::integer[]", f"{text.value()}::integer[]"
    text.piece(
        "moved",
        "DELETE FROM queued_messages q USING swap WHERE q.chat_id = swap.id "
        f"AND q.number = ANY({queued}) AND q.removed_in IS NULL RETURNING q.*",
    )
    # The change that sent the message keeps its name on it, so that its sender can find it whatever happened since.
    text.piece(
        "promoted",
        "INSERT INTO messages (chat_id, revision, number, role, visibility, kind, parts, created_by, author, model, "
        "effort, client_id, queued_as, change_id) "
        "SELECT swap.id, swap.snapshot_version, p.number, 'user', 'both', 'ordinary', m.parts, m.created_by, m.author, "
        "m.model, m.effort, m.client_id, m.number, m.change_id "
        f"FROM swap, moved m JOIN unnest({queued}, {numbers}) AS p(queued, number) ON p.queued = m.number RETURNING 1",
    )
    text.expect("promoted", "every promoted message is in the queue")
    for column in PROMOTED_COLUMNS:
        text.outcome.append(f"ARRAY(SELECT m.{column} FROM moved m ORDER BY m.number) AS moved_{column}")
