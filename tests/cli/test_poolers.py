"""PgBouncer in front of the database, as the docs set it up. `make proof ARGS=poolers` has more."""

from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
from tests.cli.conftest import Start

from perdure.access.credentials import TOKEN_PREFIX
from perdure.store.pool import open_pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.pgbouncer import Mode, Pooler, ReachedUrl, environment, pooler, prepares
from perdure.testing.postgres import Databases

# The machine's PgBouncer may be too old to keep prepared statements.
MODES = (Mode.SESSION, Mode.UNPREPARED)


@pytest.fixture(params=MODES, ids=lambda mode: mode.value)
def front(request: pytest.FixtureRequest, databases: Databases) -> Generator[Pooler]:
    with pooler(databases.url, request.param) as front:
        yield front


@pytest.fixture
async def reached(front: Pooler, databases: Databases) -> AsyncIterator[ReachedUrl]:
    """An empty database, as nobody used it before."""
    async with databases.fresh(migrated=False) as url:
        yield front.reached(url)


@pytest.fixture
async def fleet(reached: ReachedUrl, start: Start, tmp_path: Path) -> AsyncIterator[Fleet]:
    migrating = start("migrate", database_url=reached)
    said, complaint = migrating.communicate()
    assert migrating.returncode == 0, complaint
    assert "applied 0001 chats" in said
    async with (
        open_pool(reached, prepare=prepares(reached)) as pool,
        open_fleet(reached, pool, tmp_path / "fleet") as fleet,
    ):
        yield fleet


async def test_two_replicas_work_together_through_a_pooler(fleet: Fleet) -> None:
    await fleet.ready()
    chat_id = await fleet.asks(0, "[[say:hello]]")
    assert (await fleet.comes_to_rest(1, chat_id))["status"] == "waiting"
    sent = await fleet.at(1).post(
        f"/chats/{chat_id}/messages", {"content": [{"type": "text", "text": "[[say:again]]"}]}
    )
    assert sent.status == 202
    await fleet.comes_to_rest(0, chat_id)
    assert await fleet.said(0, chat_id) == ["[[say:hello]]", "hello", "[[say:again]]", "again"]


async def test_sessions_that_a_pooler_kept_from_before_get_our_defaults_too(reached: ReachedUrl) -> None:
    async with open_pool(reached, prepare=prepares(reached)) as pool:
        found = {await pool.fetchval("SELECT current_setting('synchronous_commit')") for _ in range(20)}
    assert found == {"on"}


async def test_commands_use_the_settings_for_a_pooler(reached: ReachedUrl, start: Start) -> None:
    told = {name.removeprefix("PERDURE_").lower(): value for name, value in environment(reached).items()}
    adding = start("tokens", "add", "robot", database_url=reached, **told)
    secret, complaint = adding.communicate()
    assert (adding.returncode, complaint) == (0, "")
    assert secret.startswith(TOKEN_PREFIX)
    doctor = start("doctor", database_url=reached, **told)
    report, _ = doctor.communicate()
    assert "✓ pooler: " in report


@pytest.mark.parametrize("command", [("serve", "--bind", "127.0.0.1:0"), ("migrate",), ("tokens", "add", "robot")])
def test_a_pooler_in_statement_mode_is_refused(databases: Databases, start: Start, command: tuple[str, ...]) -> None:
    with pooler(databases.url, Mode.STATEMENT) as front:
        refused = start(*command, database_url=front.reached(databases.named("postgres")))
        _, complaint = refused.communicate()
    assert refused.returncode == 2
    (line,) = [line for line in complaint.splitlines() if not line.startswith("{")]
    assert line.startswith(f"perdure: The database at 127.0.0.1:{front.port}/postgres takes no transactions (")
    assert line.endswith("Set pool_mode = transaction or session in PgBouncer.")


def test_the_doctor_says_what_is_wrong_with_statement_mode(databases: Databases, start: Start) -> None:
    with pooler(databases.url, Mode.STATEMENT) as front:
        doctor = start("doctor", database_url=front.reached(databases.named("postgres")))
        report, complaint = doctor.communicate()
    assert (doctor.returncode, complaint) == (1, "")
    assert "✗ database: The database at 127.0.0.1" in report
    assert "Set pool_mode = transaction or session in PgBouncer." in report
