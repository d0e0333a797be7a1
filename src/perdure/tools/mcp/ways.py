"""From a server as it was set up to the way there, on behalf of one person and in the place of one chat."""

import msgspec

from perdure.access.keyring import Keyring
from perdure.config.mcp import SERVER_PURPOSE, Auth, McpSecrets, McpServer, Transport
from perdure.core.ids import ChatId, UserId
from perdure.store.workspaces import WorkspaceRow
from perdure.tools.mcp.grants import Grants
from perdure.tools.mcp.way import Outside, Way
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.service import Workspaces

API_KEY_HEADER = "Authorization"


class Ways:
    """Knows how every server is reached."""

    def __init__(self, keyring: Keyring, grants: Grants, workspaces: Workspaces | None, outside: Outside) -> None:
        self._keyring = keyring
        self._grants = grants
        self._workspaces = workspaces
        self._outside = outside

    def secrets(self, server: McpServer) -> McpSecrets:
        if server.sealed is None:
            return McpSecrets()
        return msgspec.json.decode(self._keyring.open(server.sealed, SERVER_PURPOSE), type=McpSecrets)

    async def workspace(self, chat_id: ChatId) -> WorkspaceRow | None:
        """Where the commands of a chat run."""
        return None if self._workspaces is None else await self._workspaces.of_chat(chat_id)

    def way(self, server: McpServer, user_id: UserId, row: WorkspaceRow | None, *, view: bool) -> Way:
        options, secrets = server.options, self.secrets(server)
        if options.transport is Transport.STDIO:
            return Way(
                name=server.slug,
                transport=options.transport,
                command=options.command,
                environment=secrets.environment,
                workspace=lambda: self._inside(row, view=view),
            )
        return Way(
            name=server.slug,
            transport=options.transport,
            url=options.url,
            headers=_headers(server, secrets),
            token=(lambda: self._grants.token(server.id, user_id)) if options.auth is Auth.OAUTH else None,
            outside=self._outside,
        )

    async def _inside(self, row: WorkspaceRow | None, *, view: bool) -> WorkspaceClient:
        assert self._workspaces is not None
        assert row is not None
        return await self._workspaces.client(row, view=view)


def _headers(server: McpServer, secrets: McpSecrets) -> dict[str, str]:
    match server.options.auth:
        case Auth.HEADER if secrets.secret:
            return {server.options.header: secrets.secret}
        case Auth.API_KEY if secrets.secret:
            return {API_KEY_HEADER: f"Bearer {secrets.secret}"}
        case _:
            return {}
