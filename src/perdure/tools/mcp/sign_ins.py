"""Signing in to a server on a person's behalf: found out where, sent there, and met again when they come back.

Nothing waits in memory between leaving and coming back: any replica can meet them.
"""

import asyncio
import importlib
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from perdure.access.keyring import Keyring
from perdure.access.secret_texts import digest, mint
from perdure.config.mcp import GRANT_PURPOSE, McpSecrets, McpServer
from perdure.core.errors import InvalidInput, Unavailable
from perdure.core.ids import McpServerId, UserId
from perdure.core.timing import MCP_SIGN_IN_KEPT
from perdure.store.pool import Pool
from perdure.store.tables import mcp_servers, mcp_sign_ins
from perdure.tools.mcp.grants import Grant, Grants, OAuthClient, exchange
from perdure.tools.mcp.speech import Unreachable

STATE_PREFIX = "pds_"


class Place(Struct, frozen=True, kw_only=True):
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


class Underway(Struct, frozen=True):
    """What we must know when the person comes back."""

    place: Place
    client: OAuthClient
    verifier: str
    redirect_uri: str


class SignIns:
    """Sends people off and meets them again."""

    def __init__(self, pool: Pool, keyring: Keyring, grants: Grants) -> None:
        self._pool = pool
        self._keyring = keyring
        self._grants = grants

    async def begin(self, server: McpServer, secrets: McpSecrets, user_id: UserId, redirect_uri: str) -> str:
        """The address to send the person to."""
        discovery = await asyncio.to_thread(importlib.import_module, "perdure.tools.mcp.protocol.discovery")
        try:
            place: Place = await discovery.place_of(server.options.url, server.options.scope, self._grants.outside)
            client = await self._client(discovery, server, secrets, place, redirect_uri)
        except Unreachable as error:
            raise Unavailable(f"{server.title}: {error}.") from error
        verifier, challenge = discovery.proof()
        state = mint(STATE_PREFIX)
        underway = self._sealed(Underway(place, client, verifier, redirect_uri))
        await mcp_sign_ins.begin(self._pool, digest(state), server.id, user_id, underway, MCP_SIGN_IN_KEPT)
        asked = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "resource": place.resource,
            "scope": place.scope,
            # An identity provider hands out a refresh token only where the person was asked.
            "prompt": "consent" if "offline_access" in place.scope.split() else "",
        }
        mark = "&" if "?" in place.authorization_endpoint else "?"
        return f"{place.authorization_endpoint}{mark}{urlencode({k: v for k, v in asked.items() if v})}"

    async def finish(self, user_id: UserId, *, state: str, code: str, issuer: str) -> McpServerId:
        """The person is back: keep what they were given."""
        row = await mcp_sign_ins.finish(self._pool, digest(state))
        if row is None or not row.valid or row.user_id != user_id:
            raise InvalidInput("This sign-in was not started here, or took too long. Start it again.")
        underway = msgspec.json.decode(self._keyring.open(row.secret, GRANT_PURPOSE), type=Underway)
        if issuer and issuer.rstrip("/") != underway.place.issuer.rstrip("/"):
            raise InvalidInput("The answer came from another sign-in service than the one that was asked.")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": underway.redirect_uri,
            "code_verifier": underway.verifier,
        }
        place, client = underway.place, underway.client
        try:
            tokens = await exchange(place.token_endpoint, form, client, place.resource, self._grants.outside)
        except Unreachable as error:
            raise InvalidInput(f"The sign-in did not work: {error}.") from error
        grant = Grant(
            access_token=tokens.access_token,
            refresh_token=tokens.refresh_token,
            token_endpoint=place.token_endpoint,
            client=client,
            resource=place.resource,
        )
        await self._grants.keep(row.server_id, user_id, grant, tokens.expires_in)
        return row.server_id

    async def _client(
        self, discovery: Any, server: McpServer, secrets: McpSecrets, place: Place, redirect_uri: str
    ) -> OAuthClient:
        """The client that an admin registered, or the one that we registered ourselves, now if need be."""
        if secrets.client_id:
            method = "client_secret_post" if secrets.client_secret else "none"
            return OAuthClient(secrets.client_id, secrets.client_secret, method)
        sealed = await mcp_servers.registration(self._pool, server.id)
        if sealed is not None:
            known = msgspec.json.decode(self._keyring.open(sealed, GRANT_PURPOSE), type=Registration)
            if (known.issuer, known.redirect_uri) == (place.issuer, redirect_uri):
                return known.client
        client: OAuthClient = await discovery.register(place, redirect_uri, self._grants.outside)
        registration = self._sealed(Registration(place.issuer, redirect_uri, client))
        await mcp_servers.register(self._pool, server.id, registration)
        return client

    def _sealed(self, value: Struct) -> bytes:
        return self._keyring.seal(msgspec.json.encode(value).decode(), GRANT_PURPOSE)
