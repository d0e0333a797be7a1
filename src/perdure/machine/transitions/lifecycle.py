"""How a chat comes to be, rests in the archive, is asked to compact, and is mended."""

from collections.abc import Iterable

from msgspec import Struct

from perdure.core.action import ActionKind, CallKind, OpenCall
from perdure.core.card import CardChange
from perdure.core.chat import Chat, Status
from perdure.core.errors import Fenced
from perdure.core.failure import ChatError
from perdure.core.ids import FileId, MessageNumber
from perdure.core.message import Kind, NewMessage, Role
from perdure.machine.change import ALL_MARKERS, Change, Reason, refuse
from perdure.machine.planning import calls_after, synthetic


class Create(Struct, frozen=True):
    """Bring a chat into being. It runs on its messages, or rests where a fork adds nothing of its own."""

    messages: tuple[NewMessage, ...]
    runs: bool = True
    files: tuple[FileId, ...] = ()
    made_files: tuple[FileId, ...] = ()
    budget_limit: int | None = None

    def plan(self, chat: Chat) -> Change:
        if not self.messages:
            raise refuse(self, chat, "A chat begins with at least one message.")
        return Change(
            status=Status.RUNNING if self.runs else Status.WAITING,
            append=self._answered(chat),
            files=self.files,
            made_files=self.made_files,
            budget_limit=self.budget_limit,
        )

    def _answered(self, chat: Chat) -> tuple[NewMessage, ...]:
        """The messages, with a result for every call that a user message or rest would leave open."""
        messages: list[NewMessage] = []
        # Carried along: a history that is brought here may be long, and is gone through once.
        calls = chat.open_calls
        for message in self.messages:
            if message.role is Role.USER and message.kind is Kind.ORDINARY:
                messages += _missing(calls)
                calls = ()
            messages.append(message)
            calls = calls_after(calls, (message,), {})
        return tuple(messages) if self.runs else (*messages, *_missing(calls))


def _missing(calls: Iterable[OpenCall]) -> list[NewMessage]:
    return [synthetic(call, Reason.NEW_MESSAGE) for call in calls]


class TakeIn(Struct, frozen=True):
    """Bring messages into a chat at rest that were said elsewhere, in place of those from `cut_from` on, if any."""

    messages: tuple[NewMessage, ...]
    history_version: int | None = None
    """The history that they belong to. Once there is another one, somebody has to look again."""
    cut_from: MessageNumber | None = None
    files: tuple[FileId, ...] = ()

    def plan(self, chat: Chat) -> Change:
        if self.history_version not in (None, chat.history_version):
            raise Fenced
        return Change(
            answer_calls=tuple(call.index for call in chat.open_calls),
            reason=Reason.NEW_MESSAGE,
            append=self.messages,
            cut_from=self.cut_from,
            files=self.files,
        )


class SetArchived(Struct, frozen=True):
    """Put a chat at rest away, or bring it back."""

    archived: bool

    def plan(self, chat: Chat) -> Change:
        if chat.archived == self.archived:
            raise refuse(self, chat, "The chat is already archived." if self.archived else "The chat is not archived.")
        card = CardChange(pin=0) if self.archived else CardChange()
        return Change(archived=self.archived, keeps=ALL_MARKERS, card=card)


class RequestCompaction(Struct, frozen=True):
    """Ask for a summary now. Whoever drives the chat lets go, so that it is picked up afresh."""

    retry: bool = False
    """Whether what failed is asked again once the history is shorter."""

    def plan(self, chat: Chat) -> Change:
        return Change(
            status=Status.RUNNING,
            last_error=None,
            request_compaction=True,
            touch_history=True,
            owner=None,
            continuing=self.retry,
        )


INVALID_STATE = ChatError("The chat was in an invalid state. Send a new message or edit the history to continue.")


class ReconcileInvalidState(Struct, frozen=True):
    """Lead a chat whose row makes no sense back to an error that a user can leave."""

    error: ChatError = INVALID_STATE
    reason: str = Reason.INVALID_STATE

    def plan(self, chat: Chat) -> Change:
        asked = chat.action.calls if chat.action and chat.action.kind is not ActionKind.BUDGET else ()
        pending = tuple(c.index for c in chat.open_calls if c.kind is CallKind.CLIENT or c.index in asked)
        return Change(
            status=Status.ERROR, archived=False, last_error=self.error, answer_calls=pending, reason=self.reason
        )
