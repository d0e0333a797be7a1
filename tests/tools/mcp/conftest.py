"""A replica whose chats may use MCP servers."""

from collections.abc import AsyncIterator

import pytest
from tests.tools.mcp.peers import Bridge

from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.polling import PATIENCE
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.mcp.protocol import session


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that is busy with other things it takes a while until a server is up."""
    monkeypatch.setattr(session, "MCP_CONNECT", PATIENCE)


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator(rate=None) as simulator:
        yield simulator


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url) as replica:
        yield replica


@pytest.fixture
async def bridge(replica: InProcessReplica, pool: Pool) -> AsyncIterator[Bridge]:
    bridge = Bridge(replica, pool)
    yield bridge
    await bridge.services.connections.close()
