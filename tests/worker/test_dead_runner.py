"""A runner dies of a bug while its replica lives: somebody notices."""

import asyncio

from perdure.core.chat import State
from perdure.sim.server import Simulator
from perdure.store.replicas import Renewal
from perdure.testing.replica import InProcessReplica


async def test_a_runner_that_dies_is_noticed_within_two_renewals_that_list_its_chats(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[say:5 tokens]] [[gate:open]] [[say:5 tokens]]")
    await sim.gates["open"].reached()
    (runner,) = [task for task in asyncio.all_tasks() if task.get_name() == f"runner {chat}"]
    listed, noticed = list[Renewal](), list[int]()
    told = replica.worker.renewed

    def renewed(renewal: Renewal, asked: float) -> None:
        listed.extend([renewal] if renewal.owned is not None else [])
        told(renewal, asked)

    replica.lease.when_renewed(renewed, lambda: None)
    # Counted as the chat moves: a renewal more may come before anybody looks.
    replica.announcer.follow(lambda _: noticed.append(len(listed)))
    runner.cancel()
    await sim.gates["open"].set(open=True)
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert noticed[0] <= 2
