"""The embedded server, used by real processes that come, go and get killed."""

import asyncio
import os
import signal
from pathlib import Path

import asyncpg
import pytest
from tests.store.embedded.conftest import Holder, Machine

from perdure.store.embedded.binaries import find_binaries
from perdure.testing.polling import eventually


def ask(holder: Holder, sql: str) -> object:
    async def fetch() -> object:
        connection = await asyncpg.connect(holder.url)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    return asyncio.run(fetch())


def answers(holder: Holder) -> bool:
    try:
        return ask(holder, "SELECT 1") == 1
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return False


def test_it_starts_on_first_use_and_stops_when_the_last_one_goes(machine: Machine) -> None:
    first, second = machine.hold(), machine.hold()
    assert first.url == second.url
    first.leave()
    assert ask(second, "SELECT 1") == 1
    second.leave()
    eventually(machine.stopped, "the server stops")


def test_it_survives_the_death_of_the_process_that_started_it(machine: Machine) -> None:
    first, second = machine.hold(), machine.hold()
    server = machine.postmaster()
    first.kill()
    assert ask(second, "SELECT 1") == 1
    assert machine.postmaster() == server
    second.kill()
    eventually(machine.stopped, "the server stops although nobody said goodbye")


def test_it_goes_on_without_its_keeper_and_gets_another(machine: Machine) -> None:
    holder = machine.hold()
    server = machine.postmaster()
    machine.kill_keeper()
    assert ask(holder, "SELECT 1") == 1
    holder.tend()
    assert machine.postmaster() == server
    holder.leave()
    eventually(machine.stopped, "the new keeper stops the server")


def test_the_last_one_to_leave_stops_a_server_without_a_keeper(own_machine: Machine) -> None:
    holder = own_machine.hold()
    own_machine.kill_keeper()
    holder.leave()
    eventually(own_machine.stopped, "the server stops")


def test_a_killed_server_comes_back_with_what_was_committed(machine: Machine) -> None:
    holder = machine.hold()
    ask(holder, "CREATE TABLE kept AS SELECT 42 AS answer")
    server = machine.kill_server()
    eventually(lambda: answers(holder), "the server answers again")
    assert ask(holder, "SELECT answer FROM kept") == 42
    assert machine.postmaster() != server


def test_a_server_that_dies_before_its_keeper_saw_it_ready_comes_back(machine: Machine) -> None:
    process = machine.start()
    eventually(lambda: machine.cluster.postmaster() is not None, "the server starts")
    keeper = machine.keeper()
    os.kill(keeper, signal.SIGSTOP)
    eventually(lambda: machine.cluster.came_up(machine.postmaster()), "the server is ready")
    machine.kill_server()
    os.kill(keeper, signal.SIGCONT)
    holder = machine.holding(process)
    eventually(lambda: answers(holder), "the server answers again")


def test_after_everything_was_killed_the_next_one_finds_what_was_committed(machine: Machine) -> None:
    holder = machine.hold()
    ask(holder, "CREATE TABLE kept AS SELECT 42 AS answer")
    machine.kill_keeper()
    machine.kill_server()
    holder.kill()
    assert ask(machine.hold(), "SELECT answer FROM kept") == 42


def test_processes_that_start_together_share_one_server(machine: Machine) -> None:
    holders = [machine.holding(process) for process in [machine.start() for _ in range(6)]]
    assert len({ask(holder, "SELECT pg_postmaster_start_time()") for holder in holders}) == 1


def test_a_pid_file_that_names_a_stranger_does_not_stop_it(own_machine: Machine) -> None:
    own_machine.hold().leave()
    eventually(own_machine.stopped, "the server stops")
    stale = own_machine.cluster.data / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{own_machine.cluster.data}\n1\n5432\n/nowhere\n\n\nready\n")
    assert ask(own_machine.hold(), "SELECT 1") == 1


def test_a_half_made_data_directory_is_made_anew(own_machine: Machine) -> None:
    unfinished = own_machine.cluster.home / "data.new"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    assert ask(own_machine.hold(), "SELECT 1") == 1


def test_its_settings_are_durable_and_its_door_is_a_socket(own_machine: Machine) -> None:
    holder = own_machine.hold()
    names = ("fsync", "full_page_writes", "synchronous_commit", "listen_addresses")
    assert [ask(holder, f"SHOW {name}") for name in names] == ["on", "on", "on", ""]
    ask(holder, "CREATE EXTENSION pg_stat_statements")
    assert ask(holder, "SELECT count(*) > 0 FROM pg_stat_statements")
    assert own_machine.cluster.sockets.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "binaries", [find_binaries().directory, *sorted(Path("/usr/lib/postgresql").glob("*/bin"))], ids=str
)
def test_any_installation_of_postgres_will_do(own_machine: Machine, binaries: Path) -> None:
    holder = own_machine.hold(str(binaries))
    assert ask(holder, "SHOW server_version_num") >= "140000"  # pyright: ignore[reportOperatorIssue]


def test_what_is_left_of_a_killed_server_is_waited_for(own_machine: Machine) -> None:
    """Until its last process has noticed that it is alone, nobody else may touch the data."""
    holder = own_machine.hold()
    left = ask(holder, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
    assert isinstance(left, int)
    own_machine.kill_keeper()
    os.kill(left, signal.SIGSTOP)
    own_machine.kill_server()
    holder.kill()
    waiting = own_machine.start()
    eventually(lambda: "shared memory block" in own_machine.cluster.log.read_text(), "the new server has to wait")
    os.kill(left, signal.SIGCONT)
    assert ask(own_machine.holding(waiting), "SELECT 1") == 1
