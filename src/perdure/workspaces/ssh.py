"""The ssh driver: workspaces as directories on another host, isolated as that host isolates its users."""

import asyncio
import contextlib
import json
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from perdure.core.errors import Misconfigured, WorkspaceRefused, WorkspaceUnreachable
from perdure.core.timing import WORKSPACE_REACH, WORKSPACE_STOP
from perdure.workspaces.bundle import bundle
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import UNREACHABLE, Connection
from perdure.workspaces.driver import NO_VIEW, Plan
from perdure.workspaces.egress.control import EgressControl

PROBE = "python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'"
# A number may be another agent's since: only one that was started at the noted moment is ended.
KILL = """
pid=$(sed -n 1p run/agent.pid 2>/dev/null) noted=$(sed -n 2p run/agent.pid 2>/dev/null)
started=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 20)
[ -n "$started" ] && [ "$noted" = "$(cat /proc/sys/kernel/random/boot_id) $started" ] && kill -9 "$pid"; true
"""


@dataclass(frozen=True, slots=True)
class SshHost:
    """Where to go, as whom, and which host key to expect there."""

    address: str
    port: int
    user: str
    private_key: str
    host_key: str
    root: str


class SshDriver:
    """Keeps one connection to one host and runs agent programs there that outlive it."""

    name = "ssh"
    sandboxed = False
    has_view = False

    def __init__(self, host: SshHost) -> None:
        self._host = host
        self._lock = asyncio.Lock()
        self._connection: asyncssh.SSHClientConnection | None = None

    async def check(self) -> None:
        try:
            result = await self._ask(PROBE)
        except WorkspaceUnreachable as error:
            raise Misconfigured(f"{self._host.address} cannot be reached over SSH: {error.__cause__}") from error
        if result.exit_status:
            raise Misconfigured(f"{self._host.address} has no python3 of version 3.9 or newer: install one there.")

    async def create(self, plan: Plan) -> None:
        await self.check()
        await self._run(f"mkdir -p -m 700 {self._path(plan)} && cd {self._path(plan)} && mkdir -p tree home state run")

    async def start(self, plan: Plan) -> WorkspaceClient:
        if (await self._ask(f"test -d {self._path(plan)}/tree")).exit_status:
            raise WorkspaceRefused("not_created", "The workspace's files are gone. Create a new workspace.")
        with contextlib.suppress(WorkspaceUnreachable):
            return await self.connect(plan)
        await self._upload(f"{self._path(plan)}/agent.pyz", bundle())
        await self._upload(f"{self._path(plan)}/settings.json", json.dumps(self._settings(plan)).encode())
        await self._run(f"cd {self._path(plan)} && python3 -I -S agent.pyz --detach settings.json")
        return await self.connect(plan)

    async def connect(self, plan: Plan) -> WorkspaceClient:
        """Through a socket of our own that leads to the one over there."""
        connection = await self._connected()
        directory = tempfile.TemporaryDirectory(prefix="perdure-")
        local = str(Path(directory.name, "agent"))
        try:
            listener = await connection.forward_local_path(local, f"{self._host.root}/{plan.id}/run/agent")
        except (OSError, asyncssh.Error) as error:
            directory.cleanup()
            raise WorkspaceUnreachable(UNREACHABLE) from error

        async def closed() -> None:
            listener.close()
            directory.cleanup()

        return await WorkspaceClient(Connection.unix(local, closed=closed)).answering()

    async def view(self, plan: Plan) -> WorkspaceClient:
        del plan
        raise WorkspaceRefused("no_view", NO_VIEW)

    def egress(self, plan: Plan) -> EgressControl:
        del plan
        raise Misconfigured("A host reached over SSH has its own network: use another driver for one by permission.")

    async def stop(self, plan: Plan) -> None:
        with contextlib.suppress(WorkspaceUnreachable, TimeoutError):
            async with asyncio.timeout(WORKSPACE_STOP.total_seconds()), await self.connect(plan) as client:
                await client.shut_down()
        await self._ask(f"cd {self._path(plan)} && {KILL}")

    async def remove(self, plan: Plan) -> None:
        await self.stop(plan)
        # Commands may have taken folders away from their own owner.
        await self._run(f"chmod -R u+rwX {self._path(plan)} 2>/dev/null; rm -rf {self._path(plan)}")

    async def size(self, plan: Plan) -> int | None:  # noqa: ARG002
        return None

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.abort()
            await self._connection.wait_closed()

    async def _connected(self) -> asyncssh.SSHClientConnection:
        async with self._lock:
            if self._connection is None or self._connection.is_closed():
                self._connection = await self._dial()
            return self._connection

    async def _dial(self) -> asyncssh.SSHClientConnection:
        host = self._host
        try:
            ours, theirs = asyncssh.import_private_key(host.private_key), asyncssh.import_public_key(host.host_key)
        except ValueError as error:
            wanted = "a private key without a passphrase, and the host's public key in one line"
            raise Misconfigured(f"The keys for {host.address} cannot be read ({error}): give {wanted}.") from error
        try:
            return await asyncssh.connect(
                host.address,
                port=host.port,
                username=host.user,
                client_keys=[ours],
                known_hosts=([theirs], [], []),
                config=None,
                keepalive_interval=15,
                connect_timeout=WORKSPACE_REACH.total_seconds(),
            )
        except (OSError, asyncssh.Error) as error:
            raise WorkspaceUnreachable(UNREACHABLE) from error

    async def _ask(self, command: str) -> asyncssh.SSHCompletedProcess:
        try:
            return await (await self._connected()).run(command)
        except (OSError, asyncssh.Error) as error:
            raise WorkspaceUnreachable(UNREACHABLE) from error

    async def _run(self, command: str) -> None:
        result = await self._ask(command)
        if result.exit_status:
            raise WorkspaceRefused("host_refused", f"{self._host.address} refused: {str(result.stderr)[-300:].strip()}")

    async def _upload(self, path: str, content: bytes) -> None:
        """Whole or not at all, readable for the user alone, whoever else stores the same at the same time."""
        command = f"umask 077 && cat > {path}.$$ && mv {path}.$$ {path} || {{ rm -f {path}.$$; false; }}"
        try:
            result = await (await self._connected()).run(command, input=content, encoding=None)
        except (OSError, asyncssh.Error) as error:
            raise WorkspaceUnreachable(UNREACHABLE) from error
        if result.exit_status:
            raise WorkspaceRefused("host_refused", f"{self._host.address} could not store {path}; is its disk full?")

    def _path(self, plan: Plan) -> str:
        return shlex.quote(f"{self._host.root}/{plan.id}")

    def _settings(self, plan: Plan) -> dict[str, object]:
        root = f"{self._host.root}/{plan.id}"
        places = {name: f"{root}/{name}" for name in ("tree", "home", "state")}
        limits = {
            "process_memory_bytes": plan.limits.memory_bytes,
            "file_bytes": plan.limits.file_bytes,
            "disk_bytes": plan.limits.disk_bytes,
        }
        return {**places, "socket": f"{root}/run/agent", "environment": dict(plan.environment), "limits": limits}
