"""How the server's connections are set up."""

import asyncio
from uuid import uuid4

from perdure.core.errors import ChatNotFound
from perdure.core.ids import ChatId
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.metrics import Metrics
from perdure.store.connections import UNTOUCHED
from perdure.store.execution import Execution
from perdure.store.pool import Pool, open_pool
from perdure.testing.metric_reader import MetricReader
from perdure.testing.postgres import Databases


async def test_the_session_is_set_up_for_generic_plans_and_durable_commits(databases: Databases) -> None:
    names = ("plan_cache_mode", "enable_seqscan", "jit", "synchronous_commit", "application_name")
    async with databases.fresh(migrated=False) as url, open_pool(url) as pool:
        values = [await pool.fetchval("SELECT current_setting($1)", name) for name in names]
    assert values == ["force_generic_plan", "off", "off", "on", "perdure"]


async def test_an_open_transaction_does_not_leak_into_the_next_use(pool: Pool) -> None:
    async with pool.acquire() as connection:
        await connection.execute("CREATE TABLE leftover (id int)")
        await connection.execute("BEGIN")
        await connection.execute("INSERT INTO leftover VALUES (1)")
    assert await pool.fetchval("SELECT count(*) FROM leftover") == 0


async def test_a_returned_connection_costs_no_statement(pool: Pool) -> None:
    async with pool.acquire() as connection:
        await connection.fetchval("SELECT 'used'")
    last = await pool.fetch("SELECT query FROM pg_stat_activity WHERE datname = current_database()")
    assert last
    assert not [row for row in last if "RESET ALL" in row["query"]]


async def test_whoever_waits_for_a_connection_is_counted(database_url: str) -> None:
    metrics = Metrics()
    numbers = MetricReader(metrics)
    async with open_pool(database_url, size=UNTOUCHED + 1) as pool:
        execution = Execution(pool, measures=DatabaseMeasures(metrics))
        reading = [asyncio.ensure_future(execution.load(ChatId(uuid4()))) for _ in range(3)]
        # All of them have asked once; the first has the one connection that there is to borrow.
        await asyncio.sleep(0)
        assert numbers("perdure_pool_waiting") == 2
        found = await asyncio.gather(*reading, return_exceptions=True)
        assert [type(each) for each in found] == [ChatNotFound] * 3
        assert numbers("perdure_pool_waiting") == 0
