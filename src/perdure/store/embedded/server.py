"""The door to the embedded server: `EmbeddedPostgres.lease()` gives a URL that works until it is released."""

import os
import subprocess
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from perdure.core.errors import Misconfigured
from perdure.core.timing import EMBEDDED_LOOK, EMBEDDED_PATIENCE
from perdure.store.embedded.account import postgres_account
from perdure.store.embedded.binaries import find_binaries, reachable_binaries
from perdure.store.embedded.cluster import Cluster, reason
from perdure.store.embedded.keeper import Orders, spawn_keeper
from perdure.store.embedded.locks import FileLock, exclusive, exclusive_now, shared


class Lease:
    """The right to a running server. It ends with `release`, or with the process."""

    def __init__(self, server: "EmbeddedPostgres", lock: FileLock) -> None:
        self.url = server.cluster.url
        self._server = server
        self._lock = lock

    def tend(self) -> None:
        """Give the server a new keeper if it lost its own."""
        self._server.tend()

    def release(self) -> None:
        try:
            # Without a keeper nobody would stop the server after us.
            if self._server.cluster.postmaster() is not None:
                self._server.tend()
        finally:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


@dataclass(frozen=True, slots=True)
class EmbeddedPostgres:
    """A Postgres in a directory of ours, shared by every process that leases it."""

    directory: Path
    binaries: Path | None = None
    temporary: bool = False
    patience: timedelta = EMBEDDED_PATIENCE

    @property
    def cluster(self) -> Cluster:
        return Cluster(self.directory.absolute() / "postgres")

    def lease(self) -> Lease:
        """Start the server unless it runs, and keep it running. Blocks until it takes connections."""
        lock = self._share()
        try:
            self.tend()
        except BaseException:
            lock.release()
            raise
        return Lease(self, lock)

    def tend(self) -> None:
        """Start a keeper unless there is one, and wait for the server. A keeper adopts a server that runs already."""
        starting = exclusive(self.cluster.starting, patience=self.patience)
        try:
            keeper = None if self._kept() else spawn_keeper(self._orders())
            self._await_ready(keeper)
        finally:
            starting.release()

    def _share(self) -> FileLock:
        while True:
            self._make_home()
            try:
                return shared(self.cluster.lease, patience=self.patience)
            except FileNotFoundError:
                # The keeper of a temporary server has just removed it.
                continue

    def _kept(self) -> bool:
        vacancy = exclusive_now(self.cluster.keeping)
        if vacancy is not None:
            vacancy.release()
        return vacancy is None

    def _orders(self) -> Orders:
        account = postgres_account(self.cluster.data)
        binaries = find_binaries(self.binaries)
        if not account.ourselves:
            if not account.enters(self.cluster.home):
                raise Misconfigured(
                    f"{account.name} cannot reach {self.cluster.home}, and Postgres does not run as root. "
                    "Set PERDURE_DATA_DIR to a directory whose parents everybody may enter, such as /var/lib/perdure."
                )
            binaries = reachable_binaries(binaries, account, copies=self.cluster.home)
        self.cluster.prepare(binaries, account)
        return Orders(self.cluster.home, binaries, account, self.temporary)

    def _make_home(self) -> None:
        home = self.cluster.home
        try:
            _make_folder(home)
        except OSError as error:
            raise _unusable(home, error.strerror) from error
        if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
            raise _unusable(home, "Permission denied")
        data = self.cluster.data
        if data.exists() and os.geteuid() not in (0, data.stat().st_uid):
            raise _unusable(data, "It belongs to another user")

    def _await_ready(self, keeper: subprocess.Popen[bytes] | None) -> None:
        deadline = time.monotonic() + self.patience.total_seconds()
        log = self.cluster.log
        while not (self._kept() and (server := self.cluster.postmaster()) and server.ready):
            if keeper is not None and keeper.poll():
                why = reason(log.read_text(errors="replace"))
                raise Misconfigured(f"Postgres did not start: {why} The log is {log}.")
            if time.monotonic() > deadline:
                seconds = f"{self.patience.total_seconds():.0f} s"
                raise Misconfigured(f"Postgres was not ready after {seconds}. The log is {log}.")
            time.sleep(EMBEDDED_LOOK.total_seconds())


def _make_folder(home: Path) -> None:
    missing = [path for path in (home, *home.parents) if not path.exists()]
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.geteuid() == 0:
        # Root's server runs as somebody else, who must be able to walk in, whatever root's umask is.
        for made in missing:
            made.chmod(0o755)


def _unusable(path: Path, why: str | None) -> Misconfigured:
    return Misconfigured(
        f"The data directory {path} cannot be used: {why}. Set PERDURE_DATA_DIR to a directory that you may write to."
    )
