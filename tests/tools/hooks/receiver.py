"""A real program that hooks ask: it checks every request as a careful one would, and answers as a test says."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import msgspec
from aiohttp import web

from perdure.client.hooks import Forged, HookReceiver

SECRET = "a secret of sixteen and more"
Answering = Callable[[dict[str, Any]], Any]


@dataclass
class Receiver:
    """Who is asked."""

    url: str = ""
    answering: Answering = lambda _: {}
    """From a question to the JSON of its answer; bytes go out as they are; None means silence."""
    heard: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    raw: list[tuple[dict[str, str], bytes]] = field(default_factory=list[tuple[dict[str, str], bytes]])
    forged: list[str] = field(default_factory=list[str])
    check: HookReceiver = field(default_factory=lambda: HookReceiver(SECRET))
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.raw.append((dict(request.headers), body))
        try:
            self.check.check(request.headers, body)
        except Forged as error:
            self.forged.append(str(error))
            return web.Response(status=401, text=str(error))
        question = msgspec.json.decode(body)
        self.heard.append(question)
        answer = self.answering(question)
        if answer is None:
            await self.over.wait()
        return web.Response(body=answer if isinstance(answer, bytes) else msgspec.json.encode(answer))

    async def again(self, index: int = -1) -> int:
        """Somebody sends the very same request once more."""
        headers, body = self.raw[index]
        async with aiohttp.ClientSession() as http, http.post(self.url, data=body, headers=headers) as response:
            return response.status


@asynccontextmanager
async def receiving() -> AsyncGenerator[Receiver]:
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/hook", receiver.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    receiver.url = f"http://{host}:{port}/hook"
    try:
        yield receiver
    finally:
        receiver.over.set()
        await runner.cleanup()
