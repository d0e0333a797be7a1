"""The database moves under a running server: nobody is told 500, readiness is true, and everything goes on."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import aiohttp
import pytest_asyncio

from perdure.app.foundation import migrate_database
from perdure.store.pool import open_pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.late_proxy import LateProxy
from perdure.testing.polling import seen
from perdure.testing.postgres_pair import PostgresPair, postgres_pair


@pytest_asyncio.fixture
async def pair() -> AsyncGenerator[PostgresPair]:
    async with postgres_pair() as pair:
        await migrate_database(pair.url)
        yield pair


async def _readiness(fleet: Fleet) -> int:
    async with aiohttp.ClientSession() as http, http.get(f"{fleet.replicas[0].url}/readyz") as answer:
        return answer.status


async def _says(fleet: Fleet, status: int) -> None:
    async def said() -> bool:
        return await _readiness(fleet) == status

    await seen(said)


async def test_a_database_that_takes_no_writes_is_read_and_comes_back(pair: PostgresPair, tmp_path: Path) -> None:
    async with open_pool(pair.url) as pool, open_fleet(pair.url, pool, tmp_path, count=1) as fleet:
        await fleet.ready()
        chat_id = await fleet.asks(0, "hello")
        await fleet.comes_to_rest(0, chat_id)
        await pair.primary.ask("ALTER SYSTEM SET default_transaction_read_only = on")
        await pair.primary.ask("SELECT pg_reload_conf()")
        await _says(fleet, 503)
        assert (await fleet.at(0).get(f"/chats/{chat_id}")).status == 200
        refused = await fleet.at(0).post("/chats", {"content": [{"type": "text", "text": "again"}]})
        assert refused.status == 503
        assert int(refused.headers["retry-after"]) >= 1
        # A session that may not write can still say that it may.
        await pair.primary.ask("ALTER SYSTEM RESET default_transaction_read_only")
        await pair.primary.ask("SELECT pg_reload_conf()")
        await _says(fleet, 200)
        await fleet.comes_to_rest(0, await fleet.asks(0, "and now?"))


async def test_a_switchover_behind_an_address_that_follows_late_is_survived(pair: PostgresPair, tmp_path: Path) -> None:
    proxy = LateProxy(pair.primary.port)
    async with (
        proxy.running(),
        open_pool(proxy.url) as pool,
        open_fleet(proxy.url, pool, tmp_path, count=1) as fleet,
    ):
        await fleet.ready()
        chat_id = await fleet.asks(0, "hello")
        await fleet.comes_to_rest(0, chat_id)
        await pair.switch()
        await pair.repair()
        # The address leads to the old primary, which is a standby now.
        await _says(fleet, 503)
        assert (await fleet.at(0).get(f"/chats/{chat_id}")).status == 200
        proxy.target = pair.primary.port
        await _says(fleet, 200)
        async with asyncio.timeout(30):
            await fleet.comes_to_rest(0, await fleet.asks(0, "and now?"))


async def test_two_servers_that_take_writes_are_refused_until_one_is_stopped(tmp_path: Path) -> None:
    async with postgres_pair(synchronous=False) as split:
        await migrate_database(split.url)
        async with open_pool(split.url) as pool, open_fleet(split.url, pool, tmp_path, count=1) as fleet:
            await fleet.ready()
            await split.standby.promote()
            await _says(fleet, 503)
            refused = await fleet.at(0).post("/chats", {"content": [{"type": "text", "text": "hello"}]})
            assert refused.status == 503
            assert "both take writes" in refused.json["message"]
            await split.primary.stop()
            await _says(fleet, 200)
            await fleet.comes_to_rest(0, await fleet.asks(0, "and now?"))
