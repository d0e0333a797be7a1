"""How a turn ends: in rest, in error, by interruption; and how it starts again after an error."""

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.action import ActionKind
from perdure.core.author import NOBODY, Author
from perdure.core.card import CardChange
from perdure.core.chat import Chat, State, Status
from perdure.core.commit import InboxKind
from perdure.core.failure import ChatError
from perdure.core.ids import FileId, MessageNumber
from perdure.core.message import STOPPED_TURN, Kind, NewMessage, NoticePart, Role, Visibility
from perdure.machine.change import ALL_MARKERS, Change, Reason, refuse
from perdure.machine.planning import calls_after


class Interrupt(Struct, frozen=True):
    """Stop. Whoever drives the chat commits what there is so far."""

    reason: str = Reason.INTERRUPT
    turn: MessageNumber | None = None
    """The turn that is meant. Once it is over, there is nothing to stop."""
    by: Author | None = None

    def plan(self, chat: Chat) -> Change | None:
        if self.turn not in (None, chat.turn):
            return None
        if chat.action is None:
            return Change(status=Status.INTERRUPTING, stopped_by=self.by)
        if chat.action.kind is ActionKind.CLIENT_TOOL:
            # The model hears that its call was cancelled and says what it makes of it.
            return Change(
                status=Status.RUNNING,
                answer_calls=chat.action.calls,
                reason=self.reason,
                continuing=True,
                append=_word(chat, self.by),
            )
        answered = Change(status=Status.INTERRUPTING, answer_calls=chat.action.calls, reason=self.reason)
        return replace(answered, stopped_by=self.by)


class FinishInterruption(Struct, frozen=True):
    """Commit the partial answer and rest, or go on with the head of the queue."""

    partial: tuple[NewMessage, ...] = ()
    spend: int = 0
    files: tuple[FileId, ...] = ()

    def plan(self, chat: Chat) -> Change:
        if calls_after(chat.open_calls, self.partial, {}):
            raise refuse(self, chat, "A call would stay unanswered.")
        head = tuple(entry.number for entry in chat.queue[:1])
        return Change(
            status=Status.RUNNING if head else Status.WAITING,
            append=(*self.partial, *_word(chat, chat.stopped_by)),
            promote=head,
            continuing=False,
            retry_state=None,
            spend=self.spend,
            reserve=0,
            made_files=self.files,
            # Nothing is said of a turn that was stopped, and what was said of the one before is old.
            card=CardChange(cost=self.spend, turn_label=None),
        )


def _word(chat: Chat, by: Author | None) -> tuple[NewMessage, ...]:
    """Who stopped a turn that somebody else asked for. Whoever stops their own knows."""
    if by is None or by.id == chat.asked_by:
        return ()
    if by == NOBODY:
        excluded = NoticePart(STOPPED_TURN, "This turn was stopped: whoever asked for it cannot write here any more.")
        return (NewMessage(role=Role.ASSISTANT, parts=(excluded,), visibility=Visibility.USER, kind=Kind.NOTICE),)
    part = NoticePart(STOPPED_TURN, f"{by.name or 'Somebody'} stopped this turn.")
    told = NewMessage(role=Role.ASSISTANT, parts=(part,), visibility=Visibility.USER, kind=Kind.NOTICE)
    return (replace(told, created_by=by.id, author=by.name),)


_ONE_TURN = CardChange(turns=1)


class FinishTurn(Struct, frozen=True):
    """The turn is over: rest, or go on with the head of the queue."""

    asks: bool = False
    """Whether it ends with something that only a person can answer, such as a question or a plan."""

    def plan(self, chat: Chat) -> Change:
        if chat.continuing or chat.newest_is_user:
            raise refuse(self, chat, "The turn goes on: its last message asks for an answer.")
        finished = Change(retry_state=None, reserve=0, card=_ONE_TURN)
        if chat.state is State.R0:
            told = InboxKind.NEEDS_YOU if self.asks else InboxKind.FINISHED
            return replace(finished, status=Status.WAITING, inbox=told)
        return replace(
            finished,
            status=Status.RUNNING,
            answer_calls=tuple(call.index for call in chat.open_calls),
            reason=Reason.PROMOTION,
            promote=(chat.queue[0].number,),
        )


class FinishError(Struct, frozen=True):
    """The turn stopped on an error that retrying would not mend."""

    error: ChatError
    spend: int = 0
    """What attempts cost that brought no step."""

    def plan(self, chat: Chat) -> Change:
        return Change(
            status=Status.ERROR,
            last_error=self.error,
            retry_state=None,
            spend=self.spend,
            reserve=0,
            inbox=InboxKind.FAILED,
            # Nothing is said of a turn that failed, and what was said of the one before is old.
            card=CardChange(cost=self.spend, turn_label=None),
        )


class Retry(Struct, frozen=True):
    """Try the same history once more: after an error, or now instead of when the countdown ends."""

    def plan(self, chat: Chat) -> Change:
        if chat.status is Status.RUNNING:
            if chat.retry_state is None:
                raise refuse(self, chat, "Nothing waits to be tried again.")
            return Change(touch_history=True, keeps=ALL_MARKERS)
        return Change(status=Status.RUNNING, last_error=None, touch_history=True)
