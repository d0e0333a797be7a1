"""The database moves: what was open leads to a server that takes no writes, and is not used again."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import asyncpg
import pytest
import pytest_asyncio

from perdure.core.errors import Misconfigured
from perdure.store.away import AWAY
from perdure.store.connection import connect
from perdure.store.errors import meaning
from perdure.store.pool import Pool, open_pool, when_moved
from perdure.store.primaries import server_of
from perdure.testing.late_proxy import LateProxy
from perdure.testing.polling import seen
from perdure.testing.ports import free_port
from perdure.testing.postgres_pair import PostgresPair, postgres_pair


@pytest.fixture(scope="module")
def pair() -> Generator[PostgresPair]:
    """One for all of these tests, each of which leaves both servers running."""
    with asyncio.Runner() as runner:
        opened = postgres_pair()
        pair = runner.run(opened.__aenter__())
        try:
            runner.run(pair.primary.ask("CREATE TABLE written (number integer)"))
            yield pair
        finally:
            runner.run(opened.__aexit__(None, None, None))


@pytest_asyncio.fixture(autouse=True)
async def emptied(pair: PostgresPair) -> None:
    await pair.primary.ask("TRUNCATE written")


async def _write(pool: Pool, number: int) -> bool:
    """Write through the pool and through the connections at hand, as requests and commits do."""
    try:
        await pool.execute("INSERT INTO written VALUES ($1)", number, timeout=2)
    except AWAY:
        return False
    return True


async def test_writes_go_on_after_a_switchover_and_a_crash(pair: PostgresPair) -> None:
    async with open_pool(pair.url, size=4) as pool:
        for crash in (False, True):
            await pool.fetchrow("SELECT 1")
            await pair.switch(crash=crash)
            number = 1 + crash
            await seen(lambda number=number: _write(pool, number))
            row = await pool.fetchrow("SELECT count(*), pg_is_in_recovery() FROM written")
            assert tuple(row or ()) == (number, False)
            await pair.repair()


async def test_whoever_remembers_something_is_told_before_another_server_is_asked(pair: PostgresPair) -> None:
    async with open_pool(pair.url, size=4) as pool:
        moved: list[int] = []
        stop = when_moved(pool, lambda: moved.append(1))
        await asyncio.gather(*(pool.fetchval("SELECT pg_sleep(0.01)") for _ in range(4)))
        pool.renew()
        assert await _write(pool, 1)
        assert moved == []
        await pair.switch(crash=True)
        await seen(lambda: _write(pool, 2))
        assert moved
        told = len(moved)
        stop()
        await pair.repair()
        await pair.switch()
        await seen(lambda: _write(pool, 3))
        assert len(moved) == told
        await pair.repair()


async def test_an_address_that_follows_late_is_followed(pair: PostgresPair) -> None:
    proxy = LateProxy(pair.primary.port)
    async with proxy.running(), open_pool(proxy.url, size=4) as pool:
        assert await _write(pool, 1)
        await pair.switch()
        await pair.repair()
        # The address still leads to the old primary, which is a standby now: it can be read, and takes no writes.
        assert not await _write(pool, 2)
        assert await seen(lambda: pool.fetchval("SELECT count(*) FROM written")) == 1
        proxy.target = pair.primary.port
        await seen(lambda: _write(pool, 3))
        assert await pool.fetchval("SELECT NOT pg_is_in_recovery() AND count(*) = 2 FROM written")


async def test_no_connection_is_used_again_after_one_of_its_age_found_no_writes(pair: PostgresPair) -> None:
    async with open_pool(pair.url, size=4) as pool:
        old = {(await pool.fetchrow("SELECT pg_backend_pid()") or (0,))[0] for _ in range(4)}
        async with pool.acquire() as held:
            old.add(await held.fetchval("SELECT pg_backend_pid()"))
            with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
                async with held.transaction(readonly=True):
                    await held.execute("INSERT INTO written VALUES (1)")
        assert pool.renewals == 1
        new = {await pool.fetchval("SELECT pg_backend_pid()") for _ in range(4)}
        new |= {(await pool.fetchrow("SELECT pg_backend_pid()") or (0,))[0] for _ in range(4)}
        assert not old & new


@asynccontextmanager
async def half_closed(port: int) -> AsyncGenerator[str]:
    """A way to a server on which nobody hears that it hung up."""
    ways: list[asyncio.Task[None]] = []
    ends: list[asyncio.StreamWriter] = []

    async def carry(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        while data := await source.read(1 << 16):
            to.write(data)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        ends.extend((writer, back))
        ways.extend((asyncio.create_task(carry(reader, back)), asyncio.create_task(carry(there, writer))))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"postgresql://perdure@127.0.0.1:{server.sockets[0].getsockname()[1]}/postgres"
    finally:
        server.close()
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for end in ends:
            end.transport.abort()


async def test_a_connection_whose_server_said_goodbye_is_not_handed_out_again(pair: PostgresPair) -> None:
    async with half_closed(pair.primary.port) as url, open_pool(url, size=1) as pool:
        pid = await pool.fetchval("SELECT pg_backend_pid()")
        await pair.primary.ask(f"SELECT pg_terminate_backend({pid}, 5000)")
        for _ in range(2):
            with suppress(*AWAY):
                await pool.fetchval("SELECT 1", timeout=5)
        assert await pool.fetchval("SELECT pg_backend_pid()", timeout=5) != pid
        # To close it in good order is to wait for the server to hang up.
        pool.terminate()


async def test_what_a_standby_has_nothing_of_is_a_database_that_takes_no_writes(pair: PostgresPair) -> None:
    await pair.primary.ask("CREATE UNLOGGED TABLE IF NOT EXISTS passing (number integer)")
    await seen(lambda: pair.standby.holds("to_regclass('passing') IS NOT NULL"))
    connection = await connect(pair.standby.url)
    with pytest.raises(AWAY) as raised:
        await connection.fetch("SELECT number FROM passing")
    await connection.close()
    assert isinstance(raised.value, Exception)
    assert str(meaning(raised.value)).startswith("The database takes no writes at the moment")


async def test_whoever_uses_a_connection_that_is_broken_off_hears_that_the_database_is_away(pair: PostgresPair) -> None:
    """At any moment: also when an answer is there and nobody has read it yet."""
    failures: list[Exception] = []

    async def ask(pool: Pool) -> None:
        for number in range(100):
            try:
                await pool.fetchval(f"SELECT $1::integer + {number}", 1)
            except Exception as error:  # noqa: BLE001 - any of them would be a failed request
                failures.append(error)

    async with open_pool(pair.url, size=4) as pool, asyncio.TaskGroup() as group:
        asking = [group.create_task(ask(pool)) for _ in range(4)]
        while not all(task.done() for task in asking):
            pool.renew(ending=True)
            await asyncio.sleep(0.002)
    assert failures
    assert [error for error in failures if not isinstance(error, AWAY)] == []


async def test_a_host_that_never_answers_does_not_hold_up_the_others(pair: PostgresPair) -> None:
    with socket.socket() as silent:
        # It accepts connections, as far as the kernel goes, and says nothing.
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        hosts = f"127.0.0.1:{silent.getsockname()[1]},127.0.0.1:{pair.standby.port},127.0.0.1:{pair.primary.port}"
        async with asyncio.timeout(2):
            connection = await connect(f"postgresql://perdure@{hosts}/postgres")
        server = await server_of(connection, timeout=5)
        assert server.writable
        assert server.timeline >= 1
        await connection.close()


async def test_where_only_standbys_are_named_one_can_be_read(pair: PostgresPair) -> None:
    connection = await connect(pair.standby.url)
    assert connection.read_only
    assert not (await server_of(connection, timeout=5)).writable
    await connection.close()


async def test_a_refusal_is_said_when_no_host_is_left(pair: PostgresPair) -> None:
    wrong = pair.primary.url.replace("/postgres", "/missing")
    with pytest.raises(Misconfigured, match='database "missing" does not exist'):
        await connect(wrong.replace("127.0.0.1", f"127.0.0.1:{free_port()},127.0.0.1"))


async def test_a_pool_is_not_opened_where_nothing_takes_writes(pair: PostgresPair) -> None:
    with pytest.raises(Misconfigured, match=r"takes no writes: what answers is a standby"):
        async with open_pool(pair.standby.url, patience=timedelta(0)):
            raise AssertionError("it opened")
