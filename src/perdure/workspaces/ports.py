"""What is served inside a workspace, as an HTTP client reaches it: through the agent program, and nowhere else."""

import asyncio
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler

from perdure.core.errors import WorkspaceRefused
from perdure.core.timing import PORT_IDLE_KEPT, WORKSPACE_ANSWER
from perdure.workspaces import wire
from perdure.workspaces.connection import Connection

HIGHEST = 65_535
AT_ONCE = 64
"""How many connections to one port there are at most; a browser opens six to a host, and one for each socket."""
HEAD_BYTES = 64 * 1024
OUTDATED = "This workspace runs an older agent program. Stop it and start it again to see its ports."


class PortClient:
    """The ports on which a workspace's own processes listen."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._sessions: dict[int, aiohttp.ClientSession] = {}

    async def list(self) -> list[wire.Port]:
        try:
            return (await self.connection.ask(wire.PortList, "GET", "/v1/ports")).ports
        except WorkspaceRefused as refusal:
            if refusal.code != "not_found":
                raise
            raise WorkspaceRefused("outdated", OUTDATED) from refusal

    def session(self, port: int) -> aiohttp.ClientSession:
        """What sends requests to a port. Whatever address they name, that is where they go."""
        if port not in self._sessions:
            self._sessions[port] = _session(self.connection, port)
        return self._sessions[port]

    async def close(self) -> None:
        for session in self._sessions.values():
            await session.close()


def _session(connection: Connection, port: int) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=_PortConnector(connection, port),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=WORKSPACE_ANSWER.total_seconds()),
        auto_decompress=False,
        max_line_size=HEAD_BYTES,
        max_field_size=HEAD_BYTES,
        skip_auto_headers=("accept", "accept-encoding", "user-agent", "content-type"),
        requote_redirect_url=False,
    )


class _PortConnector(aiohttp.BaseConnector):
    """Connections through the agent program to one port."""

    allowed_protocol_schema_set = frozenset({"http", "ws"})

    def __init__(self, connection: Connection, port: int) -> None:
        super().__init__(limit=AT_ONCE, keepalive_timeout=PORT_IDLE_KEPT.total_seconds())
        self._way = connection
        self._port = port

    async def _create_connection(self, req: Any, traces: Any, timeout: Any) -> ResponseHandler:  # noqa: ARG002
        sock = await self._way.tunnel(f"/v1/ports/{self._port}/connect")
        _, protocol = await asyncio.get_running_loop().create_connection(self._factory, sock=sock)
        return protocol
