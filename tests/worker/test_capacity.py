"""A replica drives so many chats and no more, and stops a chat all the same."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from perdure.core.chat import State
from perdure.machine.transitions import Interrupt
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import PATIENCE, InProcessReplica, open_replica
from perdure.worker.capacity import Capacity


@pytest.fixture(params=[Capacity(chats=1), Capacity(per_user=1)], ids=["of the replica", "of the user"])
async def replica(
    database_url: str, pool: Pool, sim: Simulator, request: pytest.FixtureRequest
) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, capacity=request.param) as replica:
        yield replica


async def test_a_chat_waits_until_there_is_room(replica: InProcessReplica, sim: Simulator) -> None:
    first = await replica.someone_asks("[[say:Half ]] [[gate:open]] [[say:and whole.]]")
    await sim.gates["open"].reached()
    assert replica.worker.runners.take(replica.user) is None
    second = await replica.someone_waits("[[say:3 tokens]]")
    await replica.worker.acquirer.once()
    assert not (await replica.machine.load(second)).owned
    assert replica.numbers("perdure_chats_waiting") == 1
    assert replica.numbers("perdure_chats_load") == 2 / replica.worker.runners.capacity
    await sim.gates["open"].set(open=True)
    assert (await replica.comes_to_rest(first)).state is State.W
    assert (await replica.comes_to_rest(second)).state is State.W
    await replica.worker.acquirer.once()
    assert (replica.numbers("perdure_chats_waiting"), replica.numbers("perdure_chats_load")) == (0, 0)


async def test_a_chat_without_a_driver_is_stopped_although_there_is_no_room(
    replica: InProcessReplica, sim: Simulator
) -> None:
    await replica.someone_asks("[[gate:open]]")
    await sim.gates["open"].reached()
    second = await replica.someone_waits("[[say:3 tokens]]")
    await replica.machine.change(second, Interrupt())
    assert (await replica.comes_to_rest(second)).state is State.W


async def test_ten_at_once_are_no_more_than_there_is_room_for(replica: InProcessReplica, sim: Simulator) -> None:
    """All of them ask before the first has begun."""
    owners = [replica.worker.runners.take(replica.user) for _ in range(10)]
    taken = [owner for owner in owners if owner is not None]
    assert len(taken) == 1
    replica.worker.runners.untaken(taken[0])
    chats = [await replica.someone_waits("[[gate:open]] [[say:3 tokens]]") for _ in range(10)]
    async with asyncio.TaskGroup() as sweeps:
        for _ in range(3):
            sweeps.create_task(replica.worker.acquirer.once())
    assert len(replica.worker.runners) == 1
    await sim.gates["open"].reached()
    await sim.gates["open"].set(open=True)
    for _ in chats:
        await replica.worker.acquirer.once()
        await drained(replica)
    assert {(await replica.comes_to_rest(chat)).state for chat in chats} == {State.W}


async def drained(replica: InProcessReplica) -> None:
    """What runs has ended. The next one is looked for at once, which otherwise happens every second."""
    async with asyncio.timeout(PATIENCE):
        while len(replica.worker.runners):  # noqa: ASYNC110 - a runner tells nobody that it ends
            await asyncio.sleep(0.001)


async def test_a_place_that_was_not_needed_is_free_again(replica: InProcessReplica) -> None:
    owner = replica.worker.runners.take(replica.user)
    assert owner is not None
    replica.worker.runners.untaken(owner)
    replica.worker.runners.untaken(owner)
    assert replica.worker.runners.take(replica.user) is not None
