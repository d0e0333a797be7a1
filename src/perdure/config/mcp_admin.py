"""MCP servers as an actor may see and change them. Secrets go in encrypted and never come back."""

import msgspec

from perdure.access.audit import record
from perdure.access.keyring import Keyring
from perdure.access.roles import Permission
from perdure.access.rows import ActorRows
from perdure.config.config import mcp_server_of
from perdure.config.mcp import SERVER_PURPOSE, McpOptions, McpSecrets, McpServer, Transport
from perdure.core.errors import InvalidInput, NotFound, Refused, Validation
from perdure.core.ids import McpServerId

_CONFIGURE = Permission.CONFIGURE


class McpServers:
    """The servers of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[tuple[McpServer, bool]]:
        """Every server, and whether the actor signed in to it."""
        rows = await self._rows.all("mcp_servers/list")
        return [(mcp_server_of(row), row["signed_in"]) for row in rows]

    async def one(self, server_id: McpServerId) -> McpServer:
        found = next((server for server, _ in await self.all() if server.id == server_id), None)
        if found is None:
            raise NotFound("There is no such MCP server.")
        return found

    async def add(self, slug: str, options: McpOptions, secrets: McpSecrets | None) -> McpServer:
        _check(options)
        values = slug, _text(options), self._sealed(secrets)
        rows = await self._rows.of_organisation(_CONFIGURE, "mcp_servers/add", *values)
        if not rows:
            raise Refused("There is an MCP server of this short name already.")
        await record(self._rows, "mcp_server.add", rows[0]["id"], slug=slug, url=options.url, command=options.command)
        return mcp_server_of(rows[0])

    async def change(self, server_id: McpServerId, changes: dict[str, object], secrets: McpSecrets | None) -> McpServer:
        self._rows.actor.require(_CONFIGURE)
        options = msgspec.structs.replace((await self.one(server_id)).options, **changes)
        _check(options)
        values = server_id, _text(options), self._sealed(secrets)
        rows = await self._rows.of_organisation(_CONFIGURE, "mcp_servers/change", *values)
        if not rows:
            raise NotFound("There is no such MCP server.")
        await record(self._rows, "mcp_server.change", server_id, fields=sorted(changes))
        return mcp_server_of(rows[0])

    async def delete(self, server_id: McpServerId) -> None:
        if not await self._rows.of_organisation(_CONFIGURE, "mcp_servers/delete", server_id):
            raise NotFound("There is no such MCP server.")
        await record(self._rows, "mcp_server.delete", server_id)

    async def sign_out(self, server_id: McpServerId) -> None:
        if not await self._rows.all("mcp_servers/sign_out", server_id):
            raise NotFound("You have not signed in to such a server.")

    def _sealed(self, secrets: McpSecrets | None) -> bytes | None:
        return None if secrets is None else self._keyring.seal(_text(secrets), SERVER_PURPOSE)


def _check(options: McpOptions) -> None:
    """Refuse what could never be reached."""
    if options.transport is Transport.STDIO:
        if not options.command.strip():
            raise InvalidInput("The server cannot be reached.", Validation("command", "is needed for stdio"))
    elif not options.url.startswith(("http://", "https://")):
        raise InvalidInput("The server cannot be reached.", Validation("url", "must start with http:// or https://"))


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
