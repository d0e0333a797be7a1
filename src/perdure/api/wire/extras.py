"""What is made of a whole chat, on the wire: forks, branches, exports, costs, usage."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from perdure.api.wire.chats import Name, Number
from perdure.api.wire.content import ClientId, Content
from perdure.core.ids import ChatId, MessageNumber, ModelName
from perdure.core.message import Effort, Message


class ForkedFiles(StrEnum):
    """Which files the fork of a chat with a workspace has: always its own."""

    KEEP = "keep"
    BACK = "back"
    NONE = "none"


class ForkBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    after: Number
    """The last message that is taken along; one of a branch takes the history along as it was."""
    content: Content | None = None
    """What to go on with. Without it the new chat rests."""
    model: Name | None = None
    effort: Effort | None = None
    client_id: ClientId | None = None
    files: ForkedFiles = ForkedFiles.KEEP
    """The chat's files as they are now, `back` to what they were then, or `none` and no workspace."""
    files_state: Annotated[str, Meta(max_length=100)] | None = None
    """The `state` of the preview that was shown: if files changed since, nothing is forked."""


class Branch(Struct, frozen=True, kw_only=True):
    """What an edit hid."""

    snapshot: int
    after: MessageNumber
    """The message after which the branch left the history."""
    messages: tuple[Message, ...]


class Branches(Struct, frozen=True):
    items: tuple[Branch, ...]


class ExportFormat(StrEnum):
    JSON = "json"
    MARKDOWN = "markdown"


class ExportQuery(Struct, frozen=True, forbid_unknown_fields=True):
    format: ExportFormat = ExportFormat.JSON


class Purpose(StrEnum):
    """What a model was asked for: the chat's answers, advice to its agent, or words about it, such as its title."""

    ANSWER = "answer"
    ADVISOR = "advisor"
    WORDS = "words"


class CostLine(Struct, frozen=True, kw_only=True):
    chat_id: ChatId
    model: ModelName | None
    purpose: Purpose
    calls: int
    cost: int
    unpriced_calls: int
    input: int
    output: int
    reasoning: int
    cache_read: int
    cache_write: int


class Cost(Struct, frozen=True, kw_only=True):
    """Micro-dollars. Calls without a price are counted apart."""

    cost: int
    unpriced_calls: int
    items: tuple[CostLine, ...]


class UsageGroup(StrEnum):
    USER = "user"
    MODEL = "model"
    CHAT = "chat"
    """The root of a family of chats. Of other people's chats no title is told."""
    DAY = "day"


class UsageQuery(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"since": "from", "until": "to"}
):
    since: date | None = None
    until: date | None = None
    group: UsageGroup = UsageGroup.DAY
    mine: bool = False


class UsageLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    """A day, an email, a model, or the title of a chat; for the organisation, whose chat it is."""
    chat_id: ChatId | None = None
    calls: int
    cost: int
    unpriced_calls: int
    input: int
    output: int


class UsageReport(Struct, frozen=True):
    items: tuple[UsageLine, ...]
