"""MCP servers on the wire."""

from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from perdure.api.wire.content import END, LINE, Named
from perdure.api.wire.options import changes_of, options_of
from perdure.config.mcp import Auth, Availability, McpOptions, McpSecrets, McpServer, Transport
from perdure.core.ids import McpServerId

Slug = Annotated[str, Meta(pattern=r"^[a-z0-9](-?[a-z0-9])*" + END, max_length=32)]
Name = Annotated[str, Meta(max_length=200, pattern=LINE)]
Url = Annotated[str, Meta(max_length=2_000, pattern=r"^(https?://[^\s/?#]+[^\s#]*)?" + END)]
Command = Annotated[str, Meta(max_length=4_000)]
Header = Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]+" + END, max_length=100)]
ToolNames = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...], Meta(max_length=500)]
Secret = Annotated[str, Meta(max_length=20_000, pattern=r"^[\t\u0020-\u007e]*" + END)]
"""It goes into a header, or into a form as the protocol has it: printable ASCII."""
Variables = Annotated[
    dict[
        Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*" + END)],
        Annotated[str, Meta(pattern=r"^[^\u0000]*" + END)],
    ],
    Meta(max_length=100),
]
_SECRETS = ("secret", "environment", "client_id", "client_secret")


class Server(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An MCP server. Where it is, only those see who configure."""

    id: McpServerId
    slug: str
    name: str
    transport: Transport
    auth: Auth
    availability: Availability
    plan_mode: bool
    trusted: bool
    enabled: bool
    url: str | None = None
    command: str | None = None
    header: str | None = None
    scope: str | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    has_secret: bool = False
    signed_in: bool = False
    """Whether you have signed in to it."""
    trouble: str | None = None
    """Why this replica leaves it alone just now."""

    @classmethod
    def of(cls, server: McpServer, *, signed_in: bool, all_of_it: bool, trouble: str | None) -> "Server":
        options = server.options
        shown = cls(
            id=server.id,
            slug=server.slug,
            name=options.name,
            transport=options.transport,
            auth=options.auth,
            availability=options.availability,
            plan_mode=options.plan_mode,
            trusted=options.trusted,
            enabled=options.enabled,
            has_secret=server.sealed is not None,
            signed_in=signed_in,
            trouble=trouble,
        )
        if not all_of_it:
            return shown
        return structs.replace(
            shown,
            url=options.url or None,
            command=options.command or None,
            header=options.header,
            scope=options.scope or None,
            allow=options.allow,
            deny=options.deny,
        )


class Servers(Struct, frozen=True):
    items: tuple[Server, ...]


class ServerBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    slug: Slug
    name: Name = ""
    transport: Transport = Transport.HTTP
    url: Url = ""
    command: Command = ""
    auth: Auth = Auth.NONE
    header: Header = "Authorization"
    scope: Name = ""
    allow: ToolNames | None = None
    deny: ToolNames = ()
    availability: Availability = Availability.DEFAULT_ON
    plan_mode: bool = False
    trusted: bool = False
    enabled: bool = True
    secret: Secret = ""
    environment: Variables = {}  # noqa: RUF012 - a struct has a copy of its own
    client_id: Secret = ""
    client_secret: Secret = ""

    def options(self) -> McpOptions:
        return options_of(self, McpOptions)

    def secrets(self) -> McpSecrets | None:
        given = McpSecrets(**{name: getattr(self, name) for name in _SECRETS})
        return None if given == McpSecrets() else given


class ServerPatch(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The short name never changes: it is in the history of chats."""

    name: Name | UnsetType = UNSET
    transport: Transport | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    command: Command | UnsetType = UNSET
    auth: Auth | UnsetType = UNSET
    header: Header | UnsetType = UNSET
    scope: Name | UnsetType = UNSET
    allow: ToolNames | UnsetType | None = UNSET
    deny: ToolNames | UnsetType = UNSET
    availability: Availability | UnsetType = UNSET
    plan_mode: bool | UnsetType = UNSET
    trusted: bool | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    secret: Secret | UnsetType = UNSET
    environment: Variables | UnsetType = UNSET
    client_id: Secret | UnsetType = UNSET
    client_secret: Secret | UnsetType = UNSET

    def changes(self) -> dict[str, object]:
        return changes_of(self, McpOptions)

    def secrets(self) -> McpSecrets | None:
        """New secrets, all of them: the old ones are not known here."""
        given = {name: getattr(self, name) for name in _SECRETS if getattr(self, name) is not UNSET}
        return McpSecrets(**given) if given else None


class TryBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    chat_id: UUID | None = None
    """For a command: the chat in whose workspace to run it."""


class ServerTool(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    full_name: str
    """What models call it."""
    description: str = ""
    left_out: str = ""
    """Why chats do not get it."""


class Tried(Struct, frozen=True, kw_only=True):
    ok: bool
    message: str
    latency_ms: int
    tools: tuple[ServerTool, ...] = ()


class Departure(Struct, frozen=True):
    url: str
    """Where to send the person."""


class SignInCallback(Struct, frozen=True, omit_defaults=True):
    state: Annotated[str, Meta(min_length=1, max_length=200)]
    code: Annotated[str, Meta(max_length=4_000)] = ""
    iss: Annotated[str, Meta(max_length=2_000)] = ""
    error: Annotated[str, Meta(max_length=1_000)] = ""
    error_description: Annotated[str, Meta(max_length=1_000)] = ""
    session_state: str = ""
    scope: str = ""
