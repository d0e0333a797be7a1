"""Budgets: nothing is asked of a model that does not fit them, and somebody decides how it goes on."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from itertools import repeat
from uuid import uuid4

import pytest
from msgspec import json, structs

from perdure.agent.prepare import Limits, Rules
from perdure.core.action import ActionKind, Breach, BudgetOwner
from perdure.core.card import Card, NewCard
from perdure.core.chat import Chat, State, Status
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.failure import ErrorKind
from perdure.core.ids import ChatId, OrganisationId, ReplicaId, UserId
from perdure.machine.transitions import CompleteRequiresAction, Create, Interrupt, Transition
from perdure.proof.proxy import Fate, Proxy
from perdure.sim.server import Simulator
from perdure.store.budgets import take
from perdure.store.pool import Pool, open_pool
from perdure.store.replicas import register
from perdure.testing.clock import MidMonthClock
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.worker.budget_reservations import BudgetReservations, Purpose
from perdure.worker.refills import Refills

# What 400 tokens of output cost at the simulator's price, and a prompt that costs next to nothing.
OUTPUT = 400
ONE_CALL = OUTPUT * 15
REQUESTS_OF_A_SETTLEMENT = 8


def _rested_or_parked(chat: Chat) -> bool:
    return chat.status in (Status.WAITING, Status.ERROR, Status.REQUIRES_ACTION)


async def _asks(replica: InProcessReplica, text: str, *, limit: int) -> Chat:
    chat_id = ChatId(uuid4())
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="A chat")
    await replica.machine.create(chat_id, card, [Create((replica.says(text),), budget_limit=limit)])
    return await replica.until(chat_id, _rested_or_parked)


async def _answers(replica: InProcessReplica, chat: Chat, answer: Transition) -> Chat:
    await replica.machine.change(chat.id, answer)
    return await replica.until(chat.id, _rested_or_parked)


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, clock=MidMonthClock()) as replica:
        replica.models.settings = structs.replace(replica.models.settings, max_output_tokens=OUTPUT)
        yield replica


async def test_a_chat_within_its_budget_counts_what_it_spends(replica: InProcessReplica) -> None:
    rested = await _asks(replica, "[[say:20 tokens]]", limit=10 * ONE_CALL)
    _, answer = await replica.messages(rested.id)
    assert rested.state is State.W
    assert (rested.budget_spent, rested.budget_reserved) == (answer.cost, 0)
    assert rested.budget_spent > 0


async def test_a_call_that_does_not_fit_is_not_made_until_somebody_raises_the_limit(replica: InProcessReplica) -> None:
    parked = await _asks(replica, "[[say:20 tokens]]", limit=ONE_CALL - 1)
    assert (parked.state, parked.owned, parked.action_deadline_at) == (State.A0, False, None)
    assert parked.action is not None
    assert (parked.action.kind, parked.action.limit) == (ActionKind.BUDGET, ONE_CALL - 1)
    assert len(await replica.messages(parked.id)) == 1
    rested = await _answers(replica, parked, CompleteRequiresAction(limit=10 * ONE_CALL))
    assert (rested.state, rested.budget_limit) == (State.W, 10 * ONE_CALL)
    assert len(await replica.messages(parked.id)) == 2


async def test_a_declined_budget_ends_the_turn_and_says_why(replica: InProcessReplica) -> None:
    parked = await _asks(replica, "[[say:20 tokens]]", limit=0)
    ended = await _answers(replica, parked, CompleteRequiresAction(declined=True))
    assert ended.state is State.E0
    assert ended.last_error is not None
    assert ended.last_error.kind is ErrorKind.USAGE_LIMIT
    assert len(await replica.messages(parked.id)) == 1


@pytest.mark.parametrize("owner", [BudgetOwner.USER, BudgetOwner.ORGANISATION])
async def test_a_persons_and_an_organisations_budget_park_the_chat_too(
    replica: InProcessReplica, owner: BudgetOwner
) -> None:
    replica.sources.rules_now = Rules(limits=Limits(**{owner.value: ONE_CALL * 3 // 2}))
    first = await replica.comes_to_rest(await replica.someone_asks("[[say:390 tokens]]"))
    await replica.runner_services.budgets.flush()
    second = await replica.until(await replica.someone_asks("[[say:20 tokens]]"), _rested_or_parked)
    assert (first.state, second.state) == (State.W, State.A0)
    assert second.action is not None
    assert (second.action.budget, second.action.limit) == (owner, ONE_CALL * 3 // 2)
    spent = await replica.pool.fetchval(
        "SELECT spent FROM budgets WHERE payer = $1",
        replica.user if owner is BudgetOwner.USER else replica.organisation,
    )
    assert spent == second.action.spent == (await replica.messages(first.id))[1].cost
    replica.sources.rules_now = Rules(limits=Limits(**{owner.value: ONE_CALL * 5}))
    rested = await _answers(replica, second, CompleteRequiresAction(limit=ONE_CALL * 5))
    assert (rested.state, rested.budget_limit) == (State.W, None)


async def _spent(replica: InProcessReplica, chat_id: ChatId) -> tuple[int, int, int]:
    """What the row, the card and the organisation's month say."""
    await replica.runner_services.budgets.flush()
    row = await replica.pool.fetchrow(
        "SELECT c.budget_spent, k.cost, b.spent FROM chats c JOIN chat_cards k USING (id) "
        "JOIN budgets b ON b.payer = k.organisation_id WHERE c.id = $1",
        chat_id,
    )
    assert row is not None
    return row["budget_spent"], row["cost"], row["spent"]


async def test_an_answer_that_is_stopped_is_paid_for_by_what_was_seen_of_it(replica: InProcessReplica) -> None:
    chat_id = await replica.someone_asks("[[say:200 tokens]] [[gate:never]] [[say:20 tokens]]")
    await replica.shows(chat_id)
    await replica.machine.change(chat_id, Interrupt())
    await replica.comes_to_rest(chat_id)
    _, partial = await replica.messages(chat_id)
    assert partial.cost is not None
    assert 15 < partial.cost < ONE_CALL * 2
    assert await _spent(replica, chat_id) == (partial.cost,) * 3


async def test_an_answer_that_breaks_off_is_paid_for_with_the_next(replica: InProcessReplica) -> None:
    chat_id = await replica.someone_asks("[[say:40 tokens]] [[fault:cut x1]] [[say:20 tokens]]")
    await replica.comes_to_rest(chat_id)
    _, answer = await replica.messages(chat_id)
    assert answer.cost is not None
    spent = await _spent(replica, chat_id)
    assert spent == (spent[0],) * 3
    assert spent[0] > answer.cost


async def test_chats_go_on_when_the_budget_is_raised_that_they_wait_for(replica: InProcessReplica) -> None:
    replica.sources.rules_now = Rules(limits=Limits(organisation=10))
    waiting = [await replica.until(await replica.someone_asks("[[say:5 tokens]]"), _rested_or_parked) for _ in range(2)]
    assert [chat.state for chat in waiting] == [State.A0] * 2
    refills = Refills(replica.pool, replica.machine, replica.config, replica.clock)
    await _sets(replica, organisation=10)
    assert await refills.once() == 0
    await _sets(replica, organisation=ONE_CALL * 100)
    replica.sources.rules_now = Rules(limits=Limits(organisation=ONE_CALL * 100))
    assert await refills.once() == 2
    assert [(await replica.comes_to_rest(chat.id)).state for chat in waiting] == [State.W] * 2
    assert await refills.once() == 0


async def test_chats_go_on_when_another_month_begins(replica: InProcessReplica) -> None:
    replica.sources.rules_now = Rules(limits=Limits(user=10))
    await _sets(replica, user=10)
    chat = await replica.until(await replica.someone_asks("[[say:5 tokens]]"), _rested_or_parked)
    refills = Refills(replica.pool, replica.machine, replica.config, replica.clock)
    assert await refills.once() == 0
    last_month = replica.clock.now() - timedelta(days=30)
    await replica.pool.execute("UPDATE chats SET updated_at = $2 WHERE id = $1", chat.id, last_month)
    replica.sources.rules_now = Rules()
    assert await refills.once() == 1
    assert (await replica.comes_to_rest(chat.id)).state is State.W


async def test_a_chats_own_budget_is_raised_by_its_owner_alone(replica: InProcessReplica) -> None:
    parked = await _asks(replica, "[[say:20 tokens]]", limit=0)
    assert await Refills(replica.pool, replica.machine, replica.config, replica.clock).once() == 0
    assert (await replica.machine.load(parked.id)).state is State.A0


async def _sets(replica: InProcessReplica, **limits: int) -> None:
    await replica.pool.execute(
        "INSERT INTO settings (organisation_id, name, value) VALUES ($1, 'budgets', $2) "
        "ON CONFLICT (organisation_id, name) DO UPDATE SET value = excluded.value",
        replica.organisation,
        json.encode(limits).decode(),
    )
    replica.config.changed(replica.organisation)


async def test_words_and_a_turn_of_one_chat_have_their_own_money_set_aside(pool: Pool) -> None:
    budgets, replica_id = BudgetReservations(pool, MidMonthClock()), ReplicaId(uuid4())
    await register(pool, replica_id, address=None, version="test", capacity=1)
    chat = Chat(id=ChatId(uuid4()), status=Status.RUNNING)
    card = Card(id=chat.id, owner_id=UserId(uuid4()), organisation_id=OrganisationId(uuid4()), title="")
    limits = Limits(organisation=200)
    assert await budgets.reserve(chat, card, limits, replica_id, 100) is None
    assert await budgets.reserve(chat, card, limits, replica_id, 101, Purpose.DESCRIPTION) is not None
    assert await budgets.reserve(chat, card, limits, replica_id, 100, Purpose.DESCRIPTION) is None
    budgets.settle(card, replica_id, 50, Purpose.DESCRIPTION)
    assert await budgets.reserve(chat, card, limits, replica_id, 150) is None
    assert await budgets.reserve(chat, card, limits, replica_id, 151) is not None


async def test_what_is_counted_at_once_by_two_is_counted_once(pool: Pool) -> None:
    """A replica that leaves counts what it spent, while it does so once a second anyway."""
    budgets, replica_id = BudgetReservations(pool, MidMonthClock()), ReplicaId(uuid4())
    await register(pool, replica_id, address=None, version="test", capacity=1)
    card = Card(id=ChatId(uuid4()), owner_id=UserId(uuid4()), organisation_id=OrganisationId(uuid4()), title="")
    budgets.settle(card, replica_id, 50)
    await asyncio.gather(budgets.flush(), budgets.flush(everything=True))
    assert await pool.fetchval("SELECT spent FROM budgets WHERE payer = $1", card.organisation_id) == 50


async def test_what_was_counted_and_not_heard_of_is_counted_once(database_url: str, pool: Pool) -> None:
    """Each request of a settlement in turn is carried out, and the connection breaks before its answer."""
    proxy, replica_id = Proxy(database_url), ReplicaId(uuid4())
    await register(pool, replica_id, address=None, version="test", capacity=1)
    card = Card(id=ChatId(uuid4()), owner_id=UserId(uuid4()), organisation_id=OrganisationId(uuid4()), title="")
    async with proxy.running(), open_pool(proxy.url, size=1) as shaky:
        budgets, lost = BudgetReservations(shaky, MidMonthClock()), 0
        for number in range(1, REQUESTS_OF_A_SETTLEMENT + 1):
            fates = iter([*repeat(Fate.CARRY, number - 1), Fate.LOSE_ANSWER])
            proxy.decide = lambda _, fates=fates: next(fates, Fate.CARRY)
            budgets.settle(card, replica_id, 10)
            try:
                await budgets.flush()
            except (Unavailable, DatabaseFault):
                lost += 1
            proxy.decide = lambda _: Fate.CARRY
            await budgets.flush()
            assert await pool.fetchval("SELECT spent FROM budgets WHERE payer = $1", card.owner_id) == 10 * number
    assert lost >= REQUESTS_OF_A_SETTLEMENT // 2


async def test_a_slice_that_is_awaited_while_a_month_begins_is_of_the_month_that_asked(pool: Pool) -> None:
    clock, replica_id = TurningClock(), ReplicaId(uuid4())
    budgets = BudgetReservations(pool, clock)
    await register(pool, replica_id, address=None, version="test", capacity=1)
    chat = Chat(id=ChatId(uuid4()), status=Status.RUNNING)
    card = Card(id=chat.id, owner_id=UserId(uuid4()), organisation_id=OrganisationId(uuid4()), title="")
    assert await budgets.reserve(chat, card, Limits(organisation=200), replica_id, 100) is None
    rows = await pool.fetch("SELECT month, held FROM budgets WHERE payer = $1", card.organisation_id)
    assert [tuple(row) for row in rows] == [(date(2026, 5, 1), 100)]
    await budgets.flush(everything=True)
    assert await pool.fetchval("SELECT sum(held) FROM budgets WHERE payer = $1", card.organisation_id) == 0


class TurningClock(MidMonthClock):
    """A month begins as soon as somebody has asked for the date."""

    asked = False

    def now(self) -> datetime:
        asked, self.asked = self.asked, True
        return datetime(2026, 6 if asked else 5, 1, tzinfo=UTC)


async def test_replicas_that_spend_at_once_stay_within_the_limit(pool: Pool) -> None:
    """Forty replicas with one call each, and money for ten calls."""
    limit, call = 1_000, 100
    card = Card(id=ChatId(uuid4()), owner_id=UserId(uuid4()), organisation_id=OrganisationId(uuid4()), title="")

    async def spends() -> bool:
        budgets, replica_id = BudgetReservations(pool, MidMonthClock()), ReplicaId(uuid4())
        await register(pool, replica_id, address=None, version="test", capacity=1)
        chat = Chat(id=ChatId(uuid4()), status=Status.RUNNING)
        limits = Limits(organisation=limit)
        breach = await budgets.reserve(chat, structs.replace(card, id=chat.id), limits, replica_id, call)
        if breach is None:
            budgets.settle(structs.replace(card, id=chat.id), replica_id, call)
            await budgets.flush(everything=True)
        return breach is None

    assert sum(await asyncio.gather(*(spends() for _ in range(40)))) == 10
    row = await pool.fetchrow("SELECT spent, held FROM budgets WHERE payer = $1", card.organisation_id)
    assert row is not None
    assert tuple(row) == (limit, 0)


async def test_chats_of_one_replica_do_not_count_on_the_same_money(pool: Pool) -> None:
    budgets, replica_id = BudgetReservations(pool, MidMonthClock()), ReplicaId(uuid4())
    await register(pool, replica_id, address=None, version="test", capacity=1)
    card = Card(id=ChatId(uuid4()), owner_id=UserId(uuid4()), organisation_id=OrganisationId(uuid4()), title="")

    async def reserves() -> Breach | None:
        chat = Chat(id=ChatId(uuid4()), status=Status.RUNNING)
        owned = structs.replace(card, id=chat.id)
        return await budgets.reserve(chat, owned, Limits(user=1_000, organisation=700), replica_id, 100)

    breaches = await asyncio.gather(*(reserves() for _ in range(20)))
    assert breaches.count(None) == 7
    assert {breach.owner for breach in breaches if breach} <= {BudgetOwner.USER, BudgetOwner.ORGANISATION}


async def test_what_a_dead_replica_had_set_aside_comes_back(pool: Pool) -> None:
    payer, month, dead, alive = uuid4(), date(2026, 11, 1), ReplicaId(uuid4()), ReplicaId(uuid4())
    for each in (dead, alive):
        await register(pool, each, address=None, version="test", capacity=1)
    assert (await take(pool, payer, month, dead, limit=100, needed=10, wanted=100)).amount == 100
    assert (await take(pool, payer, month, alive, limit=100, needed=10, wanted=10)).amount == 0
    await pool.execute("UPDATE replicas SET seen_at = now() - interval '1 minute' WHERE id = $1", dead)
    assert (await take(pool, payer, month, alive, limit=100, needed=10, wanted=10)).amount == 10
    assert await pool.fetchval("SELECT held FROM budgets WHERE payer = $1", payer) == 10


async def test_a_family_shares_one_budget_and_a_child_asks_nobody(replica: InProcessReplica) -> None:
    parent = await _asks(replica, "[[say:20 tokens]]", limit=10 * ONE_CALL)
    await replica.pool.execute("UPDATE chats SET budget_limit = budget_spent + 100 WHERE id = $1", parent.id)
    child = await replica.comes_to_rest(
        await replica.someone_asks("[[say:5 tokens]]", parent_id=parent.id, root_id=parent.id)
    )
    assert child.state is State.E0
    assert child.last_error is not None
    assert child.last_error.kind is ErrorKind.USAGE_LIMIT
