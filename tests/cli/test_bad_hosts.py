"""Hosts of a database that contradict each other, or do not help: one line that says what to do, and exit code 2."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager

import pytest
from tests.cli.conftest import Start

from perdure.store.embedded.cluster import USER
from perdure.testing.polling import seen
from perdure.testing.postgres_pair import PostgresNode, PostgresPair, postgres_pair

COMMANDS = (("serve", "--bind", "127.0.0.1:0"), ("migrate",), ("tokens", "add", "robot"))


@pytest.fixture
async def pair() -> AsyncIterator[PostgresPair]:
    async with postgres_pair(synchronous=False) as pair:
        yield pair


def named(*ports: int, password: str = "") -> str:
    login = f"{USER}:{password}" if password else USER
    return f"postgresql://{login}@{','.join(f'127.0.0.1:{port}' for port in ports)}/postgres"


@contextmanager
def silent_host() -> Generator[int]:
    """A host that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


async def said(start: Start, url: str, *command: str) -> tuple[int, str, str]:
    process = start(*command, database_url=url)
    output, complaint = await asyncio.to_thread(process.communicate)
    return process.returncode, output, "\n".join(line for line in complaint.splitlines() if not line.startswith("{"))


async def refusals(start: Start, url: str) -> set[str]:
    """The one line that each command says, which all end with 2; and the doctor says it in its report."""
    lines = set[str]()
    for command in COMMANDS:
        code, _, complaint = await said(start, url, *command)
        assert (code, len(complaint.splitlines())) == (2, 1), complaint
        lines.add(complaint.removeprefix("perdure: "))
    code, report, complaint = await said(start, url, "doctor")
    assert (code, complaint) == (1, "")
    assert "✗" in report
    return lines


async def test_a_host_that_never_answers_does_not_keep_the_others_from_it(pair: PostgresPair, start: Start) -> None:
    with silent_host() as silent:
        code, output, complaint = await said(start, named(silent, pair.standby.port, pair.primary.port), "migrate")
    assert (code, complaint) == (0, "")
    assert "applied 0001 chats" in output


async def test_hosts_that_are_all_standbys_are_refused(pair: PostgresPair, start: Start) -> None:
    with silent_host() as silent:
        (line,) = await refusals(start, named(pair.standby.port, silent))
    assert line.startswith(
        f"The database at 127.0.0.1:{pair.standby.port}, 127.0.0.1:{silent}/postgres takes no writes"
    )
    assert line.endswith(
        "Name every host in PERDURE_DATABASE_URL, separated by commas: the one that takes writes is found."
    )


async def test_two_primaries_are_refused_and_the_stale_one_is_named(pair: PostgresPair, start: Start) -> None:
    await pair.standby.promote()
    stale, new = pair.primary.port, pair.standby.port
    (line,) = await refusals(start, named(stale, new))
    both = f"127.0.0.1:{stale}/postgres (timeline 1) and 127.0.0.1:{new}/postgres (timeline 2) both take writes"
    assert line.startswith(both)
    assert line.endswith(f"Stop 127.0.0.1:{stale}/postgres, which was replaced, and make it a standby.")


async def test_two_names_of_one_server_are_one_primary(pair: PostgresPair, start: Start) -> None:
    code, _, complaint = await said(start, named(pair.primary.port, pair.primary.port), "migrate")
    assert (code, complaint) == (0, "")


async def test_a_wrong_password_at_one_host_is_refused_and_the_host_is_named(pair: PostgresPair, start: Start) -> None:
    asks_for_password(pair.standby)
    (line,) = await refusals(start, named(pair.primary.port, pair.standby.port, password="wrong"))
    assert line.startswith(
        f"The database at 127.0.0.1:{pair.standby.port}/postgres refuses us (password authentication"
    )
    assert line.endswith("Correct the user and password in PERDURE_DATABASE_URL.")
    assert "wrong" not in line


async def test_a_standby_that_is_behind_may_learn_of_us_a_moment_later(pair: PostgresPair, start: Start) -> None:
    await pair.standby.ask("SELECT pg_wal_replay_pause()")
    await pair.primary.ask("CREATE ROLE late SUPERUSER LOGIN")
    url = named(pair.primary.port, pair.standby.port).replace(USER, "late")
    migrating = asyncio.create_task(said(start, url, "migrate"))

    async def refused() -> bool:
        return 'role "late" does not exist' in pair.standby.log.read_text()

    await seen(refused)
    await pair.standby.ask("SELECT pg_wal_replay_resume()")
    code, output, complaint = await migrating
    assert (code, complaint) == (0, "")
    assert "applied 0001 chats" in output


def asks_for_password(node: PostgresNode) -> None:
    """From now on; nobody has one."""
    (node.data / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
    os.kill(int((node.data / "postmaster.pid").read_text().splitlines()[0]), signal.SIGHUP)
