"""The process that keeps Postgres running while anybody holds a lease, and stops it when the last one goes.

It waits for two things at once: the end of the server, which it starts again, and the lease for itself, which the
kernel grants when its last holder is gone, however that one went.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from perdure.core.errors import Misconfigured
from perdure.core.timing import KEEPER_PROBE, POSTGRES_RESTART_FIRST, POSTGRES_RESTART_LONGEST, POSTGRES_SHUTDOWN
from perdure.store.embedded.account import Account
from perdure.store.embedded.binaries import Binaries
from perdure.store.embedded.cluster import Cluster
from perdure.store.embedded.locks import exclusive, exclusive_now, exclusive_when_free


@dataclass(frozen=True, slots=True)
class Orders:
    """What a keeper is told when it is started."""

    home: Path
    binaries: Binaries
    account: Account
    temporary: bool
    """Whether the data may be lost: nothing is flushed to disk, and all is removed at the end."""


def spawn_keeper(orders: Orders) -> subprocess.Popen[bytes]:
    """Start a keeper that outlives us."""
    told = msgspec.json.encode(orders, enc_hook=str).decode()
    path = Cluster(orders.home).log
    if path.exists():
        path.replace(path.with_suffix(".previous.log"))
    with path.open("wb") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "perdure.store.embedded.keeper", told],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,
        )
    # While we live we are its parent, and must take note of its end.
    threading.Thread(target=keeper.wait, daemon=True).start()
    return keeper


def keep(orders: Orders) -> int:
    """Keep the server until nobody wants it any more."""
    cluster = Cluster(orders.home)
    try:
        # Not at once: whoever looks whether there is a keeper holds this for a moment.
        keeping = exclusive(cluster.keeping, patience=KEEPER_PROBE)
    except Misconfigured:
        return 0
    if cluster.postmaster() is None and _unwanted(cluster):
        return 0
    alone, told = os.pipe()
    threading.Thread(target=_await_being_alone, args=(cluster, told), daemon=True).start()
    if not _supervise(cluster, orders, alone):
        return 1
    if orders.temporary:
        _remove(cluster)
    # First this one: whoever gets the lease next must find that there is no keeper. The lease goes with the process.
    keeping.release()
    return 0


def _unwanted(cluster: Cluster) -> bool:
    lease = exclusive_now(cluster.lease)
    if lease is not None:
        lease.release()
    return lease is not None


def _remove(cluster: Cluster) -> None:
    shutil.rmtree(cluster.sockets, ignore_errors=True)
    # At once, by its name: somebody may already be waiting to make it anew.
    removed = cluster.home.rename(cluster.home.with_name(f"removed-{os.getpid()}"))
    shutil.rmtree(removed, ignore_errors=True)
    with suppress(OSError):
        removed.parent.rmdir()


def _await_being_alone(cluster: Cluster, told: int) -> None:
    lease = exclusive_when_free(cluster.lease)
    os.write(told, b"!")
    threading.Event().wait()
    lease.release()


def _supervise(cluster: Cluster, orders: Orders, alone: int) -> bool:
    """Run the server until we are alone. False if it never came up."""
    came_up = False
    pause = POSTGRES_RESTART_FIRST
    while True:
        server = _adopt(cluster) or _start(cluster, orders)
        ended, seen_ready = _watch(cluster, server, alone)
        if not ended:
            _stop(server, signal.SIGQUIT if orders.temporary else signal.SIGINT)
            return True
        came_up = came_up or seen_ready
        if not came_up and not _outlived(cluster):
            return False
        pause = POSTGRES_RESTART_FIRST if seen_ready else min(pause * 2, POSTGRES_RESTART_LONGEST)
        time.sleep(pause.total_seconds())


def _outlived(cluster: Cluster) -> bool:
    """Whether the server refused to start because parts of a killed one are still about to end."""
    return "shared memory block" in cluster.log.read_text(errors="replace")


@dataclass(frozen=True, slots=True)
class _Server:
    pid: int
    handle: int
    child: subprocess.Popen[str] | None


def _adopt(cluster: Cluster) -> _Server | None:
    running = cluster.postmaster()
    try:
        return None if running is None else _Server(running.pid, os.pidfd_open(running.pid), None)
    except ProcessLookupError:
        return None


def _start(cluster: Cluster, orders: Orders) -> _Server:
    cluster.disown_stale_pids()
    arguments = cluster.arguments(orders.binaries, durable=not orders.temporary)
    child = orders.account.start(
        [orders.binaries.program("postgres"), *arguments], stdout=sys.stdout.fileno(), stderr=sys.stderr.fileno()
    )
    return _Server(child.pid, os.pidfd_open(child.pid), child)


def _watch(cluster: Cluster, server: _Server, alone: int) -> tuple[bool, bool]:
    """Wait for the server's end or for being alone. Says whether it ended, and whether it had been ready."""
    poll = select.poll()
    poll.register(server.handle, select.POLLIN)
    poll.register(alone, select.POLLIN)
    ready = False
    while True:
        events = dict(poll.poll(None if ready else 10))
        # By what it wrote down: it may have been killed before we had a look while it lived.
        ready = ready or cluster.came_up(server.pid)
        if alone in events:
            return False, ready
        if server.handle in events:
            if server.child is not None:
                server.child.wait()
            os.close(server.handle)
            return True, ready


def _stop(server: _Server, how: signal.Signals) -> None:
    poll = select.poll()
    poll.register(server.handle, select.POLLIN)
    for kind in (how, signal.SIGQUIT, signal.SIGKILL):
        try:
            signal.pidfd_send_signal(server.handle, kind)
        except ProcessLookupError:
            return
        if poll.poll(POSTGRES_SHUTDOWN.total_seconds() * 1000):
            return


if __name__ == "__main__":
    # Its life hangs on the lease and on nothing else: not on the terminal, not on a service being stopped around it.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    sys.exit(keep(msgspec.json.decode(sys.argv[1], type=Orders, dec_hook=lambda kind, value: kind(value))))
