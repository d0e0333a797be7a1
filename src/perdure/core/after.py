"""What a commit means for whoever knows a chat as it was: its card, its queue, its history, its pending action.

The API, the runners and the streams all read it here. Each function takes what was known of the commit's base, and
returns what a fresh read of the database would say.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from msgspec import structs

from perdure.core.card import Card, moved_fields
from perdure.core.chat import Asks, Chat, Status
from perdure.core.commit import Commit
from perdure.core.events import ChatCard, PendingAction, PendingCall, QueuedMessage
from perdure.core.ids import ChatId
from perdure.core.message import Kind, Message
from perdure.core.parts import AnyPart, ToolCall


def card_after(card: ChatCard, commit: Commit) -> ChatCard:
    """A chat's card as lists and headers show it."""
    chat = commit.chat
    if commit.card is not None:
        card = structs.replace(card, **moved_fields(card, commit.card), updated_at=chat.updated_at)
    return structs.replace(
        card,
        asks=asked_of_owner(chat, plan_mode=card.plan_mode),
        status=chat.status,
        archived=chat.archived,
        unread=card.unread and chat.last_assistant > 0,
        last_error=chat.last_error,
        action=chat.action.kind if chat.action else None,
        waiting_for_capacity=card.waiting_for_capacity and commit.empty,
    )


def asked_of_owner(chat: Chat, *, plan_mode: bool) -> Asks | None:
    """What the last answer asks, while nobody has answered it."""
    return chat.asks_owner if plan_mode and chat.status is Status.WAITING and not chat.newest_is_user else None


def settings_after(card: Card, commit: Commit) -> Card:
    """A chat's card as a turn reads it."""
    change = commit.card
    if change is None:
        return card
    moved = moved_fields(card, change)
    if change.approvals:
        moved["settings"] = structs.replace(card.settings, approvals=card.settings.approvals | change.approvals)
    return structs.replace(card, **moved) if moved else card


def queue_after(queue: Iterable[QueuedMessage], commit: Commit) -> tuple[QueuedMessage, ...]:
    """The messages that wait, in order."""
    contents = {queued.number: queued for queued in (*queue, *commit.queued)}
    for number, parts in commit.rewritten:
        contents[number] = structs.replace(contents[number], parts=parts)
    return tuple(structs.replace(contents[entry.number], steer=entry.steer) for entry in commit.chat.queue)


def hides(commit: Commit, message: Message) -> bool:
    """Whether the commit takes the message out of the history. A summary of only what stays, stays."""
    if commit.hidden_from is None or message.number < commit.hidden_from:
        return False
    return message.kind is not Kind.BOUNDARY or message.covers is None or message.covers >= commit.hidden_from


def history_after(messages: Sequence[Message], commit: Commit) -> tuple[Message, ...]:
    """The messages of the history, by number."""
    if commit.hidden_from is None:
        return (*messages, *commit.messages)
    return (*(message for message in messages if not hides(commit, message)), *commit.messages)


def asked_parts(parts: Sequence[AnyPart], commit: Commit) -> Sequence[AnyPart]:
    """The parts of the message that open calls belong to."""
    newest, base = commit.chat.last_assistant, commit.base
    if base is not None and newest == base.last_assistant:
        return parts
    return next((message.parts for number, message in commit.appended if number == newest), ())


def pending(chat: Chat, asked: Sequence[AnyPart]) -> PendingAction | None:
    """What a chat asks for. `asked` are the parts of the message that its open calls belong to."""
    action = chat.action
    if action is None:
        return None
    calls = [part for part in asked if isinstance(part, ToolCall) and not part.provider_executed]
    verdicts = {decision.call_id: decision.verdict for decision in action.decided}
    pending_calls = [calls[index] for index in action.calls if index < len(calls)]
    return PendingAction(
        kind=action.kind,
        calls=tuple(PendingCall(c.call_id, c.tool, c.args, verdicts.get(c.call_id)) for c in pending_calls),
        children=tuple(ChatId(UUID(child)) for child in action.children),
        deadline_at=chat.action_deadline_at,
        limit=action.limit,
        spent=action.spent or chat.budget_spent or None,
        budget=action.budget,
    )
