"""How the server's connections are set up."""

from perdure.store.pool import Pool


async def test_the_session_is_set_up_for_generic_plans_and_durable_commits(pool: Pool) -> None:
    names = ("plan_cache_mode", "enable_seqscan", "jit", "synchronous_commit", "application_name")
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
        pid = connection.get_server_pid()
    async with pool.acquire() as observer:
        last = await observer.fetchval("SELECT query FROM pg_stat_activity WHERE pid = $1", pid)
    assert "RESET ALL" not in last
