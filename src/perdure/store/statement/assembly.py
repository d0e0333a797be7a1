"""A compare-and-swap on the chat's row that every other write hangs on.

The statement has only the pieces that a change needs. A piece takes its values from the change and says its shape; the
text depends on the shapes alone, so that it is assembled once for each of a few dozen combinations and prepared once
per connection. Only the swap may fail softly, by finding no row; whatever else does not fit raises and undoes all.
This is the one place where SQL is not in a file of its own: the pieces mean nothing apart.
"""

from collections.abc import Hashable, Sequence
from functools import cache

from perdure.store.commit import Write
from perdure.store.statement import card, history, queue, row
from perdure.store.statement.text import Say, Take, Text

PIECES: Sequence[tuple[Take, Say]] = (
    (row.take_guard, row.say_guard),
    (row.take_chat, row.say_chat),
    (card.take_new_card, card.say_new_card),
    (history.take_cut, history.say_cut),
    (history.take_messages, history.say_messages),
    (queue.take_enqueued, queue.say_enqueued),
    (queue.take_removed, queue.say_removed),
    (queue.take_rewritten, queue.say_rewritten),
    (queue.take_promoted, queue.say_promoted),
    (history.take_files, history.say_files),
    (card.take_card, card.say_card),
    (card.take_inbox, card.say_inbox),
    (card.take_key, card.say_key),
)


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
