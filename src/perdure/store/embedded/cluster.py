"""The directory of one embedded server: its paths, how it is made, and what can be read off it."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from perdure.core.errors import Misconfigured
from perdure.store.embedded.account import Account
from perdure.store.embedded.binaries import Binaries

USER = "perdure"
_DATABASE = "postgres"
_PORT = 5432
_SOCKET_PATH_LONGEST = 107


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A running server: its process, and whether it takes connections."""

    pid: int
    ready: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """One database directory with everything around it."""

    home: Path

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def lease(self) -> Path:
        """Everybody who uses the server holds this shared; who gets it exclusively is alone."""
        return self.home / "lease"

    @property
    def starting(self) -> Path:
        """Held by whoever makes the directory or starts the server."""
        return self.home / "starting"

    @property
    def keeping(self) -> Path:
        """Held by the keeper for as long as it lives."""
        return self.home / "keeping"

    @property
    def log(self) -> Path:
        return self.home / "postgres.log"

    @property
    def sockets(self) -> Path:
        """Beside the data, unless that path is longer than a socket's name may be."""
        beside = self.home / "run"
        if len(os.fsencode(beside / f".s.PGSQL.{_PORT}.lock")) <= _SOCKET_PATH_LONGEST:
            return beside
        return Path("/tmp", f"perdure-{hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]}")  # noqa: S108

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@/{_DATABASE}?host={quote(str(self.sockets))}&port={_PORT}"

    def arguments(self, binaries: Binaries, *, durable: bool) -> list[str]:
        """How the server is started: on a unix socket only, and as durable as Postgres can be."""
        safe = "on" if durable else "off"
        settings = {
            "listen_addresses": "",
            "port": str(_PORT),
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "max_connections": "200",
            "fsync": safe,
            "full_page_writes": safe,
            "synchronous_commit": safe,
            "log_line_prefix": "%m [%p] ",
            "log_checkpoints": "off",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        if binaries.has_library("pg_stat_statements"):
            settings["shared_preload_libraries"] = "pg_stat_statements"
        return ["-D", str(self.data), *(f"--{name}={value}" for name, value in settings.items())]

    def prepare(self, binaries: Binaries, account: Account) -> None:
        """Make what is missing. The data appears whole or not at all."""
        account.own(self.sockets)
        if self.sockets.stat().st_uid != account.uid:
            raise Misconfigured(f"{self.sockets} belongs to somebody else: remove it, it is not ours.")
        if self.data.exists():
            self._refuse_other_major(binaries)
            return
        unfinished = self.home / "data.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        account.own(unfinished)
        _initialise(unfinished, binaries=binaries, account=account)
        unfinished.rename(self.data)

    def postmaster(self) -> Postmaster | None:
        """The server that runs on this directory, if one does."""
        lines = _lock_file(self.data / "postmaster.pid")
        if lines is None or not _runs_on(self.data, pid=int(lines[0])):
            return None
        return Postmaster(int(lines[0]), ready=_says_ready(lines))

    def came_up(self, pid: int) -> bool:
        """Whether the server of this number has taken connections, also where it has been killed since."""
        lines = _lock_file(self.data / "postmaster.pid")
        return lines is not None and int(lines[0]) == pid and _says_ready(lines)

    def disown_stale_pids(self) -> None:
        """Make Postgres see that its lock files name no server, where the number was given away again.

        Only the number is changed, to our own, which Postgres takes for stale in a child of ours: it still looks for
        survivors of the old server through the shared memory that the file names.
        """
        for path in (self.data / "postmaster.pid", self.sockets / f".s.PGSQL.{_PORT}.lock"):
            lines = _lock_file(path)
            if lines is not None and not _may_be_postmaster(int(lines[0])):
                path.write_text("\n".join([str(os.getpid()), *lines[1:], ""]))

    def _refuse_other_major(self, binaries: Binaries) -> None:
        major = (self.data / "PG_VERSION").read_text().strip()
        if major != str(binaries.major):
            raise Misconfigured(
                f"{self.data} was made by Postgres {major}, and this is Postgres {binaries.major}. Move it away to "
                f"start afresh, or start a Postgres {major} on it and name it in PERDURE_DATABASE_URL."
            )


def _initialise(data: Path, *, binaries: Binaries, account: Account) -> None:
    options = ["-U", USER, "--auth=trust", "--encoding=UTF8", "--no-instructions"]
    # Sorted by bytes everywhere, so that an index never depends on a library of the machine.
    if binaries.major >= 17:
        options += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--sync-method=syncfs"]
    else:
        options += ["--locale=C.UTF-8"]
    initdb = account.start(
        [binaries.program("initdb"), "-D", data, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output, _ = initdb.communicate()
    if initdb.returncode != 0:
        raise Misconfigured(f"Postgres could not make its data directory: {reason(output)}")


def reason(output: str) -> str:
    """The line of Postgres' output that says what went wrong."""
    lines = [line for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if any(word in line for word in ("FATAL:", "PANIC:", "ERROR:", "error:"))]
    return (telling or lines or ["it gave no reason."])[-1].strip()


def _lock_file(path: Path) -> list[str] | None:
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return None
    return lines if lines and lines[0].isdigit() else None


def _says_ready(lines: list[str]) -> bool:
    return len(lines) > 7 and lines[7].strip() == "ready"


def _command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def _runs_on(data: Path, *, pid: int) -> bool:
    return str(data) in _command(pid)


def _may_be_postmaster(pid: int) -> bool:
    program = _command(pid)[:1]
    return bool(program) and Path(program[0]).name in {"postgres", "postmaster"}
