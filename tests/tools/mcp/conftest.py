"""A house whose chats may use MCP servers."""

from collections.abc import AsyncIterator

import pytest
from tests.tools.mcp.peers import Bridge

from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.house import House, open_house
from perdure.testing.polling import PATIENCE
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
async def house(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[House]:
    async with open_house(database_url, pool, sim.url) as house:
        yield house


@pytest.fixture
async def bridge(house: House, pool: Pool) -> AsyncIterator[Bridge]:
    bridge = Bridge(house, pool)
    yield bridge
    await bridge.exchange.lines.close()
