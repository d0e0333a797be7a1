"""MCP servers of organisations."""

from collections.abc import Sequence

from msgspec import Struct

from perdure.core.ids import McpServerId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope


class McpServerRow(Struct, frozen=True):
    id: McpServerId
    slug: str
    options: str
    secret: bytes | None
    revision: int


class Revision(Struct, frozen=True):
    id: McpServerId
    revision: int


class McpServerSeen(Struct, frozen=True):
    """A server as somebody sees it who may have signed in to it."""

    server: McpServerRow
    signed_in: bool


@query
async def listed(scope: PersonScope) -> list[McpServerSeen]: ...


@query
async def of_organisation(scope: OrganisationScope) -> list[McpServerRow]: ...


@query
async def revisions(db: Database, servers: Sequence[McpServerId]) -> list[Revision]: ...


@query
async def add(scope: OrganisationScope, slug: str, options: str, secret: bytes | None) -> McpServerRow: ...


@query
async def change(
    scope: OrganisationScope, server_id: McpServerId, options: str, secret: bytes | None
) -> McpServerRow | None: ...


@query
async def delete(scope: OrganisationScope, server_id: McpServerId) -> str | None: ...


@query
async def registration(db: Database, server_id: McpServerId) -> bytes | None: ...


@query
async def register(db: Database, server_id: McpServerId, registration: bytes) -> None: ...
