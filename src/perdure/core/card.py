"""What a chat is set up to be: the metadata that a turn reads and no arrow depends on."""

from datetime import timedelta
from typing import Any

from msgspec import Struct, structs

from perdure.core.ids import ChatId, ModelName, OrganisationId, UserId, WorkspaceId
from perdure.core.message import Effort


class ClientTool(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A tool that the client runs. Without a schema it takes no parameters."""

    name: str
    description: str = ""
    schema: dict[str, Any] = {}


class ChatSettings(Struct, frozen=True, omit_defaults=True):
    """What is settled per chat and read once a turn."""

    approvals: dict[str, str] = {}
    """By tool name: auto, ask or deny."""
    mcp_servers: tuple[str, ...] | None = None
    web_search: bool = False


class Card(Struct, frozen=True, kw_only=True):
    """A chat's metadata, as a turn needs it."""

    id: ChatId
    owner_id: UserId
    organisation_id: OrganisationId
    title: str
    title_source: str = "fallback"
    parent_id: ChatId | None = None
    root_id: ChatId | None = None
    agent_type: str | None = None
    depth: int = 0
    """How many chats stand above it: 0 for a root."""
    model: ModelName | None = None
    effort: Effort | None = None
    plan_mode: bool = False
    workspace_id: WorkspaceId | None = None
    client_tools: tuple[ClientTool, ...] = ()
    client_tool_deadline: timedelta | None = None
    settings: ChatSettings = ChatSettings()
    turns: int = 0
    summarised_turns: int = 0

    def after(self, change: "CardChange") -> "Card":
        """The card once this change is committed."""
        if not change.turns and not change.approve and change.plan_mode is None:
            return self
        settings = self.settings
        if change.approve:
            approvals = {**settings.approvals, **dict.fromkeys(change.approve, "auto")}
            settings = structs.replace(settings, approvals=approvals)
        return structs.replace(
            self,
            turns=self.turns + change.turns,
            plan_mode=self.plan_mode if change.plan_mode is None else change.plan_mode,
            settings=settings,
        )


class CardChange(Struct, frozen=True, kw_only=True):
    """What a change adds to the chat's card."""

    cost: int = 0
    unpriced_calls: int = 0
    turns: int = 0
    context_tokens: int | None = None
    context_limit: int | None = None
    unpin: bool = False
    unlabel: bool = False
    """Take the label of the last turn off: another one began and was stopped."""
    plan_mode: bool | None = None
    approve: tuple[str, ...] = ()
    """Tools that nobody is asked about in this chat any more."""

    def __add__(self, more: "CardChange") -> "CardChange":
        return CardChange(
            cost=self.cost + more.cost,
            unpriced_calls=self.unpriced_calls + more.unpriced_calls,
            turns=self.turns + more.turns,
            context_tokens=self.context_tokens if more.context_tokens is None else more.context_tokens,
            context_limit=self.context_limit if more.context_limit is None else more.context_limit,
            unpin=self.unpin or more.unpin,
            unlabel=self.unlabel or more.unlabel,
            plan_mode=self.plan_mode if more.plan_mode is None else more.plan_mode,
            approve=(*self.approve, *more.approve),
        )
