"""What lists, owners and repeated requests are told: the card, the inbox, the kept answer."""

from collections.abc import Hashable

from perdure.store.commit import NewCard, Write
from perdure.store.statement.text import Shape, Text

# A new chat's card.

_CARD_TYPES = {
    **dict.fromkeys(("organisation_id", "owner_id", "parent_id", "root_id", "workspace_id"), "uuid"),
    "labels": "jsonb",
    "plan_mode": "boolean",
    "client_tool_deadline": "interval",
}
_CARD_COLUMNS = tuple(NewCard.__dataclass_fields__)


def take_new_card(write: Write, values: list[object]) -> Hashable:
    if write.new_card is None:
        return None
    values += (getattr(write.new_card, name) for name in _CARD_COLUMNS)
    return True


def say_new_card(text: Text, _: Shape) -> None:
    values = ", ".join(f"{text.value()}::{_CARD_TYPES.get(name, 'text')}" for name in _CARD_COLUMNS)
    text.piece("card", f"INSERT INTO chat_cards (id, {', '.join(_CARD_COLUMNS)}) SELECT swap.id, {values} FROM swap")


# The card, and what its owner is told.

_ADDED = ("cost", "unpriced_calls", "turns")
_REPLACED = ("context_tokens", "context_limit", "plan_mode")


def take_card(write: Write, values: list[object]) -> Hashable:
    card = write.card
    if card is None or write.new_card is not None:
        return None
    added = tuple([name for name in _ADDED if getattr(card, name)])
    replaced = tuple([name for name in _REPLACED if getattr(card, name) is not None])
    values += [getattr(card, name) for name in (*added, *replaced)]
    if card.approve:
        values.append(list(card.approve))
    return added, replaced, bool(card.approve), card.unpin, card.unlabel


def say_card(text: Text, shape: Shape) -> None:
    added, replaced, approved, unpinned, unlabelled = shape
    sets = ["metadata_version = c.metadata_version + 1", "updated_at = now()"]
    sets += [f"{name} = c.{name} + {text.value()}" for name in added]
    sets += [f"{name} = {text.value()}" for name in replaced]
    if approved:
        sets.append(f"settings = {_approving(text.value())}")
    if unpinned:
        sets.append("pin = 0")
    if unlabelled:
        sets.append("turn_label = NULL")
    text.piece(
        "carded",
        f"UPDATE chat_cards c SET {', '.join(sets)} FROM swap WHERE c.id = swap.id "
        "RETURNING c.id, c.owner_id, c.title, c.parent_id, swap.snapshot_version",
    )


def _approving(tools: str) -> str:
    """A chat's settings once nobody is asked about these tools any more."""
    before = "coalesce(c.settings::jsonb -> 'approvals', '{}')"
    more = f"(SELECT jsonb_object_agg(tool, 'auto') FROM unnest({tools}::text[]) AS tool)"
    return f"jsonb_set(c.settings::jsonb, '{{approvals}}', {before} || {more})::text"


def take_inbox(write: Write, values: list[object]) -> Hashable:
    if not write.inbox or write.new_card is not None:
        return None
    values.append(write.inbox[-1])
    return write.card is not None, write.inbox[-1] == "needs_you"


def say_inbox(text: Text, shape: Shape) -> None:
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


def take_key(write: Write, values: list[object]) -> Hashable:
    if write.key is None:
        return None
    values += (getattr(write.key, name) for name in _KEY_COLUMNS)
    return True


def say_key(text: Text, _: Shape) -> None:
    listed = ", ".join(f"{text.value()}::{kind}" for kind in _KEY_COLUMNS.values())
    text.piece("kept", f"INSERT INTO idempotency_keys ({', '.join(_KEY_COLUMNS)}) SELECT {listed} FROM swap")
