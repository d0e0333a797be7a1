"""What a replica makes of a renewal that it hears of late."""

import asyncio

from perdure.core.chat import State
from perdure.core.ids import ChatId
from perdure.sim.server import Simulator
from perdure.store.replicas import Owned, Renewal
from perdure.testing.house import House


def _readings(house: House, renewal: Renewal, asked: float) -> int:
    """How many rows a renewal makes the replica read."""
    before = asyncio.all_tasks()
    house.worker.runners.renewed(renewal, asked)
    return len(asyncio.all_tasks() - before)


async def _gated(house: House, sim: Simulator) -> ChatId:
    chat = await house.someone_asks("[[say:5 tokens]] [[gate:open]] [[say:5 tokens]]")
    await sim.gates["open"].reached()
    return chat


async def test_a_chat_that_began_after_a_renewal_was_asked_for_is_not_missed_in_it(
    house: House, sim: Simulator
) -> None:
    asked = house.clock.monotonic()
    await _gated(house, sim)
    assert _readings(house, Renewal(1, ()), asked) == 0
    assert _readings(house, Renewal(1, ()), house.clock.monotonic()) == 1
    # It is being read: once more is soon enough.
    assert _readings(house, Renewal(1, ()), house.clock.monotonic()) == 0


async def test_a_chat_that_ended_after_a_renewal_was_asked_for_is_not_driven_again(
    house: House, sim: Simulator
) -> None:
    chat = await _gated(house, sim)
    runner_id = (await house.machine.load(chat)).runner_id
    assert runner_id is not None
    asked = house.clock.monotonic()
    await sim.gates["open"].set(open=True)
    assert (await house.comes_to_rest(chat)).state is State.W
    while len(house.worker.runners):  # noqa: ASYNC110 (the runner ends a moment after its last commit)
        await asyncio.sleep(0)
    owned = Owned(chat, runner_id, 1)
    assert _readings(house, Renewal(1, (owned,)), asked) == 0
    assert _readings(house, Renewal(1, (owned,)), house.clock.monotonic()) == 1
