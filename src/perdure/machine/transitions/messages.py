"""What users say: a new message, and another version of an old one."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.action import ActionKind, OpenCall
from perdure.core.card import CardChange
from perdure.core.chat import Busy, Chat, State, Status
from perdure.core.commit import Mentions
from perdure.core.ids import FileId, MessageNumber, ModelName, QueuedNumber, UserId
from perdure.core.message import Effort, NewMessage, Role, ToolResult, Visibility
from perdure.machine.change import ALL_MARKERS, Change, Enqueued, Reason, refuse, require_room


class Chosen(Struct, frozen=True):
    """The model and the effort that a chat is set to."""

    model: ModelName | None = None
    effort: Effort | None = None


class SendMessage(Struct, frozen=True):
    """Admit a user message: into the history of an idle chat, into the queue of a busy one."""

    message: NewMessage
    busy: Busy = Busy.QUEUE
    turn: MessageNumber | None = None
    """The turn that an interrupting send means. Once it is over, there is nothing left to interrupt."""
    files: tuple[FileId, ...] = ()
    known: str | None = None
    """What a steered chat learns of the children that it waited for, as JSON; None where nobody looked."""
    card: CardChange = CardChange()
    """What is settled together with it, such as plan mode. In any case the card says when something was said last."""
    chosen: Chosen = Chosen()
    """What the chat is set to now: a message that has to wait keeps it, whatever is chosen meanwhile."""
    mentions: Mentions | None = None
    """Whom it names: they are told at once, also where it has to wait."""

    def plan(self, chat: Chat) -> Change:
        if self.message.role is not Role.USER:
            raise refuse(self, chat, "Only a user message can be sent.")
        return replace(self._admitted(chat), card=self.card, mentions=self.mentions)

    def _admitted(self, chat: Chat) -> Change:
        match chat.state:
            case State.W | State.E0:
                return Change(
                    status=Status.RUNNING,
                    last_error=None,
                    answer_calls=_every_call(chat),
                    reason=Reason.NEW_MESSAGE,
                    append=(self.message,),
                    files=self.files,
                )
            case State.E1:
                # First come, first served: the head of the queue runs, this message waits.
                return self._queued(
                    chat,
                    status=Status.RUNNING,
                    last_error=None,
                    answer_calls=_every_call(chat),
                    reason=Reason.PROMOTION,
                    promote=(chat.queue[0].number,),
                )
            case State.R0 | State.R1:
                return self._to_running(chat)
            case State.A0 | State.A1:
                return self._to_parked(chat)
            case _:
                return self._queued(chat, keeps=ALL_MARKERS)

    def _to_running(self, chat: Chat) -> Change:
        if self.busy is Busy.INTERRUPT and self.turn in (None, chat.turn):
            return self._queued(chat, status=Status.INTERRUPTING, keeps=ALL_MARKERS)
        return self._queued(chat, keeps=ALL_MARKERS, steer=self.busy is Busy.STEER)

    def _to_parked(self, chat: Chat) -> Change:
        assert chat.action is not None
        asked = chat.action.calls
        if self.busy is Busy.STEER and chat.action.kind is ActionKind.CHILDREN:
            return self._to_parent(chat, asked)
        if self.busy is Busy.INTERRUPT and self.turn in (None, chat.turn):
            return self._queued(
                chat,
                status=Status.RUNNING,
                answer_calls=asked,
                reason=Reason.USER_MESSAGE,
                continuing=True,
                decline_budget=chat.action.kind is ActionKind.BUDGET,
            )
        return self._queued(chat, keeps=ALL_MARKERS)

    def _to_parent(self, chat: Chat, asked: tuple[int, ...]) -> Change:
        """End the wait with what is known. The message enters at once, or after the calls that are still to be run."""
        results = tuple(_learnt(call, self.known) for call in chat.open_calls if call.index in asked and self.known)
        unknown = () if results else asked
        if len(asked) < len(chat.open_calls):
            return self._queued(
                chat,
                status=Status.RUNNING,
                answer_calls=unknown,
                reason=Reason.USER_MESSAGE,
                append=results,
                continuing=True,
                steer=True,
            )
        return Change(
            status=Status.RUNNING,
            answer_calls=unknown,
            reason=Reason.USER_MESSAGE,
            append=(*results, self.message),
            files=self.files,
            starts_turn=False,
            continuing=True,
        )

    def _queued(self, chat: Chat, *, steer: bool = False, **wishes: object) -> Change:
        require_room(chat)
        message, chosen = self.message, self.chosen
        kept = replace(message, model=message.model or chosen.model, effort=message.effort or chosen.effort)
        enqueue = Enqueued(kept, steer)
        return Change(enqueue=enqueue, files=self.files, **wishes)  # pyright: ignore[reportArgumentType]


class Target(Struct, frozen=True, kw_only=True):
    """The message that an edit replaces, as read together with the chat's row."""

    number: MessageNumber
    visibility: Visibility
    model: ModelName | None
    effort: Effort | None
    authors: frozenset[UserId | None] = frozenset()
    """Who said it, and whatever was said after it."""
    waiting: Mapping[UserId | None, tuple[QueuedNumber, ...]] = {}
    """What waits in the queue, by its authors."""
    versions: tuple[int, int] = (0, 0)
    """Of the history and of the queue, when this was read."""


class Sharing(Struct, frozen=True):
    """What an edit takes along where several people write: nothing that it does not know of, and of nobody else."""

    versions: tuple[int, int]
    removes: frozenset[QueuedNumber] = frozenset()


class EditMessage(Struct, frozen=True):
    """Say it differently: hide the message and all that followed, empty the queue, run with the replacement."""

    target: Target
    message: NewMessage
    suffix: tuple[NewMessage, ...] = ()
    files: tuple[FileId, ...] = ()
    shared: Sharing | None = None

    def plan(self, chat: Chat) -> Change:
        shared = self.shared
        if shared is not None and shared.versions != (chat.history_version, chat.queue_version):
            raise refuse(self, chat, "The chat has changed since. Look at it and try again.")
        return Change(
            status=Status.RUNNING,
            last_error=None,
            cut_from=self.target.number,
            append=(self.message, *self.suffix),
            files=self.files,
            remove=tuple(e.number for e in chat.queue if shared is None or e.number in shared.removes),
            reserve=0,
            card=CardChange(),
        )


def _every_call(chat: Chat) -> tuple[int, ...]:
    return tuple(call.index for call in chat.open_calls)


def _learnt(call: OpenCall, known: str | None) -> NewMessage:
    return NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, known or ""),))
