"""The process of a proxy: told what to do on standard input, away from the server, started again where it dies."""

import asyncio
import contextlib
import importlib
import os
import secrets
import socket
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

import msgspec
from msgspec import Struct

from perdure.core.timing import EGRESS_ALONE, EGRESS_RESTART, WORKSPACE_LONG_POLL
from perdure.workspaces.agent.http import Handler, Reply, Request, Server, answer
from perdure.workspaces.agent.kernel import hide_memory, name_process
from perdure.workspaces.agent.problems import missing
from perdure.workspaces.egress.addresses import resolver
from perdure.workspaces.egress.certificates import Authority
from perdure.workspaces.egress.proxy import Proxy
from perdure.workspaces.egress.rules import ArmedRule


class EgressSettings(Struct, frozen=True):
    """What the driver tells a proxy."""

    control: str
    """The socket for the server."""
    offers: str
    """The socket on which the agent program hands over the one that it listens on inside."""
    authority: Authority
    log: str
    user: int | None = None
    inside: int | None = None
    """The user of the agent program, who may reach the second socket."""
    open: bool = False
    """Whether everybody may who can enter its folder."""
    trust: str | None = None
    hosts: dict[str, tuple[str, ...]] = {}
    """Names that are not looked up."""
    alone_seconds: float = EGRESS_ALONE.total_seconds()


class RulesBody(Struct, frozen=True):
    rules: tuple[ArmedRule, ...]


def main() -> None:
    """Serve in the background; what started this may end."""
    # Whoever waits for the ends of pipes must not wait for us: some loops hand over more than they were asked to.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    settings = msgspec.json.decode(sys.stdin.buffer.read(), type=EgressSettings)
    control, offers = _listening(settings.control), _listening(settings.offers)
    proxy = _ready(settings)
    if settings.inside is not None:
        os.chown(settings.offers, settings.inside, settings.inside)
    if settings.open:
        Path(settings.offers).chmod(0o666)
    if os.fork():
        return
    os.setsid()
    _redirect(settings.log)
    if settings.user is not None:
        os.setgroups([])
        os.setresgid(settings.user, settings.user, settings.user)
        os.setresuid(settings.user, settings.user, settings.user)
    hide_memory()
    name_process("perdure-egress")
    os.chdir("/")
    _supervise(proxy, settings.alone_seconds, control, offers)


def _ready(settings: EgressSettings) -> Proxy:
    """All that is read from disk is read now: the user that the proxy runs as may not be able to."""
    importlib.import_module("concurrent.futures.thread")
    importlib.import_module("encodings.idna")
    return Proxy(settings.authority, trust=settings.trust, resolve=resolver(settings.hosts))


def _supervise(proxy: Proxy, alone_seconds: float, control: socket.socket, offers: socket.socket) -> None:
    """Start the proxy again when something killed it; it ends by itself when it is told to, or not needed."""
    while True:
        child = os.fork()
        if child == 0:
            _serve(proxy, alone_seconds, control, offers)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return
        time.sleep(EGRESS_RESTART.total_seconds())


def _serve(proxy: Proxy, alone_seconds: float, control: socket.socket, offers: socket.socket) -> NoReturn:
    try:
        hide_memory()
        Offers(proxy, offers, alone_seconds).begin()
        asyncio.run(Server(_handler(proxy, secrets.token_hex(8)), "").serve(control))
    finally:
        os._exit(1)


class Offers:
    """Takes the listening sockets of agent programs. Without one for a while, nobody needs the proxy any more."""

    def __init__(self, proxy: Proxy, listening: socket.socket, alone_seconds: float) -> None:
        self._proxy = proxy
        self._listening = listening
        self._alone_seconds = alone_seconds
        self._held = 0
        self._changed = threading.Condition()

    def begin(self) -> None:
        for work in (self._accept, self._leave_when_alone):
            threading.Thread(target=work, daemon=True).start()

    def _accept(self) -> None:
        while True:
            offered, _ = self._listening.accept()
            threading.Thread(target=self._hold, args=(offered,), daemon=True).start()

    def _hold(self, offered: socket.socket) -> None:
        """Serve what is offered as long as the one who offers it is there."""
        with self._changed:
            self._held += 1
        with offered, contextlib.suppress(OSError):
            _, descriptors, _, _ = socket.recv_fds(offered, 1, 1)
            if descriptors:
                listening = socket.socket(fileno=descriptors[0])
                threading.Thread(target=self._proxy.serve, args=(listening,), daemon=True).start()
                offered.send(b"k")
                offered.recv(1)
                listening.shutdown(socket.SHUT_RDWR)
                listening.close()
        with self._changed:
            self._held -= 1
            self._changed.notify_all()

    def _leave_when_alone(self) -> None:
        while True:
            with self._changed:
                if not self._changed.wait_for(lambda: self._held, self._alone_seconds):
                    os._exit(0)
                self._changed.wait_for(lambda: not self._held)


def _handler(proxy: Proxy, incarnation: str) -> Handler:
    async def handle(request: Request) -> Reply:
        match request.method, request.path:
            case "GET", "/v1/health":
                return answer({"incarnation": incarnation})
            case "PUT", "/v1/rules":
                spent = proxy.book.tell(msgspec.json.decode(request.body, type=RulesBody).rules)
                return answer({"incarnation": incarnation, "spent": spent})
            case "GET", "/v1/requests":
                patience = min(request.number("wait_ms", 0) / 1000, WORKSPACE_LONG_POLL.total_seconds())
                number = request.number("after", 0)
                last, seen = await asyncio.to_thread(proxy.seen.after, number, patience)
                told = {"incarnation": incarnation, "last": last, "requests": seen}
                return Reply(msgspec.json.encode(told))
            case "POST", "/v1/shutdown":
                asyncio.get_running_loop().call_later(0.05, os._exit, 0)
                return answer({"incarnation": incarnation})
            case _:
                raise missing(f"there is nothing at {request.path}")

    return handle


def _listening(path: str) -> socket.socket:
    """A socket at a path of any length, in a folder that nobody else may enter."""
    place = Path(path)
    directory = os.open(place.parent, os.O_PATH | os.O_DIRECTORY)
    place.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"/proc/self/fd/{directory}/{place.name}")
    os.close(directory)
    place.chmod(0o600)
    listening.listen(64)
    return listening


def _redirect(log: str) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    for target, source in enumerate((nothing, written, written)):
        os.dup2(source, target)


if __name__ == "__main__":
    main()
