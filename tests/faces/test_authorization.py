"""A program that knows an address and nothing else is sent to the page, let in by a person, and calls with a token."""

import base64
import hashlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import httpx2
import pytest
from mcp import ClientSession
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl
from tests.faces.conftest import minted

from perdure.access.actor import Scope
from perdure.testing.replica import InProcessReplica

BACK = "http://127.0.0.1:43210/callback"


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
async def person(replica: InProcessReplica) -> str:
    """What proves who lets a program in."""
    return await minted(replica.pool, replica.user, scope=Scope.ADMIN)


class Kept(TokenStorage):
    """What the client keeps between its runs."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Browser:
    """Somebody who is signed in, and lets in whoever sends them to the page."""

    http: aiohttp.ClientSession
    url: str
    token: str
    asked: dict[str, str] = field(default_factory=dict[str, str])

    async def goes_to(self, address: str) -> None:
        assert address.startswith(f"{self.url}/settings/connect?")
        self.asked = dict(parse_qsl(urlsplit(address).query))

    async def comes_back(self) -> AuthorizationCodeResult:
        code = (await self.lets_in(**self.asked))[1]
        return AuthorizationCodeResult(code=code["code"], state=self.asked["state"], iss=code["issuer"])

    async def lets_in(
        self, client_id: str, redirect_uri: str, code_challenge: str, **_: str
    ) -> tuple[int, dict[str, Any]]:
        body = {"client_id": client_id, "redirect_uri": redirect_uri, "code_challenge": code_challenge}
        headers = {"authorization": f"Bearer {self.token}"}
        async with self.http.post(f"{self.url}/api/v1/tokens/codes", json=body, headers=headers) as answer:
            return answer.status, await answer.json()


@pytest.fixture
def browser(http: aiohttp.ClientSession, url: str, person: str) -> Browser:
    return Browser(http, url, person)


async def test_a_client_that_has_no_token_gets_one_from_its_person(url: str, browser: Browser) -> None:
    kept = Kept()
    metadata = OAuthClientMetadata(client_name="An agent", redirect_uris=[AnyUrl(BACK)])
    signs_in = OAuthClientProvider(f"{url}/mcp", metadata, kept, browser.goes_to, browser.comes_back)
    async with (
        httpx2.AsyncClient(auth=signs_in, timeout=30) as client,
        streamable_http_client(f"{url}/mcp", http_client=client) as (reader, writer, *_),
        ClientSession(reader, writer) as session,
    ):
        await session.initialize()
        result = await session.call_tool("begin_chat", {"message": "[[say:Let in.]]"})
        assert result.structured_content is not None
        assert result.structured_content["outcome"] == "completed"
    assert kept.tokens is not None
    assert kept.tokens.scope == "chat"
    headers = {"authorization": f"Bearer {kept.tokens.access_token}"}
    async with browser.http.post(f"{url}/api/v1/tokens", json={"name": "more"}, headers=headers) as answer:
        assert answer.status == 403


async def registered(http: aiohttp.ClientSession, url: str, *redirects: str) -> tuple[int, dict[str, Any]]:
    async with http.post(f"{url}/oauth/register", json={"client_name": "X", "redirect_uris": redirects}) as answer:
        return answer.status, await answer.json()


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "http://elsewhere.example/callback",
        "http://127.0.0.1.elsewhere.example/",
        "https://elsewhere.example/#fragment",
        "https://",
        "no address",
    ],
)
async def test_nobody_is_sent_back_to_what_is_no_place_for_a_code(
    http: aiohttp.ClientSession, url: str, browser: Browser, address: str
) -> None:
    assert (await registered(http, url, BACK, address))[0] == 400
    _, program = await registered(http, url, BACK)
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    assert (await browser.lets_in(program["client_id"], address, challenge))[0] == 400
    # Whoever writes a registration by hand gets no further.
    forged = base64.urlsafe_b64encode(f'["X",["{address}"]]'.encode()).decode()
    named = base64.urlsafe_b64encode(f'{{"name":"X","redirects":["{address}"]}}'.encode()).decode()
    for client_id in (forged, named):
        assert (await browser.lets_in(client_id, address, challenge))[0] == 400


async def test_a_code_is_for_one_program_once_and_for_a_short_while(
    http: aiohttp.ClientSession, url: str, browser: Browser, replica: InProcessReplica
) -> None:
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    program = (await registered(http, url, BACK))[1]["client_id"]
    other = (await registered(http, url, "https://other.example/"))[1]["client_id"]

    async def exchanged(code: str, /, **changes: str) -> int:
        form = {"grant_type": "authorization_code", "code": code, "client_id": program, "redirect_uri": BACK}
        async with http.post(f"{url}/oauth/token", data={**form, "code_verifier": verifier, **changes}) as answer:
            return answer.status

    # On this machine a program listens where there is room.
    elsewhere = BACK.replace("43210", "43211")
    code = (await browser.lets_in(program, elsewhere, challenge))[1]["code"]
    for wrong in ({"code_verifier": "x"}, {"client_id": other}, {}, {"grant_type": "password"}, {"code": "x"}):
        assert await exchanged(code, **wrong) == 400, wrong
    assert await exchanged(code, redirect_uri=elsewhere) == 200
    assert await exchanged(code, redirect_uri=elsewhere) == 400
    late = (await browser.lets_in(program, BACK, challenge))[1]["code"]
    await replica.pool.execute("UPDATE tokens SET expires_at = now() - interval '1 second' WHERE used_at IS NULL")
    assert await exchanged(late) == 400


async def test_only_somebody_who_may_make_tokens_lets_programs_in(
    http: aiohttp.ClientSession, url: str, browser: Browser, replica: InProcessReplica
) -> None:
    program = (await registered(http, url, BACK))[1]["client_id"]
    for scope in (Scope.CHAT, Scope.READ):
        browser.token = await minted(replica.pool, replica.user, scope=scope)
        status, _ = await browser.lets_in(program, BACK, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        assert status == 403
