"""What we and a server tell each other, in types of our own: only `protocol` knows those of the package."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct


class ListedTool(Struct, frozen=True, kw_only=True):
    """A tool as its server describes it."""

    name: str
    description: str = ""
    schema: Any = None
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    """Only where the server says so; the protocol's own default would make every tool suspect."""
    only_as_task: bool = False
    """Whether it runs only as a task of the protocol."""


class Image(Struct, frozen=True):
    media_type: str
    data: bytes


class CallResult(Struct, frozen=True, kw_only=True):
    """What a call came to."""

    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


class Task(Struct, frozen=True):
    """A call that goes on at the server, under a name by which anybody of ours can ask for it."""

    name: str


class TaskStatus(StrEnum):
    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class TaskQuestion(Struct, frozen=True, kw_only=True):
    """What a task asks of a person."""

    key: str
    message: str
    schema: dict[str, Any] = {}
    url: str = ""
    answerable: bool = True
    """Whether it is a question to a person at all."""


class TaskState(Struct, frozen=True, kw_only=True):
    """Where a task stands."""

    status: TaskStatus
    message: str = ""
    poll_s: float = 0
    """How often the server wants to be asked."""
    questions: tuple[TaskQuestion, ...] = ()
    result: CallResult | None = None


class Asked(Struct, frozen=True, kw_only=True):
    """A call that was not carried out yet: its server asks something first."""

    questions: tuple[TaskQuestion, ...]
    state: str | None = None
    """What the server wants to be brought with the answers."""


class Brought(Struct, frozen=True):
    """What a call that was asked about is made again with."""

    answers: dict[str, Any]
    state: str | None


class Unreachable(Exception):
    """The server cannot be talked to. The text says why, in words for a person; it names no secret."""


class NotDelivered(Unreachable):
    """The connection is over and the request was certainly not carried out."""


class NoAnswer(Unreachable):
    """The request was sent and nobody knows what came of it."""


class Refusal(Exception):
    """The server said no."""


class SignInNeeded(Unreachable):
    """A person has to sign in first."""


class Session(Protocol):
    """An open connection to one server, for as long as it holds."""

    @property
    def alive(self) -> bool: ...

    async def tools(self) -> tuple[ListedTool, ...]:
        """Its tools; asked for once, and again only when it says that they changed."""
        ...

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        show: Callable[[str], None],
        *,
        as_task: bool = False,
        brought: Brought | None = None,
    ) -> CallResult | Task | Asked:
        """What a call comes to, the task that it became, or what it asks before."""
        ...

    async def look(self, task: str) -> TaskState: ...

    async def answer(self, task: str, answers: dict[str, Any]) -> None: ...

    async def cancel(self, task: str) -> None: ...

    async def close(self) -> None: ...
