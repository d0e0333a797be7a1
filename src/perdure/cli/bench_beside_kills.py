"""What becomes of a turn and of a payment when whatever serves them is killed in the middle, and started again.

One conversation is in the middle of its answer; the other one has just been paid for, and nobody has heard of it yet.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field

from aiohttp import web

SLOW = "[[rate:40]] [[say:200 tokens]]"
PATIENCE, AFTERWARDS = 60.0, 45.0
LOOK = 0.25


@dataclass(slots=True)
class Till:
    """Takes payments, and answers none of them until it may: so that whoever pays is killed before hearing of it."""

    url: str = ""
    payments: int = 0
    paid: asyncio.Event = field(default_factory=asyncio.Event)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, _: web.Request) -> web.Response:
        self.payments += 1
        self.paid.set()
        await self.may_answer.wait()
        return web.json_response({"performed": "payment"})


@asynccontextmanager
async def open_till() -> AsyncGenerator[Till]:
    till, application = Till(), web.Application()
    application.router.add_post("/pay", till.take)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    till.url = f"http://127.0.0.1:{runner.addresses[0][1]}/pay"
    try:
        yield till
    finally:
        till.may_answer.set()
        await runner.cleanup()


class Talk:
    """One conversation with whoever is tried: an address may be another one after the kill."""

    async def begin(self) -> None: ...

    async def say(self, text: str, heard: Callable[[], None]) -> None:
        """Say something and hear the answer out; tell of its first token."""

    async def answers(self) -> int:
        """How many answers are complete."""
        return 0

    async def asks(self) -> bool:
        """Whether it asks a person what to do."""
        return False


@dataclass(frozen=True, slots=True)
class Tried:
    """Somebody who can be started, killed and started again."""

    started: Callable[[], AbstractAsyncContextManager[Callable[[], Awaitable[None]]]]
    """Runs it for the length of the block; what it gives kills all of it."""
    talk: Callable[[], Talk]
    pays: str
    """What is said to have it pay."""


async def killed(tried: Tried, till: Till) -> str:
    """What became of both, in words."""
    turn, payment = tried.talk(), tried.talk()
    async with tried.started() as kill:
        speaking = [await _speaking(turn, SLOW, None), await _speaking(payment, tried.pays, till.paid)]
        await kill()
    for each in speaking:
        each.cancel()
    await asyncio.gather(*speaking, return_exceptions=True)
    till.may_answer.set()
    async with tried.started():
        begun = time.monotonic()
        done, asked = await _watched(turn, payment, until=begun + AFTERWARDS)
    return said(done.get(turn), done.get(payment), asked=asked, payments=till.payments, begun=begun)


async def _speaking(talk: Talk, text: str, until: asyncio.Event | None) -> "asyncio.Task[None]":
    """Say it, and wait for its first token or for this."""
    await talk.begin()
    heard = asyncio.Event()
    task = asyncio.create_task(talk.say(text, heard.set))
    async with asyncio.timeout(PATIENCE):
        await (until or heard).wait()
    return task


async def _watched(turn: Talk, payment: Talk, *, until: float) -> tuple[dict[Talk, float], bool]:
    """When each was answered, and whether the payment asks somebody."""
    done: dict[Talk, float] = {}
    asked = False
    while time.monotonic() < until and not (len(done) == 2 or (asked and turn in done)):
        for talk in (turn, payment):
            # It may not listen yet, or any more.
            with suppress(Exception):
                if talk not in done and await talk.answers():
                    done[talk] = time.monotonic()
        with suppress(Exception):
            asked = asked or await payment.asks()
        await asyncio.sleep(LOOK)
    return done, asked


def said(turn: float | None, payment: float | None, *, asked: bool, payments: int, begun: float) -> str:
    times = {1: "once", 2: "twice"}.get(payments, f"{payments} times")
    goes = "is lost" if turn is None else f"goes on, done {turn - begun:.0f} s after the start"
    rest = "a person is asked" if asked else "its turn goes on" if payment is not None else "its turn is lost"
    return f"the turn {goes}; paid {times}, {rest}"
