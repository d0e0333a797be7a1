"""A primary and a standby on this machine, which change places when they are told to."""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from perdure.core.errors import Misconfigured
from perdure.store.connection import connect
from perdure.store.embedded.account import Account, postgres_account
from perdure.store.embedded.binaries import Binaries, find_binaries, reachable_binaries
from perdure.store.embedded.cluster import USER, reason
from perdure.testing.polling import seen
from perdure.testing.ports import free_port

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "wal_log_hints": "on",
    "wal_keep_size": "512MB",
    "hot_standby": "on",
    # A test cannot notice, unless it pulls the plug.
    "fsync": "off",
    "wal_receiver_timeout": "3s",
    "wal_retrieve_retry_interval": "100ms",
    "log_checkpoints": "off",
    "timezone": "UTC",
}


class NodeFailed(Exception):
    """A program of Postgres did not do what it was told."""


class PostgresNode:
    """One server of the pair."""

    def __init__(self, home: Path, port: int, *, binaries: Binaries, account: Account) -> None:
        self.port = port
        self.data = home / f"node-{port}"
        self.log = home / f"node-{port}.log"
        self._sockets = home / f"run-{port}"
        self._binaries = binaries
        self._account = account
        self._process: subprocess.Popen[str] | None = None
        self._shut_down = False

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    async def initialise(self) -> None:
        self._account.own(self.data)
        await self._run("initdb", "-D", self.data, "-U", USER, "--auth=trust", "--encoding=UTF8", "--no-instructions")
        with (self.data / "pg_hba.conf").open("a") as access:
            access.write("host replication all 127.0.0.1/32 trust\n")

    async def copy(self, other: "PostgresNode") -> None:
        """Become a standby of the other one."""
        shutil.rmtree(self.data, ignore_errors=True)
        self._account.own(self.data)
        await self._run("pg_basebackup", "-D", self.data, "-d", other.url, "-X", "stream", "-c", "fast")
        self._follow(other)

    async def rejoin(self, other: "PostgresNode") -> None:
        """Follow the other one after having been the primary. What only this one has is thrown away."""
        if not self._shut_down:
            # After a shutdown the other one has all that this one has.
            await self._rewind(other)
        self._follow(other)
        await self.start()

    async def _rewind(self, other: "PostgresNode") -> None:
        try:
            source = f"--source-server={other.url}"
            await self._run("pg_rewind", f"--target-pgdata={self.data}", source, "--no-sync")
        except NodeFailed:
            await self.copy(other)

    async def start(self) -> None:
        self._account.own(self._sockets)
        settings = {**_SETTINGS, "port": str(self.port), "unix_socket_directories": str(self._sockets)}
        options = [f"--{name}={value}" for name, value in settings.items()]
        with self.log.open("a") as log:
            command = [self._binaries.program("postgres"), "-D", self.data, *options]
            self._process = self._account.start(command, stdout=log.fileno(), stderr=log.fileno())
        self._shut_down = False
        await self.answering()

    async def stop(self) -> None:
        """Shut down, with everything that was committed sent to the standby."""
        await self._end(signal.SIGINT)
        self._shut_down = True

    async def kill(self) -> None:
        await self._end(signal.SIGKILL)

    async def promote(self) -> None:
        await self._run("pg_ctl", "promote", "-D", self.data, "-w")

    async def answering(self) -> None:
        """Wait until it takes connections."""
        while True:
            assert self._process is not None
            if self._process.poll() is not None:
                raise NodeFailed(reason(self.log.read_text()))
            try:
                async with asyncio.timeout(2):
                    connection = await connect(self.url)
            except (TimeoutError, Misconfigured):
                await asyncio.sleep(0.02)
            else:
                await connection.close()
                return

    async def ask(self, sql: str) -> object:
        async with asyncio.timeout(5):
            connection = await connect(self.url)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    async def holds(self, condition: str) -> bool:
        return bool(await self.ask(f"SELECT {condition}"))

    def _follow(self, other: "PostgresNode") -> None:
        (self.data / "standby.signal").touch()
        settings = self.data / "postgresql.auto.conf"
        settings.write_text(
            f"primary_conninfo = 'host=127.0.0.1 port={other.port} user={USER} application_name=pair'\n"
        )
        os.chown(self.data / "standby.signal", self._account.uid, self._account.gid)
        os.chown(settings, self._account.uid, self._account.gid)

    async def _end(self, how: signal.Signals) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        if how is signal.SIGKILL:
            # Its children end when they notice that it is gone; a machine that loses power has none of them left.
            os.killpg(self._process.pid, how)
        else:
            self._process.send_signal(how)
        await asyncio.to_thread(self._process.wait)

    async def _run(self, program: str, *arguments: str | Path) -> None:
        command = [self._binaries.program(program), *arguments]
        process = self._account.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = await asyncio.to_thread(process.communicate)
        if process.returncode != 0:
            raise NodeFailed(f"{program}: {reason(output)}")


class PostgresPair:
    """A primary and its standby. Commits wait for both while both are there, unless it is asynchronous."""

    def __init__(self, primary: PostgresNode, standby: PostgresNode, *, synchronous: bool) -> None:
        self.primary = primary
        self.standby = standby
        self._synchronous = synchronous

    @property
    def url(self) -> str:
        """Both hosts, whichever takes writes."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in sorted((self.primary.port, self.standby.port)))
        return f"postgresql://{USER}@{hosts}/postgres?target_session_attrs=read-write"

    async def switch(self, *, crash: bool = False) -> None:
        """The standby takes over, from a primary that is shut down or dies."""
        if crash:
            await self.primary.kill()
        else:
            await self.primary.stop()
        await self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    async def part(self) -> None:
        """Have the standby hear nothing more: exactly what the primary commits from now on is lost when it dies."""
        reached = await self.primary.ask("SELECT pg_current_wal_lsn()::text")
        await seen(lambda: self.standby.holds(f"pg_last_wal_replay_lsn() >= '{reached}'"))
        await self.standby.ask("ALTER SYSTEM SET primary_conninfo = ''")
        await self.standby.ask("SELECT pg_reload_conf()")
        await seen(lambda: self.primary.holds("NOT EXISTS (SELECT FROM pg_stat_replication)"))

    async def repair(self) -> None:
        """Bring the old primary back as the standby, and wait until it has everything."""
        await self.standby.rejoin(self.primary)
        await self.synchronise()

    async def synchronise(self) -> None:
        """Wait until the standby streams; from then on commits wait for it, if they are to."""
        await seen(lambda: self.primary.holds("EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')"))
        if self._synchronous:
            await self.primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
            await self.primary.ask("SELECT pg_reload_conf()")
            await seen(lambda: self.primary.holds("EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')"))


@asynccontextmanager
async def postgres_pair(*, synchronous: bool = True, binaries: Path | None = None) -> AsyncGenerator[PostgresPair]:
    """A pair that is gone, with everything that it wrote, at the end."""
    # Short, and where somebody else than root may go.
    home = Path(tempfile.mkdtemp(prefix="perdure-pair-"))
    account = postgres_account(home / "none")
    os.chown(home, account.uid, account.gid)
    found = reachable_binaries(find_binaries(binaries), account, copies=home)
    first, second = (PostgresNode(home, free_port(), binaries=found, account=account) for _ in range(2))
    pair = PostgresPair(first, second, synchronous=synchronous)
    try:
        await first.initialise()
        await first.start()
        await second.copy(first)
        await second.start()
        await pair.synchronise()
        yield pair
    finally:
        for node in (first, second):
            await node.kill()
        shutil.rmtree(home, ignore_errors=True)
