"""`perdure serve`: one replica, or several behind one address, until told to stop."""

import logging
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import uvloop

from perdure.app.parts import NO_PARTS, Parts
from perdure.cli.serving import Served, Serving, address_of, listening, reachable, serve_at
from perdure.cli.supervised import Assignment, serve_supervised
from perdure.cli.supervisor import supervise
from perdure.core.errors import Misconfigured
from perdure.observe.logs import start_logging
from perdure.settings import LogFormat, ReplicaRole, Settings, described, misspelt
from perdure.sim.process import simulator_process

log = logging.getLogger("perdure.serve")


def main(arguments: list[str]) -> int:
    """Take what the environment says and what was typed, and serve."""
    asked = options().parse_args(arguments)
    settings = settled(Settings.from_environment(), asked)
    start_logging(
        level=settings.log_level,
        json=None if settings.log_format is LogFormat.AUTO else settings.log_format is LogFormat.JSON,
    )
    if asked.assignment is not None:
        uvloop.run(serve_supervised(settings, Assignment.read(asked.assignment), parts=NO_PARTS))
        return 0
    for given, meant in misspelt().items():
        log.warning("%s is not a setting; did you mean %s?", given, meant)
    if settings.processes > 1:
        return uvloop.run(supervise(settings, lambda given: one_of_several(arguments, given), demo=asked.demo))
    uvloop.run(serve(settings, demo=asked.demo))
    return 0


def settled(settings: Settings, asked: Namespace) -> Settings:
    """The settings, with what was typed in their place."""
    if asked.bind is not None:
        settings = replace(settings, bind=_read("bind", asked.bind))
    if asked.processes is not None:
        settings = replace(settings, processes=_read("processes", asked.processes))
    if asked.role is not None:
        settings = replace(settings, role=ReplicaRole(asked.role))
    return settings


def one_of_several(arguments: Sequence[str], given: Assignment) -> Sequence[str]:
    """How Python starts one of several processes that were asked for with these arguments."""
    return ("-m", "perdure", "serve", *arguments, "--assignment", given.written())


def options() -> ArgumentParser:
    """What may be typed. Read without typer, which takes a tenth of a second to load."""
    parser = ArgumentParser("perdure serve", description="Run the server.")
    parser.add_argument("--bind", metavar="HOST:PORT", help="the address to listen on; overrides PERDURE_BIND")
    parser.add_argument(
        "--processes",
        metavar="N",
        help="how many processes share the address, or 'auto': one for each core; overrides PERDURE_PROCESSES",
    )
    parser.add_argument("--demo", action="store_true", help="add a simulated model while no provider is set up")
    parser.add_argument(
        "--role",
        choices=[role.value for role in ReplicaRole],
        help="what this replica does: serve requests, run chats, or both; overrides PERDURE_ROLE",
    )
    # What a supervisor says to its processes.
    parser.add_argument("--assignment", help=SUPPRESS)
    return parser


async def serve(settings: Settings, *, demo: bool = False, parts: Parts = NO_PARTS) -> None:
    """Take requests until a signal says stop, then let what runs come to its end."""
    with listening(settings.bind) as listener:
        address = address_of(listener)

        async def ready(served: Served) -> None:
            log.info("ready at http://%s", address)
            await served.say_login_link(settings.reached_at(address))

        async with AsyncExitStack() as stack:
            model = (await stack.enter_async_context(simulator_process())).url if demo else None
            found_at = str(settings.advertise or reachable(address))
            await serve_at(Serving(sockets=(listener,), address=found_at, demo=model), settings, parts, ready)


def _read(name: str, text: str) -> Any:
    """A setting as the environment would say it."""
    try:
        return described()[name].read(text)
    except ValueError as error:
        raise Misconfigured(f"--{name} is not usable: {error}.") from error
