"""A tool server outside the product: performs effects, writes each down, and knows which were asked for twice."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random

import msgspec
from aiohttp import web


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An effect to perform for a call. A keyed order that comes again is answered and not performed again."""

    effect: str
    call: str
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class Performed:
    """One effect that happened."""

    at: float
    effect: str
    call: str
    ordered: float = 0.0
    """When it was asked for."""


class Ledger:
    """Every effect that happened, and for which call. Slow at random, so that what fails fails in the middle."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._keys: dict[str, asyncio.Task[None]] = {}
        self.performed: list[Performed] = []
        self.under_way: dict[str, float] = {}
        """Calls whose effects are being performed and would happen again if they were repeated, and until when."""
        self.url = ""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Ledger"]:
        application = web.Application()
        application.router.add_post("/effects", self._answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/effects"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        order = msgspec.json.decode(await request.read(), type=Order)
        if order.keyed and order.call in self._keys:
            await asyncio.shield(self._keys[order.call])
        else:
            performing = self._keys[order.call] = asyncio.create_task(self._perform(order))
            await asyncio.shield(performing)
        return web.json_response({"performed": order.effect})

    async def _perform(self, order: Order) -> None:
        slowness = self._dice.choice((0.05, 0.3, 1.0, 3.0))
        ordered = time.time()
        before, after = slowness * self._dice.random(), slowness * self._dice.random()
        if not order.keyed:
            self.under_way[order.call] = time.monotonic() + before + after
        await asyncio.sleep(before)
        self.performed.append(Performed(time.time(), order.effect, order.call, ordered))
        await asyncio.sleep(after)
        if not order.keyed:
            self.under_way.pop(order.call, None)
