"""Secrets that are recognised wherever they come out: after a full run they are found nowhere."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from msgspec import json

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.served_api import Person

PROVIDER_KEY = "sk-canary-provider-4f1d0c9a7e"
PERSONAL_KEY = "sk-canary-personal-8b2e6d5f13"
CLIENT_SECRET = "canary-oauth-client-77aa21c0be"
PASSWORD = "canary password 5d0f2b"
CANARIES = (PROVIDER_KEY, PERSONAL_KEY, CLIENT_SECRET, PASSWORD)
READ = ("", "/messages?after=0", "/export", "/export?format=markdown", "/cost", "/branches", "/prompts", "/debug")
LISTS = (
    *("/providers", "/models", "/model-settings", "/settings", "/me", "/tokens", "/sessions", "/users", "/audit"),
    *("/inbox", "/usage", "/budgets", "/login-services", "/login/methods", "/chats", "/catalog", "/openapi.json"),
)


@asynccontextmanager
async def _gossip() -> AsyncGenerator[str]:
    """A model's server that repeats whatever it was told, key included, in every error and in every answer."""

    async def repeat(request: web.Request) -> web.StreamResponse:
        told = f"Incorrect API key: {dict(request.headers)} {await request.text()}"
        if "aloud" in told:
            return await _aloud(request, told)
        kind = "authentication_error" if "chat" in told else "api_error"
        return web.json_response({"type": "error", "error": {"type": kind, "message": told}}, status=401)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", repeat)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _aloud(request: web.Request, told: str) -> web.StreamResponse:
    """An answer that says it, cut into pieces anywhere, and then fails with it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    events = (
        {"type": "message_start", "message": {"id": "m", "model": "m", "role": "assistant", "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"I heard {told}"}},
        {"type": "error", "error": {"type": "invalid_request_error", "message": told}},
    )
    body = b"".join(b"event: %b\ndata: %b\n\n" % (str(e["type"]).encode(), json.encode(e)) for e in events)
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for start in range(0, len(body), 17):
        await response.write(body[start : start + 17])
    return response


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    debug = {"PERDURE_LOG_LEVEL": "debug"}
    async with open_fleet(database_url, pool, tmp_path, count=1, environment=debug) as fleet:
        yield fleet


async def _set_up(person: Person, gossip: str) -> str:
    body = {"name": "gossip", "dialect": "anthropic_messages", "base_url": gossip}
    provider = (await person.post("/providers", body)).json["id"]
    await person.post("/model-settings", {"name": "gossip", "provider_id": provider, "model": "m"})
    await person.post(f"/providers/{provider}/keys", {"key": PROVIDER_KEY})
    await person.post("/users", {"email": "x@example.com", "name": "X", "role": "member", "password": PASSWORD})
    sso = {"name": "SSO", "issuer": gossip, "client_id": "us", "client_secret": CLIENT_SECRET}
    assert (await person.put("/login-services/sso", sso)).status == 200
    return provider


async def _everything_said(fleet: Fleet, chats: list[str], provider: str) -> list[bytes]:
    """Whatever the API, its streams and its metrics say."""
    said: list[bytes] = []
    for path in (*LISTS, f"/providers/{provider}/keys", *(f"/chats/{chat}{tail}" for chat in chats for tail in READ)):
        answer = await fleet.person.get(path)
        assert answer.status == 200, path
        said.append(answer.body)
    said.append((await fleet.person.post(f"/providers/{provider}/test", {"model": "gossip"})).body)
    said.append((await fleet.person.post("/login", {"email": "x@example.com", "password": PASSWORD + "?"})).body)
    said.append((await fleet.person.get("/login/oidc/sso")).body)
    async with aiohttp.ClientSession() as http:
        said.append(await (await http.get(f"{fleet.replicas[0].url}/metrics")).read())
    for chat in chats:
        events = fleet.person.events(f"/chats/{chat}/stream")
        async with asyncio.timeout(60):
            async for event in events:
                said.append(str(event).encode())
                if event["type"] == "chat":
                    break
        await events.aclose()
    return said


async def _everything_stored(pool: Pool) -> list[bytes]:
    """Every row of every table, as text."""
    tables = await pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    rows: list[bytes] = []
    for table in tables:
        name = table["tablename"]
        rows += [str(row["t"]).encode() for row in await pool.fetch(f'SELECT t::text AS t FROM "{name}" t')]  # noqa: S608
    return rows


async def test_canaries_are_found_nowhere(fleet: Fleet, tmp_path: Path) -> None:
    async with _gossip() as gossip:
        person = fleet.person
        provider = await _set_up(person, gossip)
        token = (await person.post("/tokens", {"name": "canary", "scopes": ["chat"]})).json["secret"]
        chats: list[str] = []
        for key, word in product((PROVIDER_KEY, PERSONAL_KEY), ("chat", "aloud")):
            if (key, word) == (PERSONAL_KEY, "chat"):
                await person.post(f"/providers/{provider}/keys", {"key": PERSONAL_KEY, "personal": True})
            body = {"content": [{"type": "text", "text": word}], "model": "gossip"}
            chats.append((await person.post("/chats", body)).json["chat"]["id"])
            card = await fleet.comes_to_rest(0, chats[-1])
            assert card["status"] == "error"
        holder = Person(person.id, person.organisation_id, person.url, token)
        async with holder:
            assert (await holder.get(f"/chats/{chats[0]}")).status == 200
        said = await _everything_said(fleet, chats, provider)
        stored = await _everything_stored(fleet.pool)
    await fleet.replicas[0].stop()
    logged = [path.read_bytes() for path in tmp_path.glob("*.log")]  # noqa: ASYNC240
    assert logged
    assert len(stored) > 20
    for canary in (*CANARIES, token):
        marks = (canary.encode(), canary.encode().hex().encode())
        for place, contents in (("said", said), ("stored", stored), ("logged", logged)):
            found = [content[:300] for content in contents if any(mark in content for mark in marks)]
            assert found == [], f"{canary} is {place}"
