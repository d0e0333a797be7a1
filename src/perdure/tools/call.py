"""One call of a tool: its name, for whom and where it runs, and what it may come to."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from perdure.core.fence import Fence
from perdure.core.ids import ChatId, FileId, ModelName, OrganisationId, UserId
from perdure.core.message import Effort, Media, Message, Usage
from perdure.core.text import encodable


class Mode(StrEnum):
    """What kind of chat asks."""

    ROOT = "root"
    CHILD = "child"
    PLAN = "plan"
    EXPLORE = "explore"


EVERYWHERE = frozenset(Mode)
ACTING = frozenset({Mode.ROOT, Mode.CHILD})
LOOKING = frozenset({Mode.PLAN, Mode.EXPLORE})
"""Chats that change nothing in their workspace."""
WITH_AGENTS = frozenset({Mode.ROOT, Mode.CHILD, Mode.PLAN})
"""Chats that may have agents of their own, as far as they may stand below others."""


@dataclass(frozen=True, slots=True)
class CallKey:
    """The name of one run of one call. It is ours: providers repeat theirs."""

    chat_id: ChatId
    message: int
    index: int
    run: int = 0

    def __str__(self) -> str:
        return f"{self.chat_id}/{self.message}/{self.index}/{self.run}"


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that a tool hands over, to be kept with the chat."""

    id: FileId
    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class CallQuestion:
    """What a call asks of a person: a form, as JSON schema, or a page to go to."""

    key: str
    message: str
    schema: str = ""
    url: str = ""


class ToolFailed(Exception):
    """The call did not work. The text tells the model what to do about it."""


class InputNeeded(Exception):
    """The call goes on with what a person answers to these questions."""

    def __init__(self, questions: Sequence[CallQuestion]) -> None:
        super().__init__()
        self.questions = tuple(questions)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a call came to: the text the model reads, and files that go with it."""

    text: str
    is_error: bool = False
    files: tuple[NewFile, ...] = ()
    media: tuple[Media, ...] = ()
    model: ModelName | None = None
    """Which model was asked, where the call asked one."""
    usage: Usage | None = None
    cost: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContext:
    """What the model that calls was told, and which one it is."""

    model: ModelName | None = None
    effort: Effort | None = None
    system: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    turn: int = 0
    """The number of the message that began the turn."""


async def _nowhere_else(_: str) -> bool:
    return False


async def _forgotten(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Where a call runs: for whom, under which key, and how it tells of its progress."""

    key: CallKey
    owner_id: UserId
    organisation_id: OrganisationId
    asked_by: UserId | None = None
    """Who asked for the turn, where that is known."""
    home: ChatId
    """The chat whose workspace is meant: a child works in that of its root."""
    mode: Mode = Mode.ROOT
    fence: Fence | None = None
    """What its runner believes. A call that changes another chat does so only while this holds."""
    model_context: ModelContext = ModelContext()
    progress: Callable[[str], None] = lambda _: None
    """Show people more of the result while the call still runs."""
    afresh: Callable[[], None] = lambda: None
    """Forget what progress was shown: it begins again."""
    interrupted: Callable[[], bool] = lambda: False
    """Whether a cancelled call was stopped by a person. A replica that shuts down leaves what runs alone."""
    handle: str | None = None
    """What the journal knows the run by at its executor, where a run is taken over."""
    answers: str = ""
    """What a person answered to the questions of the run, as JSON by their keys."""
    handed: Callable[[str], Awaitable[None]] = _forgotten
    """Note by what the executor hands the run back: whoever takes over goes on with it instead of a second run."""
    entered: Callable[[str], Awaitable[bool]] = _nowhere_else
    """Tell which incarnation of a workspace the call reached. Whether it began in another one, which is gone."""

    @property
    def asker(self) -> UserId:
        """With whose rights, keys and budget the call acts."""
        return self.asked_by or self.owner_id


KIB = 1024
BYTES_PER_TOKEN = 3
SMALLEST = 16 * KIB
UNKNOWN_WINDOW = 64 * KIB


def result_budget(context_window: int | None) -> int:
    """Bytes of one result: a third of the window, and never so little that it is useless."""
    if context_window is None:
        return UNKNOWN_WINDOW
    return max(SMALLEST, context_window * BYTES_PER_TOKEN // 3)


def within(text: str, budget: int) -> str:
    """The text, or its first two thirds and its last third around a note that says how much is missing."""
    data = encodable(text).encode()
    if len(data) <= budget:
        return text
    head, tail = budget * 2 // 3, budget // 3
    missing = len(data) - head - tail
    start = data[:head].decode("utf8", errors="ignore")
    end = data[-tail:].decode("utf8", errors="ignore")
    return f"{start}\n\n[… {missing} bytes left out: ask for less at a time …]\n\n{end}"
