"""An agent program as its own process, on directories of its own, without a sandbox around it."""

import asyncio
import atexit
import compileall
import json
import shutil
import signal
import sys
import tempfile
from datetime import timedelta
from functools import cache
from pathlib import Path

from perdure.workspaces import wire
from perdure.workspaces.bundle import sources
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.connection import Connection

PATIENCE = timedelta(seconds=60)


@cache
def unpacked() -> Path:
    """The bundled program as a directory, with its bytecode: from the one file, every start compiles all of it."""
    folder = Path(tempfile.mkdtemp(prefix="perdure-agent-"))
    atexit.register(shutil.rmtree, folder)
    for name, content in sources().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    folder.chmod(0o755)
    assert compileall.compile_dir(folder, quiet=1)
    return folder


class Inside:
    """A running agent program that can be killed and started again on the same state."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree, self.home, self.state = root / "tree", root / "home", root / "state"
        self.outside = root / "outside"
        for path in (self.tree, self.home, self.outside):
            path.mkdir()
        self.settings: dict[str, object] = {}
        self.wrapped_in: list[str] = []
        self._process: asyncio.subprocess.Process | None = None
        self.client = WorkspaceClient(Connection.unix(str(root / "socket")))

    async def start(self) -> wire.Health:
        paths = {name: str(self.root / name) for name in ("tree", "home", "state", "socket")}
        (self.root / "settings.json").write_text(json.dumps({**paths, **self.settings}))
        arguments = [sys.executable, "-I", "-S", str(unpacked()), str(self.root / "settings.json")]
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
