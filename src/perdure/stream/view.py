"""A chat as its followers see it, and how a change that this process committed moves it on without a read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from msgspec import structs

from perdure.core.chat import Chat, Status
from perdure.core.events import ChatCard, PendingAction, PendingCall, QueuedMessage
from perdure.core.ids import ChatId, MessageNumber, QueuedNumber
from perdure.core.message import Message, Role
from perdure.core.parts import AnyPart, ToolCall
from perdure.core.public import public_message, visible
from perdure.machine.change import CardChange
from perdure.machine.machine import Committed
from perdure.store.following import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything about a chat that streams show besides its messages."""

    chat: Chat
    card: ChatCard
    metadata_version: int
    queue: tuple[QueuedMessage, ...]
    action: PendingAction | None = None
    asking: tuple[AnyPart, ...] = ()
    """The parts of the newest assistant message, where they are known."""
    guessed: bool = False
    """Whether the card and its version were computed here. A hint of another change then means a read."""


@dataclass(frozen=True, slots=True)
class News:
    """What happened to the messages between two views."""

    messages: tuple[Message, ...] = ()
    cut: MessageNumber | None = None


def view_of(reading: Reading) -> View:
    return View(
        chat=reading.chat,
        card=reading.card,
        metadata_version=reading.metadata_version,
        queue=reading.queue,
        action=_pending(reading.chat, reading.asking),
        asking=reading.asking,
    )


def moved_on(view: View, committed: Committed) -> tuple[View, News] | None:
    """The view after a change, and its news. None where only the database knows them."""
    plan, chat = committed.plan, committed.chat
    follows = plan.base is not None and plan.base.snapshot_version == view.chat.snapshot_version
    if not follows or chat.snapshot_version != view.chat.snapshot_version + 1:
        return None
    contents = _contents(view, committed)
    promoted = [(promotion.number, contents.get(promotion.queued)) for promotion in plan.rows.promoted]
    if any(queued is None for _, queued in promoted) or any(entry.number not in contents for entry in chat.queue):
        return None
    asking = _asking(view, committed)
    if chat.action is not None and chat.action.calls and not asking:
        return None
    messages = [*committed.messages, *(_promoted(chat, number, queued) for number, queued in promoted if queued)]
    news = tuple(public_message(m) for m in sorted(messages, key=lambda m: m.number) if visible(m))
    after = View(
        chat=chat,
        card=_card(view.card, chat, plan.rows.card),
        metadata_version=view.metadata_version + (1 if plan.rows.card else 0),
        queue=tuple(structs.replace(contents[entry.number], steer=entry.steer) for entry in chat.queue),
        action=_pending(chat, asking),
        asking=asking,
        guessed=view.guessed or plan.rows.card is not None,
    )
    return after, News(news, plan.rows.cut_from)


def behind(view: View, snapshot: int, metadata: int) -> bool:
    """Whether a hint about these versions says something new."""
    newer_card = metadata > view.metadata_version or (view.guessed and metadata > 0)
    return snapshot > view.chat.snapshot_version or newer_card


def confirmed(view: View, metadata: int) -> View:
    """The view once the database was seen to have its card's version."""
    return replace(view, guessed=False) if metadata == view.metadata_version else view


def _contents(view: View, committed: Committed) -> dict[QueuedNumber, QueuedMessage]:
    """What is known of queued messages, those that the change brings or rewrites included."""
    chat, rows = committed.chat, committed.plan.rows
    assert chat.updated_at is not None
    contents = {queued.number: queued for queued in view.queue}
    for number, message in rows.enqueued:
        contents[number] = QueuedMessage(
            number=number,
            parts=message.parts,
            model=message.model,
            effort=message.effort,
            created_by=message.created_by,
            created_at=chat.updated_at,
            client_id=message.client_id,
        )
    for number, parts in rows.rewritten:
        if number in contents:
            contents[number] = structs.replace(contents[number], parts=parts)
    return contents


def _promoted(chat: Chat, number: MessageNumber, queued: QueuedMessage) -> Message:
    assert chat.updated_at is not None
    return Message(
        number=number,
        revision=chat.snapshot_version,
        created_at=chat.updated_at,
        role=Role.USER,
        parts=queued.parts,
        created_by=queued.created_by,
        model=queued.model,
        effort=queued.effort,
        client_id=queued.client_id,
        queued_as=queued.number,
    )


def _asking(view: View, committed: Committed) -> tuple[AnyPart, ...]:
    """The parts of the newest assistant message, if this change or the view has them."""
    newest = committed.chat.last_assistant
    if newest == view.chat.last_assistant:
        return view.asking
    return next((message.parts for number, message in committed.plan.rows.messages if number == newest), ())


def _pending(chat: Chat, asking: Sequence[AnyPart]) -> PendingAction | None:
    action = chat.action
    if action is None:
        return None
    calls = [part for part in asking if isinstance(part, ToolCall) and not part.provider_executed]
    return PendingAction(
        kind=action.kind,
        calls=tuple(
            PendingCall(calls[i].call_id, calls[i].tool, calls[i].args) for i in action.calls if i < len(calls)
        ),
        children=tuple(ChatId(UUID(child)) for child in action.children),
        deadline_at=chat.action_deadline_at,
        limit=action.limit,
        spent=action.spent or chat.budget_spent or None,
        budget=action.budget,
    )


def _card(card: ChatCard, chat: Chat, change: CardChange | None) -> ChatCard:
    card = structs.replace(
        card,
        status=chat.status,
        archived=chat.archived,
        last_error=chat.last_error,
        action=chat.action.kind if chat.action else None,
        asks=card.asks if chat.status is Status.WAITING else None,
    )
    if change is None:
        return card
    tokens, limit = change.context_tokens, change.context_limit
    return structs.replace(
        card,
        updated_at=chat.updated_at,
        cost=card.cost + change.cost,
        unpriced_calls=card.unpriced_calls + change.unpriced_calls,
        context_tokens=card.context_tokens if tokens is None else tokens,
        context_limit=card.context_limit if limit is None else limit,
        pin=0 if change.unpin else card.pin,
        turn_label=None if change.unlabel else card.turn_label,
        plan_mode=card.plan_mode if change.plan_mode is None else change.plan_mode,
    )
