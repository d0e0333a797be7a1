"""The local driver: workspaces as directories on this host, run by agent programs that outlive the server."""

import asyncio
import contextlib
import fcntl
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from perdure.core.errors import Misconfigured, WorkspaceRefused, WorkspaceUnreachable
from perdure.core.timing import WORKSPACE_REACH_RETRY, WORKSPACE_STOP
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import Connection
from perdure.workspaces.driver import NO_VIEW, Network, Plan
from perdure.workspaces.egress.control import EgressControl, EgressOptions, EgressUsers
from perdure.workspaces.local import cgroups, launch
from perdure.workspaces.local.bubblewrap import why_not
from perdure.workspaces.local.launch_request import launch_request
from perdure.workspaces.local.layout import Layout, delete_tree, egress_user_of, shared, user_of

WORKSPACE_LEAVE_LOOKS = 100
UNFENCED = "A network by permission needs a sandbox. Unset PERDURE_UNSANDBOXED, or use another template."
NOT_STARTED = (
    "The workspace could not be started. Call start_workspace and try again; if that fails too, tell the user."
)


class LocalDriver:
    """Keeps workspaces under one directory. Without bubblewrap it refuses, unless told that no sandbox is fine."""

    name = "local"

    def __init__(self, root: Path, *, unsandboxed: bool = False, egress: EgressOptions | None = None) -> None:
        self._root = root
        self._egress = egress or EgressOptions()
        self.sandboxed = not unsandboxed
        self.has_view = self.sandboxed
        self._tried = False

    async def check(self) -> None:
        if self.sandboxed and not self._tried:
            if reason := await why_not():
                raise Misconfigured(reason)
            self._tried = True

    async def create(self, plan: Plan) -> None:
        await self.check()
        await asyncio.to_thread(self._layout(plan).make, user_of(plan.id) if self.sandboxed else None)

    async def start(self, plan: Plan) -> WorkspaceClient:
        return await self._run(plan, "agent")

    async def view(self, plan: Plan) -> WorkspaceClient:
        if not self.has_view:
            raise WorkspaceRefused("no_view", NO_VIEW)
        return await self._run(plan, "view")

    async def connect(self, plan: Plan) -> WorkspaceClient:
        return await self._client(plan, "agent").answering()

    async def stop(self, plan: Plan) -> None:
        if not self._layout(plan).root.exists():
            return
        async with self._alone(plan):
            for role in ("view", "agent"):
                await self._stop(plan, role)
            if plan.network is Network.ALLOW:
                await self.egress(plan).stop()
            await asyncio.to_thread(cgroups.existing(str(plan.id)).remove)

    async def remove(self, plan: Plan) -> None:
        if self._layout(plan).root.exists():
            await self.stop(plan)
            await asyncio.to_thread(delete_tree, self._layout(plan).root)

    async def size(self, plan: Plan) -> int | None:
        return await asyncio.to_thread(self._layout(plan).size)

    async def close(self) -> None:
        """Nothing is held between calls."""

    async def _run(self, plan: Plan, role: str) -> WorkspaceClient:
        if not self._layout(plan).tree.is_dir():
            raise WorkspaceRefused("not_created", "The workspace's files are gone. Create a new workspace.")
        async with self._alone(plan):
            if plan.network is Network.ALLOW:
                await self._start_egress(plan)
            with contextlib.suppress(WorkspaceUnreachable):
                client = self._client(plan, role)
                return await _answering(client)
            await self.check()
            await self._stop(plan, role)
            await self._launch(plan, role)
            return await _answering(self._client(plan, role), log=self._layout(plan).log(role))

    def egress(self, plan: Plan) -> EgressControl:
        return EgressControl(self._layout(plan).egress)

    async def _start_egress(self, plan: Plan) -> None:
        if not self.sandboxed:
            raise Misconfigured(UNFENCED)
        users = EgressUsers(egress_user_of(plan.id), user_of(plan.id))
        await self.egress(plan).start(str(plan.id), self._egress, users)

    async def _launch(self, plan: Plan, role: str) -> None:
        group = await asyncio.to_thread(cgroups.prepare, str(plan.id), plan.limits)
        common = await asyncio.to_thread(shared, self._root)
        instructions = launch_request(
            plan, self._layout(plan), role, shared=common, group=group, sandboxed=self.sandboxed
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", str(Path(launch.__file__)),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            close_fds=True, start_new_session=True,
        )  # fmt: skip
        _, errors = await process.communicate(json.dumps(instructions).encode())
        if process.returncode:
            raise WorkspaceUnreachable(f"{NOT_STARTED} It said: {errors.decode()[-500:]}")

    async def _stop(self, plan: Plan, role: str) -> None:
        layout = self._layout(plan)
        pid = _first_process(layout, role)
        with contextlib.suppress(WorkspaceUnreachable, TimeoutError):
            async with asyncio.timeout(WORKSPACE_STOP.total_seconds()), self._client(plan, role) as client:
                await client.shut_down()
        if pid is not None and not await _gone(pid):
            _kill(pid)
            await _gone(pid)
        layout.information(role).unlink(missing_ok=True)

    def _client(self, plan: Plan, role: str) -> WorkspaceClient:
        return WorkspaceClient(Connection.at(self._layout(plan).socket(role)))

    def _layout(self, plan: Plan) -> Layout:
        return Layout(self._root / str(plan.id))

    @asynccontextmanager
    async def _alone(self, plan: Plan) -> AsyncGenerator[None]:
        """One starter or stopper at a time, over all replicas on this host."""
        path = self._layout(plan).lock
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            await asyncio.to_thread(fcntl.flock, descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


async def _answering(client: WorkspaceClient, log: Path | None = None) -> WorkspaceClient:
    try:
        await (client.health() if log is None else client.reach())
    except BaseException as error:
        await client.close()
        said = _tail(log)
        if isinstance(error, WorkspaceUnreachable) and said:
            raise WorkspaceUnreachable(f"{error} It said: {said}") from error
        raise
    return client


async def _gone(pid: int) -> bool:
    """Whether a sandbox that was told to leave has left, after a moment."""
    for _ in range(WORKSPACE_LEAVE_LOOKS):
        if not _is_agent(pid):
            return True
        await asyncio.sleep(WORKSPACE_REACH_RETRY.total_seconds())
    return False


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _tail(log: Path | None) -> str:
    return log.read_text(errors="replace")[-500:].strip() if log is not None and log.exists() else ""


def _first_process(layout: Layout, role: str) -> int | None:
    """The sandbox's first process, if it still is that one: its number may be another's since, also another agent's."""
    try:
        noted = json.loads(layout.information(role).read_text())
        pid = int(noted["child-pid"])
        if not _is_agent(pid):
            return None
        same = noted["started"] == launch.started(pid) if "started" in noted else _is_in(pid, layout.tree, role)
    except (OSError, ValueError, KeyError):
        return None
    return pid if same else None


def _is_agent(pid: int) -> bool:
    """Whether an agent program has this number, also one that is about to end: of that one little else can be read."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == "perdure-agent"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _is_in(pid: int, tree: Path, role: str) -> bool:
    """Whether a sandboxed process works in this tree, and may do there what its role does."""
    place = f"/proc/{pid}/cwd"
    read_only = bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    return Path(place).samefile(tree) and read_only == (role == "view")
