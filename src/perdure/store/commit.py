"""One change, one statement: a compare-and-swap on the chat's row that every other write hangs on.

The statement is assembled from only the pieces that a change needs. There are a few dozen shapes, each prepared once
per connection. Only the swap may fail softly, by finding no row; whatever else does not fit raises and undoes all.
This is the one place where SQL is not in a file of its own: the pieces mean nothing apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from perdure.core.chat import Chat, Fence
from perdure.core.ids import ChangeId, ChatId, FileId, MessageNumber, QueuedNumber
from perdure.core.message import NewMessage
from perdure.core.parts import AnyPart
from perdure.store.rows import CHAT_COLUMNS, MESSAGE_COLUMNS, encoded


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWrite:
    """What is added to a chat's card."""

    cost: int = 0
    unpriced_calls: int = 0
    turns: int = 0
    context_tokens: int | None = None
    context_limit: int | None = None
    unpin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """The key of a request, and the answer that later ones with the same key get."""

    caller: object
    route: str
    key: str
    request_hash: bytes
    answer: str


@dataclass(frozen=True, slots=True)
class Guard:
    """Another chat whose fence must still hold: a parent that creates or addresses a child."""

    chat_id: ChatId
    fence: Fence


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Everything that one commit writes."""

    base: Chat | None
    chat: Chat
    change_id: ChangeId
    action_deadline: timedelta | None = None
    compaction_requested: bool = False
    cut_from: MessageNumber | None = None
    messages: Sequence[tuple[MessageNumber, NewMessage]] = ()
    enqueued: Sequence[tuple[QueuedNumber, NewMessage]] = ()
    removed: Sequence[QueuedNumber] = ()
    rewritten: Sequence[tuple[QueuedNumber, tuple[AnyPart, ...]]] = ()
    promoted: Sequence[tuple[QueuedNumber, MessageNumber]] = ()
    files: Sequence[FileId] = ()
    inbox: Sequence[str] = ()
    card: CardWrite | None = None
    new_card: "NewCard | None" = None
    key: IdempotencyKey | None = None
    guard: Guard | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCard:
    """The card of a chat that is about to exist."""

    organisation_id: object
    owner_id: object
    title: str
    title_source: str = "fallback"
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    agent_type: str | None = None
    labels: str = "{}"
    source: str = "api"
    model: str | None = None
    effort: str | None = None
    plan_mode: bool = False
    workspace_id: object = None
    client_tools: str = "[]"
    client_tool_deadline: timedelta | None = None
    settings: str = "{}"


class _Statement:
    """SQL under construction: named pieces, and the values that their placeholders stand for."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.expectations: list[str] = []
        self.values: list[object] = []

    def value(self, value: object) -> str:
        self.values.append(value)
        return f"${len(self.values)}"

    def piece(self, name: str, sql: str) -> None:
        self.pieces.append(f"{name} AS ({sql})")

    def expect(self, name: str, count: int, what: str) -> None:
        self.expectations.append(f"expect((SELECT count(*) FROM {name}) = {self.value(count)}, '{what}')")

    def text(self) -> str:
        outcome = ", ".join(["swap.*", *self.expectations])
        return f"WITH {', '.join(self.pieces)} SELECT {outcome} FROM swap"


_RETURNED = "id, snapshot_version, updated_at, action_deadline_at, compaction_requested_at"


def statement(write: Write) -> tuple[str, list[object]]:
    """The SQL of a change, and its arguments."""
    built = _Statement()
    if write.guard is not None:
        _guard(built, write.guard)
    if write.base is None:
        _insert_chat(built, write)
    else:
        _swap_chat(built, write, write.base)
    for build in _PIECES:
        build(built, write)
    return built.text(), built.values


def _guard(built: _Statement, guard: Guard) -> None:
    fence = guard.fence
    conditions = (
        ("id", guard.chat_id),
        ("worker_id", fence.worker_id),
        ("runner_id", fence.runner_id),
        ("status", fence.status.value),
        ("history_version", fence.history_version),
    )
    where = " AND ".join(f"{column} = {built.value(value)}" for column, value in conditions)
    built.piece("guard", f"SELECT 1 FROM chats WHERE {where} FOR SHARE")


def _moment(built: _Statement, write: Write, column: str) -> str | None:
    """The SQL of a time that the database names, or None where the value is known."""
    if column == "action_deadline_at" and write.action_deadline is not None:
        return f"now() + {built.value(write.action_deadline)}::interval"
    if column == "compaction_requested_at" and write.compaction_requested:
        return "now()"
    return None


def _swap_chat(built: _Statement, write: Write, base: Chat) -> None:
    where = f"id = {built.value(base.id)} AND snapshot_version = {built.value(base.snapshot_version)}"
    version, change = built.value(write.chat.snapshot_version), built.value(write.change_id)
    sets = [f"snapshot_version = {version}", f"change_id = {change}", "updated_at = now()"]
    for column, of in CHAT_COLUMNS.items():
        if getattr(base, column) != getattr(write.chat, column):
            moment = _moment(built, write, column)
            sets.append(f"{column} = {moment or built.value(of(write.chat))}")
    if write.guard is not None:
        where += " AND EXISTS (SELECT FROM guard)"
    built.piece("swap", f"UPDATE chats SET {', '.join(sets)} WHERE {where} RETURNING {_RETURNED}")


def _insert_chat(built: _Statement, write: Write) -> None:
    chat = write.chat
    columns = {"id": built.value(chat.id), "snapshot_version": built.value(chat.snapshot_version)}
    columns["change_id"] = f"{built.value(write.change_id)}::uuid"
    for column, of in CHAT_COLUMNS.items():
        columns[column] = (
            _moment(built, write, column) or f"{built.value(of(chat))}::{_CHAT_TYPES.get(column, 'bigint')}"
        )
    source = " FROM guard" if write.guard is not None else ""
    built.piece(
        "swap",
        f"INSERT INTO chats ({', '.join(columns)}) SELECT {', '.join(columns.values())}{source} RETURNING {_RETURNED}",
    )


_CHAT_TYPES = {
    **dict.fromkeys(("status", "last_error", "retry_state", "action", "open_calls"), "text"),
    **dict.fromkeys(("archived", "budget_declined", "continuing", "newest_is_user"), "boolean"),
    **dict.fromkeys(("worker_id", "runner_id"), "uuid"),
    **dict.fromkeys(("action_deadline_at", "compaction_requested_at"), "timestamptz"),
    "queue": "integer[]",
}


def _card_insert(built: _Statement, write: Write) -> None:
    card = write.new_card
    if card is None:
        return
    columns = {name: getattr(card, name) for name in NewCard.__dataclass_fields__}
    values = ", ".join(f"{built.value(value)}::{_CARD_TYPES.get(name, 'text')}" for name, value in columns.items())
    built.piece("card", f"INSERT INTO chat_cards (id, {', '.join(columns)}) SELECT swap.id, {values} FROM swap")


_CARD_TYPES = {
    **dict.fromkeys(("organisation_id", "owner_id", "parent_id", "root_id", "workspace_id"), "uuid"),
    "labels": "jsonb",
    "plan_mode": "boolean",
    "client_tool_deadline": "interval",
}


def _hide(built: _Statement, write: Write) -> None:
    if write.cut_from is None:
        return
    number = built.value(write.cut_from)
    # A summary that covers only what stays, stays.
    built.piece(
        "hidden",
        "UPDATE messages m SET hidden_in = swap.snapshot_version, revision = swap.snapshot_version FROM swap "
        f"WHERE m.chat_id = swap.id AND m.number >= {number} AND m.hidden_in IS NULL "
        f"AND NOT (m.kind = 'boundary' AND m.covers < {number}) RETURNING m.number, m.role",
    )
    built.expect(
        f"hidden WHERE number = {number} AND role = 'user'", 1, "the edited message is a live message of a user"
    )


def _rows(built: _Statement, columns: dict[str, tuple[str, list[object]]]) -> tuple[str, str]:
    """A FROM clause of one or many rows, and the list of its columns."""
    count = len(next(iter(columns.values()))[1])
    if count == 1:
        values = ", ".join(f"{built.value(values[0])}::{kind}" for kind, values in columns.values())
        return "swap", values
    arrays = ", ".join(f"{built.value(values)}::{kind}[]" for kind, values in columns.values())
    return f"swap, unnest({arrays}) AS r({', '.join(columns)})", ", ".join(f"r.{name}" for name in columns)


def _append(built: _Statement, write: Write) -> None:
    if not write.messages:
        return
    columns: dict[str, tuple[str, list[object]]] = {
        "number": ("integer", [number for number, _ in write.messages]),
        **{
            name: (kind, [of(message) for _, message in write.messages])
            for name, (kind, of) in MESSAGE_COLUMNS.items()
            if name in _ALWAYS or any(of(message) is not None for _, message in write.messages)
        },
    }
    source, listed = _rows(built, columns)
    change = built.value(write.change_id)
    built.piece(
        "appended",
        f"INSERT INTO messages (chat_id, revision, change_id, {', '.join(columns)}) "
        f"SELECT swap.id, swap.snapshot_version, {change}::uuid, {listed} FROM {source}",
    )


# A column that no message of the change has a value for is left out of the statement.
_ALWAYS = frozenset({"role", "visibility", "kind", "parts"})


def _enqueue(built: _Statement, write: Write) -> None:
    if not write.enqueued:
        return
    names = ("parts", "created_by", "model", "effort", "client_id")
    columns: dict[str, tuple[str, list[object]]] = {"number": ("integer", [number for number, _ in write.enqueued])}
    for name in names:
        kind, of = MESSAGE_COLUMNS[name]
        columns[name] = (kind, [of(message) for _, message in write.enqueued])
    source, listed = _rows(built, columns)
    change = built.value(write.change_id)
    built.piece(
        "enqueued",
        f"INSERT INTO queued_messages (chat_id, change_id, {', '.join(columns)}) "
        f"SELECT swap.id, {change}::uuid, {listed} FROM {source}",
    )


def _remove(built: _Statement, write: Write) -> None:
    if not write.removed:
        return
    built.piece(
        "removed",
        "UPDATE queued_messages q SET removed_in = swap.snapshot_version FROM swap WHERE q.chat_id = swap.id "
        f"AND q.number = ANY({built.value(list(write.removed))}::integer[]) AND q.removed_in IS NULL RETURNING 1",
    )
    built.expect("removed", len(write.removed), "every removed message is in the queue")


def _rewrite(built: _Statement, write: Write) -> None:
    if not write.rewritten:
        return
    numbers = built.value([number for number, _ in write.rewritten])
    contents = built.value([encoded(parts) for _, parts in write.rewritten])
    built.piece(
        "rewritten",
        "UPDATE queued_messages q SET parts = r.parts "
        f"FROM swap, unnest({numbers}::integer[], {contents}::text[]) AS r(number, parts) "
        "WHERE q.chat_id = swap.id AND q.number = r.number AND q.removed_in IS NULL RETURNING 1",
    )
    built.expect("rewritten", len(write.rewritten), "every rewritten message is in the queue")


def _promote(built: _Statement, write: Write) -> None:
    if not write.promoted:
        return
    queued = built.value([queued for queued, _ in write.promoted])
    numbers = built.value([number for _, number in write.promoted])
    built.piece(
        "moved",
        "DELETE FROM queued_messages q USING swap WHERE q.chat_id = swap.id "
        f"AND q.number = ANY({queued}::integer[]) AND q.removed_in IS NULL RETURNING q.*",
    )
    # The change that sent the message keeps its name on it, so that its sender can find it whatever happened since.
    built.piece(
        "promoted",
        "INSERT INTO messages (chat_id, revision, number, role, visibility, kind, parts, created_by, model, effort, "
        "client_id, queued_as, change_id) "
        "SELECT swap.id, swap.snapshot_version, p.number, 'user', 'both', 'ordinary', m.parts, m.created_by, m.model, "
        "m.effort, m.client_id, m.number, m.change_id "
        f"FROM swap, moved m JOIN unnest({queued}::integer[], {numbers}::integer[]) AS p(queued, number) "
        "ON p.queued = m.number RETURNING 1",
    )
    built.expect("promoted", len(write.promoted), "every promoted message is in the queue")


def _link_files(built: _Statement, write: Write) -> None:
    if not write.files:
        return
    files = built.value(list(write.files))
    built.piece(
        "linked",
        f"INSERT INTO file_links (chat_id, file_id) SELECT swap.id, f FROM swap, unnest({files}::uuid[]) AS f "
        "ON CONFLICT DO NOTHING",
    )


def _tell(built: _Statement, write: Write) -> None:
    if not write.inbox:
        return
    if write.new_card is not None:
        return
    kind = built.value(write.inbox[-1])
    built.piece(
        "told",
        "INSERT INTO inbox (user_id, chat_id, kind, title, snapshot_version) "
        f"SELECT c.owner_id, c.id, {kind}::text, c.title, swap.snapshot_version "
        "FROM swap JOIN chat_cards c ON c.id = swap.id "
        f"WHERE c.parent_id IS NULL OR {kind}::text = 'needs_you' "
        "ON CONFLICT (chat_id, kind) DO UPDATE SET title = excluded.title, created_at = excluded.created_at, "
        "snapshot_version = excluded.snapshot_version, read_at = NULL, pushed_at = NULL",
    )


def _update_card(built: _Statement, write: Write) -> None:
    card = write.card
    if card is None or write.new_card is not None:
        return
    added = ("cost", "unpriced_calls", "turns")
    replaced = ("context_tokens", "context_limit")
    sets = ["metadata_version = c.metadata_version + 1", "updated_at = now()"]
    sets += [f"{column} = c.{column} + {built.value(amount)}" for column in added if (amount := getattr(card, column))]
    sets += [f"{column} = {built.value(value)}" for column in replaced if (value := getattr(card, column)) is not None]
    if card.unpin:
        sets.append("pin = 0")
    built.piece("carded", f"UPDATE chat_cards c SET {', '.join(sets)} FROM swap WHERE c.id = swap.id")


def _keep_key(built: _Statement, write: Write) -> None:
    key = write.key
    if key is None:
        return
    values = ", ".join(
        f"{built.value(value)}::{kind}"
        for value, kind in (
            (key.caller, "uuid"),
            (key.route, "text"),
            (key.key, "text"),
            (key.request_hash, "bytea"),
            (key.answer, "text"),
        )
    )
    built.piece(
        "kept",
        f"INSERT INTO idempotency_keys (caller, route, key, request_hash, answer) SELECT {values} FROM swap",
    )


_PIECES: Sequence[Callable[[_Statement, Write], None]] = (
    _card_insert,
    _hide,
    _append,
    _enqueue,
    _remove,
    _rewrite,
    _promote,
    _link_files,
    _tell,
    _update_card,
    _keep_key,
)
