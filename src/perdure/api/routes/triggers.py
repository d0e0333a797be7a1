"""Triggers: programs that begin chats by what they send, and what each sent."""

import msgspec
from msgspec import structs

from perdure.access.actor import Permission
from perdure.access.webhook_signatures import Signing, new_secret
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.speech import check_speech, open_channel
from perdure.api.wire.control import Nothing
from perdure.api.wire.options import given
from perdure.api.wire.triggers import (
    DeliveryBody,
    DeliveryQuery,
    ShownTriggers,
    TrialBody,
    Trigger,
    TriggerBody,
    TriggerDeliveries,
    TriggerDelivery,
    TriggerPatch,
)
from perdure.config.triggers import Trial, TriggerOptions, Triggers, read_trigger
from perdure.core.errors import InvalidInput, Validation
from perdure.core.ids import TriggerId
from perdure.store.tables.triggers import DeliveryRow, TriggerRow

routes = Routes("triggers")


@routes.get("/triggers")
async def list_triggers(caller: Caller) -> ShownTriggers:
    """Your triggers, oldest first."""
    return ShownTriggers(tuple(_shown(caller, row) for row in await _triggers(caller).all()))


@routes.post("/triggers", status=201, secret=True)
async def add_trigger(caller: Caller, body: TriggerBody) -> Trigger:
    """Create a trigger: a URL that a program sends to, and what is said in a chat when it does."""
    caller.actor.require(Permission.CHAT)
    options = body.options()
    _check_whole(caller, options)
    if body.signing is Signing.SLACK and body.secret is None:
        raise InvalidInput("Slack provides the secret.", Validation("secret", "is the app's signing secret"))
    if body.channel is not None and body.credential is None:
        raise InvalidInput("There is no token to answer with.", Validation("credential", "is missing"))
    await check_speech(caller, options)
    secret = body.secret or new_secret()
    row = await _triggers(caller).add(options, secret)
    await open_channel(caller, row.id, body.channel, body.credential, body.api_url)
    return _shown(caller, row, None if body.secret else secret)


@routes.get("/triggers/{trigger_id}")
async def show_trigger(caller: Caller, trigger_id: TriggerId) -> Trigger:
    """One of your triggers."""
    return _shown(caller, await _triggers(caller).one(trigger_id))


@routes.patch("/triggers/{trigger_id}")
async def change_trigger(caller: Caller, trigger_id: TriggerId, body: TriggerPatch) -> Trigger:
    """Change a trigger, or switch it off."""
    triggers, changes = _triggers(caller), body.changes()
    before = read_trigger((await triggers.one(trigger_id)).options)
    credential = given(body.credential)
    if credential is not None and before.channel is None:
        raise InvalidInput("This trigger is not a channel.", Validation("credential", "only applies to channels"))
    caller.actor.require(Permission.CHAT)
    _check_whole(caller, before)
    await check_speech(caller, structs.replace(before, **changes))
    row = await triggers.change(trigger_id, changes, enabled=given(body.enabled), secret=given(body.secret))
    await open_channel(caller, row.id, before.channel, credential, None)
    return _shown(caller, row)


@routes.delete("/triggers/{trigger_id}")
async def remove_trigger(caller: Caller, trigger_id: TriggerId) -> None:
    """Remove a trigger and its deliveries. Chats that it started are kept."""
    await _triggers(caller).delete(trigger_id)


@routes.get("/triggers/{trigger_id}/deliveries")
async def list_incoming(caller: Caller, trigger_id: TriggerId, query: DeliveryQuery) -> TriggerDeliveries:
    """What was sent to a trigger, newest first. Kept for 30 days."""
    before = int(query.cursor) if query.cursor else None
    rows = await _triggers(caller).deliveries(trigger_id, query.state, before=before, limit=query.limit)
    more = str(rows[-1].id) if len(rows) == query.limit else None
    return TriggerDeliveries(tuple(_delivery(row) for row in rows), more)


@routes.get("/triggers/{trigger_id}/deliveries/{number}")
async def read_incoming(caller: Caller, trigger_id: TriggerId, number: int) -> DeliveryBody:
    """The headers and the body of a delivery; of a long body the first 64 KiB."""
    found = await _triggers(caller).content(trigger_id, number)
    return DeliveryBody(msgspec.json.decode(found.headers), found.body.decode(errors="replace"), found.size)


@routes.post("/triggers/{trigger_id}/deliveries/{number}/replay", status=202)
async def replay_incoming(caller: Caller, trigger_id: TriggerId, number: int, body: Nothing) -> TriggerDelivery:  # noqa: ARG001
    """Take a delivery once more, as if its sender had sent it again."""
    caller.actor.require(Permission.CHAT)
    row = await _triggers(caller).replay(trigger_id, number)
    caller.announcements.triggers_changed()
    return _delivery(row)


@routes.post("/triggers/{trigger_id}/test", status=202)
async def test_trigger(caller: Caller, trigger_id: TriggerId, body: TrialBody) -> TriggerDelivery:
    """Act as if the program had sent this body. A chat begins."""
    caller.actor.require(Permission.CHAT)
    _check_whole(caller, read_trigger((await _triggers(caller).one(trigger_id)).options))
    trial = Trial(msgspec.json.encode(body.body), {name.lower(): value for name, value in body.headers.items()})
    row = await _triggers(caller).try_out(trigger_id, trial)
    caller.announcements.triggers_changed()
    return _delivery(row)


def _check_whole(caller: Caller, options: TriggerOptions) -> None:
    """Whoever sets up a channel is believed about who speaks in it."""
    if options.channel is not None:
        caller.actor.require_whole()


def _triggers(caller: Caller) -> Triggers:
    return Triggers(caller.rows, caller.services.keyring)


def _shown(caller: Caller, row: TriggerRow, secret: str | None = None) -> Trigger:
    return Trigger.of(row, f"{caller.services.address(caller.call)}/api/v1/in/{row.id}", secret)


def _delivery(row: DeliveryRow) -> TriggerDelivery:
    return TriggerDelivery(**structs.asdict(row))
