"""People who are on their way to sign in to an MCP server."""

from datetime import timedelta

from msgspec import Struct

from perdure.core.ids import McpServerId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database


class SignIn(Struct, frozen=True):
    server_id: McpServerId
    user_id: UserId
    secret: bytes
    valid: bool


@query
async def begin(
    db: Database, digest: bytes, server_id: McpServerId, user_id: UserId, secret: bytes, kept: timedelta
) -> None: ...


@query
async def finish(db: Database, digest: bytes) -> SignIn | None: ...
