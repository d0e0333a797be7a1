"""Tokens that people got for servers by signing in: kept encrypted, renewed before they run out, used by many."""

from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from perdure.access.keyring import Keyring
from perdure.config.mcp import GRANT_PURPOSE
from perdure.core.ids import McpServerId, UserId
from perdure.core.timing import Clock
from perdure.store.errors import transaction
from perdure.store.pool import Pool
from perdure.store.scopes import Database
from perdure.store.tables import mcp_grants
from perdure.tools.mcp.messages import SignInNeeded
from perdure.tools.mcp.token_endpoint import OAuthClient, exchange
from perdure.tools.network import Network

MCP_TOKEN_MARGIN = timedelta(minutes=1)
LONGEST_SCOPE = 2_000
SIGN_IN = "the user has to sign in to it first, in the settings"


class Grant(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person allowed us, and how it is renewed."""

    access_token: str
    refresh_token: str = ""
    token_endpoint: str
    client: OAuthClient
    resource: str = ""
    wanted: str = ""
    """The scope that a call needed besides: it is asked for at the next sign-in."""


def scopes(*said: str) -> str:
    """All of these scopes, each once."""
    return " ".join(dict.fromkeys(name for each in said for name in each.split()))


class Grants:
    """Everybody's tokens."""

    def __init__(self, pool: Pool, keyring: Keyring, clock: Clock, network: Network) -> None:
        self._pool = pool
        self._keyring = keyring
        self._clock = clock
        self.network = network

    async def token(self, server_id: McpServerId, user_id: UserId) -> str:
        """A token that is good for at least a while. Renews it where it is not."""
        row = await mcp_grants.load(self._pool, server_id, user_id)
        if row is None:
            raise SignInNeeded(SIGN_IN)
        if not self._runs_out(row.expires_at):
            return self._opened(row.secret).access_token
        return await self._renewed(server_id, user_id)

    async def keep(self, server_id: McpServerId, user_id: UserId, grant: Grant, expires_in: float | None) -> None:
        await self._put(self._pool, server_id, user_id, grant, expires_in)

    async def want(self, server_id: McpServerId, user_id: UserId, scope: str) -> None:
        """Note that a call was refused for want of a scope. What other calls wanted stays noted."""
        async with transaction(self._pool) as connection:
            row = await mcp_grants.hold(connection, server_id, user_id)
            if row is None:
                return
            grant = self._opened(row.secret)
            noted = msgspec.structs.replace(grant, wanted=scopes(grant.wanted, scope)[:LONGEST_SCOPE])
            if noted != grant:
                await mcp_grants.put(connection, server_id, user_id, self._sealed(noted), row.expires_at)

    async def wanted(self, server_id: McpServerId, user_id: UserId) -> str:
        row = await mcp_grants.load(self._pool, server_id, user_id)
        return "" if row is None else self._opened(row.secret).wanted

    async def _renewed(self, server_id: McpServerId, user_id: UserId) -> str:
        """Ask for new tokens. Replicas take turns: a refresh token works once."""
        async with transaction(self._pool) as connection:
            row = await mcp_grants.hold(connection, server_id, user_id)
            if row is None:
                raise SignInNeeded(SIGN_IN)
            grant = self._opened(row.secret)
            if not self._runs_out(row.expires_at):
                return grant.access_token
            if not grant.refresh_token:
                raise SignInNeeded("the sign-in ran out; the user has to sign in again, in the settings")
            form = {"grant_type": "refresh_token", "refresh_token": grant.refresh_token}
            tokens, client = await exchange(grant.token_endpoint, form, grant.client, grant.resource, self.network)
            fresh = msgspec.structs.replace(
                grant,
                access_token=tokens.access_token,
                refresh_token=tokens.refresh_token or grant.refresh_token,
                client=client,
            )
            await self._put(connection, server_id, user_id, fresh, tokens.expires_in)
            return fresh.access_token

    async def _put(
        self, db: Database, server_id: McpServerId, user_id: UserId, grant: Grant, expires_in: float | None
    ) -> None:
        expires_at = None if expires_in is None else self._clock.now() + timedelta(seconds=expires_in)
        await mcp_grants.put(db, server_id, user_id, self._sealed(grant), expires_at)

    def _sealed(self, grant: Grant) -> bytes:
        return self._keyring.seal(msgspec.json.encode(grant).decode(), GRANT_PURPOSE)

    def _opened(self, sealed: bytes) -> Grant:
        return msgspec.json.decode(self._keyring.open(sealed, GRANT_PURPOSE), type=Grant)

    def _runs_out(self, expires_at: datetime | None) -> bool:
        return expires_at is not None and expires_at - self._clock.now() < MCP_TOKEN_MARGIN
