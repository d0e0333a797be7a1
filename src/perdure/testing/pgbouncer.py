"""PgBouncer in front of a Postgres on this machine, in any of its modes."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from perdure.core.errors import Misconfigured
from perdure.store.embedded.account import postgres_account
from perdure.store.embedded.cluster import USER
from perdure.testing.polling import eventually
from perdure.testing.ports import free_port


class Mode(Enum):
    """How long a client keeps a connection of the server, and whether the pooler keeps prepared statements."""

    SESSION = "session"
    TRANSACTION = "transaction"
    UNPREPARED = "unprepared"
    """Transaction mode that keeps no prepared statements."""
    STATEMENT = "statement"


# Few servers, one after the other: what relies on meeting the same one again does not.
_TRANSACTION = {"pool_mode": "transaction", "default_pool_size": "8", "server_round_robin": "1"}
_MODES = {
    Mode.SESSION: {"pool_mode": "session", "default_pool_size": "90"},
    Mode.TRANSACTION: {**_TRANSACTION, "max_prepared_statements": "500"},
    Mode.UNPREPARED: _TRANSACTION,
    Mode.STATEMENT: {"pool_mode": "statement"},
}


class ReachedUrl(str):
    """A database behind a pooler, and what a replica has to be told to use it there."""

    __slots__ = ("direct", "mode")
    direct: str
    mode: Mode

    @classmethod
    def of(cls, url: str, *, direct: str, mode: Mode) -> "ReachedUrl":
        made = cls(url)
        made.direct, made.mode = direct, mode
        return made


def direct(url: str) -> str:
    """The same database past the pooler, for programs that leave a session changed."""
    return url.direct if isinstance(url, ReachedUrl) else url


def prepares(url: str) -> bool:
    """Whether statements may be prepared there."""
    return not (isinstance(url, ReachedUrl) and url.mode is Mode.UNPREPARED)


def listen_url(url: str) -> str | None:
    """Where notices are heard, if not there."""
    return url.direct if isinstance(url, ReachedUrl) and url.mode is not Mode.SESSION else None


def environment(url: str) -> dict[str, str]:
    """What a replica is told about a pooler in front of this database, as docs/operate/availability.md says it."""
    heard = listen_url(url)
    told = {} if heard is None else {"PERDURE_LISTEN_URL": heard}
    return told if prepares(url) else {**told, "PERDURE_PREPARED_STATEMENTS": "no"}


def pgbouncer() -> str:
    """The program of this machine."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))  # noqa: TID251
    found = shutil.which("pgbouncer", path=path)
    if found is None:
        raise Misconfigured("PgBouncer is not in PATH. scripts/system-packages test installs it.")
    return found


def version(program: str) -> str:
    """Which PgBouncer it is."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return said.splitlines()[0].removeprefix("PgBouncer ")


@dataclass(frozen=True, slots=True)
class Pooler:
    """A PgBouncer that runs."""

    port: int
    mode: Mode

    def reached(self, direct: str) -> ReachedUrl:
        """The same database, through the pooler."""
        path = urlsplit(direct).path
        return ReachedUrl.of(f"postgresql://{USER}@127.0.0.1:{self.port}{path}", direct=direct, mode=self.mode)


@contextmanager
def pooler(server_url: str, mode: Mode, *, program: str | None = None) -> Generator[Pooler]:
    """A pooler in front of every database of a server. It is gone, with what it wrote, at the end."""
    home = Path(tempfile.mkdtemp(prefix="perdure-pooler-"))
    account = postgres_account(home / "none")
    port = free_port()
    _write(home, server_url, port, mode)
    for path in (home, *home.iterdir()):
        os.chown(path, account.uid, account.gid)
    # Whoever it runs as may not be able to walk to where it was built.
    copied = shutil.copy(program or pgbouncer(), home / "pgbouncer")
    Path(copied).chmod(0o755)
    with (home / "log").open("w") as log:
        process = account.start([copied, home / "pgbouncer.ini"], stdout=log.fileno(), stderr=log.fileno())
    try:
        eventually(lambda: _answers(process, port, home / "log"), "PgBouncer takes connections")
        yield Pooler(port, mode)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        shutil.rmtree(home, ignore_errors=True)


def _write(home: Path, server_url: str, port: int, mode: Mode) -> None:
    parts = urlsplit(server_url)
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    host = options.get("host") or parts.hostname
    server_port = options.get("port") or parts.port or 5432
    settings = {
        "listen_addr": "127.0.0.1",
        "listen_port": str(port),
        "unix_socket_dir": "",
        "auth_type": "trust",
        "auth_file": str(home / "users"),
        "max_client_conn": "2000",
        **_MODES[mode],
    }
    lines = [f"{name} = {value}" for name, value in settings.items()]
    databases = f"[databases]\n* = host={host} port={server_port}\n"
    (home / "pgbouncer.ini").write_text(databases + "[pgbouncer]\n" + "\n".join(lines) + "\n")
    (home / "users").write_text(f'"{USER}" ""\n')


def _answers(process: "subprocess.Popen[str]", port: int, log: Path) -> bool:
    if process.poll() is not None:
        raise Misconfigured(f"PgBouncer did not start: {log.read_text()}")
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
