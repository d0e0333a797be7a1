"""Three Postgres nodes that Patroni watches over, with etcd and HAProxy, on this machine alone."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp

from perdure.core.errors import Misconfigured
from perdure.store.embedded.account import Account, postgres_account
from perdure.store.embedded.binaries import Binaries, find_binaries, reachable_binaries
from perdure.store.embedded.cluster import USER
from perdure.testing.polling import seen
from perdure.testing.ports import free_port

NODES = 3
PROGRAMS = ("patroni", "etcd", "haproxy")
LEADERLESS = timedelta(minutes=3)
"""Longer than it takes until a leader that died is replaced, on a machine that is busy with other things."""
# The shortest that Patroni allows: after so long without a word the leader is taken for dead.
_BOOTSTRAP = {
    "ttl": 20,
    "loop_wait": 1,
    "retry_timeout": 3,
    "primary_start_timeout": 0,
    "synchronous_mode": True,
    "postgresql": {
        "use_pg_rewind": True,
        # A test cannot notice, unless it pulls the plug.
        "parameters": {"fsync": "off", "max_connections": 200, "wal_keep_size": "512MB", "timezone": "UTC"},
    },
}


def programs() -> dict[str, str]:
    """Where the programs are."""
    place = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))  # noqa: TID251
    found = {name: shutil.which(name, path=place) for name in PROGRAMS}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise Misconfigured(
            f"A Patroni cluster needs {', '.join(missing)} in PATH. scripts/prove-patroni installs what is missing."
        )
    return {name: path for name, path in found.items() if path is not None}


class PatroniNode:
    """One Postgres and the Patroni that keeps it."""

    def __init__(self, home: Path, number: int, *, binaries: Binaries, account: Account, etcd: int) -> None:
        self.name = f"node-{number}"
        self.port = free_port()
        self.rest = free_port()
        self._data = home / self.name
        self._log = home / f"{self.name}.log"
        self._configuration = home / f"{self.name}.json"
        self._account = account
        self._process: subprocess.Popen[str] | None = None
        self._configuration.write_text(json.dumps(self._settings(binaries, home, etcd)))
        self._configuration.chmod(0o644)

    def start(self, patroni: str) -> None:
        with self._log.open("a") as log:
            command = [patroni, self._configuration]
            self._process = self._account.start(command, stdout=log.fileno(), stderr=log.fileno())

    def kill(self) -> None:
        """Have the whole node gone between two instructions."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        with suppress(OSError, ValueError, IndexError):
            postmaster = int((self._data / "postmaster.pid").read_text().splitlines()[0])
            # Its children are of its group, unless it was started before and the number is somebody else's now.
            if Path(f"/proc/{postmaster}/cwd").resolve() == self._data:
                os.killpg(os.getpgid(postmaster), signal.SIGKILL)

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _settings(self, binaries: Binaries, home: Path, etcd: int) -> dict[str, Any]:
        here = "127.0.0.1"
        everybody = [f"host {what} all {here}/32 trust" for what in ("all", "replication")]
        return {
            "scope": "perdure",
            "name": self.name,
            "restapi": {"listen": f"{here}:{self.rest}", "connect_address": f"{here}:{self.rest}"},
            "etcd3": {"host": f"{here}:{etcd}"},
            "bootstrap": {"dcs": _BOOTSTRAP, "initdb": [{"encoding": "UTF8"}, {"auth": "trust"}]},
            "postgresql": {
                "listen": f"{here}:{self.port}",
                "connect_address": f"{here}:{self.port}",
                "data_dir": str(self._data),
                "bin_dir": str(binaries.directory),
                "pgpass": str(home / f"{self.name}.pgpass"),
                "pg_hba": everybody,
                "authentication": {each: {"username": USER} for each in ("superuser", "replication", "rewind")},
                "parameters": {"unix_socket_directories": str(home)},
                # As somebody would do by hand, where what a leader that died wrote last cannot be undone.
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
            },
            "watchdog": {"mode": "off"},
        }


class PatroniCluster:
    """A leader, a synchronous standby and another one; by all their addresses, or through HAProxy."""

    def __init__(self, nodes: Sequence[PatroniNode], patroni: str, proxy_port: int | None) -> None:
        self._nodes = nodes
        self._patroni = patroni
        self._proxy_port = proxy_port

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self._nodes)
        return f"postgresql://{USER}@{hosts}/postgres?target_session_attrs=read-write"

    @property
    def replica_url(self) -> str:
        return self.url if self._proxy_port is None else f"postgresql://{USER}@127.0.0.1:{self._proxy_port}/postgres"

    @property
    def servers(self) -> tuple[str, ...]:
        return tuple([f"postgresql://{USER}@127.0.0.1:{node.port}/postgres" for node in self._nodes])

    async def start(self) -> None:
        for node in self._nodes:
            node.start(self._patroni)
        await self.whole()

    async def move(self, *, crash: bool) -> None:
        leader = await seen(self._leader)
        assert leader is not None
        if crash:
            leader.kill()
            return
        async with aiohttp.ClientSession() as http:
            asking = http.post(f"http://127.0.0.1:{leader.rest}/switchover", json={"leader": leader.name})
            async with asking as answer:
                if answer.status >= 400:
                    raise AssertionError(f"Patroni refuses to switch over: {await answer.text()}")

    async def repair(self) -> None:
        for node in self._nodes:
            if not node.alive:
                node.start(self._patroni)
        await self.whole()

    async def whole(self) -> None:
        """Wait until there is a leader, a synchronous standby, and nobody behind."""

        async def holds() -> bool:
            members = await self._members()
            roles = sorted(member["role"] for member in members)
            states = {member["state"] for member in members}
            return roles == ["leader", "replica", "sync_standby"] and states <= {"running", "streaming"}

        try:
            await seen(holds, within=LEADERLESS)
        except TimeoutError:
            raise AssertionError(f"Patroni does not mend its cluster: {await self._members()}") from None

    async def _leader(self) -> PatroniNode | None:
        names = [member["name"] for member in await self._members() if member["role"] == "leader"]
        return next((node for node in self._nodes if node.name in names), None)

    async def _members(self) -> list[dict[str, Any]]:
        for node in self._nodes:
            with suppress(aiohttp.ClientError, TimeoutError, ValueError):
                asked = aiohttp.ClientTimeout(total=2)
                async with (
                    aiohttp.ClientSession(timeout=asked) as http,
                    http.get(f"http://127.0.0.1:{node.rest}/cluster") as answer,
                ):
                    return (await answer.json())["members"]
        return []


@asynccontextmanager
async def patroni_cluster(*, proxied: bool) -> AsyncGenerator[PatroniCluster]:
    """A cluster that is gone, with everything that it wrote, at the end."""
    found = programs()
    home = Path(tempfile.mkdtemp(prefix="perdure-patroni-"))
    account = postgres_account(home / "none")
    os.chown(home, account.uid, account.gid)
    binaries = reachable_binaries(find_binaries(), account, copies=home)
    etcd_port, proxy_port = free_port(), free_port()
    nodes = [PatroniNode(home, n, binaries=binaries, account=account, etcd=etcd_port) for n in range(NODES)]
    etcd = _started(home, account, "etcd", _etcd(found["etcd"], home, etcd_port))
    proxy = _started(home, account, "haproxy", _haproxy(found["haproxy"], home, nodes, proxy_port))
    cluster = PatroniCluster(nodes, found["patroni"], proxy_port if proxied else None)
    try:
        await cluster.start()
        yield cluster
    finally:
        for node in nodes:
            node.kill()
        for process in (proxy, etcd):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(home, ignore_errors=True)


def _started(home: Path, account: Account, name: str, command: Sequence[str]) -> subprocess.Popen[str]:
    with (home / f"{name}.log").open("a") as log:
        return account.start(command, stdout=log.fileno(), stderr=log.fileno())


def _etcd(program: str, home: Path, port: int) -> list[str]:
    clients, peers = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{free_port()}"
    return [
        program,
        *("--data-dir", str(home / "etcd")),
        *("--listen-client-urls", clients, "--advertise-client-urls", clients),
        *("--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers),
        *("--initial-cluster", f"default={peers}"),
    ]


def _haproxy(program: str, home: Path, nodes: Sequence[PatroniNode], port: int) -> list[str]:
    """Leads to whichever node says that it is the primary, as Patroni's documentation shows it."""
    servers = "".join(f"    server {node.name} 127.0.0.1:{node.port} check port {node.rest}\n" for node in nodes)
    configuration = home / "haproxy.cfg"
    configuration.write_text(
        "defaults\n    mode tcp\n    timeout connect 4s\n    timeout client 30m\n    timeout server 30m\n"
        f"listen primary\n    bind 127.0.0.1:{port}\n"
        "    option httpchk GET /primary\n    http-check expect status 200\n"
        "    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions\n" + servers
    )
    configuration.chmod(0o644)
    return [program, "-db", "-f", str(configuration)]
