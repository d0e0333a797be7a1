"""Asking a token endpoint for tokens, as the client that we are there."""

import asyncio
from urllib.parse import quote

import aiohttp
import msgspec
from msgspec import Struct

from perdure.core.timing import MCP_CONNECT
from perdure.tools.mcp.messages import SignInNeeded, Unreachable
from perdure.tools.network import Network

LARGEST_ANSWER = 1024 * 1024
BASIC, POST = "client_secret_basic", "client_secret_post"
OTHER = {BASIC: POST, POST: BASIC}


class OAuthClient(Struct, frozen=True, omit_defaults=True):
    """Who we are to an authorisation server."""

    client_id: str
    client_secret: str = ""
    method: str = "none"
    """How we prove it: none, client_secret_post or client_secret_basic."""


class ClientRefused(SignInNeeded):
    """A token endpoint does not take us for the client that we say we are."""


class Tokens(Struct, frozen=True, kw_only=True):
    """What a token endpoint hands out."""

    access_token: str
    expires_in: float | None = None
    refresh_token: str = ""


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """The body, if it is no longer than any answer about tokens."""
    try:
        content = await response.content.readexactly(LARGEST_ANSWER)
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    raise Unreachable(f"its sign-in service answered more than {len(content)} bytes")


async def exchange(
    endpoint: str, form: dict[str, str], client: OAuthClient, resource: str, network: Network
) -> tuple[Tokens, OAuthClient]:
    """Ask a token endpoint for tokens. Comes with the client as it was accepted.

    Services differ from what they say: one that does not know the client is shown its secret in the other way.
    """
    body = {**form, "client_id": client.client_id, **({"resource": resource} if resource else {})}
    try:
        return await _asked(endpoint, body, client, network), client
    except ClientRefused:
        if client.method not in OTHER:
            raise
        other = msgspec.structs.replace(client, method=OTHER[client.method])
        return await _asked(endpoint, body, other, network), other


async def _asked(endpoint: str, form: dict[str, str], client: OAuthClient, network: Network) -> Tokens:
    headers = {"Accept": "application/json"}
    if client.method == POST:
        form = {**form, "client_secret": client.client_secret}
    elif client.method == BASIC:
        known = (quote(text, safe="") for text in (client.client_id, client.client_secret))
        headers["Authorization"] = aiohttp.encode_basic_auth(*known)
    timeout = aiohttp.ClientTimeout(total=MCP_CONNECT.total_seconds())
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as http,
            http.post(
                endpoint,
                data=form,
                headers=headers,
                proxy=network.proxy(endpoint),
                ssl=network.trusted or True,
                # Where it leads on to was not looked at, and what is sent proves who we are.
                allow_redirects=False,
            ) as response,
        ):
            content = await _bounded(response)
            if response.status >= 300:
                raise _refused(response.status, content)
            return msgspec.json.decode(content, type=Tokens)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise Unreachable("its sign-in service does not answer") from error
    except msgspec.DecodeError as error:
        raise Unreachable("its sign-in service answered something that is no token") from error


def _refused(status: int, content: bytes) -> Unreachable:
    if not 400 <= status < 500:
        return Unreachable(f"its sign-in service answered with HTTP {status}")
    if status == 401 or b'"invalid_client"' in content:
        return ClientRefused(
            "its sign-in service does not accept this client; the user has to sign in again, in the settings, "
            "or an admin has to correct its client ID and secret"
        )
    return SignInNeeded("the sign-in is not accepted any more; the user has to sign in again, in the settings")
