"""How a server is reached: its address or its command, and what proves who we are."""

import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from perdure.config.mcp import Transport
from perdure.core.timing import MCP_CALL
from perdure.workspaces.client import WorkspaceClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What stands between us and the network."""

    proxy: Callable[[str], str | None] = lambda _: None
    """The proxy for an address."""
    trusted: ssl.SSLContext | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The way to one server, on behalf of one person."""

    name: str
    transport: Transport
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    token: Callable[[], Awaitable[str]] | None = None
    """A token that is good now, where the person signed in. Raises SignInNeeded where they did not."""
    outside: Outside = field(default_factory=Outside)
    patience: timedelta = MCP_CALL
    """How long a call may take."""
    command: str = ""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    workspace: Callable[[], Awaitable[WorkspaceClient]] | None = None
    """Where the command runs."""
