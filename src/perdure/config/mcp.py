"""MCP servers as an organisation set them up: where they are, how we sign in, which of their tools count."""

from enum import StrEnum

from msgspec import Struct

from perdure.core.headers import wrong_headers
from perdure.core.ids import McpServerId

SERVER_PURPOSE = "mcp server"
GRANT_PURPOSE = "mcp grant"


class Transport(StrEnum):
    HTTP = "http"
    """Streamable HTTP."""
    SSE = "sse"
    STDIO = "stdio"
    """A command that runs inside the chat's workspace."""


class Auth(StrEnum):
    NONE = "none"
    HEADER = "header"
    """A secret in a header of a name of its own."""
    API_KEY = "api_key"
    """A secret as a bearer token."""
    OAUTH = "oauth"
    """Everybody signs in for themselves."""


class Availability(StrEnum):
    FORCED_ON = "forced_on"
    DEFAULT_ON = "default_on"
    DEFAULT_OFF = "default_off"


class McpSecrets(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is encrypted at rest and never comes back."""

    secret: str = ""
    environment: dict[str, str] = {}
    """For a command."""
    client_id: str = ""
    """An OAuth client that an admin registered by hand; without one we register ourselves."""
    client_secret: str = ""


class McpOptions(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """All about a server that is no secret."""

    name: str = ""
    transport: Transport = Transport.HTTP
    url: str = ""
    command: str = ""
    auth: Auth = Auth.NONE
    header: str = "Authorization"
    """Which header carries the secret."""
    scope: str = ""
    """The OAuth scope to ask for, where the server does not say."""
    allow: tuple[str, ...] | None = None
    """If given, only these of its tools count."""
    deny: tuple[str, ...] = ()
    availability: Availability = Availability.DEFAULT_ON
    plan_mode: bool = False
    """Whether its tools may be used while a chat only plans or explores."""
    trusted: bool = False
    """Whether its own word counts for which of its tools may be repeated."""
    enabled: bool = True

    @property
    def wrong_header(self) -> str | None:
        """Why no request can carry the secret in the header of this name, if none can."""
        return wrong_headers({self.header: ""}) if self.auth is Auth.HEADER else None


class McpServer(Struct, frozen=True, kw_only=True):
    """One server of an organisation."""

    id: McpServerId
    slug: str
    """The first half of the names of its tools."""
    options: McpOptions
    revision: int
    """Moves with every change, so that old connections are told from new ones."""
    sealed: bytes | None = None

    @property
    def title(self) -> str:
        return self.options.name or self.slug

    def allows(self, tool: str) -> bool:
        allowed = self.options.allow is None or tool in self.options.allow
        return allowed and tool not in self.options.deny


def selected(servers: tuple[McpServer, ...], chosen: tuple[str, ...] | None) -> tuple[McpServer, ...]:
    """The servers of a chat: those it chose, or those that are on by themselves; and those it cannot refuse."""

    def counts(server: McpServer) -> bool:
        match server.options.availability:
            case Availability.FORCED_ON:
                return True
            case Availability.DEFAULT_ON if chosen is None:
                return True
            case _:
                return chosen is not None and server.slug in chosen

    return tuple(server for server in servers if server.options.enabled and counts(server))
