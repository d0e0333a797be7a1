"""Finding out where a server's people sign in, and registering there as a client."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from socket import SOCK_STREAM, gaierror
from urllib.parse import urlsplit

import httpx2
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.client.auth.oauth2 import PKCEParameters, check_registration_usable
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    create_client_registration_request,
    create_oauth_metadata_request,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
    get_client_metadata_scopes,
    handle_auth_metadata_response,
    handle_protected_resource_response,
    handle_registration_response,
    issuers_match,
)
from mcp.shared.auth import OAuthClientMetadata, OAuthMetadata, ProtectedResourceMetadata
from mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url
from pydantic import AnyUrl

from perdure.core.addresses import inward, reachable
from perdure.core.timing import MCP_CONNECT
from perdure.tools.mcp.messages import Unreachable
from perdure.tools.mcp.protocol.translation import explained
from perdure.tools.mcp.protocol.transports import bound
from perdure.tools.mcp.sign_ins import AuthorizationServer
from perdure.tools.mcp.token_endpoint import OAuthClient
from perdure.tools.network import Network

METADATA = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})


async def check_named(address: str, server: str) -> None:
    """Raises Unreachable where a server names an address that is not fetched for it.

    The host at which an admin set the server up is allowed: they know what is there.
    """
    url = reachable(address)
    host = (url.hostname or "").lower().rstrip(".") if url else ""
    if not host:
        raise Unreachable("it names a sign-in address that is none")
    if host == (urlsplit(server).hostname or "").lower():
        return
    found = await _resolved(host)
    if host in METADATA or any(map(inward, found)):
        raise Unreachable("it names a sign-in address on this machine or of the cloud around it, which is not fetched")


async def _resolved(host: str) -> list[str]:
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, None, type=SOCK_STREAM)
    except (gaierror, UnicodeError):
        # Through a proxy it may be known all the same, and without one nothing is fetched.
        return []
    return [str(answer[4][0]) for answer in answers]


GRANTS = ["authorization_code", "refresh_token"]


def pkce() -> tuple[str, str]:
    """A secret that shows later that we are who began, and what is told of it now."""
    made = PKCEParameters.generate()
    return made.code_verifier, made.code_challenge


async def authorization_server_of(url: str, scope: str, network: Network) -> AuthorizationServer:
    """Where the people of a server sign in."""
    async with _client(url, network) as http:
        refusal = await http.post(url, json={}, headers={"Accept": "application/json, text/event-stream"})
        resource = await _resource(http, url, refusal)
        issuer = str(resource.authorization_servers[0]) if resource else None
        metadata = await _metadata(http, url, issuer)
        if metadata is None and issuer is None and refusal.status_code == 401:
            metadata = _by_convention(url)
        if metadata is None:
            raise Unreachable("it does not say where people sign in")
        for endpoint in (metadata.token_endpoint, metadata.registration_endpoint):
            if endpoint is not None:
                await check_named(str(endpoint), url)
        wanted = scope or get_client_metadata_scopes(extract_scope_from_www_auth(refusal), resource, metadata, GRANTS)
    return AuthorizationServer(
        issuer=str(metadata.issuer),
        authorization_endpoint=str(metadata.authorization_endpoint),
        token_endpoint=str(metadata.token_endpoint),
        registration_endpoint=str(metadata.registration_endpoint or ""),
        resource=str(resource.resource) if resource else "",
        scope=wanted or "",
        methods=tuple(metadata.token_endpoint_auth_methods_supported or ()),
    )


async def register(authority: AuthorizationServer, redirect_uri: str, network: Network) -> OAuthClient:
    """Become a client of an issuer."""
    if not authority.registration_endpoint:
        raise Unreachable("its sign-in service registers no clients by itself: an admin has to give a client id")
    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(redirect_uri)],
        client_name="Perdure",
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        scope=authority.scope or None,
        token_endpoint_auth_method="none"
        if not authority.methods or "none" in authority.methods
        else "client_secret_post",
    )
    async with _client(authority.registration_endpoint, network) as http:
        request = create_client_registration_request(_endpoints(authority), metadata, authority.issuer)
        registered = await handle_registration_response(await http.send(request))
        check_registration_usable(registered)
    method = registered.token_endpoint_auth_method or "none"
    return OAuthClient(registered.client_id or "", registered.client_secret or "", method)


def _endpoints(authority: AuthorizationServer) -> OAuthMetadata:
    return OAuthMetadata.model_validate(
        {
            "issuer": authority.issuer,
            "authorization_endpoint": authority.authorization_endpoint,
            "token_endpoint": authority.token_endpoint,
            "registration_endpoint": authority.registration_endpoint,
        }
    )


async def _resource(http: httpx2.AsyncClient, url: str, refusal: httpx2.Response) -> ProtectedResourceMetadata | None:
    named = extract_resource_metadata_from_www_auth(refusal)
    for address in build_protected_resource_metadata_discovery_urls(named, url):
        await check_named(address, url)
        found = await handle_protected_resource_response(await http.send(create_oauth_metadata_request(address)))
        if found is not None:
            if not check_resource_allowed(resource_url_from_server_url(url), str(found.resource)):
                raise Unreachable("it says that it is another server than the one at this address")
            return found
    return None


async def _metadata(http: httpx2.AsyncClient, url: str, issuer: str | None) -> OAuthMetadata | None:
    for address in build_oauth_authorization_server_metadata_discovery_urls(issuer, url):
        await check_named(address, url)
        good, metadata = await handle_auth_metadata_response(await http.send(create_oauth_metadata_request(address)))
        if metadata is not None:
            if issuer is not None and not issuers_match(str(metadata.issuer), issuer):
                raise Unreachable("its sign-in service says that it is another one")
            return metadata
        if not good:
            raise Unreachable("it does not say where people sign in")
    return None


def _by_convention(url: str) -> OAuthMetadata:
    """Where the people of a server sign in that says nothing: the protocol of 2025-03-26 names the places."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    return _endpoints(
        AuthorizationServer(
            issuer=origin,
            authorization_endpoint=f"{origin}/authorize",
            token_endpoint=f"{origin}/token",
            registration_endpoint=f"{origin}/register",
        )
    )


@asynccontextmanager
async def _client(url: str, network: Network) -> AsyncGenerator[httpx2.AsyncClient]:
    try:
        async with httpx2.AsyncClient(
            headers={"accept-encoding": "identity"},
            timeout=MCP_CONNECT.total_seconds(),
            proxy=network.proxy(url),
            verify=network.trusted or True,
            trust_env=False,
            event_hooks={"response": [bound]},
        ) as http:
            yield http
    except OAuthFlowError as error:
        raise Unreachable(f"its sign-in service: {error}") from error
    except httpx2.HTTPError as error:
        raise explained(error) from error
