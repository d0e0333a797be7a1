"""What a change does to the history: messages appended, messages that an edit hides, files that they carry."""

from collections.abc import Hashable

from perdure.core.commit import Commit
from perdure.store.rows import MESSAGE_COLUMNS
from perdure.store.statement.rows import bind_rows, listed_rows
from perdure.store.statement.text import CHANGE, Shape, Text

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
