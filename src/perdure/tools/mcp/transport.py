"""How a server is reached on behalf of one person: its address or its command, and what proves who we are."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec

from perdure.access.keyring import Keyring
from perdure.config.mcp import SERVER_PURPOSE, Auth, McpSecrets, McpServer, Transport
from perdure.core.ids import ChatId, UserId
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.tools.mcp.grants import Grants
from perdure.tools.network import Network
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.service import Workspaces

API_KEY_HEADER = "Authorization"
MCP_CALL = timedelta(seconds=60)
"""How long a server may be silent during a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportOptions:
    """All that it takes to open a connection to one server."""

    name: str
    transport: Transport
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    token: Callable[[], Awaitable[str]] | None = None
    """A token that is good now, where the person signed in. Raises SignInNeeded where they did not."""
    wants: Callable[[str], Awaitable[None]] | None = None
    """Told which scope a call needs that the person has not given."""
    fills_forms: bool = False
    """Whether a form in the middle of a call is filled in with what it proposes."""
    network: Network = field(default_factory=Network)
    call_timeout: timedelta = MCP_CALL
    command: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    workspace: Callable[[], Awaitable[WorkspaceClient]] | None = None
    """Where the command runs."""


class Transports:
    """Knows how every server is reached."""

    def __init__(self, keyring: Keyring, grants: Grants, workspaces: Workspaces | None, network: Network) -> None:
        self._keyring = keyring
        self._grants = grants
        self._workspaces = workspaces
        self._network = network

    async def workspace(self, chat_id: ChatId) -> WorkspaceRow | None:
        """Where the commands of a chat run."""
        return None if self._workspaces is None else await self._workspaces.of_chat(chat_id)

    def options(
        self, server: McpServer, user_id: UserId, row: WorkspaceRow | None, *, read_only: bool
    ) -> TransportOptions:
        """`row` is the workspace that a command runs in, `read_only` whether it may change anything there."""
        options, secrets = server.options, opened_secrets(self._keyring, server)
        if options.transport is Transport.STDIO:
            return TransportOptions(
                name=server.slug,
                transport=options.transport,
                command=options.command,
                environment=secrets.environment,
                fills_forms=options.trusted,
                workspace=lambda: self._client(row, read_only=read_only),
            )
        signs_in = options.auth is Auth.OAUTH
        return TransportOptions(
            name=server.slug,
            transport=options.transport,
            url=options.url,
            headers=_headers(server, secrets),
            token=(lambda: self._grants.token(server.id, user_id)) if signs_in else None,
            wants=(lambda scope: self._grants.want(server.id, user_id, scope)) if signs_in else None,
            fills_forms=options.trusted,
            network=self._network,
        )

    async def _client(self, row: WorkspaceRow | None, *, read_only: bool) -> WorkspaceClient:
        assert self._workspaces is not None
        assert row is not None
        return await self._workspaces.client(row, view=read_only)


def opened_secrets(keyring: Keyring, server: McpServer) -> McpSecrets:
    if server.sealed is None:
        return McpSecrets()
    return msgspec.json.decode(keyring.open(server.sealed, SERVER_PURPOSE), type=McpSecrets)


def _headers(server: McpServer, secrets: McpSecrets) -> dict[str, str]:
    match server.options.auth:
        case Auth.HEADER if secrets.secret:
            return {server.options.header: secrets.secret}
        case Auth.API_KEY if secrets.secret:
            return {API_KEY_HEADER: f"Bearer {secrets.secret}"}
        case _:
            return {}
