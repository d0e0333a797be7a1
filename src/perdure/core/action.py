"""What a chat stops for: calls without a result, what is asked about them, and what was decided."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from perdure.core.author import Author


class CallKind(StrEnum):
    """Who answers a call: our tools, the client, or finished children."""

    LOCAL = "local"
    CLIENT = "client"
    CHILDREN = "children"


class OpenCall(Struct, frozen=True, array_like=True):
    """A call of the last assistant message that has no result yet. Its arguments stay in the message."""

    index: int
    """Which call of the message it is, counting from 0; with message and run it makes the journal's key."""
    call_id: str
    tool: str
    kind: CallKind = CallKind.LOCAL
    cleared: bool = False
    """Approved, or to be repeated: it may run although it would be asked about."""
    run: int = 0
    """Grows when the user asks to repeat a call of unknown outcome."""
    cleared_in: int = 0
    """The snapshot that cleared it."""
    cleared_by: tuple[Author, ...] = ()
    """Who said that it may run."""
    answers: str = ""
    """What a person answered to its questions, as JSON by their keys."""


class ActionKind(StrEnum):
    CLIENT_TOOL = "client_tool"
    APPROVAL = "approval"
    OUTCOME_UNKNOWN = "outcome_unknown"
    ELICITATION = "elicitation"
    """A call asks a person something, and goes on with what they say."""
    BUDGET = "budget"
    CHILDREN = "children"


class Asks(StrEnum):
    """What a chat at rest wants to hear from its owner."""

    QUESTION = "question"
    PLAN = "plan"


class Approvers(StrEnum):
    """Who may approve a call, of those who may approve at all."""

    ANYBODY = "anybody"
    AUTHOR = "author"
    """Whoever asked for the turn."""
    NOT_AUTHOR = "not_author"
    TWO_PEOPLE = "two_people"


class BudgetOwner(StrEnum):
    """Whose budget it is."""

    CHAT = "chat"
    USER = "user"
    ORGANISATION = "organisation"


class Breach(Struct, frozen=True):
    """A budget that the next model call does not fit: whose, what it allows, what is spent. In micro-dollars."""

    owner: BudgetOwner
    limit: int
    spent: int


class Verdict(StrEnum):
    """What somebody decided about a call."""

    APPROVE = "approve"
    DENY = "deny"
    HAPPENED = "happened"
    REPEAT = "repeat"
    SKIP = "skip"
    ANSWER = "answer"


class Question(Struct, frozen=True, omit_defaults=True):
    """What a call that runs asks of a person: a form, or a page to go to."""

    call: int
    """The index of the call."""
    key: str
    message: str
    schema: str = ""
    """The form, as JSON schema."""
    url: str = ""


class Decision(Struct, frozen=True, omit_defaults=True):
    """What somebody decided about one call, and what the model is to read about it."""

    call_id: str
    verdict: Verdict
    result: str = ""
    is_error: bool = False
    """Whether the call that happened failed."""
    always: bool = False
    """Whether nobody is to be asked about this tool in this chat again."""
    by: Author | None = None
    """Who decided; nobody where the journal did."""
    answers: str = ""
    """What was answered to the call's questions, as JSON by their keys."""


def deciders_of(decisions: Iterable[Decision], call_id: str) -> tuple[Author, ...]:
    """Who decided about a call."""
    return tuple(each.by for each in decisions if each.call_id == call_id and each.by is not None)


class Action(Struct, frozen=True, omit_defaults=True):
    """What a parked chat waits for: a kind, and the open calls that it asks about."""

    kind: ActionKind
    calls: tuple[int, ...] = ()
    """Indices of open calls; none for a budget."""
    children: tuple[str, ...] = ()
    limit: int | None = None
    """For a budget: what is allowed now, in micro-dollars."""
    budget: BudgetOwner = BudgetOwner.CHAT
    """For a budget: whose."""
    spent: int | None = None
    """For a budget that is not the chat's own: what was spent of it."""
    decided: tuple[Decision, ...] = ()
    """What was decided while other calls still wait for their decision."""
    approvers: Approvers = Approvers.ANYBODY
    questions: tuple[Question, ...] = ()
    """What the calls ask."""
