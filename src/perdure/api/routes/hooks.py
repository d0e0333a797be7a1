"""Hooks: who is asked at which point, and what they answered."""

import msgspec

from perdure.access.secret_texts import mint
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.hooks import (
    Deliveries,
    DeliveriesQuery,
    Delivery,
    HookBody,
    HookPatch,
    ShownHook,
    ShownHooks,
)
from perdure.config.settings import Experiment
from perdure.core.ids import HookId

routes = Routes("hooks")

SECRET_PREFIX = "pdh_"  # noqa: S105


@routes.get("/hooks")
async def list_hooks(caller: Caller) -> ShownHooks:
    """Who is asked, in the order in which they are."""
    await caller.experiment(Experiment.HOOKS)
    return ShownHooks(tuple(ShownHook.of(hook) for hook in await caller.administration.hooks.all()))


@routes.post("/hooks", status=201, secret=True)
async def add_hook(caller: Caller, body: HookBody) -> ShownHook:
    """Have somebody asked. Without a secret one is made and shown this once."""
    await caller.experiment(Experiment.HOOKS)
    secret = body.secret or mint(SECRET_PREFIX)
    hook = await caller.administration.hooks.add(body.options(), secret)
    caller.announcements.config_changed()
    return ShownHook.of(hook, None if body.secret else secret)


@routes.patch("/hooks/{hook_id}")
async def change_hook(caller: Caller, hook_id: HookId, body: HookPatch) -> ShownHook:
    """Change a hook, or switch it off."""
    await caller.experiment(Experiment.HOOKS)
    secret = body.secret if isinstance(body.secret, str) else None
    hook = await caller.administration.hooks.change(hook_id, body.changes(), secret)
    caller.announcements.config_changed()
    return ShownHook.of(hook)


@routes.delete("/hooks/{hook_id}")
async def remove_hook(caller: Caller, hook_id: HookId) -> None:
    """Ask them no more. The log of what they answered goes too."""
    await caller.experiment(Experiment.HOOKS)
    await caller.administration.hooks.delete(hook_id)
    caller.announcements.config_changed()


@routes.get("/hooks/{hook_id}/deliveries")
async def list_deliveries(caller: Caller, hook_id: HookId, query: DeliveriesQuery) -> Deliveries:
    """What a hook was asked and what it answered, newest first. Kept for a week."""
    await caller.experiment(Experiment.HOOKS)
    before = int(query.cursor) if query.cursor else None
    rows = await caller.administration.hooks.deliveries(hook_id, before=before, limit=query.limit)
    more = str(rows[-1].id) if len(rows) == query.limit else None
    return Deliveries(tuple(Delivery(**msgspec.structs.asdict(row)) for row in rows), more)
