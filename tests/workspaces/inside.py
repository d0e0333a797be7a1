"""An agent program as its own process, on directories of its own, without a sandbox around it."""

import asyncio
import json
import signal
import sys
from datetime import timedelta
from pathlib import Path

from perdure.workspaces import wire
from perdure.workspaces.bundle import bundle
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import Connection

PATIENCE = timedelta(seconds=60)


class Inside:
    """A running agent program that can be killed and started again on the same state."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree, self.home, self.state = root / "tree", root / "home", root / "state"
        self.outside = root / "outside"
        for path in (self.tree, self.home, self.outside):
            path.mkdir()
        (root / "agent.pyz").write_bytes(bundle())
        self.settings: dict[str, object] = {}
        self.wrapped_in: list[str] = []
        self._process: asyncio.subprocess.Process | None = None
        self.client = WorkspaceClient(Connection.unix(str(root / "socket")))

    async def start(self) -> wire.Health:
        paths = {name: str(self.root / name) for name in ("tree", "home", "state", "socket")}
        (self.root / "settings.json").write_text(json.dumps({**paths, **self.settings}))
        arguments = [sys.executable, "-I", "-S", str(self.root / "agent.pyz"), str(self.root / "settings.json")]
        self._process = await asyncio.create_subprocess_exec(*self.wrapped_in, *arguments)
        return await self.client.reach()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def is_killed(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        await self._process.wait()

    async def ends(self) -> int:
        assert self._process is not None
        return await self._process.wait()

    async def runs(self, command: str, *, key: str | None = None) -> wire.Process:
        process = await self.client.processes.start(command, key=key)
        return await self.client.processes.wait(process.id, PATIENCE)

    async def leaves(self) -> None:
        if self._process is not None and self._process.returncode is None:
            await self.client.shut_down()
            await self._process.wait()
        await self.client.close()
