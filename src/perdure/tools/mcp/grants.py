"""Tokens that people got for servers by signing in: kept encrypted, renewed before they run out, used by many."""

import asyncio
from datetime import datetime, timedelta

import aiohttp
import msgspec
from msgspec import Struct

from perdure.access.keyring import Keyring
from perdure.config.mcp import GRANT_PURPOSE
from perdure.core.ids import McpServerId, UserId
from perdure.core.timing import MCP_CONNECT, Clock
from perdure.store.errors import transaction
from perdure.store.pool import Pool
from perdure.store.scopes import Database
from perdure.store.tables import mcp_grants
from perdure.tools.mcp.messages import SignInNeeded, Unreachable
from perdure.tools.network import Network

MCP_TOKEN_MARGIN = timedelta(minutes=1)
LARGEST_ANSWER = 1024 * 1024
SIGN_IN = "the user has to sign in to it first, in the settings"


class OAuthClient(Struct, frozen=True, omit_defaults=True):
    """Who we are to an authorisation server."""

    client_id: str
    client_secret: str = ""
    method: str = "none"
    """How we prove it: none, client_secret_post or client_secret_basic."""


class Grant(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a person allowed us, and how it is renewed."""

    access_token: str
    refresh_token: str = ""
    token_endpoint: str
    client: OAuthClient
    resource: str = ""


class Tokens(Struct, frozen=True, kw_only=True):
    """What a token endpoint hands out."""

    access_token: str
    expires_in: float | None = None
    refresh_token: str = ""


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
            tokens = await exchange(grant.token_endpoint, form, grant.client, grant.resource, self.network)
            fresh = msgspec.structs.replace(
                grant, access_token=tokens.access_token, refresh_token=tokens.refresh_token or grant.refresh_token
            )
            await self._put(connection, server_id, user_id, fresh, tokens.expires_in)
            return fresh.access_token

    async def _put(
        self, db: Database, server_id: McpServerId, user_id: UserId, grant: Grant, expires_in: float | None
    ) -> None:
        expires_at = None if expires_in is None else self._clock.now() + timedelta(seconds=expires_in)
        sealed = self._keyring.seal(msgspec.json.encode(grant).decode(), GRANT_PURPOSE)
        await mcp_grants.put(db, server_id, user_id, sealed, expires_at)

    def _opened(self, sealed: bytes) -> Grant:
        return msgspec.json.decode(self._keyring.open(sealed, GRANT_PURPOSE), type=Grant)

    def _runs_out(self, expires_at: datetime | None) -> bool:
        return expires_at is not None and expires_at - self._clock.now() < MCP_TOKEN_MARGIN


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """The body, if it is no longer than any answer about tokens."""
    try:
        content = await response.content.readexactly(LARGEST_ANSWER)
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    raise Unreachable(f"its sign-in service answered more than {len(content)} bytes")


async def exchange(endpoint: str, form: dict[str, str], client: OAuthClient, resource: str, network: Network) -> Tokens:
    """Ask a token endpoint for tokens."""
    body = {**form, "client_id": client.client_id, **({"resource": resource} if resource else {})}
    auth = None
    if client.method == "client_secret_post":
        body["client_secret"] = client.client_secret
    elif client.method == "client_secret_basic":
        auth = aiohttp.BasicAuth(client.client_id, client.client_secret)
    timeout = aiohttp.ClientTimeout(total=MCP_CONNECT.total_seconds())
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, auth=auth) as http,
            http.post(
                endpoint,
                data=body,
                proxy=network.proxy(endpoint),
                ssl=network.trusted or True,
                # Where it leads on to was not looked at, and what is sent proves who we are.
                allow_redirects=False,
            ) as response,
        ):
            content = await _bounded(response)
            if response.status >= 500 or 300 <= response.status < 400:
                raise Unreachable(f"its sign-in service answered with HTTP {response.status}")
            if response.status >= 400:
                raise SignInNeeded(
                    "the sign-in is not accepted any more; the user has to sign in again, in the settings"
                )
            return msgspec.json.decode(content, type=Tokens)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise Unreachable("its sign-in service does not answer") from error
    except msgspec.DecodeError as error:
        raise Unreachable("its sign-in service answered something that is no token") from error
