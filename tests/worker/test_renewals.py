"""What a replica makes of a renewal that it hears of late."""

import asyncio
from uuid import uuid4

import pytest

from perdure.core.card import NewCard
from perdure.core.chat import State
from perdure.core.ids import ChatId, ReplicaId, RunnerId
from perdure.machine.announcer import Announcer
from perdure.machine.change import Owner
from perdure.machine.machine import Machine
from perdure.machine.transitions import Acquire, Create, SendMessage
from perdure.proof.proxy import Fate, Proxy
from perdure.sim.server import Simulator
from perdure.store.execution import Execution
from perdure.store.pool import Pool, open_pool
from perdure.store.pubsub import LocalBus
from perdure.store.replicas import Owned, Renewal
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.worker.runner import Runner


def _readings(replica: InProcessReplica, renewal: Renewal, asked: float) -> int:
    """How many rows a renewal makes the replica read."""
    before = asyncio.all_tasks()
    replica.worker.runners.renewed(renewal, asked)
    return len(asyncio.all_tasks() - before)


async def _gated(replica: InProcessReplica, sim: Simulator) -> ChatId:
    chat = await replica.someone_asks("[[say:5 tokens]] [[gate:open]] [[say:5 tokens]]")
    await sim.gates["open"].reached()
    return chat


async def test_a_chat_that_began_after_a_renewal_was_asked_for_is_not_missed_in_it(
    replica: InProcessReplica, sim: Simulator
) -> None:
    asked = replica.clock.monotonic()
    await _gated(replica, sim)
    assert _readings(replica, Renewal(1, ()), asked) == 0
    assert _readings(replica, Renewal(1, ()), replica.clock.monotonic()) == 1
    # It is being read: once more is soon enough.
    assert _readings(replica, Renewal(1, ()), replica.clock.monotonic()) == 0


async def test_a_chat_that_ended_after_a_renewal_was_asked_for_is_not_driven_again(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat = await _gated(replica, sim)
    runner_id = (await replica.machine.load(chat)).runner_id
    assert runner_id is not None
    # Its own renewals would come between, on a slow machine.
    replica.lease.when_renewed(lambda _renewal, _asked: None, lambda: None)
    asked = replica.clock.monotonic()
    await sim.gates["open"].set(open=True)
    assert (await replica.comes_to_rest(chat)).state is State.W
    while len(replica.worker.runners):  # noqa: ASYNC110 (the runner ends a moment after its last commit)
        await asyncio.sleep(0)
    owned = Owned(chat, runner_id, 1)
    assert _readings(replica, Renewal(1, (owned,)), asked) == 0
    assert _readings(replica, Renewal(1, (owned,)), replica.clock.monotonic()) == 1


async def test_a_step_counts_that_ends_before_the_chat_carries_the_new_id_of_its_replica(
    replica: InProcessReplica, sim: Simulator
) -> None:
    owner, asked = Owner(ReplicaId(uuid4()), RunnerId(uuid4())), replica.says("[[gate:open]] [[say:5 tokens]]")
    await replica.pool.execute(
        "INSERT INTO replicas (id, version, seen_at) VALUES ($1, 'other', now() + interval '1 hour')", owner.worker_id
    )
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="renamed")
    created = await replica.machine.create(ChatId(uuid4()), card, [Create((asked,)), Acquire(owner)])
    runner = Runner(replica.runner_services, created.chat, owner)
    driven = asyncio.create_task(runner.run())
    await sim.gates["open"].reached()
    runner.owner = Owner(ReplicaId(uuid4()), owner.runner_id)
    await sim.gates["open"].set(open=True)
    await driven
    assert (runner.chat.state, len(sim.requests)) == (State.W, 1)


async def test_a_chat_is_not_taken_again_under_an_id_that_was_lost_meanwhile(database_url: str, sim: Simulator) -> None:
    async with (
        Proxy(database_url).running() as proxy,
        open_pool(proxy.url) as through,
        open_replica(database_url, through, sim.url) as replica,
    ):
        chat, owners = await _gated(replica, sim), set[ReplicaId | None]()
        replica.announcer.follow(lambda committed: owners.add(committed.chat.worker_id))
        proxy.decide = lambda commit: Fate.HOLD_REQUEST if commit else Fate.CARRY
        sending = asyncio.create_task(replica.machine.change(chat, SendMessage(replica.says("more"))))
        await proxy.holding.wait()
        lost = replica.lease.id = ReplicaId(uuid4())
        taking = asyncio.create_task(replica.worker.runners.reacquire())
        for _ in range(5):
            await asyncio.sleep(0)
        replica.lease.id = ReplicaId(uuid4())
        proxy.decide = lambda _: Fate.CARRY
        proxy.let_go()
        await asyncio.gather(sending, taking)
        assert owners
        assert lost not in owners


@pytest.mark.parametrize("swept", [True, False])
async def test_a_chat_whose_taking_is_not_answered_yet_gets_no_second_runner(
    database_url: str, pool: Pool, sim: Simulator, swept: bool
) -> None:
    async with (
        Proxy(database_url).running() as proxy,
        open_pool(proxy.url) as through,
        open_replica(database_url, through, sim.url) as replica,
    ):
        chat, text = ChatId(uuid4()), "[[say:5 tokens]]"
        proxy.decide = lambda commit: Fate.HOLD_ANSWER if commit else Fate.CARRY
        if swept:
            card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="swept")
            beside = Machine(Execution(pool), Announcer(LocalBus()))
            await beside.create(chat, card, [Create((replica.says(text),))])
            taking = asyncio.create_task(replica.worker.acquirer.once())
        else:
            taking = asyncio.create_task(replica.someone_asks(text, chat_id=chat))
        await proxy.holding.wait()
        row = await Machine(Execution(pool), Announcer(LocalBus())).load(chat)
        assert row.runner_id is not None
        owned = Owned(chat, row.runner_id, row.snapshot_version)
        replica.worker.runners.renewed(Renewal(1, (owned,)), replica.clock.monotonic())
        await replica.worker.runners.looked()
        runners = len(replica.worker.runners)
        proxy.decide = lambda _: Fate.CARRY
        proxy.let_go()
        await taking
        assert (await replica.comes_to_rest(chat)).state is State.W
        assert (runners, len(sim.requests)) == (0, 1)
