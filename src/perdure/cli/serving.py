"""How one process serves: the sockets it listens on, the web server, what signals mean to it."""

import asyncio
import gc
import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import uvicorn

from perdure.api.frames import FrameProtocol
from perdure.app.assembly import assemble
from perdure.app.parts import Parts
from perdure.app.replica import Replica
from perdure.app.siblings import Siblings
from perdure.core.errors import Misconfigured, Unavailable
from perdure.core.timing import DRAIN, IDLE_CONNECTION_KEPT
from perdure.settings import Address, Settings

# Connections that wait while the server starts, or is busy.
BACKLOG = 2048
YOUNG_OBJECTS = 20_000
"""How many objects come into being before the collector of cycles looks at them."""

log = logging.getLogger("perdure.serve")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Where a process takes requests, and how others find it."""

    sockets: Sequence[socket.socket]
    address: str
    """Where other replicas reach this one."""
    demo: str | None = None
    """Where a simulated model is that this one may use."""
    siblings: Siblings | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """A replica with the web server in front of it."""

    replica: Replica
    server: uvicorn.Server
    hand_over: Callable[[], None]
    """Does what the first signal does."""

    def refuse_connections(self) -> None:
        """Leave the addresses to others; connections that are open stay."""
        for listener in getattr(self.server, "servers", ()):
            listener.close()

    async def say_login_link(self, reached_at: str) -> None:
        try:
            link = await self.replica.login_link() if self.replica.serves else None
        except Unavailable as error:
            # Requests are taken already, and are answered as soon as the database is back.
            log.warning("there is no link to sign in with: %s", error)
            return
        if link is not None:
            # Not a line of the log: logs are kept, and whoever reads this link first is the owner.
            sys.stderr.write(f"Sign in once with {reached_at}{link}\n")


async def serve_at(
    serving: Serving, settings: Settings, parts: Parts, ready: Callable[[Served], Awaitable[None]]
) -> None:
    """Take requests until a signal says stop, then let what runs come to its end.

    `ready` is called when requests are about to be taken.
    """
    assembly = assemble(settings, address=serving.address, demo=serving.demo, siblings=serving.siblings, parts=parts)
    async with assembly as replica:
        server = web_server(replica, patience=DRAIN)
        # Before anybody is told that it is ready: from then on a signal means an orderly end.
        await ready(Served(replica, server, heed_signals(replica, server)))
        settle_memory()
        await server.serve(sockets=list(serving.sockets))
    log.info("stopped")


def settle_memory() -> None:
    """Have the collector of cycles look at what turns leave behind, less often, and never again at the program itself.

    At its defaults it took a tenth of the time that a replica spends on streams.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


def reachable(address: Address) -> Address:
    """Where others on the network find what listens here."""
    everywhere = address.host in ("0.0.0.0", "::")  # noqa: S104
    return replace(address, host=socket.gethostname()) if everywhere else address


@contextmanager
def listening(address: Address) -> Generator[socket.socket]:
    """A socket that is ours. Taken before anything is started, so that a port in use costs nothing."""
    with opened(address) as listener:
        yield listener


def opened(address: Address, *, shared: bool = False) -> socket.socket:
    """A socket that listens. A shared one leaves room for others at the same address."""
    listener = socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((address.host, address.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise Misconfigured(
            f"Cannot listen on {address}: {error.strerror}. "
            "Stop what uses it, or choose another address with --bind or PERDURE_BIND."
        ) from error
    return listener


def address_of(listener: socket.socket) -> Address:
    return Address(*listener.getsockname()[:2])


class _Server(uvicorn.Server):
    """Uvicorn without its own signals: the replica around it has to end in order."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def web_server(replica: Replica, *, patience: timedelta) -> uvicorn.Server:
    """What answers requests. When it is told to stop, open ones have so long to end."""
    return _Server(
        uvicorn.Config(
            replica.asgi,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            ws=FrameProtocol,
            # A stream's batches are encoded once for all who follow; compressing would be done again for each.
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=int(patience.total_seconds()),
            timeout_keep_alive=int(IDLE_CONNECTION_KEPT.total_seconds()),
        )
    )


def heed_signals(replica: Replica, server: uvicorn.Server) -> Callable[[], None]:
    """The first signal hands over what runs, the second does not wait for it, the third stops at once.

    Returns what does the same as the first.
    """

    def stop(name: str) -> None:
        if server.should_exit:
            log.warning("%s again: stopping at once", name)
            server.force_exit = True
            return
        if replica.draining.is_set():
            log.warning("%s again: not waiting for what runs", name)
            # A stream that stays open would hold up the end for as long as what it follows.
            replica.dismiss()
            server.should_exit = True
            return
        log.info("%s: handing over what runs", name)
        begin()

    def begin() -> None:
        stopping.append(loop.create_task(drained()))

    async def drained() -> None:
        await replica.drain()
        server.should_exit = True

    stopping: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number.name)
    return begin
