"""The place for a command's guard: a process between the agent and the command that no descendant can slip away from.

The guard adopts every orphan below it, so the whole line of a command stays findable, whatever it forks. It reports the
command's exit, leaves when nothing is left below it, and kills everything below it when the agent is gone or dismisses
it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import select
import signal
import socket
import termios
from typing import Callable, NamedTuple, NoReturn

from perdure.workspaces.agent.kernel import adopt_orphans, name_process
from perdure.workspaces.agent.lineage import kill_below

KILL_ROUNDS = 2000


class Launch(NamedTuple):
    """What to run: a program with its arguments, where, with which environment and standard streams."""

    arguments: list[str]
    directory: int
    environment: dict[str, str]
    streams: tuple[int, int, int]
    terminal: bool
    limits: dict[int, int]


def start(launch: Launch) -> tuple[int, socket.socket]:
    """Fork a guard that runs the command; its pid, and a socket that says `exit <status>` and ends when quiet."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        _never_return(lambda: _guard(launch, theirs))
    theirs.close()
    return pid, ours


def dismiss(reports: socket.socket) -> None:
    """Have a guard end everything below it, also a command that it starts only now; it still reports and leaves."""
    with contextlib.suppress(OSError):
        reports.shutdown(socket.SHUT_WR)


def _never_return(work: Callable[[], None]) -> NoReturn:
    try:
        work()
        os._exit(0)
    finally:
        os._exit(70)


def _guard(launch: Launch, agent: socket.socket) -> None:
    forget_signals()
    os.setsid()
    name_process("perdure-guard")
    adopt_orphans()
    command = os.fork()
    if command == 0:
        _never_return(lambda: _become(launch, agent))
    _close_all_but({agent.fileno()})
    _watch(command, agent)


def forget_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE, signal.SIGHUP, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def _become(launch: Launch, agent: socket.socket) -> None:
    try:
        os.setsid()
        for target, source in enumerate(launch.streams):
            os.dup2(source, target)
        if launch.terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.fchdir(launch.directory)
        for limit, value in launch.limits.items():
            _lower(limit, value)
        _close_all_but({0, 1, 2, agent.fileno()})
        os.set_inheritable(agent.fileno(), False)
        os.execve(launch.arguments[0], launch.arguments, launch.environment)  # noqa: S606
    except OSError as error:
        agent.send(f"failed {error.strerror}\n".encode())


def _lower(limit: int, value: int) -> None:
    _, ceiling = resource.getrlimit(limit)
    bounded = value if ceiling == resource.RLIM_INFINITY else min(value, ceiling)
    resource.setrlimit(limit, (bounded, bounded))


def _close_all_but(kept: set[int]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                continue


def _watch(command: int, agent: socket.socket) -> None:
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    while _reap(command, agent):
        ready, _, _ = select.select([woken, agent], [], [])
        if woken in ready:
            os.read(woken, 4096)
        if agent in ready and not agent.recv(1):
            kill_below(os.getpid(), KILL_ROUNDS)
            return


def _reap(command: int, agent: socket.socket) -> bool:
    """Collect the dead; false when nobody is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        if pid == command:
            agent.send(f"exit {status}\n".encode())
