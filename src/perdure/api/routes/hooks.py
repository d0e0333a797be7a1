"""Hooks: who is asked at which point, and what they answered."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.access.credentials import mint
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.content import END, LINE, Named
from perdure.api.wire.options import changes_of, options_of
from perdure.config.hooks import Hook, HookEvent, HookOptions
from perdure.config.settings import Experiment
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


routes = Routes("hooks")

SECRET_PREFIX = "pdh_"  # noqa: S105


@routes.get("/hooks")
async def list_hooks(caller: Caller) -> ShownHooks:
    """The hooks, in the order in which they are called."""
    await caller.experiment(Experiment.HOOKS)
    return ShownHooks(tuple(ShownHook.of(hook) for hook in await caller.administration.hooks.all()))


@routes.post("/hooks", status=201, secret=True)
async def add_hook(caller: Caller, body: HookBody) -> ShownHook:
    """Add a hook. Without a secret, one is generated and shown only once."""
    await caller.experiment(Experiment.HOOKS)
    secret = body.secret or mint(SECRET_PREFIX)
    hook = await caller.administration.hooks.add(body.options(), secret)
    caller.announcements.config_changed()
    return ShownHook.of(hook, None if body.secret else secret)


@routes.patch("/hooks/{hook_id}")
async def change_hook(caller: Caller, hook_id: HookId, body: HookPatch) -> ShownHook:
    """Change a hook, or turn it off."""
    await caller.experiment(Experiment.HOOKS)
    secret = body.secret if isinstance(body.secret, str) else None
    hook = await caller.administration.hooks.change(hook_id, body.changes(), secret)
    caller.announcements.config_changed()
    return ShownHook.of(hook)


@routes.delete("/hooks/{hook_id}")
async def remove_hook(caller: Caller, hook_id: HookId) -> None:
    """Remove a hook and its log."""
    await caller.experiment(Experiment.HOOKS)
    await caller.administration.hooks.delete(hook_id)
    caller.announcements.config_changed()


@routes.get("/hooks/{hook_id}/deliveries")
async def list_deliveries(caller: Caller, hook_id: HookId, query: DeliveriesQuery) -> Deliveries:
    """A hook's requests and responses, newest first. Kept for a week."""
    await caller.experiment(Experiment.HOOKS)
    before = int(query.cursor) if query.cursor else None
    rows = await caller.administration.hooks.deliveries(hook_id, before=before, limit=query.limit)
    more = str(rows[-1].id) if len(rows) == query.limit else None
    return Deliveries(tuple(Delivery(**msgspec.structs.asdict(row)) for row in rows), more)
