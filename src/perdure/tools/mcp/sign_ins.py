"""Signing in to a server on a person's behalf: found out where, sent there, and met again when they come back.

Nothing waits in memory between leaving and coming back: any replica can meet them.
"""

import asyncio
import importlib
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import Struct, structs

from perdure.access.credentials import digest, mint
from perdure.access.keyring import Keyring
from perdure.config.mcp import GRANT_PURPOSE, McpServer
from perdure.core.errors import InvalidInput, Unavailable
from perdure.core.ids import McpServerId, UserId
from perdure.store.pool import Pool
from perdure.store.tables import mcp_servers, mcp_sign_ins
from perdure.tools.mcp.grants import Grant, Grants, scopes
from perdure.tools.mcp.messages import Unreachable
from perdure.tools.mcp.token_endpoint import BASIC, POST, OAuthClient, exchange
from perdure.tools.mcp.transport import opened_secrets

MCP_SIGN_IN_KEPT = timedelta(minutes=10)
STATE_PREFIX = "pds_"


class AuthorizationServer(Struct, frozen=True, kw_only=True):
    """Where a server's people sign in, as it says itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str = ""
    resource: str = ""
    scope: str = ""
    methods: tuple[str, ...] = ()
    """How clients may prove who they are."""


class Registration(Struct, frozen=True):
    """The client that we are to an issuer."""

    issuer: str
    redirect_uri: str
    client: OAuthClient


class PendingSignIn(Struct, frozen=True, rename={"authority": "place"}):
    """What we must know when the person comes back."""

    authority: AuthorizationServer
    client: OAuthClient
    verifier: str
    redirect_uri: str


class SignIns:
    """Sends people off and meets them again."""

    def __init__(self, pool: Pool, keyring: Keyring, grants: Grants) -> None:
        self._pool = pool
        self._keyring = keyring
        self._grants = grants

    async def begin(self, server: McpServer, user_id: UserId, redirect_uri: str) -> str:
        """The address to send the person to."""
        discovery = await asyncio.to_thread(importlib.import_module, "perdure.tools.mcp.protocol.discovery")
        try:
            authority: AuthorizationServer = await discovery.authorization_server_of(
                server.options.url, server.options.scope, self._grants.network
            )
            wanted = await self._grants.wanted(server.id, user_id)
            authority = structs.replace(authority, scope=scopes(authority.scope, wanted))
            client = await self._client(discovery, server, authority, redirect_uri)
        except Unreachable as error:
            raise Unavailable(f"{server.title}: {error}.") from error
        verifier, challenge = discovery.pkce()
        state = mint(STATE_PREFIX)
        pending = self._sealed(PendingSignIn(authority, client, verifier, redirect_uri))
        await mcp_sign_ins.begin(self._pool, digest(state), server.id, user_id, pending, MCP_SIGN_IN_KEPT)
        asked = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "resource": authority.resource,
            "scope": authority.scope,
            # An identity provider hands out a refresh token only where the person was asked.
            "prompt": "consent" if "offline_access" in authority.scope.split() else "",
        }
        mark = "&" if "?" in authority.authorization_endpoint else "?"
        return f"{authority.authorization_endpoint}{mark}{urlencode({k: v for k, v in asked.items() if v})}"

    async def finish(self, user_id: UserId, *, state: str, code: str, issuer: str) -> McpServerId:
        """The person is back: keep what they were given."""
        row = await mcp_sign_ins.finish(self._pool, digest(state))
        if row is None or not row.valid or row.user_id != user_id:
            raise InvalidInput("This sign-in was not started here, or took too long. Start it again.")
        pending = msgspec.json.decode(self._keyring.open(row.secret, GRANT_PURPOSE), type=PendingSignIn)
        if issuer and issuer.rstrip("/") != pending.authority.issuer.rstrip("/"):
            raise InvalidInput("The answer came from another sign-in service than the one that was asked.")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": pending.redirect_uri,
            "code_verifier": pending.verifier,
        }
        authority, client = pending.authority, pending.client
        try:
            tokens, client = await exchange(
                authority.token_endpoint, form, client, authority.resource, self._grants.network
            )
        except Unreachable as error:
            raise InvalidInput(f"The sign-in did not work: {error}.") from error
        grant = Grant(
            access_token=tokens.access_token,
            refresh_token=tokens.refresh_token,
            token_endpoint=authority.token_endpoint,
            client=client,
            resource=authority.resource,
        )
        await self._grants.keep(row.server_id, user_id, grant, tokens.expires_in)
        return row.server_id

    async def _client(
        self, discovery: Any, server: McpServer, authority: AuthorizationServer, redirect_uri: str
    ) -> OAuthClient:
        """The client that an admin registered, or the one that we registered ourselves, now if need be."""
        secrets = opened_secrets(self._keyring, server)
        if secrets.client_id:
            # Where a service says nothing of it, it is the header: RFC 8414 has it so.
            said = next((method for method in (BASIC, POST) if method in authority.methods), BASIC)
            return OAuthClient(secrets.client_id, secrets.client_secret, said if secrets.client_secret else "none")
        sealed = await mcp_servers.registration(self._pool, server.id)
        if sealed is not None:
            known = msgspec.json.decode(self._keyring.open(sealed, GRANT_PURPOSE), type=Registration)
            if (known.issuer, known.redirect_uri) == (authority.issuer, redirect_uri):
                return known.client
        client: OAuthClient = await discovery.register(authority, redirect_uri, self._grants.network)
        registration = self._sealed(Registration(authority.issuer, redirect_uri, client))
        await mcp_servers.register(self._pool, server.id, registration)
        return client

    def _sealed(self, value: Struct) -> bytes:
        return self._keyring.seal(msgspec.json.encode(value).decode(), GRANT_PURPOSE)
