"""A compare-and-swap on the chat's row that every other write hangs on.

The statement has only the pieces that a change needs. A piece takes its values from the change and says its shape; the
text depends on the shapes alone, so that it is assembled once for each of a few dozen combinations and prepared once
per connection. Only the swap may fail softly, by finding no row; whatever else does not fit raises and undoes all.
This is the one place where SQL is not in a file of its own: the pieces mean nothing apart.
"""

from collections.abc import Hashable, Sequence
from functools import cache

from perdure.core.commit import Commit
from perdure.store.statement import card, messages, outbox, row
from perdure.store.statement.text import Bind, Render, Text

PIECES: Sequence[tuple[Bind, Render]] = (
    (row.bind_guard, row.render_guard),
    (row.bind_sight, row.render_sight),
    (row.bind_chat, row.render_chat),
    (card.bind_new_card, card.render_new_card),
    (messages.bind_hidden, messages.render_hidden),
    (messages.bind_messages, messages.render_messages),
    (messages.bind_enqueued, messages.render_enqueued),
    (messages.bind_removed, messages.render_removed),
    (messages.bind_rewritten, messages.render_rewritten),
    (messages.bind_promoted, messages.render_promoted),
    (messages.bind_files, messages.render_files),
    (card.bind_card, card.render_card),
    (card.bind_inbox, card.render_inbox),
    (card.bind_mentions, card.render_mentions),
    (card.bind_key, card.render_key),
    (outbox.bind_outbox, outbox.render_outbox),
)
_TOLD_NOBODY = PIECES[:-1]
"""What a change needs where nobody elsewhere wants to hear of it."""


def statement(commit: Commit, *, told: bool = False) -> tuple[str, list[object]]:
    """The SQL of a change, and its arguments. `told` says whether webhooks may want to hear of it."""
    values: list[object] = [commit.chat.id, commit.change_id, commit.chat.snapshot_version]
    shapes = tuple([bind(commit, values) for bind, _ in (PIECES if told else _TOLD_NOBODY)])
    return _text(shapes), values


@cache
def _text(shapes: tuple[Hashable, ...]) -> str:
    text = Text()
    for _ in range(3):
        text.value()
    for shape, (_, render) in zip(shapes, PIECES, strict=False):
        if shape is not None:
            render(text, shape)
    return str(text)
