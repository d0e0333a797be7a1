"""What can be done about messages that wait."""

from msgspec import Struct

from perdure.core.card import CardChange
from perdure.core.chat import Chat, State, Status
from perdure.core.errors import QueuedMessageNotFound
from perdure.core.ids import FileId, MessageNumber, QueuedNumber
from perdure.core.message import AnyPart
from perdure.machine.change import ALL_MARKERS, Change, Reason, require_queued


class DeleteQueuedMessage(Struct, frozen=True):
    """Take a message out of the queue."""

    number: QueuedNumber

    def plan(self, chat: Chat) -> Change:
        require_queued(chat, self.number)
        return Change(remove=(self.number,), keeps=ALL_MARKERS)


class EditQueuedMessage(Struct, frozen=True):
    """Change what a waiting message says."""

    number: QueuedNumber
    parts: tuple[AnyPart, ...]
    files: tuple[FileId, ...] = ()

    def plan(self, chat: Chat) -> Change:
        require_queued(chat, self.number)
        return Change(rewrite=(self.number, self.parts), files=self.files, keeps=ALL_MARKERS, card=CardChange())


class ReorderQueue(Struct, frozen=True):
    """Put the queue in another order. It names exactly the messages that are there."""

    order: tuple[QueuedNumber, ...]

    def plan(self, chat: Chat) -> Change | None:
        present = tuple(entry.number for entry in chat.queue)
        if sorted(present) != sorted(self.order):
            raise QueuedMessageNotFound
        return None if present == self.order else Change(reorder=self.order, keeps=ALL_MARKERS)


class PromoteQueuedMessage(Struct, frozen=True):
    """Send it now: a chat at rest takes it at once, a busy one is interrupted for it."""

    number: QueuedNumber
    turn: MessageNumber | None = None
    """The turn that may be interrupted for it. Once it is over, the message only moves to the front."""

    def plan(self, chat: Chat) -> Change:
        require_queued(chat, self.number)
        others = tuple(entry.number for entry in chat.queue if entry.number != self.number)
        first = (self.number, *others)
        if chat.state in (State.R1, State.A1) and self.turn not in (None, chat.turn):
            return Change(reorder=first, keeps=ALL_MARKERS)
        if chat.state in (State.E1, State.A1):
            return Change(
                status=Status.RUNNING,
                last_error=None,
                answer_calls=tuple(call.index for call in chat.open_calls),
                reason=Reason.PROMOTION,
                promote=(self.number,),
            )
        return Change(status=Status.INTERRUPTING, reorder=first)
