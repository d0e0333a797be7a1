"""What the server may ask of a workspace: processes, files, terminals, git and context, typed."""

import socket
from collections.abc import AsyncGenerator, Sequence
from datetime import timedelta
from typing import Protocol, Self

import msgspec

from perdure.core.errors import WorkspaceRefused
from perdure.core.timing import PROCESS_GRACE, WORKSPACE_LONG_POLL
from perdure.workspaces import wire
from perdure.workspaces.connection import Connection
from perdure.workspaces.ports import PortClient
from perdure.workspaces.snapshots import SnapshotClient


class ProcessClient:
    """Commands. The same key always means the same run."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def start(
        self, command: str, *, key: str | None = None, workdir: str = ".", environment: dict[str, str] | None = None
    ) -> wire.Process:
        body = {"command": command, "workdir": workdir, "environment": environment or {}, "key": key}
        return await self._connection.ask(wire.Process, "POST", "/v1/processes", body=body)

    async def find(self, key: str) -> wire.Process:
        """The run a key stands for, also when an earlier agent program started it."""
        return await self._connection.ask(wire.Process, "GET", "/v1/keys", query={"key": key})

    async def wait(self, process: str, patience: timedelta) -> wire.Process:
        """The process when it has exited, or as it is when the patience is over."""
        left = patience
        while True:
            now = min(left, WORKSPACE_LONG_POLL)
            query: dict[str, str | int] = {"wait_ms": int(now.total_seconds() * 1000)}
            found = await self._connection.ask(wire.Process, "GET", f"/v1/processes/{process}", query=query, wait=now)
            left -= now
            if found.state is not wire.ProcessState.RUNNING or left <= timedelta():
                return found

    async def list(self) -> list[wire.Process]:
        return (await self._connection.ask(wire.ProcessList, "GET", "/v1/processes")).processes

    async def signal(self, process: str, name: str = "TERM", *, key: str | None = None) -> wire.Process:
        body = {"signal": name, "key": key}
        return await self._connection.ask(wire.Process, "POST", f"/v1/processes/{process}/signal", body=body)

    async def stop(self, process: str, grace: timedelta = PROCESS_GRACE) -> wire.Process:
        """End it and everything below it: asked first, killed after the grace. The answer says how long quiet took."""
        body = {"signal": "TERM", "grace_ms": int(grace.total_seconds() * 1000)}
        path = f"/v1/processes/{process}/signal"
        return await self._connection.ask(wire.Process, "POST", path, body=body, wait=grace + WORKSPACE_LONG_POLL)

    def follow(self, process: str, offset: int = 0) -> AsyncGenerator[wire.Frame]:
        return self._connection.frames(f"/v1/processes/{process}/output", offset)


class FileClient:
    """Files under the tree and the kept home; no path leads outside."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def read(self, path: str, offset: int, limit: int) -> wire.TextPage | wire.ImagePage:
        query: dict[str, str | int] = {"path": path, "offset": offset, "limit": limit}
        content = await self._connection.fetch("GET", "/v1/files/lines", query=query)
        return msgspec.json.decode(content, type=wire.TextPage | wire.ImagePage)

    async def write(
        self, path: str, content: str, *, key: str | None = None, through_links: bool = True
    ) -> wire.Written:
        """Replace a whole file. A plan is written with `through_links=False`, so that it lands where it says."""
        body = {"path": path, "content": content, "key": key, **({} if through_links else {"through_links": False})}
        return await self._connection.ask(wire.Written, "POST", "/v1/files/write", body=body)

    async def edit(
        self, files: Sequence[wire.FileEdits], *, key: str | None = None, through_links: bool = True
    ) -> wire.Written:
        body = {"files": files, "key": key, **({} if through_links else {"through_links": False})}
        return await self._connection.ask(wire.Written, "POST", "/v1/files/edit", body=body)

    async def find(self, key: str) -> wire.Written:
        """What became of the write or edit with this key."""
        return await self._connection.ask(wire.Written, "GET", "/v1/keys", query={"key": key})

    async def list(self, path: str = ".", depth: int = 1) -> wire.Listing:
        return await self._connection.ask(wire.Listing, "GET", "/v1/files/list", query={"path": path, "depth": depth})

    async def search(self, pattern: str, path: str = ".", glob: str | None = None) -> wire.Matches:
        query: dict[str, str | int] = {"pattern": pattern, "path": path, **({"glob": glob} if glob else {})}
        return await self._connection.ask(wire.Matches, "GET", "/v1/files/search", query=query)

    async def content(self, path: str, most: int) -> bytes:
        return await self._connection.fetch("GET", "/v1/files/content", query={"path": path, "most": most})

    async def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        query: dict[str, str | int] = {"path": path, **({"executable": 1} if executable else {})}
        await self._connection.fetch("PUT", "/v1/files/content", query=query, content=content)


class TerminalClient:
    """Shells on pseudo terminals; output is resumed by its offset."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def open(self, columns: int, rows: int, name: str = "") -> wire.Terminal:
        """A new shell, or the one that runs under this name already."""
        body = {"columns": columns, "rows": rows, "name": name}
        return await self._connection.ask(wire.Terminal, "POST", "/v1/terminals", body=body)

    async def list(self) -> list[wire.Terminal]:
        return (await self._connection.ask(wire.TerminalList, "GET", "/v1/terminals")).terminals

    async def type(self, terminal: str, content: bytes) -> None:
        await self._connection.fetch("POST", f"/v1/terminals/{terminal}/input", content=content)

    async def resize(self, terminal: str, columns: int, rows: int) -> None:
        path = f"/v1/terminals/{terminal}/size"
        await self._connection.ask(wire.Terminal, "POST", path, body={"columns": columns, "rows": rows})

    async def close(self, terminal: str) -> None:
        await self._connection.fetch("DELETE", f"/v1/terminals/{terminal}")

    def follow(self, terminal: str, offset: int = 0) -> AsyncGenerator[wire.Frame]:
        return self._connection.frames(f"/v1/terminals/{terminal}/output", offset)


class PipeClient:
    """Commands that we talk with over their standard streams."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def open(self, command: str, environment: dict[str, str]) -> wire.Pipe:
        """Start it. It lives while its output is followed."""
        body = {"command": command, "environment": environment}
        return await self._connection.ask(wire.Pipe, "POST", "/v1/pipes", body=body)

    async def look(self, pipe: str) -> wire.Pipe:
        return await self._connection.ask(wire.Pipe, "GET", f"/v1/pipes/{pipe}")

    async def write(self, pipe: str, content: bytes) -> None:
        await self._connection.fetch("POST", f"/v1/pipes/{pipe}/input", content=content)

    async def close(self, pipe: str) -> None:
        await self._connection.fetch("DELETE", f"/v1/pipes/{pipe}")

    def follow(self, pipe: str) -> AsyncGenerator[wire.Frame]:
        return self._connection.frames(f"/v1/pipes/{pipe}/output", 0)


class GitClient:
    """Repositories in the tree."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def state(self, known: str = "", patience: timedelta = timedelta()) -> wire.GitState:
        """The state as soon as it is not the known one, or when the patience is over."""
        query: dict[str, str | int] = {"known": known, "wait_ms": int(patience.total_seconds() * 1000)}
        return await self._connection.ask(wire.GitState, "GET", "/v1/git", query=query, wait=patience)

    async def diff(self, path: str = ".") -> wire.GitDiff:
        return await self._connection.ask(wire.GitDiff, "GET", "/v1/git/diff", query={"path": path})


class NetworkClient(Protocol):
    """Requests that want to leave a workspace, by number."""

    async def last(self) -> int: ...

    async def refused(self, after: int) -> Sequence[str]:
        """What did not leave since, in words."""
        ...


class WorkspaceClient:
    """A connected workspace."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.processes = ProcessClient(connection)
        self.files = FileClient(connection)
        self.terminals = TerminalClient(connection)
        self.pipes = PipeClient(connection)
        self.ports = PortClient(connection)
        self.git = GitClient(connection)
        self.snapshots = SnapshotClient(connection)
        self.network: NetworkClient | None = None
        """What wants to leave, where the network is by permission."""

    @property
    def incarnation(self) -> str:
        """Which start of the agent program answered last; empty before it has."""
        return self._connection.incarnation

    async def knows(self, key: str) -> bool:
        """Whether anything was started with this key."""
        try:
            await self._connection.fetch("GET", "/v1/keys", query={"key": key})
        except WorkspaceRefused as refusal:
            if refusal.code != "not_found":
                raise
            return False
        return True

    async def health(self) -> wire.Health:
        return await self._connection.health()

    async def reach(self) -> wire.Health:
        return await self._connection.reach()

    async def answering(self) -> Self:
        """This client, once the workspace has answered it. Closed where it does not."""
        try:
            await self.health()
        except BaseException:
            await self.close()
            raise
        return self

    async def context(self, known: str = "", patience: timedelta = timedelta()) -> wire.ContextSnapshot:
        """AGENTS.md and friends, skills and tool servers, as soon as they are not the known ones."""
        query: dict[str, str | int] = {"known": known, "wait_ms": int(patience.total_seconds() * 1000)}
        return await self._connection.ask(wire.ContextSnapshot, "GET", "/v1/context", query=query, wait=patience)

    async def tunnel(self, path: str, body: object = None) -> socket.socket:
        """A connection for bytes both ways."""
        return await self._connection.tunnel(path, body)

    async def forget(self, keys: Sequence[str]) -> None:
        """Let go of keys whose results are committed."""
        await self._connection.fetch("POST", "/v1/keys/forget", content=msgspec.json.encode({"keys": list(keys)}))

    async def shut_down(self) -> None:
        await self._connection.fetch("POST", "/v1/shutdown", content=b"{}", wait=PROCESS_GRACE + WORKSPACE_LONG_POLL)

    async def close(self) -> None:
        await self.ports.close()
        await self._connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
