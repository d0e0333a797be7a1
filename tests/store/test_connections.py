"""Connections at hand: whoever waits for one gets it, whoever else goes away meanwhile."""

import asyncio
from typing import Any

import pytest

from perdure.store.connections import UNTOUCHED
from perdure.store.pool import open_pool
from perdure.testing.polling import seen

PATIENCE = 30


async def test_a_turn_that_comes_to_somebody_who_just_left_is_passed_on(database_url: str) -> None:
    async with open_pool(database_url, size=UNTOUCHED + 1) as pool:
        first = asyncio.create_task(pool.fetchrow("SELECT pg_sleep(60)"))
        second, third = (asyncio.create_task(pool.fetchrow("SELECT 1 AS one")) for _ in range(2))
        await asyncio.sleep(0)
        assert pool.at_hand.waiting == 2
        # The first goes and leaves its place to the second, who goes before it has heard of that.
        first.cancel()
        asyncio.get_running_loop().call_soon(second.cancel)
        done, _ = await asyncio.wait({third}, timeout=PATIENCE)
        assert done
        row = third.result()
        assert row is not None
        assert row["one"] == 1
        for gone in (first, second):
            with pytest.raises(asyncio.CancelledError):
                await gone


async def test_whoever_waits_longest_goes_first_also_if_it_takes_connections_of_the_pool_itself(
    database_url: str,
) -> None:
    """Otherwise commits, which are handed from one to the next, leave nothing to requests that read."""
    ended: list[str] = []
    async with open_pool(database_url, size=3) as pool:

        async def commit(name: str) -> None:
            await pool.fetchrow("SELECT pg_sleep(0.001)")
            ended.append(name)

        async def read() -> None:
            async with pool.acquire() as connection:
                await connection.fetchval("SELECT 1")
            ended.append("read")

        async with asyncio.TaskGroup() as group, pool.acquire(), pool.acquire():
            for number in range(5):
                group.create_task(commit(f"before {number}"))
            await asyncio.sleep(0)
            reading = group.create_task(read())
            await asyncio.sleep(0)
            for number in range(20):
                group.create_task(commit(f"after {number}"))
            # Nobody has given the other two connections back: what is read with is one of the commits'.
            await reading
    assert ended.index("read") <= 6, ended


async def test_a_connection_that_its_server_closed_while_nobody_used_it_is_not_used_again(database_url: str) -> None:
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    async with open_pool(database_url, size=6) as pool:
        for _ in range(3):
            # Several at once, so that several are at hand.
            await asyncio.gather(*(pool.fetchrow("SELECT pg_sleep(0.02)") for _ in range(4)))
            async with pool.acquire() as connection:
                await connection.execute(f"SELECT pg_terminate_backend(pid, 5000) {others}")

                async def gone(ask: Any = connection.fetchval) -> bool:
                    return await ask(f"SELECT count(*) = 0 {others}")

                await seen(gone)
            assert [
                row["one"] for row in await asyncio.gather(*(pool.fetchrow("SELECT 1 AS one") for _ in range(8)))
            ] == [1] * 8
