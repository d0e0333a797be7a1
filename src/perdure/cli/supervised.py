"""One process of several that share an address: what its supervisor gives it, and how it serves with that."""

import asyncio
import os
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from perdure.app.parts import Parts
from perdure.app.siblings import Siblings
from perdure.cli.serving import BACKLOG, Served, Serving, address_of, listening, reachable, serve_at
from perdure.settings import Address, Settings

READY = b"ready\n"
"""What a process writes to its standard output once it takes requests."""


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """What a supervisor hands to a process, as JSON among its arguments."""

    slot: int
    listener: int
    """The number of the listening socket that it inherits."""
    folder: str
    """Where the sockets are on which the processes reach each other."""
    demo: str | None = None
    welcome: str | None = None
    """Where browsers reach the server: to be said, with a link that signs in, by the first process of all."""

    @classmethod
    def read(cls, text: str) -> "Assignment":
        return msgspec.json.decode(text, type=cls)

    def written(self) -> str:
        return msgspec.json.encode(self).decode()


async def serve_supervised(settings: Settings, given: Assignment, *, parts: Parts) -> None:
    """Serve on the shared socket, and on two of its own: for other machines, and for its siblings."""
    with _inherited(given.listener) as shared, listening(Address(settings.bind.host, 0)) as private:
        port = address_of(private).port
        found_at = replace(settings.advertise or reachable(address_of(private)), port=port)
        siblings = Siblings(Path(given.folder), given.slot, port)
        with _folder_of_orphans(siblings.folder), _unix_socket(siblings.own) as local:

            async def ready(served: Served) -> None:
                _end_without_supervisor(served)
                if given.welcome is not None:
                    await served.say_login_link(given.welcome)
                # Written with one call, and past any buffer: the supervisor waits for it.
                os.write(sys.stdout.fileno(), READY)

            serving = Serving(
                sockets=(shared, private, local), address=str(found_at), demo=given.demo, siblings=siblings
            )
            await serve_at(serving, settings, parts, ready)


def _end_without_supervisor(served: Served) -> None:
    """Our standard input is the supervisor's alone. It ends with it: then nobody would replace or stop us."""
    loop = asyncio.get_running_loop()

    def ended() -> None:
        loop.remove_reader(sys.stdin.fileno())
        # Whoever starts the server anew needs the address.
        served.refuse_connections()
        served.hand_over()

    loop.add_reader(sys.stdin.fileno(), ended)


@contextmanager
def _folder_of_orphans(folder: Path) -> Generator[None]:
    """What a supervisor that was killed could not clear up, the last of its processes does."""
    parent = os.getppid()
    try:
        yield
    finally:
        if os.getppid() != parent:
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def _inherited(number: int) -> Generator[socket.socket]:
    with socket.socket(fileno=number) as listener:
        listener.setblocking(False)
        yield listener


@contextmanager
def _unix_socket(path: Path) -> Generator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(BACKLOG)
        try:
            yield listener
        finally:
            with suppress(FileNotFoundError):
                path.unlink()
