"""Hooks on the wire."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.api.wire.content import END, LINE, Named
from perdure.api.wire.options import changes_of, options_of
from perdure.config.hooks import Hook, HookEvent, HookOptions
from perdure.core.ids import HookId

Url = Annotated[str, Meta(max_length=2_000, pattern=r"^https?://[^\s/?#]+[^\s#]*" + END)]
Events = Annotated[tuple[HookEvent, ...], Meta(min_length=1, max_length=7)]
Name = Annotated[str, Meta(max_length=200, pattern=LINE)]
Milliseconds = Annotated[int, Meta(ge=100, le=5_000)]
ToolPatterns = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=100)], ...], Meta(max_length=200)]
Secret = Annotated[str, Meta(min_length=16, max_length=1_000)]


class ShownHook(Struct, frozen=True, kw_only=True):
    """A hook, without its secret."""

    id: HookId
    url: str
    events: tuple[HookEvent, ...]
    name: str
    enabled: bool
    fail_open: bool
    timeout_ms: int
    tools: tuple[str, ...]
    secret: str | None = None
    """Only where it was just made here."""

    @classmethod
    def of(cls, hook: Hook, secret: str | None = None) -> "ShownHook":
        options = hook.options
        return cls(
            id=hook.id,
            url=options.url,
            events=options.events,
            name=options.name,
            enabled=options.enabled,
            fail_open=options.fail_open,
            timeout_ms=options.timeout_ms,
            tools=options.tools,
            secret=secret,
        )


class ShownHooks(Struct, frozen=True):
    items: tuple[ShownHook, ...]


class HookBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    url: Url
    events: Events
    name: Name = ""
    enabled: bool = True
    fail_open: bool = False
    timeout_ms: Milliseconds = 1_500
    tools: ToolPatterns = ()
    secret: Secret | None = None
    """What requests are signed with; without one it is made, and shown this once."""

    def options(self) -> HookOptions:
        return options_of(self, HookOptions)


class HookPatch(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    url: Url | UnsetType = UNSET
    events: Events | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    fail_open: bool | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    tools: ToolPatterns | UnsetType = UNSET
    secret: Secret | UnsetType = UNSET

    def changes(self) -> dict[str, object]:
        return changes_of(self, HookOptions)


class Delivery(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a hook was asked and what it answered."""

    id: int
    dispatch_id: UUID
    event: HookEvent
    outcome: str
    """allowed, added, rewritten, denied or failed."""
    attempts: int
    duration_ms: int
    created_at: datetime
    chat_id: UUID | None = None
    status: int | None = None
    detail: str = ""


class Deliveries(Struct, frozen=True, omit_defaults=True):
    items: tuple[Delivery, ...]
    next_cursor: str | None = None


class DeliveriesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    cursor: Annotated[str, Meta(pattern=r"^[0-9]{0,18}" + END)] = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
