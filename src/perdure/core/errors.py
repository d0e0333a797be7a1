"""Every error that a caller can act on, as one tree.

PerdureError
├── Misconfigured            the environment must change before we can start: one line, exit code 2
├── NotFound                 no such thing, or not visible
│   ├── ChatNotFound
│   ├── MessageNotFound
│   └── QueuedMessageNotFound
├── Unauthenticated          nobody knows who asks
├── NotAllowed               the caller may not do this
├── HookDenied               a hook of the organisation said no
├── HookDispatchFailed       a hook that must be heard could not be asked
├── RateLimited              too often; says when to come back
├── TooLarge                 more than we read
├── Refused                  the state does not allow it
│   ├── Conflict             something of this name is there already; names the field
│   ├── TransitionNotAllowed
│   │   ├── AlreadyDecided
│   │   ├── EditedMessageNotUser
│   │   ├── ToolResultDuplicate
│   │   ├── ToolResultInvalidJson
│   │   ├── ToolResultMissing
│   │   └── ToolResultUnexpected
│   ├── InvalidState         only reconcile leads out
│   ├── QueueFull
│   ├── NotRoot
│   ├── NothingToCompact
│   ├── NoModel
│   ├── KeyReused            an idempotency key came back with another request
│   ├── WorkspaceRefused      the program in a workspace said no: a code and one instruction
│   ├── BuildFailed           a workspace could not be made from its template; carries the log's tail
│   └── KeyTaken             another request with the same idempotency key came first
├── InvalidInput             what the caller sent does not make sense; names where
├── Fenced                   somebody else drives this chat now: stop quietly
├── DatabaseFault            the database refused a statement: a fault of ours, and what was asked did not happen
├── Unavailable              ours to repeat: the database or a peer is away
│   └── WorkspaceUnreachable  nobody answers in the workspace
├── RunLost                  nobody knows how a call ended: ask, never repeat
│   └── WorkspaceLost        the workspace that it ran in is gone
└── ProviderFailure          a model's API failed, classified
"""

from collections.abc import Iterable
from dataclasses import dataclass

from perdure.core.failure import ChatError


class PerdureError(Exception):
    """Something went wrong that somebody can act on."""


class Misconfigured(PerdureError):
    """The environment must change before this can work. The message says how."""


class NotFound(PerdureError):
    """No such thing, or not visible to the one who asks."""


class ChatNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__("Chat not found.")


class MessageNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__("Message not found in this chat.")


class QueuedMessageNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__("This message is no longer in the queue.")


class Unauthenticated(PerdureError):
    """Whoever asks has not proved who they are."""

    def __init__(self, message: str = "Sign in, or send a token.") -> None:
        super().__init__(message)


class NotAllowed(PerdureError):
    """The one who asks may not do this."""


class HookDenied(PerdureError):
    """A hook said no. The message is what it said."""


class HookDispatchFailed(PerdureError):
    """A hook could not be asked, and without its word nothing goes on."""


class RateLimited(PerdureError):
    """Too many tries. `retry_after` says in how many seconds the next one counts."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"Too many attempts. Try again in {retry_after} s.")
        self.retry_after = retry_after


class TooLarge(PerdureError):
    """What was sent is larger than what is read."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"This is too large: at most {limit} bytes are read.")


class Refused(PerdureError):
    """The state of things does not allow this now."""


# How a chat stands by the first letter of its state, and what can be done about it.
_STANDS = {
    "W": "is at rest",
    "E": "has stopped on an error. Retry, or send a message",
    "R": "is at work. Wait until it rests, or interrupt it",
    "I": "is being stopped. Wait until it rests",
    "A": "waits for an answer. Give it, or interrupt the chat",
    "X": "is archived. Unarchive it first",
}


class TransitionNotAllowed(Refused):
    """The diagram has no such arrow, or the arrow's conditions do not hold."""

    def __init__(self, transition: str, state: str, reason: str = "") -> None:
        super().__init__(reason or f"This is not possible while the chat {_STANDS.get(state[0], 'is as it is now')}.")
        self.transition = transition
        self.state = state
        self.reason = reason


class AlreadyDecided(TransitionNotAllowed):
    """Somebody decided about the call before."""


class EditedMessageNotUser(TransitionNotAllowed):
    """Only a user message can be edited."""


class ToolResultDuplicate(TransitionNotAllowed):
    """Two results for one call."""


class ToolResultInvalidJson(TransitionNotAllowed):
    """A result that is not JSON."""


class ToolResultMissing(TransitionNotAllowed):
    """A pending call got no result."""


class ToolResultUnexpected(TransitionNotAllowed):
    """A result for a call that is not pending."""


class InvalidState(Refused):
    """The row is in no valid state. Reconcile is the way out."""

    def __init__(self) -> None:
        super().__init__("The chat is in an invalid state. Reconcile it to continue.")


class QueueFull(Refused):
    def __init__(self, limit: int) -> None:
        super().__init__(f"The queue is full: it holds at most {limit} messages.")
        self.limit = limit


class NotRoot(Refused):
    def __init__(self) -> None:
        super().__init__("Only a top-level chat can be archived, together with its sub-agents.")


class NothingToCompact(Refused):
    def __init__(self) -> None:
        super().__init__("There is nothing to compact: no answer follows the newest summary.")


class NoModel(Refused):
    def __init__(self) -> None:
        super().__init__(
            "No model is set up, so there is nothing that could answer. Ask an admin to add a provider and a model."
        )


class KeyReused(Refused):
    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was used for another request.")


class WorkspaceRefused(Refused):
    """The program inside a workspace said no. The message is one instruction for whoever asked."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class BuildFailed(Refused):
    """A workspace could not be made from its template. Nothing of it is left."""

    def __init__(self, stage: str, message: str, log_tail: str = "") -> None:
        super().__init__(message)
        self.stage = stage
        self.log_tail = log_tail


class KeyTaken(Refused):
    def __init__(self) -> None:
        super().__init__("Another request with this Idempotency-Key came first.")


@dataclass(frozen=True, slots=True)
class Validation:
    """One thing wrong with an input, and where."""

    field: str
    detail: str


def in_one_line(message: str, places: Iterable[Validation]) -> str:
    """A message with every place that it is about, for those who see nothing but a line."""
    told = "; ".join(f"{place.field}: {place.detail}" if place.field else place.detail for place in places)
    return f"{message.rstrip('.')} ({told})." if told else message


class InvalidInput(PerdureError):
    """What was sent does not make sense. `validations` names each place."""

    def __init__(self, message: str, *validations: Validation) -> None:
        super().__init__(message)
        self.validations = validations


class Conflict(Refused):
    """What must be unique is there already. `validations` names the field that says so."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.validations = (Validation(field, "is taken"),) if field else ()


class Fenced(PerdureError):
    """The chat moved on without this runner. It stops quietly and writes nothing."""


class DatabaseFault(PerdureError):
    """The database refused a statement, and trying again would not help. The message says what it said."""


class Unavailable(PerdureError):
    """Something we depend on is away. Trying again later helps."""


class WorkspaceUnreachable(Unavailable):
    """Nobody answers in the workspace, or the connection broke while we waited."""


class RunLost(PerdureError):
    """Nobody can say any more what became of a call. It may or may not have been carried out."""


class WorkspaceLost(RunLost):
    """The agent program that did this work is gone. The work may or may not have been done."""


class ProviderFailure(PerdureError):
    """A model's API failed. Carries its classification."""

    def __init__(self, error: ChatError, *, retry_after_ms: int | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry_after_ms = retry_after_ms
