"""What the doctor says about a database of several hosts."""

import asyncio
from collections.abc import Generator

import pytest

from perdure.cli.checks.database import host_findings, replication
from perdure.cli.checks.finding import Verdict
from perdure.store.connection import connect
from perdure.testing.polling import seen
from perdure.testing.ports import free_port
from perdure.testing.postgres_pair import PostgresPair, postgres_pair


@pytest.fixture(scope="module")
def pair() -> Generator[PostgresPair]:
    with asyncio.Runner() as runner:
        opened = postgres_pair()
        try:
            yield runner.run(opened.__aenter__())
        finally:
            runner.run(opened.__aexit__(None, None, None))


async def _said(url: str) -> list[tuple[Verdict, str]]:
    return [(finding.verdict, finding.detail) async for finding in host_findings(url)]


async def test_each_host_is_named_with_what_it_does(pair: PostgresPair) -> None:
    gone = free_port()
    url = f"postgresql://perdure@127.0.0.1:{pair.primary.port},127.0.0.1:{pair.standby.port},127.0.0.1:{gone}/postgres"
    primary, standby, away = await _said(url)
    assert primary == (Verdict.GOOD, f"127.0.0.1:{pair.primary.port}/postgres, takes writes, timeline 1")
    assert standby == (Verdict.GOOD, f"127.0.0.1:{pair.standby.port}/postgres, a standby")
    assert away[0] is Verdict.OFF
    assert away[1].startswith(f"The database at 127.0.0.1:{gone}/postgres cannot be reached")


async def test_hosts_of_which_none_takes_writes_are_told(pair: PostgresPair) -> None:
    url = f"postgresql://perdure@127.0.0.1:{pair.standby.port},127.0.0.1:{free_port()}/postgres"
    assert (Verdict.BAD, "none of them takes writes") in await _said(url)


async def test_a_failover_that_may_lose_commits_is_told(pair: PostgresPair) -> None:
    assert await _replicated(pair) == (Verdict.GOOD, "1 standby, commits wait for *")
    await pair.primary.ask("ALTER SYSTEM RESET synchronous_standby_names")
    await pair.primary.ask("SELECT pg_reload_conf()")

    async def told() -> bool:
        return await _replicated(pair) == (Verdict.OFF, "1 standby, and no commit waits for it")

    await seen(told)


async def _replicated(pair: PostgresPair) -> tuple[Verdict, str]:
    connection = await connect(pair.primary.url)
    try:
        found = await replication(connection)
    finally:
        await connection.close()
    return found.verdict, found.detail
