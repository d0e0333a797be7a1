"""What other programs are told of a change: a row for each event and each webhook that wants it."""

from collections.abc import Hashable

from perdure.core.commit import Commit, InboxKind
from perdure.core.message import Kind, Role, Visibility
from perdure.store.statement.text import Shape, Text

MESSAGE = "chat.message"
EVENTS = {InboxKind.FINISHED: "chat.finished", InboxKind.FAILED: "chat.failed", InboxKind.NEEDS_YOU: "chat.needs_you"}
_SPEAKERS = (Role.USER, Role.ASSISTANT)


def events_of(commit: Commit) -> list[tuple[str, int]]:
    """What a change tells, in its order, each with the number of the message that it is about."""
    said = [
        number
        for number, message in commit.appended
        if message.role in _SPEAKERS and message.kind is Kind.ORDINARY and message.visibility is not Visibility.MODEL
    ]
    told = [(MESSAGE, number) for number in sorted([*said, *(number for _, number in commit.promoted)])]
    return [*told, *((EVENTS[kind], commit.chat.next_message - 1) for kind in commit.inbox[-1:])]


def bind_outbox(commit: Commit, values: list[object]) -> Hashable:
    card = commit.new_card
    if (card is not None and card.parent_id is not None) or not (events := events_of(commit)):
        return None
    values += ([event for event, _ in events], [number for _, number in events])
    if card is not None:
        values.append(card.owner_id)
    return "new" if card is not None else "known"


def render_outbox(text: Text, shape: Shape) -> None:
    events, numbers = f"{text.value()}::text[]", f"{text.value()}::integer[]"
    # The card of a new chat is written by this very statement, which cannot see it yet.
    owner = f"{text.value()}::uuid" if shape == "new" else "c.owner_id"
    card = "" if shape == "new" else "JOIN chat_cards c ON c.id = swap.id AND c.parent_id IS NULL "
    text.piece(
        "outgoing",
        "INSERT INTO outbox (webhook_id, chat_id, event, number) "
        f"SELECT w.id, swap.id, e.event, e.number FROM swap {card}"
        f"JOIN webhooks w ON w.enabled AND (w.owner_id = {owner} AND w.trigger_id IS NULL AND w.chat_id IS NULL "
        "OR w.chat_id = swap.id "
        "OR w.trigger_id = (SELECT h.trigger_id FROM trigger_threads h WHERE h.chat_id = swap.id)) "
        f"JOIN unnest({events}, {numbers}) WITH ORDINALITY AS e (event, number, place) ON e.event = ANY (w.events) "
        "ORDER BY e.place",
    )
