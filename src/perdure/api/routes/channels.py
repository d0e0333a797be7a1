"""Channels: who you are where people talk with agents besides the page."""

from msgspec import structs

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.control import Nothing
from perdure.api.wire.triggers import Link, LinkCode
from perdure.api.wire.triggers import Links as ShownLinks
from perdure.config.channels import Links
from perdure.core.timing import CHANNEL_CODE_KEPT

routes = Routes("triggers")


@routes.get("/channel-links")
async def list_links(caller: Caller) -> ShownLinks:
    """Who you are on GitHub and Slack, where an agent answers there."""
    return ShownLinks(tuple(Link(**structs.asdict(link)) for link in await _links(caller).all()))


@routes.post("/channel-links", status=201, secret=True)
async def make_link_code(caller: Caller, body: Nothing) -> LinkCode:  # noqa: ARG001
    """A code to say to the agent there, once, so that it knows you. It is valid for 15 minutes."""
    caller.actor.require(Permission.CHAT)
    return LinkCode(await _links(caller).new_code(), round(CHANNEL_CODE_KEPT.total_seconds()))


@routes.delete("/channel-links/{channel}/{external_id}")
async def remove_link(caller: Caller, channel: str, external_id: str) -> None:
    """Be nobody there any more. Of an ID with a slash, send it as `:`."""
    await _links(caller).remove(channel, external_id.replace(":", "/"))


def _links(caller: Caller) -> Links:
    return Links(caller.rows, caller.services.keyring)
