"""MCP servers as an actor may see and change them. Secrets go in encrypted and never come back."""

import msgspec

from perdure.access.audit import record
from perdure.access.keyring import Keyring
from perdure.access.roles import Permission
from perdure.access.rows import ActorRows
from perdure.config.config import mcp_server_of
from perdure.config.mcp import SERVER_PURPOSE, McpOptions, McpSecrets, McpServer, Transport
from perdure.core.addresses import reachable
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import McpServerId
from perdure.store.tables import mcp_grants, mcp_servers

_CONFIGURE = Permission.CONFIGURE


class McpServers:
    """The servers of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[tuple[McpServer, bool]]:
        """Every server, and whether the actor signed in to it."""
        return [(mcp_server_of(seen.server), seen.signed_in) for seen in await mcp_servers.listed(self._rows)]

    async def one(self, server_id: McpServerId) -> McpServer:
        found = next((server for server, _ in await self.all() if server.id == server_id), None)
        if found is None:
            raise NotFound("There is no such MCP server.")
        return found

    async def add(self, slug: str, options: McpOptions, secrets: McpSecrets | None) -> McpServer:
        _check(options)
        row = await mcp_servers.add(self._rows.organisation(_CONFIGURE), slug, _text(options), self._sealed(secrets))
        # What follows the program may hold secrets.
        program = options.command.partition(" ")[0]
        await record(self._rows, "mcp_server.add", row.id, slug=slug, url=options.url, program=program)
        return mcp_server_of(row)

    async def change(self, server_id: McpServerId, changes: dict[str, object], secrets: McpSecrets | None) -> McpServer:
        organisation = self._rows.organisation(_CONFIGURE)
        options = msgspec.structs.replace((await self.one(server_id)).options, **changes)
        _check(options)
        row = await mcp_servers.change(organisation, server_id, _text(options), self._sealed(secrets))
        if row is None:
            raise NotFound("There is no such MCP server.")
        await record(self._rows, "mcp_server.change", server_id, fields=sorted(changes))
        return mcp_server_of(row)

    async def delete(self, server_id: McpServerId) -> None:
        if await mcp_servers.delete(self._rows.organisation(_CONFIGURE), server_id) is None:
            raise NotFound("There is no such MCP server.")
        await record(self._rows, "mcp_server.delete", server_id)

    async def sign_out(self, server_id: McpServerId) -> None:
        if await mcp_grants.sign_out(self._rows, server_id) is None:
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
    elif reachable(options.url) is None:
        raise InvalidInput("The server cannot be reached.", Validation("url", "is not an address"))


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
