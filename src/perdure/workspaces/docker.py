"""The docker driver: a container for each workspace, through the engine's API on the same host."""

# The engine's client takes keyword arguments that it does not type.
# pyright: reportUnknownMemberType=false

import asyncio
import contextlib
import json
import os
import secrets
from collections.abc import Generator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import aiodocker
import aiohttp
from aiodocker.containers import DockerContainer

from perdure.core.errors import Misconfigured, WorkspaceRefused, WorkspaceUnreachable
from perdure.core.timing import WORKSPACE_STOP
from perdure.workspaces.bundle import bundle
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import UNREACHABLE, Connection
from perdure.workspaces.driver import Network, Plan
from perdure.workspaces.egress import control
from perdure.workspaces.egress.control import EgressControl, EgressOptions, EgressPlaces, EgressUsers
from perdure.workspaces.egress.proxy import PORT
from perdure.workspaces.local.layout import egress_user_of

TREE, HOME, PRIVATE = "/workspace", "/home/agent", "/var/lib/perdure"
TRUSTED = "/run/perdure/trusted"
USER = 1000
TEMPORARY = "rw,nosuid,nodev,size=1g,mode=1777"
OPEN_FILES = 4096
AGENT_PROCESSES = 16
NOBODY = 900
"""What the engine's client says where nobody listens."""
ERASE = "import os, shutil; [shutil.rmtree(os.path.join('/erase', name)) for name in os.listdir('/erase')]"


@dataclass(frozen=True, slots=True)
class Engine:
    """Where the engine listens, which image workspaces run, and where their files are on the host."""

    url: str
    image: str
    root: Path
    egress: EgressOptions = field(default_factory=EgressOptions)


class DockerDriver:
    """The agent program is each container's first process. It starts as root to open what commands must not reach, and
    becomes an ordinary user before it serves.
    """

    name = "docker"
    sandboxed = True
    has_view = True

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._docker: aiodocker.Docker | None = None

    async def check(self) -> None:
        url, image = self._engine.url, self._engine.image
        try:
            await self._client().images.inspect(image)
        except aiodocker.DockerError as error:
            trouble = {
                NOBODY: f"No container engine answers at {url}: start it, or use another driver.",
                HTTPStatus.NOT_FOUND: f"The container engine at {url} has no image {image}: pull or build it first.",
            }
            other = f"The container engine at {url} cannot be used: {error.message}"
            raise Misconfigured(trouble.get(error.status, other)) from error
        except (OSError, aiohttp.ClientError) as error:
            raise Misconfigured(f"The container engine at {url} cannot be used: {error}") from error

    async def create(self, plan: Plan) -> None:
        await self.check()
        await asyncio.to_thread(self._make, plan)

    async def start(self, plan: Plan) -> WorkspaceClient:
        with _asking():
            return await self._run(plan, "agent")

    async def view(self, plan: Plan) -> WorkspaceClient:
        with _asking():
            return await self._run(plan, "view")

    async def connect(self, plan: Plan) -> WorkspaceClient:
        return await self._reachable(plan, "agent").answering()

    def egress(self, plan: Plan) -> EgressControl:
        return EgressControl(self._places(plan))

    async def stop(self, plan: Plan) -> None:
        for role in ("view", "agent"):
            with contextlib.suppress(WorkspaceUnreachable, TimeoutError):
                async with asyncio.timeout(WORKSPACE_STOP.total_seconds()), self._reachable(plan, role) as client:
                    await client.shut_down()
            with _asking():
                await self._discard(plan, role)
        if plan.network is Network.ALLOW:
            await self.egress(plan).stop()

    async def remove(self, plan: Plan) -> None:
        await self.stop(plan)
        if self._root(plan).exists():
            with _asking():
                await self._erase(plan)

    async def _erase(self, plan: Plan) -> None:
        root = self._root(plan)
        # Only root may delete what the containers' users wrote.
        eraser = {
            "Image": self._engine.image,
            "Cmd": ["python3", "-I", "-c", ERASE],
            "User": "0:0",
            "HostConfig": {"Binds": [f"{root}:/erase"], "NetworkMode": "none", "Ulimits": _ulimits(plan)},
        }
        # A removal that was cut short left its eraser behind, and that still has the name.
        await self._discard(plan, "eraser")
        container = await self._client().containers.create(eraser, name=_name(plan, "eraser"))
        try:
            await container.start()
            await container.wait()
        finally:
            with _unless_gone():
                await container.delete(force=True)
        with contextlib.suppress(FileNotFoundError):
            await asyncio.to_thread(root.rmdir)

    async def size(self, plan: Plan) -> int | None:  # noqa: ARG002
        return None

    async def close(self) -> None:
        if self._docker is not None:
            await self._docker.close()

    async def _run(self, plan: Plan, role: str) -> WorkspaceClient:
        if not (self._root(plan) / "tree").is_dir():
            raise WorkspaceRefused("not_created", "The workspace's files are gone. Create a new workspace.")
        if plan.network is Network.ALLOW:
            users = EgressUsers(proxy=egress_user_of(plan.id), open=True)
            await self.egress(plan).start(str(plan.id), self._engine.egress, users)
        with contextlib.suppress(WorkspaceUnreachable):
            return await self._reachable(plan, role).answering()
        await self._launch(plan, role)
        fresh = self._reachable(plan, role)
        try:
            await fresh.reach()
        except BaseException:
            await fresh.close()
            raise
        return fresh

    async def _launch(self, plan: Plan, role: str) -> None:
        """Whoever gives the container its name starts it; the others find it."""
        try:
            container = await self._client().containers.create(self._container(plan, role), name=_name(plan, role))
        except aiodocker.DockerError:
            if not await self._taken(plan, role):
                raise
            return
        await self._begin(plan, role, container)

    async def _taken(self, plan: Plan, role: str) -> bool:
        """Whether somebody has the name. What was made and never started is started, what has ended is replaced."""
        try:
            container = await self._client().containers.get(_name(plan, role))
        except aiodocker.DockerError:
            return False
        state: dict[str, Any] = (await container.show())["State"]
        match state.get("Status"):
            case "running":
                pass
            case "created":
                await self._begin(plan, role, container)
            case _:
                await container.delete(force=True)
                await self._launch(plan, role)
        return True

    async def _begin(self, plan: Plan, role: str, container: DockerContainer) -> None:
        await asyncio.to_thread(self._settle, plan, role)
        await container.start()

    async def _discard(self, plan: Plan, role: str) -> None:
        with _unless_gone():
            container = await self._client().containers.get(_name(plan, role))
            await container.delete(force=True)

    def _container(self, plan: Plan, role: str) -> dict[str, Any]:
        root, mode = self._root(plan), "ro" if role == "view" else "rw"
        binds = [f"{root}/tree:{TREE}:{mode}", f"{root}/home:{HOME}:{mode}", f"{root}/{role}:{PRIVATE}:rw"]
        if plan.network is Network.ALLOW:
            places = self._places(plan)
            binds += [f"{places.offers.parent}:{PRIVATE}/offers:rw", f"{places.trusted}:{TRUSTED}:ro"]
        return {
            "Image": self._engine.image,
            "Cmd": ["python3", "-I", "-S", "-B", f"{PRIVATE}/agent.pyz", f"{PRIVATE}/settings.json"],
            "User": "0:0",
            "WorkingDir": TREE,
            "Hostname": "workspace",
            "Labels": {"perdure.workspace": str(plan.id)},
            "HostConfig": {
                "Binds": binds,
                "NetworkMode": "bridge" if plan.network is Network.HOST else "none",
                "Memory": plan.limits.memory_bytes,
                "PidsLimit": plan.limits.processes + AGENT_PROCESSES,
                "CapDrop": ["ALL"],
                "CapAdd": ["SETUID", "SETGID", "DAC_OVERRIDE"],
                "SecurityOpt": ["no-new-privileges"],
                "ReadonlyRootfs": True,
                "Tmpfs": {"/tmp": TEMPORARY},  # noqa: S108
                "Ulimits": _ulimits(plan),
            },
        }

    def _make(self, plan: Plan) -> None:
        """Commands run as another user than the server: their directories are open, the one around them is not."""
        root = self._root(plan)
        for name in ("tree", "home"):
            (root / name).mkdir(parents=True, exist_ok=True)
            (root / name).chmod(0o777)
        root.chmod(0o700)
        for role in ("agent", "view"):
            private = root / role
            (private / "state").mkdir(parents=True, exist_ok=True)
            (private / "state").chmod(0o777)
            private.chmod(0o700)
            if not (private / "token").exists():
                (private / "token").write_text(secrets.token_urlsafe(32))
            self._settle(plan, role)

    def _settle(self, plan: Plan, role: str) -> None:
        private, allow = self._root(plan) / role, plan.network is Network.ALLOW
        _store(private / "agent.pyz", bundle())
        settings = {
            "tree": TREE,
            "home": HOME,
            "roots": ["/tmp"],  # noqa: S108
            "state": f"{PRIVATE}/state",
            "socket": f"{PRIVATE}/socket",
            "token": (private / "token").read_text(),
            "user": USER if os.getuid() != USER else USER + 1,
            "group": USER if os.getuid() != USER else USER + 1,
            "read_only": role == "view",
            "egress": f"{PRIVATE}/offers" if allow else "",
            "egress_port": PORT,
            "environment": {**(control.environment(TRUSTED) if allow else {}), **plan.environment},
            "limits": {
                "file_bytes": plan.limits.file_bytes,
                "disk_bytes": 0 if role == "view" else plan.limits.disk_bytes,
            },
        }
        _store(private / "settings.json", json.dumps(settings).encode())

    def _reachable(self, plan: Plan, role: str) -> WorkspaceClient:
        private = self._root(plan) / role
        token = (private / "token").read_text() if (private / "token").exists() else ""
        return WorkspaceClient(Connection.at(private / "socket", token))

    def _root(self, plan: Plan) -> Path:
        return self._engine.root / str(plan.id)

    def _places(self, plan: Plan) -> EgressPlaces:
        return EgressPlaces(self._root(plan) / "egress")

    def _client(self) -> aiodocker.Docker:
        if self._docker is None:
            self._docker = aiodocker.Docker(url=self._engine.url)
        return self._docker


@contextlib.contextmanager
def _asking() -> Generator[None]:
    """Say in our own words that the engine is away or refuses."""
    try:
        yield
    except (aiodocker.DockerError, aiohttp.ClientError, OSError) as error:
        raise WorkspaceUnreachable(f"{UNREACHABLE} The container engine says: {error}") from error


@contextlib.contextmanager
def _unless_gone() -> Generator[None]:
    """Take for done what somebody else has done, or does just now."""
    try:
        yield
    except aiodocker.DockerError as error:
        if error.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT):
            raise


def _store(path: Path, content: bytes) -> None:
    """Whole or not at all, and for root inside: another replica may start the same container now."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    fresh.write_bytes(content)
    fresh.chmod(0o600)
    fresh.replace(path)


def _name(plan: Plan, role: str) -> str:
    return f"perdure-{plan.id}-{role}"


def _ulimits(plan: Plan) -> list[dict[str, str | int]]:
    """Said explicitly, because an engine's own defaults may be more than it is allowed to give."""
    return [
        {"Name": "nofile", "Soft": OPEN_FILES, "Hard": OPEN_FILES},
        {"Name": "nproc", "Soft": plan.limits.processes * 4, "Hard": plan.limits.processes * 4},
    ]
