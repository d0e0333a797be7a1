"""What a change does to the queue: what enters it, leaves it, is said differently, becomes part of the history."""

from collections.abc import Hashable

from perdure.core.commit import Commit
from perdure.store.rows import MESSAGE_COLUMNS, encoded
from perdure.store.statement.rows import bind_rows, listed_rows
from perdure.store.statement.text import CHANGE, Shape, Text

_QUEUED = tuple((name, MESSAGE_COLUMNS[name]) for name in ("parts", "created_by", "model", "effort", "client_id"))

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
        "INSERT INTO messages (chat_id, revision, number, role, visibility, kind, parts, created_by, model, effort, "
        "client_id, queued_as, change_id) "
        "SELECT swap.id, swap.snapshot_version, p.number, 'user', 'both', 'ordinary', m.parts, m.created_by, m.model, "
        "m.effort, m.client_id, m.number, m.change_id "
        f"FROM swap, moved m JOIN unnest({queued}, {numbers}) AS p(queued, number) ON p.queued = m.number RETURNING 1",
    )
    text.expect("promoted", "every promoted message is in the queue")
    for column in PROMOTED_COLUMNS:
        text.outcome.append(f"ARRAY(SELECT m.{column} FROM moved m ORDER BY m.number) AS moved_{column}")
