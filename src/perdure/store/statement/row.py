"""The chat's own row, and the other chat whose fence must hold besides."""

from collections.abc import Hashable
from operator import attrgetter

from perdure.core.commit import Commit
from perdure.store.rows import CHAT_COLUMNS
from perdure.store.statement.text import CHANGE, Shape, Text

# How many changes that insert nothing a row remembers.
REMEMBERED = 8


# The chat whose fence must hold besides.


def bind_guard(commit: Commit, values: list[object]) -> Hashable:
    if commit.guard is None:
        return None
    fence = commit.guard.fence
    values += (commit.guard.chat_id, fence.worker_id, fence.runner_id, fence.status.value, fence.history_version)
    return True


def render_guard(text: Text, _: Shape) -> None:
    columns = ("id", "worker_id", "runner_id", "status", "history_version")
    where = " AND ".join(f"{column} = {text.value()}{'::text' * (column == 'status')}" for column in columns)
    text.piece("guard", f"SELECT 1 FROM chats WHERE {where} FOR SHARE")


# The card, where it is taken for what it was.


def bind_sight(commit: Commit, values: list[object]) -> Hashable:
    sight = commit.sight
    if sight is None:
        return None
    values += (sight.metadata_version, sight.reader, sight.read_number)
    return True


def render_sight(text: Text, _: Shape) -> None:
    version, reader, number = f"{text.value()}::bigint", f"{text.value()}::uuid", f"{text.value()}::integer"
    read = f"SELECT r.number FROM read_markers r WHERE r.user_id = {reader} AND r.chat_id = $1"
    text.piece(
        "seen",
        f"SELECT 1 FROM chat_cards k WHERE k.id = $1 AND k.metadata_version = {version} "
        f"AND NOT EXISTS (SELECT FROM chat_cards a WHERE a.parent_id = $1) AND coalesce(({read}), 0) = {number}",
    )


# The chat's own row: swapped, or inserted.

_ATTRIBUTES = {"action_kind": "action"}
"""Where a column is not named as what it is made of."""
_columns_of = attrgetter(*(_ATTRIBUTES.get(name, name) for name in CHAT_COLUMNS))
_COLUMNS = tuple(CHAT_COLUMNS.items())
_TYPES = {
    **dict.fromkeys(
        ("status", "last_error", "retry_state", "action", "action_kind", "asks_owner", "stopped_by", "open_calls"),
        "text",
    ),
    **dict.fromkeys(("archived", "budget_declined", "continuing", "newest_is_user"), "boolean"),
    **dict.fromkeys(("worker_id", "runner_id", "asked_by"), "uuid"),
    **dict.fromkeys(("action_deadline_at", "compaction_requested_at", "turn_began_at"), "timestamptz"),
    **dict.fromkeys(("budget_limit", "budget_spent", "budget_reserved"), "bigint"),
    **dict.fromkeys(("history_version", "queue_version", "retry_version"), "bigint"),
    "queue": "integer[]",
}


def bind_chat(commit: Commit, values: list[object]) -> Hashable:
    base, chat = commit.base, commit.chat
    if base is None:
        changed = _COLUMNS
    else:
        values += (base.snapshot_version, base.change_id)
        pairs = zip(_COLUMNS, _columns_of(base), _columns_of(chat), strict=True)
        changed = [column for column, old, new in pairs if old is not new and old != new]
    names: list[str] = []
    for name, of in changed:
        if name == "action_deadline_at" and commit.action_deadline is not None:
            values.append(commit.action_deadline)
            names.append("deadline")
        elif name == "compaction_requested_at" and commit.compaction_requested:
            names.append("compaction")
        elif name == "turn_began_at" and commit.turn_began:
            names.append("beginning")
        elif name == "asked_by" and commit.asker_queued is not None:
            values.append(commit.asker_queued)
            names.append("asker")
        else:
            values.append(of(chat))
            names.append(name)
    conditions = ("guard",) * (commit.guard is not None) + ("seen",) * (commit.sight is not None)
    return base is None, conditions, commit.traceable, tuple(names)


def render_chat(text: Text, shape: Shape) -> None:
    created, conditions, named, names = shape
    seen, by = ("", "") if created else (text.value(), text.value())
    columns = {"snapshot_version": "$3::bigint", "change_id": CHANGE, "updated_at": "now()"}
    columns |= dict(_column(text, name) for name in names)
    if not named:
        columns["recent_changes"] = f"(array_prepend({CHANGE}, recent_changes))[1:{REMEMBERED}]"
    returned = "RETURNING id, snapshot_version, updated_at, action_deadline_at, compaction_requested_at, line"
    if created:
        source = "".join(f" FROM {name}" for name in conditions)
        listed, given = ", ".join(columns), ", ".join(columns.values())
        text.piece("swap", f"INSERT INTO chats (id, {listed}) SELECT $1::uuid, {given}{source} {returned}")
    else:
        sets = ", ".join(f"{name} = {value}" for name, value in columns.items())
        # After a failover that lost commits, another change may have the number of the one that was seen.
        where = f"id = $1 AND snapshot_version = {seen} AND change_id IS NOT DISTINCT FROM {by}::uuid"
        where += "".join(f" AND EXISTS (SELECT FROM {name})" for name in conditions)
        text.piece("swap", f"UPDATE chats SET {sets} WHERE {where} {returned}")


def _column(text: Text, name: str) -> tuple[str, str]:
    """A column of the chat, and the SQL of its new value. Some of them only the database knows."""
    if name == "deadline":
        return "action_deadline_at", f"now() + {text.value()}::interval"
    if name == "compaction":
        return "compaction_requested_at", "now()"
    if name == "beginning":
        return "turn_began_at", "now()"
    if name == "asker":
        queued = f"q.chat_id = $1 AND q.number = {text.value()}::integer"
        return "asked_by", f"(SELECT q.created_by FROM queued_messages q WHERE {queued})"
    return name, f"{text.value()}::{_TYPES.get(name, 'integer')}"
