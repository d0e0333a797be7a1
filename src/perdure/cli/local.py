"""A replica inside a command, for people who have not started a server: same database, same everything."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta

import uvicorn

from perdure.access.actor import Actor
from perdure.access.people import Tokens
from perdure.access.roles import PERMISSIONS, Role, Scope
from perdure.app import System, running
from perdure.cli.demo import simulator
from perdure.cli.serve import listening
from perdure.settings import Address, Settings

_TOKEN_KEPT = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a deployment is, and the token to use it."""

    url: str
    token: str | None


class _Server(uvicorn.Server):
    """Uvicorn that leaves Ctrl-C to the command."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def local_replica(settings: Settings) -> AsyncGenerator[Place]:
    """A replica of this machine's deployment on a port of its own, with the simulator where there is no provider."""
    with listening(Address("127.0.0.1", 0)) as listener:
        async with simulator() as demo, running(settings) as system:
            await system.offer_demo(demo)
            config = uvicorn.Config(
                system.asgi,
                lifespan="off",
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=1,
                ws="websockets-sansio",
            )
            server = _Server(config)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                yield Place(f"http://127.0.0.1:{listener.getsockname()[1]}", await _token(system))
            finally:
                await system.drain()
                server.should_exit = True
                await serving


async def _token(system: System) -> str:
    """A token of the deployment's owner: whoever can read this machine's database is trusted with it."""
    household = system.household
    owner = Actor(
        user_id=household.owner,
        organisation_id=household.organisation,
        role=Role.OWNER,
        permissions=PERMISSIONS[Role.OWNER],
    )
    _, secret = await Tokens(system.services.rows(owner)).add("perdure chat", (Scope.CHAT,), _TOKEN_KEPT)
    return secret
