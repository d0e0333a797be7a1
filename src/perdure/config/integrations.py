"""Hooks and MCP servers as an actor may see and change them. Secrets go in encrypted and never come back."""

import msgspec

from perdure.access.actor import ActorRows, Permission, record
from perdure.access.keyring import Keyring
from perdure.config.config import hook_of, mcp_server_of
from perdure.config.hooks import HOOK_PURPOSE, Hook, HookOptions
from perdure.config.mcp import SERVER_PURPOSE, McpOptions, McpSecrets, McpServer, Transport
from perdure.core.addresses import reachable
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import HookId, McpServerId
from perdure.store.tables import hooks, mcp_grants, mcp_servers
from perdure.store.tables.hooks import Delivery

_CONFIGURE = Permission.CONFIGURE


class HookConfiguration:
    """The hooks of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[Hook]:
        return [hook_of(row) for row in await hooks.listed(self._rows.organisation(_CONFIGURE))]

    async def one(self, hook_id: HookId) -> Hook:
        found = next((hook for hook in await self.all() if hook.id == hook_id), None)
        if found is None:
            raise NotFound("Hook not found.")
        return found

    async def add(self, options: HookOptions, secret: str) -> Hook:
        _check_hook(options)
        row = await hooks.add(self._rows.organisation(_CONFIGURE), _text(options), self._sealed(secret))
        await record(self._rows, "hook.add", row.id, url=options.url, events=options.events)
        return hook_of(row)

    async def change(self, hook_id: HookId, changes: dict[str, object], secret: str | None) -> Hook:
        options = msgspec.structs.replace((await self.one(hook_id)).options, **changes)
        _check_hook(options)
        sealed = None if secret is None else self._sealed(secret)
        row = await hooks.change(self._rows.organisation(_CONFIGURE), hook_id, _text(options), sealed)
        if row is None:
            raise NotFound("Hook not found.")
        await record(self._rows, "hook.change", hook_id, fields=sorted(changes), secret=secret is not None)
        return hook_of(row)

    async def delete(self, hook_id: HookId) -> None:
        if await hooks.delete(self._rows.organisation(_CONFIGURE), hook_id) is None:
            raise NotFound("Hook not found.")
        await record(self._rows, "hook.delete", hook_id)

    async def deliveries(self, hook_id: HookId, *, before: int | None, limit: int) -> list[Delivery]:
        await self.one(hook_id)
        return await hooks.deliveries(self._rows.organisation(_CONFIGURE), hook_id, before, limit)

    def _sealed(self, secret: str) -> bytes:
        return self._keyring.seal(secret, HOOK_PURPOSE)


def _check_hook(options: HookOptions) -> None:
    """Refuse an address that nobody can be asked at."""
    if reachable(options.url) is None:
        raise InvalidInput("The hook cannot be reached.", Validation("url", "is not a valid address"))


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


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
            raise NotFound("MCP server not found.")
        return found

    async def add(self, slug: str, options: McpOptions, secrets: McpSecrets | None) -> McpServer:
        _check_server(options)
        row = await mcp_servers.add(self._rows.organisation(_CONFIGURE), slug, _text(options), self._sealed(secrets))
        # What follows the program may hold secrets.
        program = options.command.partition(" ")[0]
        await record(self._rows, "mcp_server.add", row.id, slug=slug, url=options.url, program=program)
        return mcp_server_of(row)

    async def change(self, server_id: McpServerId, changes: dict[str, object], secrets: McpSecrets | None) -> McpServer:
        organisation = self._rows.organisation(_CONFIGURE)
        options = msgspec.structs.replace((await self.one(server_id)).options, **changes)
        _check_server(options)
        row = await mcp_servers.change(organisation, server_id, _text(options), self._sealed(secrets))
        if row is None:
            raise NotFound("MCP server not found.")
        await record(self._rows, "mcp_server.change", server_id, fields=sorted(changes))
        return mcp_server_of(row)

    async def delete(self, server_id: McpServerId) -> None:
        if await mcp_servers.delete(self._rows.organisation(_CONFIGURE), server_id) is None:
            raise NotFound("MCP server not found.")
        await record(self._rows, "mcp_server.delete", server_id)

    async def sign_out(self, server_id: McpServerId) -> None:
        if await mcp_grants.sign_out(self._rows, server_id) is None:
            raise NotFound("You are not signed in to this server.")

    def _sealed(self, secrets: McpSecrets | None) -> bytes | None:
        return None if secrets is None else self._keyring.seal(_text(secrets), SERVER_PURPOSE)


def _check_server(options: McpOptions) -> None:
    """Refuse what could never be reached."""
    if options.transport is Transport.STDIO:
        if not options.command.strip():
            raise InvalidInput("The server cannot be reached.", Validation("command", "is needed for stdio"))
    elif not options.url.startswith(("http://", "https://")):
        raise InvalidInput("The server cannot be reached.", Validation("url", "must start with http:// or https://"))
    elif reachable(options.url) is None:
        raise InvalidInput("The server cannot be reached.", Validation("url", "is not a valid address"))
    elif wrong := options.wrong_header:
        raise InvalidInput("The server cannot be reached.", Validation("header", wrong))
