"""The way to a Postgres loses notices while it is deaf, and breaks connections when it is told to."""

import asyncio

import asyncpg
import pytest

from perdure.proof.proxy import Proxy, Stall
from perdure.testing.polling import seen


async def test_a_deaf_proxy_passes_on_everything_but_notices(database_url: str) -> None:
    heard = asyncio.Queue[str]()

    def hear(_connection: object, _pid: object, _channel: object, payload: object) -> None:
        heard.put_nowait(str(payload))

    proxy = Proxy(database_url)
    async with proxy.running():
        connection, other = await asyncpg.connect(proxy.url), await asyncpg.connect(database_url)
        await connection.add_listener("news", hear)
        proxy.deaf = True
        await other.execute("SELECT pg_notify('news', 'lost')")
        assert await connection.fetchval("SELECT 1") == 1
        proxy.deaf = False
        await other.execute("SELECT pg_notify('news', 'kept')")
        async with asyncio.timeout(60):
            assert await heard.get() == "kept"
        await connection.close()
        await other.close()


async def test_a_cut_breaks_every_connection_and_lets_new_ones_in(database_url: str) -> None:
    proxy = Proxy(database_url)
    async with proxy.running():
        connection = await asyncpg.connect(proxy.url)
        assert proxy.cut() == 1
        with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.InterfaceError, OSError)):
            await connection.fetchval("SELECT 1")
        again = await asyncpg.connect(proxy.url)
        assert await again.fetchval("SELECT 1") == 1
        await again.close()


@pytest.mark.parametrize(("before_answer", "written"), [(True, 1), (False, 0)])
async def test_a_stalled_connection_goes_on_when_the_stall_is_over(
    database_url: str, before_answer: bool, written: int
) -> None:
    stall, met = Stall(before_answer=before_answer), asyncio.Event()

    def stalled(request: bytes) -> Stall:
        assert b"a call" in request
        met.set()
        return stall

    proxy = Proxy(database_url)
    async with proxy.running():
        connection, other = await asyncpg.connect(proxy.url), await asyncpg.connect(database_url)
        await other.execute("CREATE TABLE journal_of_calls (name text)")
        start = await connection.prepare("INSERT INTO journal_of_calls VALUES ($1)")
        proxy.stall = stalled
        starting = asyncio.create_task(start.fetch("a call"))
        await met.wait()
        await seen(lambda: other.fetchval("SELECT count(*) = $1 FROM journal_of_calls", written))
        assert not starting.done()
        stall.over.set()
        await starting
        assert await other.fetchval("SELECT count(*) FROM journal_of_calls") == 1
        await other.execute("DROP TABLE journal_of_calls")
        await connection.close()
        await other.close()
