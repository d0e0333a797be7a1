"""Encrypted tokens of people for MCP servers."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import McpServerId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class GrantRow(Struct, frozen=True):
    secret: bytes
    expires_at: datetime | None


@query
async def load(db: Database, server_id: McpServerId, user_id: UserId) -> GrantRow | None: ...


@query
async def hold(db: Database, server_id: McpServerId, user_id: UserId) -> GrantRow | None: ...


@query
async def put(
    db: Database, server_id: McpServerId, user_id: UserId, secret: bytes, expires_at: datetime | None
) -> None: ...


@query
async def sign_out(scope: PersonScope, server_id: McpServerId) -> McpServerId | None: ...
