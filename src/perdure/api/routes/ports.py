"""What is served on the ports of a chat's workspace, and where it can be looked at."""

from urllib.parse import quote

from perdure.access.previews import Preview, Use
from perdure.api.caller import Caller
from perdure.api.preview.addresses import BASE, OPEN, Place
from perdure.api.routing import Routes
from perdure.api.wire.ports import OpenPort, PortsView, PreviewUrl
from perdure.core.errors import NotFound
from perdure.core.ids import ChatId
from perdure.workspaces.ports import HIGHEST

routes = Routes("workspaces")


@routes.get("/chats/{chat_id}/ports")
async def list_ports(caller: Caller, chat_id: ChatId) -> PortsView:
    """The ports on which commands in the chat's workspace listen. A stopped workspace is not started for that."""
    await caller.chats.read(chat_id)
    row = await caller.services.workspaces.of_chat(chat_id)
    found = await caller.services.workspaces.ports(row)
    running = row is not None and row.status == "running"
    return PortsView(running, tuple(OpenPort(each.port, each.command) for each in found))


@routes.get("/chats/{chat_id}/ports/{port}/url")
async def open_port(caller: Caller, chat_id: ChatId, port: int) -> PreviewUrl:
    """A signed URL at which a browser shows what is served on a port, for you alone and while you can read the chat."""
    await caller.chats.read(chat_id)
    row = await caller.services.workspaces.of_chat(chat_id)
    if row is None or not 1 <= port <= HIGHEST:
        raise NotFound("Port not found.")
    page = caller.services.address(caller.call)
    preview = Preview.by(caller.actor, chat_id, row.id, port, page)
    previews, origin = caller.services.previews, caller.services.preview_addresses.origin(Place(row.id, port), page)
    use = Use.PATH if origin is None else Use.LINK
    grant, seconds = previews.sign(preview, use), round(previews.kept(use).total_seconds())
    if origin is None:
        return PreviewUrl(f"{BASE}/{grant}/", isolated=False, expires_in_s=seconds)
    return PreviewUrl(f"{origin}{OPEN}?grant={quote(grant)}", isolated=True, expires_in_s=seconds)
