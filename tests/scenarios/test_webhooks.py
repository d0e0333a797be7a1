"""Webhooks of real replicas that all die, to a receiver that fails, hangs, answers twice, and hears some twice."""

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import aiohttp
import pytest
from aiohttp import web
from standardwebhooks import Webhook as Verifier

from perdure.store.pool import Pool
from perdure.testing.fleet import PATIENCE, Fleet, open_fleet
from perdure.testing.polling import seen

URL = "http://receiver.example/told"
CHATS, WORDS = 4, 3
LONG = timedelta(seconds=5 * PATIENCE)


class Receiver:
    """A program that is told things through a proxy, as where servers have no other way out; and the proxy."""

    def __init__(self, seed: int) -> None:
        self.url = ""
        self.secret = ""
        self.heard = defaultdict[str, list[tuple[str, int]]](list)
        """Of each chat the names and numbers of what was taken, however often."""
        self.bodies = defaultdict[str, set[bytes]](set)
        self.failed = 0
        self._dice = Random(seed)
        self._hanging = asyncio.Event()

    async def take(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        Verifier(self.secret).verify(body, dict(request.headers))
        chance = self._dice.random()
        if chance < 0.35:
            self.failed += 1
            return web.Response(status=500)
        name, data = request.headers["webhook-id"], json.loads(body)["data"]
        self.heard[data["chat_id"]].append((name, data["number"]))
        self.bodies[name].add(json.dumps([data["number"], data["role"], data["text"]]).encode())
        if chance < 0.4:
            await self._hanging.wait()
        if request.transport is None:
            # Whoever told it has gone meanwhile.
            return web.Response(status=204)
        if chance < 0.5:
            # It was heard, and nobody learns of it.
            request.transport.close()
        elif chance < 0.6:
            # It says yes twice.
            request.transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        return web.Response(status=204)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Receiver"]:
        app = web.Application()
        app.router.add_route("POST", "/{rest:.*}", self.take)
        server = web.AppRunner(app, shutdown_timeout=0)
        await server.setup()
        site = web.TCPSite(server, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{server.addresses[0][1]}"
        try:
            yield self
        finally:
            self._hanging.set()
            await server.cleanup()


async def test_everything_is_told_in_order_while_every_replica_dies_and_the_receiver_fails(
    database_url: str, pool: Pool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    outages = int(str(request.config.getoption("--outages")))
    async with Receiver(seed=outages).running() as receiver:
        out = {"http_proxy": receiver.url, "NO_PROXY": "127.0.0.1"}
        async with open_fleet(database_url, pool, tmp_path, environment=out) as fleet:
            await fleet.ready()
            made = await fleet.at(0).post("/webhooks", {"name": "CI", "url": URL, "events": ["chat.message"]})
            receiver.secret = made.json["secret"]
            chats = [await fleet.asks(0, "[[say:1 tokens]] hello") for _ in range(CHATS)]
            for outage in range(outages):
                async with asyncio.TaskGroup() as group:
                    for chat in chats:
                        group.create_task(_says(fleet, chat, f"{outage}-{chat}"))
                    group.create_task(_everybody_dies(fleet))
            for chat in chats:
                await fleet.comes_to_rest(0, chat, within=LONG.total_seconds())
            await seen(lambda: _all_told(fleet), within=2 * LONG)
            for chat in chats:
                rows = await pool.fetch("SELECT number FROM messages WHERE chat_id = $1 ORDER BY number", UUID(chat))
                # What is heard again is heard before anything else of its chat is.
                assert [number for (_, number), _ in groupby(receiver.heard[chat])] == [row["number"] for row in rows]
            assert {len(bodies) for bodies in receiver.bodies.values()} == {1}
            heard = sum(len(each) for each in receiver.heard.values())
            told = f"{len(receiver.bodies)} events over {outages} outages, heard {heard} times"
            sys.stdout.write(f"\n{told}, refused {receiver.failed} times\n")
            assert receiver.failed > 0


async def _says(fleet: Fleet, chat: str, name: str) -> None:
    """One word after the other, each until a replica has taken it."""
    for word in range(WORDS):
        body = {"content": [{"type": "text", "text": f"[[say:1 tokens]] {name} {word}"}]}
        await seen(partial(_taken, fleet, word % 2, f"/chats/{chat}/messages", body, f"{name}-{word}"), within=LONG)


async def _taken(fleet: Fleet, number: int, path: str, body: Any, key: str) -> bool:
    try:
        said = await fleet.at(number).post(path, body, idempotency_key=key)
    except (aiohttp.ClientError, TimeoutError, OSError):
        return False
    assert said.status in (202, 429, 503), said.body
    return said.status == 202


async def _everybody_dies(fleet: Fleet) -> None:
    await asyncio.gather(*(fleet.dies(number) for number in range(len(fleet.replicas))))
    await fleet.all_come_back()


async def _all_told(fleet: Fleet) -> bool:
    """Whether nothing waits. What failed need not wait for as long as it would."""
    await fleet.pool.execute("UPDATE outbox SET due_at = now() WHERE state = 'pending' AND due_at > now()")
    return not await fleet.pool.fetchval("SELECT count(*) FROM outbox WHERE state = 'pending'")
