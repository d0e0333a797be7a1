"""A replica drives so many chats and no more, and stops a chat all the same."""

from collections.abc import AsyncIterator

import pytest

from perdure.core.chat import State
from perdure.machine.transitions.endings import Interrupt
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.house import House, open_house
from perdure.worker.runners import Capacity


@pytest.fixture(params=[Capacity(chats=1), Capacity(per_user=1)], ids=["of the replica", "of the user"])
async def house(database_url: str, pool: Pool, sim: Simulator, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    async with open_house(database_url, pool, sim.url, capacity=request.param) as house:
        yield house


async def test_a_chat_waits_until_there_is_room(house: House, sim: Simulator) -> None:
    first = await house.someone_asks("[[say:Half ]] [[gate:open]] [[say:and whole.]]")
    await sim.gates["open"].reached()
    assert house.worker.runners.take(house.user) is None
    second = await house.someone_waits("[[say:3 tokens]]")
    await house.worker.acquirer.once()
    assert not (await house.machine.load(second)).owned
    await sim.gates["open"].set(open=True)
    assert (await house.comes_to_rest(first)).state is State.W
    assert (await house.comes_to_rest(second)).state is State.W


async def test_a_chat_without_a_driver_is_stopped_although_there_is_no_room(house: House, sim: Simulator) -> None:
    await house.someone_asks("[[gate:open]]")
    await sim.gates["open"].reached()
    second = await house.someone_waits("[[say:3 tokens]]")
    await house.machine.change(second, Interrupt())
    assert (await house.comes_to_rest(second)).state is State.W
