"""MCP servers: set up by admins, signed in to by everybody for themselves."""

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes, WithHeaders
from perdure.api.wire.mcp import (
    Departure,
    Server,
    ServerBody,
    ServerPatch,
    Servers,
    ServerTool,
    SignInCallback,
    Tried,
    TryBody,
)
from perdure.config.mcp import Auth, McpServer
from perdure.core.errors import Refused
from perdure.core.ids import ChatId, McpServerId

routes = Routes("mcp")

BACK = "/settings/mcp"
CALLBACK = "/api/v1/mcp-servers/callback"


@routes.get("/mcp-servers")
async def list_mcp_servers(caller: Caller) -> Servers:
    """The MCP servers whose tools chats can use."""
    return Servers(tuple(_shown(caller, *found) for found in await caller.administration.mcp_servers.all()))


@routes.post("/mcp-servers", status=201)
async def add_mcp_server(caller: Caller, body: ServerBody) -> Server:
    """Add an MCP server."""
    server = await caller.administration.mcp_servers.add(body.slug, body.options(), body.secrets())
    caller.announcements.config_changed()
    return _shown(caller, server)


@routes.patch("/mcp-servers/{server_id}")
async def change_mcp_server(caller: Caller, server_id: McpServerId, body: ServerPatch) -> Server:
    """Change an MCP server. Secrets in the request replace all of its secrets."""
    server = await caller.administration.mcp_servers.change(server_id, body.changes(), body.secrets())
    caller.announcements.config_changed()
    return _shown(caller, server)


@routes.delete("/mcp-servers/{server_id}")
async def remove_mcp_server(caller: Caller, server_id: McpServerId) -> None:
    """Remove an MCP server and all users' tokens for it."""
    await caller.administration.mcp_servers.delete(server_id)
    caller.announcements.config_changed()


@routes.post("/mcp-servers/{server_id}/test", apart=True)
async def test_mcp_server(caller: Caller, server_id: McpServerId, body: TryBody) -> Tried:
    """Connect to it and list its tools, and which of them chats do not get and why."""
    caller.actor.require(Permission.CONFIGURE)
    server = await caller.administration.mcp_servers.one(server_id)
    chat_id = None if body.chat_id is None else (await caller.chats.own(ChatId(body.chat_id))).chat.id
    found = await caller.services.mcp.tools.check(server, caller.actor.user_id, chat_id)
    tools = tuple(
        ServerTool(
            name=tool.listed.name,
            full_name=tool.full_name,
            description=tool.listed.description[:500],
            left_out=tool.left_out,
        )
        for tool in found.tools
    )
    return Tried(ok=found.ok, message=found.message, latency_ms=found.latency_ms, tools=tools)


@routes.post("/mcp-servers/{server_id}/sign-in", apart=True)
async def sign_in_to_mcp_server(caller: Caller, server_id: McpServerId) -> Departure:
    """Start signing in to a server for your own chats: open the URL in the response."""
    caller.actor.require(Permission.CHAT)
    server = await caller.administration.mcp_servers.one(server_id)
    if server.options.auth is not Auth.OAUTH:
        raise Refused("This server needs no sign-in.")
    return Departure(await caller.services.mcp.sign_ins.begin(server, caller.actor.user_id, _redirect_uri(caller)))


@routes.get("/mcp-servers/callback", status=303, visited=True)
async def finish_mcp_sign_in(caller: Caller, query: SignInCallback) -> WithHeaders[None]:
    """The redirect URI of a server's sign-in service."""
    if query.error or not query.code:
        return WithHeaders(None, ("location", f"{BACK}?sign_in=refused"))
    await caller.services.mcp.sign_ins.finish(
        caller.actor.user_id, state=query.state, code=query.code, issuer=query.iss
    )
    return WithHeaders(None, ("location", f"{BACK}?sign_in=done"))


@routes.delete("/mcp-servers/{server_id}/sign-in")
async def sign_out_of_mcp_server(caller: Caller, server_id: McpServerId) -> None:
    """Delete your tokens for a server."""
    await caller.administration.mcp_servers.sign_out(server_id)


def _shown(caller: Caller, server: McpServer, signed_in: bool = False) -> Server:
    return Server.of(
        server,
        signed_in=signed_in,
        all_of_it=Permission.CONFIGURE in caller.actor.permissions,
        trouble=caller.services.mcp.connections.trouble(server.id),
    )


def _redirect_uri(caller: Caller) -> str:
    return f"{caller.services.address(caller.call)}{CALLBACK}"
