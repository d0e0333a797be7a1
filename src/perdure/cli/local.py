"""A replica inside a command, for people who have not started a server: same database, same everything."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from perdure.access.actor import PERMISSIONS, Actor, Role, Scope
from perdure.access.people import Tokens
from perdure.app.assembly import assemble
from perdure.app.replica import Replica
from perdure.cli.serving import listening, web_server
from perdure.core.timing import LOCAL_CHAT_PATIENCE, LOCAL_CHAT_TOKEN_KEPT
from perdure.settings import Address, ReplicaRole, Settings
from perdure.sim.process import simulator_process


@dataclass(frozen=True, slots=True)
class Deployment:
    """Where a deployment is, and the token to use it."""

    url: str
    token: str | None


@asynccontextmanager
async def local_replica(settings: Settings) -> AsyncGenerator[Deployment]:
    """A replica of this machine's deployment on a port of its own, with the simulator where there is no provider."""
    with listening(Address("127.0.0.1", 0)) as listener:
        whole = replace(settings, role=ReplicaRole.ALL)
        async with simulator_process() as demo, assemble(whole, demo=demo.url) as replica:
            server = web_server(replica, patience=LOCAL_CHAT_PATIENCE)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                yield Deployment(f"http://127.0.0.1:{listener.getsockname()[1]}", await _token(replica))
            finally:
                await replica.drain()
                server.should_exit = True
                await serving


async def _token(replica: Replica) -> str:
    """A token of the deployment's owner: whoever can read this machine's database is trusted with it."""
    account = replica.account
    owner = Actor(
        user_id=account.owner,
        organisation_id=account.organisation,
        role=Role.OWNER,
        permissions=PERMISSIONS[Role.OWNER],
    )
    _, secret = await Tokens(replica.services.rows(owner)).add("perdure chat", (Scope.CHAT,), LOCAL_CHAT_TOKEN_KEPT)
    return secret
