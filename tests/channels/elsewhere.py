"""GitHub's and Slack's APIs as far as channels use them: real HTTP, checked by their own SDK."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import jwt
from aiohttp import web
from slack_sdk.models.blocks import Block


@dataclass
class Elsewhere:
    """What was posted, by thread; and how it goes on being posted to."""

    url: str = ""
    posted: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    silent: bool = False
    """It takes what it is posted and never answers, as one whose answer is lost."""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    authorised: set[str] = field(default_factory=set[str])
    app_key: bytes = b""
    """The public key of the app."""
    odd: bool = False
    """It answers with what nobody expects."""
    hanging: asyncio.Event = field(default_factory=asyncio.Event)

    async def comment(self, request: web.Request) -> web.Response:
        place = f"{request.match_info['owner']}/{request.match_info['name']}#{request.match_info['number']}"
        return await self._taken(request, place, web.json_response({"id": 1}, status=201))

    async def comments(self, request: web.Request) -> web.Response:
        place = f"{request.match_info['owner']}/{request.match_info['name']}#{request.match_info['number']}"
        return web.json_response([body for where, body in self.posted if where == place])

    async def installation(self, request: web.Request) -> web.Response:
        """Where the app that proves itself was installed."""
        proof = request.headers["authorization"].removeprefix("Bearer ")
        claims = jwt.decode(proof, self.app_key, algorithms=["RS256"], options={"require": ["iat", "exp", "iss"]})
        assert claims["exp"] - claims["iat"] <= 600
        if request.match_info["name"] != "Hello-World":
            return web.json_response({"message": "Not Found"}, status=404)
        return web.json_response({"id": 77, "app_id": int(claims["iss"])})

    async def access_token(self, request: web.Request) -> web.Response:
        jwt.decode(request.headers["authorization"].removeprefix("Bearer "), self.app_key, algorithms=["RS256"])
        assert request.match_info["id"] == "77"
        return web.json_response({"token": "ghs_of_the_app"}, status=201)

    async def message(self, request: web.Request) -> web.Response:
        body = await request.json()
        if "blocks" in body:
            for block in body["blocks"]:
                parsed = Block.parse(block)  # pyright: ignore[reportUnknownMemberType]
                assert parsed is not None
                parsed.validate_json()
        if body["channel"] == "C404":
            return web.json_response({"ok": False, "error": "channel_not_found"})
        return await self._taken(request, f"{body['channel']}/{body['thread_ts']}", web.json_response({"ok": True}))

    async def replies(self, request: web.Request) -> web.Response:
        place = f"{request.query['channel']}/{request.query['ts']}"
        assert request.query["include_all_metadata"] == "true"
        if self.odd:
            return web.json_response({"ok": True, "messages": [{"metadata": None}]})
        return web.json_response({"ok": True, "messages": [body for where, body in self.posted if where == place]})

    async def _taken(self, request: web.Request, place: str, answer: web.Response) -> web.Response:
        self.authorised.add(request.headers["authorization"])
        self.posted.append((place, await request.json()))
        self.arrived.set()
        if self.silent:
            await self.hanging.wait()
        return answer


@asynccontextmanager
async def elsewhere() -> AsyncGenerator[Elsewhere]:
    other, app = Elsewhere(), web.Application()
    app.router.add_post("/repos/{owner}/{name}/issues/{number}/comments", other.comment)
    app.router.add_get("/repos/{owner}/{name}/issues/{number}/comments", other.comments)
    app.router.add_get("/repos/{owner}/{name}/installation", other.installation)
    app.router.add_post("/app/installations/{id}/access_tokens", other.access_token)
    app.router.add_post("/chat.postMessage", other.message)
    app.router.add_get("/conversations.replies", other.replies)
    server = web.AppRunner(app, shutdown_timeout=0)
    await server.setup()
    site = web.TCPSite(server, "127.0.0.1", 0)
    await site.start()
    host, port = server.addresses[0][:2]
    other.url = f"http://{host}:{port}"
    try:
        yield other
    finally:
        other.hanging.set()
        await server.cleanup()
