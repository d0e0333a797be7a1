"""Signing in to an MCP server with a real identity provider: discovery, registration, PKCE, tokens renewed."""

import socket
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urljoin, urlsplit
from uuid import UUID

import aiohttp
import pytest
from aiohttp import web
from tests.tools.mcp.peers import PEERS, Peer, peer

from perdure.access.actor import Role
from perdure.access.keyring import Keyring
from perdure.api.asgi_app import AsgiApp
from perdure.api.page import Page
from perdure.api.server import Api
from perdure.api.table import TABLE
from perdure.config.mcp import Transport
from perdure.core.ids import McpServerId, UserId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.testing.fakes import SECRET
from perdure.testing.ports import free_port
from perdure.testing.served_api import Person, ServedApi, listening, serve_api
from perdure.tools.mcp.grants import Grants
from perdure.tools.mcp.messages import SignInNeeded
from perdure.tools.mcp.protocol.session import OpenSession
from perdure.tools.mcp.transport import TransportOptions
from perdure.tools.network import Network

SHORT = 50
"""Shorter than the margin within which tokens are renewed: every use renews them."""


@dataclass
class Place:
    api: ServedApi
    ada: Person
    server_id: str
    identity: Peer
    resource: str


@pytest.fixture
async def place(database_url: str, pool: Pool) -> AsyncIterator[Place]:
    door, guard = free_port(), free_port()
    issuer, resource = f"http://127.0.0.1:{door}", f"http://127.0.0.1:{guard}/mcp"
    async with AsyncExitStack() as stack:
        identity = await stack.enter_async_context(
            peer("node", str(PEERS / "identity.mjs"), str(door), resource, str(SHORT), port=door)
        )
        await stack.enter_async_context(peer(sys.executable, str(PEERS / "guarded.py"), str(guard), issuer, port=guard))
        api = await stack.enter_async_context(serve_api(database_url, pool))
        ada = await stack.enter_async_context(await api.person("ada", Role.ADMIN))
        added = await ada.post("/mcp-servers", {"slug": "guarded", "url": resource, "auth": "oauth"})
        yield Place(api, ada, added.json["id"], identity, resource)


async def signs_in(url: str) -> str:
    """A person in a browser: signs in, agrees, and is sent back. Where to, comes back."""
    prompts = iter(["login", "consent"])
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        method, form = "GET", None
        while "/api/v1/mcp-servers/callback" not in url:
            async with browser.request(method, url, data=form, allow_redirects=False) as response:
                if response.status in (302, 303):
                    url, method, form = urljoin(url, response.headers["location"]), "GET", None
                else:
                    assert response.status == 200, await response.text()
                    method, form = "POST", {"prompt": next(prompts), "login": "ada", "password": "secret"}
    return url


async def test_a_person_signs_in_and_their_tokens_are_renewed(place: Place) -> None:
    ada, server = place.ada, f"/mcp-servers/{place.server_id}"
    before = (await ada.post(f"{server}/test")).json
    assert (before["ok"], before["message"]) == (
        False,
        "It cannot be used: the user has to sign in to it first, in the settings.",
    )
    departure = await ada.post(f"{server}/sign-in")
    assert departure.status == 200, departure.body
    back = urlsplit(await signs_in(departure.json["url"]))
    arrived = await ada.get(f"/mcp-servers/callback?{back.query}")
    assert (arrived.status, arrived.headers["location"]) == (303, "/settings/mcp?sign_in=done")
    assert (await ada.get("/mcp-servers")).json["items"][0]["signed_in"] is True
    sealed = await place.api.pool.fetchval("SELECT secret FROM mcp_grants")
    for _ in range(2):
        tried = (await ada.post(f"{server}/test")).json
        assert (tried["ok"], [tool["name"] for tool in tried["tools"]]) == (True, ["secret"])
        renewed = await place.api.pool.fetchval("SELECT secret FROM mcp_grants")
        assert renewed != sealed
        sealed = renewed


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
async def test_a_client_of_an_admin_proves_itself_in_the_way_that_is_accepted(place: Place, method: str) -> None:
    """The service says that it takes either, and takes from each client the one that it was registered with."""
    ada, known = place.ada, {"client_id": method, "client_secret": "of: an/admin+%41=&"}
    options = {"url": place.resource, "auth": "oauth", **known}
    server = f"/mcp-servers/{(await ada.post('/mcp-servers', {'slug': 'by-hand', **options})).json['id']}"
    back = urlsplit(await signs_in((await ada.post(f"{server}/sign-in")).json["url"]))
    arrived = await ada.get(f"/mcp-servers/callback?{back.query}")
    assert (arrived.status, arrived.headers.get("location")) == (303, "/settings/mcp?sign_in=done"), arrived.body
    # Also when they are renewed.
    tried = (await ada.post(f"{server}/test")).json
    assert (tried["ok"], [tool["name"] for tool in tried["tools"]]) == (True, ["secret"])


async def test_an_admin_hears_that_the_secret_of_a_client_is_wrong(place: Place) -> None:
    ada, wrong = place.ada, {"client_id": "client_secret_basic", "client_secret": "wrong"}
    added = await ada.post("/mcp-servers", {"slug": "wrong", "url": place.resource, "auth": "oauth", **wrong})
    back = urlsplit(await signs_in((await ada.post(f"/mcp-servers/{added.json['id']}/sign-in")).json["url"]))
    arrived = await ada.get(f"/mcp-servers/callback?{back.query}")
    assert (arrived.status, "correct its client ID and secret" in arrived.json["message"]) == (400, True)


async def test_a_scope_that_a_call_needed_is_asked_for_at_the_next_sign_in(place: Place) -> None:
    """As the call was refused: what the person allowed before is asked for, too."""
    ada, server = place.ada, McpServerId(UUID(place.server_id))
    grants = Grants(place.api.pool, Keyring.of([SECRET]), SystemClock(), Network())

    async def asked() -> list[str]:
        url = str((await ada.post(f"/mcp-servers/{place.server_id}/sign-in")).json["url"])
        return parse_qs(urlsplit(url).query)["scope"][0].split()

    before = await asked()
    back = urlsplit(await signs_in((await ada.post(f"/mcp-servers/{place.server_id}/sign-in")).json["url"]))
    assert (await ada.get(f"/mcp-servers/callback?{back.query}")).status == 303
    user = UserId(await place.api.pool.fetchval("SELECT user_id FROM mcp_grants"))
    refused = web.Application()
    refused.router.add_post("/mcp", _wants_more)
    runner = web.AppRunner(refused)
    await runner.setup()
    try:
        await web.SockSite(runner, socket.create_server(("127.0.0.1", 0))).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
        options = TransportOptions(
            name="more",
            transport=Transport.HTTP,
            url=url,
            token=lambda: grants.token(server, user),
            wants=lambda scope: grants.want(server, user, scope),
        )
        with pytest.raises(SignInNeeded):
            await OpenSession.to(options, lambda: None)
    finally:
        await runner.cleanup()
    assert await asked() == [*before, "more", "most"]
    assert await grants.token(server, user)


async def _wants_more(request: web.Request) -> web.Response:
    assert request.headers["authorization"].startswith("Bearer ")
    refusal = 'Bearer error="insufficient_scope", scope="more most"'
    return web.Response(status=403, headers={"www-authenticate": refusal})


@asynccontextmanager
async def silent_server(answer: int) -> AsyncGenerator[tuple[str, list[str]]]:
    """A server of 2025-03-26 with a sign-in service of its own, of which it says nothing; and what it was asked."""
    asked: list[str] = []

    async def answers(request: web.Request) -> web.StreamResponse:
        asked.append(f"{request.method} {request.path}")
        match request.path:
            case "/v1/mcp":
                return web.Response(status=answer)
            case "/register":
                return web.json_response({**await request.json(), "client_id": "registered"}, status=201)
            case "/authorize":
                wanted = request.query
                raise web.HTTPFound(f"{wanted['redirect_uri']}?code=c&state={wanted['state']}")
            case "/token":
                form = await request.post()
                assert (form["client_id"], form["code"]) == ("registered", "c")
                return web.json_response({"access_token": "t", "token_type": "Bearer"})
            case _:
                return web.Response(status=404)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answers)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.SockSite(runner, socket.create_server(("127.0.0.1", 0)))
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1/mcp", asked
    finally:
        await runner.cleanup()


async def test_a_server_that_says_nothing_is_signed_in_to_at_its_own_origin(place: Place) -> None:
    ada = place.ada
    async with silent_server(401) as (url, asked):
        added = await ada.post("/mcp-servers", {"slug": "silent", "url": url, "auth": "oauth"})
        departure = await ada.post(f"/mcp-servers/{added.json['id']}/sign-in")
        assert departure.status == 200, departure.body
        back = urlsplit(await signs_in(departure.json["url"]))
        arrived = await ada.get(f"/mcp-servers/callback?{back.query}")
    assert (arrived.status, arrived.headers.get("location")) == (303, "/settings/mcp?sign_in=done"), arrived.body
    assert asked[-3:] == ["POST /register", "GET /authorize", "POST /token"]


async def test_nobody_is_sent_off_to_a_server_that_asks_for_no_sign_in(place: Place) -> None:
    async with silent_server(200) as (url, asked):
        added = await place.ada.post("/mcp-servers", {"slug": "open", "url": url, "auth": "oauth"})
        departure = await place.ada.post(f"/mcp-servers/{added.json['id']}/sign-in")
    assert (departure.status, "does not say where people sign in" in departure.json["message"]) == (503, True)
    assert "POST /register" not in asked


async def test_what_came_back_counts_once_and_only_for_whoever_left(place: Place) -> None:
    departure = await place.ada.post(f"/mcp-servers/{place.server_id}/sign-in")
    back = urlsplit(await signs_in(departure.json["url"]))
    async with await place.api.person("mallory") as mallory:
        assert (await mallory.get(f"/mcp-servers/callback?{back.query}")).status == 400
    assert (await place.ada.get(f"/mcp-servers/callback?{back.query}")).status == 400
    assert (await place.ada.get("/mcp-servers")).json["items"][0].get("signed_in", False) is False


async def test_a_grant_that_is_not_accepted_any_more_asks_to_sign_in_again(place: Place) -> None:
    departure = await place.ada.post(f"/mcp-servers/{place.server_id}/sign-in")
    back = urlsplit(await signs_in(departure.json["url"]))
    await place.ada.get(f"/mcp-servers/callback?{back.query}")
    await place.identity.is_killed()
    await place.identity.starts()
    tried = (await place.ada.post(f"/mcp-servers/{place.server_id}/test")).json
    assert tried["ok"] is False
    assert "has to sign in again" in tried["message"]
    assert (await place.ada.delete(f"/mcp-servers/{place.server_id}/sign-in")).status == 204
    assert (await place.ada.get("/mcp-servers")).json["items"][0].get("signed_in", False) is False


async def test_a_person_comes_back_to_where_browsers_reach_the_deployment(place: Place) -> None:
    services = replace(place.api.services, public_url="https://perdure.example.com")
    async with listening(AsgiApp(api=Api(services, TABLE), page=Page(None))) as place.ada.url:
        departure = await place.ada.post(f"/mcp-servers/{place.server_id}/sign-in")
    asked = parse_qs(urlsplit(str(departure.json["url"])).query)
    assert asked["redirect_uri"] == ["https://perdure.example.com/api/v1/mcp-servers/callback"]
