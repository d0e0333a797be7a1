"""What a chat is set up to be: the metadata that a turn reads and no arrow depends on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, StrEnum
from operator import add, attrgetter
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from perdure.core.action import Approvers
from perdure.core.ids import ChatId, ModelName, OrganisationId, UserId, WorkspaceId
from perdure.core.message import Effort


class ClientTool(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A tool that the client runs. Without a schema it takes no parameters."""

    name: str
    description: str = ""
    schema: dict[str, Any] = {}


class ChatSource(StrEnum):
    """Where a chat was begun."""

    PAGE = "page"
    API = "api"
    CLI = "cli"
    AGENT = "agent"
    SCHEDULE = "schedule"
    IMPORT = "import"
    TRIGGER = "trigger"


class ChatSettings(Struct, frozen=True, omit_defaults=True):
    """What is settled per chat and read once a turn."""

    approvals: dict[str, str] = {}
    """By tool name: auto, ask or deny."""
    mcp_servers: tuple[str, ...] | None = None
    web_search: bool = False
    approvers: Approvers = Approvers.ANYBODY
    """Who may approve calls."""


class Card(Struct, frozen=True, kw_only=True):
    """A chat's metadata, as a turn needs it."""

    id: ChatId
    owner_id: UserId
    organisation_id: OrganisationId
    title: str
    asked_by: UserId | None = None
    """Whose message is being answered, where that is known."""
    excluded: bool = False
    """Whether they may not write in the chat any more."""
    title_source: str = "fallback"
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    agent_type: str | None = None
    depth: int = 0
    """How many chats stand above it: 0 for a root."""
    model: ModelName | None = None
    effort: Effort | None = None
    plan_mode: bool = False
    """Whether it only plans: by itself, or because one of those plans that it works for."""
    workspace_id: WorkspaceId | None = None
    client_tools: tuple[ClientTool, ...] = ()
    client_tool_deadline: timedelta | None = None
    settings: ChatSettings = ChatSettings()
    turns: int = 0
    summarised_turns: int = 0

    @property
    def asker(self) -> UserId:
        """With whose rights, keys and budget a turn acts."""
        return self.asked_by or self.owner_id


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCard:
    """The card of a chat that is about to exist."""

    organisation_id: object
    owner_id: object
    title: str
    title_source: str = "fallback"
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    agent_type: str | None = None
    labels: str = "{}"
    source: ChatSource = ChatSource.API
    model: str | None = None
    effort: str | None = None
    plan_mode: bool = False
    workspace_id: WorkspaceId | None = None
    client_tools: str = "[]"
    client_tool_deadline: timedelta | None = None
    settings: str = "{}"


class Fold(Enum):
    """How a change of a card's field and the field as it was make the field as it is."""

    ADD = "add"
    SET = "set"
    MERGE = "merge"


CARD_FIELDS: Mapping[str, Fold] = {
    "cost": Fold.ADD,
    "unpriced_calls": Fold.ADD,
    "turns": Fold.ADD,
    "context_tokens": Fold.SET,
    "context_limit": Fold.SET,
    "plan_mode": Fold.SET,
    "pin": Fold.SET,
    "turn_label": Fold.SET,
    "approvals": Fold.MERGE,
}
"""What a commit may change of a card. Both the commit's SQL and `moved_fields` are made of it."""


class CardChange(Struct, frozen=True):
    """What a commit changes of the chat's card: the fields of the table, each left alone by its default."""

    cost: int = 0
    unpriced_calls: int = 0
    turns: int = 0
    context_tokens: int | UnsetType = UNSET
    context_limit: int | UnsetType = UNSET
    plan_mode: bool | UnsetType = UNSET
    pin: int | UnsetType = UNSET
    turn_label: str | UnsetType | None = UNSET
    approvals: dict[str, str] = {}
    """By tool name; `auto` for tools that nobody is asked about in this chat any more."""

    def items(self) -> list[tuple[str, Fold, Any]]:
        """The fields that it changes, in the order of the table."""
        return [
            (name, fold, value)
            for (name, fold), value in zip(_FIELDS, _values(self), strict=True)
            if value is not UNSET and (value or fold is Fold.SET)
        ]

    def __add__(self, more: "CardChange") -> "CardChange":
        added, settled = map(add, _added(self), _added(more)), zip(_settled(self), _settled(more), strict=True)
        fields: list[Any] = [*added, *[before if after is UNSET else after for before, after in settled]]
        return CardChange(*fields, approvals=self.approvals | more.approvals)


_FIELDS = tuple(CARD_FIELDS.items())
_values = attrgetter(*CARD_FIELDS)
_added = attrgetter(*(name for name, fold in _FIELDS if fold is Fold.ADD))
_settled = attrgetter(*(name for name, fold in _FIELDS if fold is Fold.SET))


def moved_fields(record: Struct, change: CardChange) -> dict[str, Any]:
    """The fields of a record that the change gives another value. What the record does not have is left out."""
    names = record.__struct_fields__
    return {name: _folded(fold, getattr(record, name), value) for name, fold, value in change.items() if name in names}


def _folded(fold: Fold, before: Any, value: Any) -> Any:
    match fold:
        case Fold.ADD:
            return before + value
        case Fold.SET:
            return value
        case Fold.MERGE:
            return before | value
