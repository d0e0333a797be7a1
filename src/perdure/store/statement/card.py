"""What lists, owners and repeated requests are told: the card, the inbox, the kept answer."""

from collections.abc import Hashable, Mapping

from perdure.core.card import CARD_FIELDS, Fold, NewCard
from perdure.core.commit import Commit, InboxKind
from perdure.store.rows import encoded
from perdure.store.statement.text import Shape, Text

# A new chat's card.

_CARD_TYPES = {
    **dict.fromkeys(("organisation_id", "owner_id", "parent_id", "root_id", "workspace_id"), "uuid"),
    "labels": "jsonb",
    "plan_mode": "boolean",
    "client_tool_deadline": "interval",
}
_CARD_COLUMNS = tuple(NewCard.__dataclass_fields__)


def bind_new_card(commit: Commit, values: list[object]) -> Hashable:
    if commit.new_card is None:
        return None
    values += (getattr(commit.new_card, name) for name in _CARD_COLUMNS)
    return True


def render_new_card(text: Text, _: Shape) -> None:
    values = ", ".join(f"{text.value()}::{_CARD_TYPES.get(name, 'text')}" for name in _CARD_COLUMNS)
    text.piece("card", f"INSERT INTO chat_cards (id, {', '.join(_CARD_COLUMNS)}) SELECT swap.id, {values} FROM swap")


# The card, and what its people are told.

_COLUMN_OF: Mapping[str, str] = {"approvals": "settings"}
"""Where a field of the card is not a column of its own."""


def bind_card(commit: Commit, values: list[object]) -> Hashable:
    if commit.card is None or commit.new_card is not None:
        return None
    moved = commit.card.items()
    values += [encoded(value) if fold is Fold.MERGE else value for _, fold, value in moved]
    return tuple([name for name, _, _ in moved])


def render_card(text: Text, shape: Shape) -> None:
    sets = ["metadata_version = c.metadata_version + 1", "updated_at = now()"]
    sets += [f"{_COLUMN_OF.get(name, name)} = {_folded(name, text.value())}" for name in shape]
    text.piece(
        "carded",
        f"UPDATE chat_cards c SET {', '.join(sets)} FROM swap WHERE c.id = swap.id "
        "RETURNING c.id, c.owner_id, c.title, c.parent_id, c.root_id, c.metadata_version, swap.snapshot_version",
    )
    text.outcome.append("(SELECT metadata_version FROM carded) AS metadata_version")


def _folded(name: str, value: str) -> str:
    match CARD_FIELDS[name]:
        case Fold.ADD:
            return f"c.{name} + {value}"
        case Fold.SET:
            return value
        case Fold.MERGE:
            before = f"coalesce(c.{_COLUMN_OF[name]}::jsonb -> '{name}', '{{}}')"
            return f"jsonb_set(c.{_COLUMN_OF[name]}::jsonb, '{{{name}}}', {before} || {value}::text::jsonb)::text"


def bind_inbox(commit: Commit, values: list[object]) -> Hashable:
    if not commit.inbox or commit.new_card is not None:
        return None
    values += (commit.inbox[-1].value, commit.chat.asked_by)
    return commit.card is not None, commit.inbox[-1] is InboxKind.NEEDS_YOU


def render_inbox(text: Text, shape: Shape) -> None:
    carded, needs_somebody = shape
    kind, asker = f"{text.value()}::text", f"{text.value()}::uuid"
    told = f"p.user_id = {asker}" + (" OR p.role = 'approve'" if needs_somebody else "")
    others = f"SELECT p.user_id FROM chat_people p WHERE p.chat_id = coalesce(c.root_id, c.id) AND ({told})"
    card = "(SELECT c.*, swap.snapshot_version FROM swap JOIN chat_cards c ON c.id = swap.id)"
    text.piece(
        "told",
        "INSERT INTO inbox (user_id, chat_id, kind, title, snapshot_version) "
        f"SELECT u.user_id, c.id, {kind}, c.title, c.snapshot_version FROM {'carded' if carded else card} c "
        f"CROSS JOIN LATERAL (SELECT c.owner_id AS user_id UNION {others}) u "
        f"{'' if needs_somebody else 'WHERE c.parent_id IS NULL '}"
        "ON CONFLICT (user_id, chat_id, kind) DO UPDATE SET title = excluded.title, created_at = excluded.created_at, "
        "snapshot_version = excluded.snapshot_version, read_at = NULL, pushed_at = NULL",
    )


def bind_mentions(commit: Commit, values: list[object]) -> Hashable:
    if commit.mentions is None:
        return None
    values += (list(commit.mentions.users), commit.mentions.text)
    return True


def render_mentions(text: Text, _: Shape) -> None:
    text.piece(
        "named",
        "INSERT INTO inbox (user_id, chat_id, kind, title, text, snapshot_version) "
        f"SELECT n.user_id, c.id, 'mention', c.title, n.said, swap.snapshot_version FROM swap "
        "JOIN chat_cards c ON c.id = swap.id "
        f"CROSS JOIN (SELECT unnest({text.value()}::uuid[]) AS user_id, {text.value()}::text AS said) n "
        "WHERE is_listed_for(c.id, c.root_id, c.owner_id, n.user_id) "
        "ON CONFLICT (user_id, chat_id, kind) DO UPDATE SET title = excluded.title, text = excluded.text, "
        "created_at = excluded.created_at, snapshot_version = excluded.snapshot_version, read_at = NULL, "
        "pushed_at = NULL",
    )


# The answer that a repeated request gets.

_KEY_COLUMNS = {"caller": "uuid", "route": "text", "key": "text", "request_hash": "bytea", "answer": "text"}


def bind_key(commit: Commit, values: list[object]) -> Hashable:
    if commit.key is None:
        return None
    values += (getattr(commit.key, name) for name in _KEY_COLUMNS)
    return True


def render_key(text: Text, _: Shape) -> None:
    listed = ", ".join(f"{text.value()}::{kind}" for kind in _KEY_COLUMNS.values())
    text.piece("kept", f"INSERT INTO idempotency_keys ({', '.join(_KEY_COLUMNS)}) SELECT {listed} FROM swap")
