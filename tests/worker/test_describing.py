"""The title, label and summary that a chat gets after its turn."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from perdure.agent.models import ResolvedModel
from perdure.agent.prepare import Limits, Rules
from perdure.core.card import Card
from perdure.core.chat import State
from perdure.core.errors import Refused
from perdure.core.ids import ChatId, MessageNumber, ModelName, ReplicaId
from perdure.core.message import Effort, Visibility
from perdure.core.timing import DESCRIPTION_PATIENCE
from perdure.machine.transitions import EditMessage, Target
from perdure.sim.script import GatePart, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.testing.replica import PATIENCE, InProcessReplica
from perdure.worker.describer import Describer
from perdure.worker.describing import PER_PERSON, Describing


def describing(replica: InProcessReplica, **describer_fields: Any) -> Describing:
    runner_services, replica_id = replica.runner_services, ReplicaId(uuid4())
    describer = Describer(
        pool=replica.pool,
        models=runner_services.preparation.models,
        rules=runner_services.preparation.sources.rules,
        client=runner_services.client,
        budgets=runner_services.budgets,
        replica_id=lambda: replica_id,
        **describer_fields,
    )
    return Describing(replica.pool, replica.machine, runner_services.histories, describer, replica.bus, replica.clock)


async def card(replica: InProcessReplica, chat: ChatId) -> tuple[str, str, str | None, str | None]:
    row = await replica.pool.fetchrow(
        "SELECT title, title_source, turn_label, summary FROM chat_cards WHERE id = $1", chat
    )
    assert row is not None
    return row["title"], row["title_source"], row["turn_label"], row["summary"]


async def test_a_chat_gets_a_title_a_label_and_a_summary(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    await describing(replica).describe(await replica.comes_to_rest(chat))
    title, source, label, summary = await card(replica, chat)
    assert (source, bool(label), bool(summary)) == ("generated", True, True)
    assert "sort" in title.lower()


async def test_a_title_that_somebody_chose_stays(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?", title_source="named")
    before = (await card(replica, chat))[0]
    await describing(replica).describe(await replica.comes_to_rest(chat))
    assert (await card(replica, chat))[:2] == (before, "named")


async def test_an_agents_summary_is_the_first_paragraph_of_its_report(replica: InProcessReplica) -> None:
    parent = await replica.someone_asks("[[say:1 tokens]]")
    child = await replica.someone_asks("hello", parent_id=parent, root_id=parent, title_source="named")
    await describing(replica).describe(await replica.comes_to_rest(child))
    summary = (await card(replica, child))[3]
    assert summary is not None
    assert len(summary) > len("# Hello!")
    assert not summary.startswith("#")


async def test_a_chat_that_fails_loses_the_label_of_the_turn_before(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    await describing(replica).describe(await replica.comes_to_rest(chat))
    assert (await card(replica, chat))[2]
    await replica.someone_adds(chat, "[[fault:401]]")
    assert (await replica.comes_to_rest(chat)).state is State.E0
    assert (await card(replica, chat))[2] is None


async def test_a_turn_that_no_model_describes_is_labelled_by_what_was_asked(replica: InProcessReplica) -> None:
    replica.sources.rules_now = Rules(title_model=ModelName("gone"))
    replica.models.gone.add("gone")
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    rested = await replica.comes_to_rest(chat)
    with pytest.raises(Refused, match="The model that is set for titles, gone, is not available any more"):
        await describing(replica).describe(rested)
    await swept(replica, chat, [describing(replica)])
    assert (await card(replica, chat))[1:] == ("fallback", "How do I sort a", None)


async def test_the_model_that_is_set_for_titles_finds_them(replica: InProcessReplica) -> None:
    replica.sources.rules_now = Rules(title_model=ModelName("cheap-one"))
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    asked: list[ModelName | None] = []
    resolve = replica.models.resolve

    async def noted(card: Card, name: ModelName | None, effort: Effort | None) -> ResolvedModel:
        asked.append(name)
        return await resolve(card, name, effort)

    rested = await replica.comes_to_rest(chat)
    replica.models.resolve = noted
    await describing(replica).describe(rested)
    assert asked == ["cheap-one"]
    assert (await card(replica, chat))[1] == "generated"


async def test_words_are_paid_for_and_not_asked_for_where_no_budget_has_room(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    rested = await replica.comes_to_rest(chat)
    replica.sources.rules_now = Rules(limits=Limits(user=1))
    with pytest.raises(Refused, match="user's budget"):
        await describing(replica).describe(rested)
    assert (await card(replica, chat))[1] == "fallback"
    replica.sources.rules_now = Rules()
    await describing(replica).describe(rested)
    await replica.runner_services.budgets.flush()
    row = await replica.pool.fetchrow(
        "SELECT k.cost, k.words_calls, k.words_unpriced, k.words_cost, "
        "(SELECT sum(spent) FROM budgets WHERE payer = k.owner_id) AS spent FROM chat_cards k WHERE k.id = $1",
        chat,
    )
    assert row is not None
    assert (row["words_calls"], row["words_unpriced"]) == (1, 0)
    assert row["words_cost"] > 0
    assert row["spent"] == row["cost"] + row["words_cost"]


async def test_words_about_a_history_that_has_changed_since_are_only_good_for_a_title(
    replica: InProcessReplica,
) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    rested = await replica.comes_to_rest(chat)
    target = Target(number=MessageNumber(1), visibility=Visibility.BOTH, model=None, effort=None)
    await replica.machine.change(chat, EditMessage(target, replica.says("How do I bake a cake? [[gate:never]]")))
    await describing(replica).describe(rested)
    assert (await card(replica, chat))[1:] == ("generated", None, None)


async def swept(replica: InProcessReplica, chat: ChatId, survivors: list[Describing]) -> None:
    """Let these find the chat without words, and wait until it has some."""
    running = [asyncio.create_task(survivor.run()) for survivor in survivors]
    described = asyncio.Event()
    replica.bus.listen(lambda notice: described.set() if notice.metadata_version else None)
    try:
        # Whoever drove it may still be at it.
        await asyncio.gather(*(survivor.sweep() for survivor in survivors))
        ended = "UPDATE chats SET updated_at = updated_at - $2::interval WHERE id = $1"
        await replica.pool.execute(ended, chat, DESCRIPTION_PATIENCE)
        await asyncio.gather(*(survivor.sweep() for survivor in survivors))
        await described.wait()
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)


async def test_words_that_a_crash_lost_are_found_later_and_once(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    await replica.comes_to_rest(chat)
    await swept(replica, chat, [describing(replica) for _ in range(2)])
    assert await replica.pool.fetchval("SELECT words_calls FROM chat_cards WHERE id = $1", chat) == 1
    assert (await card(replica, chat))[1] == "generated"


FOUND = '{"title": "Found", "label": "Looked around", "summary": "Nothing."}'
GATED, AT_ONCE = Step((GatePart("describe"), Says(FOUND))), Step((Says(FOUND),))


@asynccontextmanager
async def described_at_once(
    replica: InProcessReplica, sim: Simulator, steps: Sequence[Step], **describer_fields: Any
) -> AsyncGenerator[Describing]:
    """Whatever rests is described by a model that answers so, call by call."""
    replica.sources.rules_now = Rules(title_model=ModelName("describer"))
    sim.script(Script("describer", tuple(steps), model="describer", counted=True, chores=True))
    service = describing(replica, **describer_fields)
    stop = replica.announcer.follow(service.committed)
    running = asyncio.create_task(service.run())
    try:
        yield service
    finally:
        stop()
        running.cancel()
        await asyncio.wait({running})


async def labelled(replica: InProcessReplica, chat: ChatId) -> str:
    """The label that the chat has got, once it has one."""
    described = asyncio.Event()
    stop = replica.bus.listen(lambda notice: described.set() if notice.metadata_version else None)
    try:
        async with asyncio.timeout(PATIENCE):
            while (label := (await card(replica, chat))[2]) is None:
                await described.wait()
                described.clear()
            return label
    finally:
        stop()


async def ask(replica: InProcessReplica, count: int, **card: Any) -> list[ChatId]:
    chats = [await replica.someone_asks(f"How do I sort {number} numbers?", **card) for number in range(count)]
    for chat in chats:
        await replica.comes_to_rest(chat)
    return chats


async def test_several_chats_are_described_at_once_and_so_many_of_one_person(
    replica: InProcessReplica, sim: Simulator
) -> None:
    async with described_at_once(replica, sim, [GATED] * PER_PERSON + [AT_ONCE] * 7):
        chats = await ask(replica, 12)
        await sim.gates["describe"].reached(PER_PERSON)
        other = await replica.pool.fetchval(
            "INSERT INTO users (organisation_id, email) VALUES ($1, 'other@example.com') RETURNING id",
            replica.organisation,
        )
        (others,) = await ask(replica, 1, owner_id=other)
        assert await labelled(replica, others) == "Looked around"
        assert [(await card(replica, chat))[2] for chat in chats] == [None] * 12
        await sim.gates["describe"].set(open=True)
        assert [await labelled(replica, chat) for chat in chats] == ["Looked around"] * 12


async def test_a_model_that_hangs_is_given_up_and_the_turn_labelled_by_what_was_asked(
    replica: InProcessReplica, sim: Simulator
) -> None:
    async with described_at_once(replica, sim, [Step((GatePart("never"),))] * 2, cap=timedelta()):
        (chat,) = await ask(replica, 1)
        assert await labelled(replica, chat) == "How do I sort 0"


async def test_a_chat_that_is_at_work_again_is_described_when_it_rests(
    replica: InProcessReplica, sim: Simulator
) -> None:
    async with described_at_once(replica, sim, [GATED] * PER_PERSON + [AT_ONCE] * 2):
        await ask(replica, PER_PERSON)
        await sim.gates["describe"].reached(PER_PERSON)
        (chat,) = await ask(replica, 1)
        await replica.someone_adds(chat, "[[gate:answer]]And letters?")
        await sim.gates["answer"].reached()
        await sim.gates["describe"].grant()
        (last,) = await ask(replica, 1)
        assert await labelled(replica, last) == "Looked around"
        assert (await card(replica, chat))[2] is None
        await sim.gates["answer"].set(open=True)
        assert await labelled(replica, chat) == "Looked around"


async def test_nothing_is_written_about_what_was_described_when_another_server_answered(
    replica: InProcessReplica, sim: Simulator
) -> None:
    async with described_at_once(replica, sim, [GATED, AT_ONCE]) as service:
        (lost,) = await ask(replica, 1)
        await sim.gates["describe"].reached()
        before = await card(replica, lost)
        service.forget()
        await sim.gates["describe"].set(open=True)
        (after,) = await ask(replica, 1)
        assert await labelled(replica, after) == "Looked around"
        assert await card(replica, lost) == before
