"""`perdure serve`: one replica, until it is told to stop."""

import asyncio
import gc
import logging
import signal
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta

import uvicorn
import uvloop

from perdure.api.frames import FrameProtocol
from perdure.app.assembly import assemble
from perdure.app.parts import NO_PARTS, Parts
from perdure.app.replica import Replica
from perdure.core.errors import Misconfigured
from perdure.core.timing import DRAIN, IDLE_CONNECTION_KEPT
from perdure.observe.logs import start_logging
from perdure.settings import Address, LogFormat, ReplicaRole, Settings, misspelt
from perdure.sim.process import simulator_process

# Connections that wait while the server starts, or is busy.
BACKLOG = 2048
YOUNG_OBJECTS = 20_000
"""How many objects come into being before the collector of cycles looks at them."""

log = logging.getLogger("perdure.serve")


def main(arguments: list[str]) -> int:
    """Take what the environment says and what was typed, and serve."""
    asked = options().parse_args(arguments)
    settings = Settings.from_environment()
    if asked.bind is not None:
        settings = replace(settings, bind=_address(asked.bind))
    if asked.role is not None:
        settings = replace(settings, role=ReplicaRole(asked.role))
    start_logging(
        level=settings.log_level,
        json=None if settings.log_format is LogFormat.AUTO else settings.log_format is LogFormat.JSON,
    )
    for given, meant in misspelt().items():
        log.warning("%s means nothing; did you mean %s?", given, meant)
    uvloop.run(serve(settings, demo=asked.demo))
    return 0


def options() -> ArgumentParser:
    """What may be typed. Read without typer, which takes a tenth of a second to load."""
    parser = ArgumentParser("perdure serve", description="Run the server.")
    parser.add_argument("--bind", metavar="HOST:PORT", help="the address to listen on; overrides PERDURE_BIND")
    parser.add_argument(
        "--demo", action="store_true", help="bring a simulated model along, for as long as no provider is set up"
    )
    parser.add_argument(
        "--role",
        choices=[role.value for role in ReplicaRole],
        help="what this replica does: take requests, drive chats, or both; overrides PERDURE_ROLE",
    )
    return parser


async def serve(settings: Settings, *, demo: bool = False, parts: Parts = NO_PARTS) -> None:
    """Take requests until a signal says stop, then let what runs come to its end."""
    with listening(settings.bind) as listener:
        address = Address(*listener.getsockname()[:2])
        found_at = str(settings.advertise or reachable(address))
        async with AsyncExitStack() as stack:
            model = (await stack.enter_async_context(simulator_process())).url if demo else None
            assembly = assemble(settings, address=found_at, demo=model, parts=parts)
            replica = await stack.enter_async_context(assembly)
            server = web_server(replica, patience=DRAIN)
            # Before anybody is told that it is ready: from then on a signal means an orderly end.
            heed_signals(replica, server)
            await _welcome(replica, address, settings.reached_at(address))
            settle_memory()
            await server.serve(sockets=[listener])
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


async def _welcome(replica: Replica, address: Address, reached_at: str) -> None:
    link = await replica.login_link() if replica.serves else None
    log.info("ready at http://%s", address)
    if link is not None:
        # Not a line of the log: logs are kept, and whoever reads this link first is the owner.
        sys.stderr.write(f"Sign in once with {reached_at}{link}\n")


@contextmanager
def listening(address: Address) -> Generator[socket.socket]:
    """A socket that is ours. Taken before anything is started, so that a port in use costs nothing."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family)
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address.host, address.port))
            listener.listen(BACKLOG)
        except OSError as error:
            raise Misconfigured(
                f"Cannot listen on {address}: {error.strerror}. "
                "Stop what uses it, or choose another address with --bind or PERDURE_BIND."
            ) from error
        yield listener


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


def heed_signals(replica: Replica, server: uvicorn.Server) -> None:
    """The first signal hands over what runs, the second does not wait for it, the third stops at once."""

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
        stopping.append(loop.create_task(drained()))

    async def drained() -> None:
        await replica.drain()
        server.should_exit = True

    stopping: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number.name)


def _address(text: str) -> Address:
    try:
        return Address.parse(text)
    except ValueError as error:
        raise Misconfigured(f"--bind is not usable: {error}.") from error
