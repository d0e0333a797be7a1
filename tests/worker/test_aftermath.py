"""The words that a chat gets after its turn."""

import asyncio
from uuid import uuid4

import pytest

from perdure.agent.models import ResolvedModel
from perdure.agent.prepare import Limits, Rules
from perdure.core.card import Card
from perdure.core.chat import State
from perdure.core.errors import Refused
from perdure.core.ids import ChatId, MessageNumber, ModelName, ReplicaId
from perdure.core.message import Effort, Visibility
from perdure.core.timing import WORDS_PATIENCE
from perdure.machine.transitions.messages import EditMessage, Target
from perdure.testing.replica import InProcessReplica
from perdure.worker.aftermath import Aftermath
from perdure.worker.wording import Wording


def aftermath(replica: InProcessReplica) -> Aftermath:
    runner_services, replica_id = replica.runner_services, ReplicaId(uuid4())
    wording = Wording(
        models=runner_services.preparation.models,
        rules=runner_services.preparation.sources.rules,
        client=runner_services.client,
        budgets=runner_services.budgets,
        replica_id=lambda: replica_id,
    )
    return Aftermath(replica.pool, replica.machine, runner_services.histories, wording, replica.bus, replica.clock)


async def card(replica: InProcessReplica, chat: ChatId) -> tuple[str, str, str | None, str | None]:
    row = await replica.pool.fetchrow(
        "SELECT title, title_source, turn_label, summary FROM chat_cards WHERE id = $1", chat
    )
    assert row is not None
    return row["title"], row["title_source"], row["turn_label"], row["summary"]


async def test_a_chat_gets_a_title_a_label_and_a_summary(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    await aftermath(replica).describe(await replica.comes_to_rest(chat))
    title, source, label, summary = await card(replica, chat)
    assert (source, bool(label), bool(summary)) == ("generated", True, True)
    assert "sort" in title.lower()


async def test_a_title_that_somebody_chose_stays(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?", title_source="named")
    before = (await card(replica, chat))[0]
    await aftermath(replica).describe(await replica.comes_to_rest(chat))
    assert (await card(replica, chat))[:2] == (before, "named")


async def test_an_agents_summary_is_the_first_paragraph_of_its_report(replica: InProcessReplica) -> None:
    parent = await replica.someone_asks("[[say:1 tokens]]")
    child = await replica.someone_asks("hello", parent_id=parent, root_id=parent, title_source="named")
    await aftermath(replica).describe(await replica.comes_to_rest(child))
    summary = (await card(replica, child))[3]
    assert summary is not None
    assert len(summary) > len("# Hello!")
    assert not summary.startswith("#")


async def test_a_chat_that_fails_loses_the_label_of_the_turn_before(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    await aftermath(replica).describe(await replica.comes_to_rest(chat))
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
        await aftermath(replica).describe(rested)
    await swept(replica, chat, [aftermath(replica)])
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
    await aftermath(replica).describe(rested)
    assert asked == ["cheap-one"]
    assert (await card(replica, chat))[1] == "generated"


async def test_words_are_paid_for_and_not_asked_for_where_no_budget_has_room(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    rested = await replica.comes_to_rest(chat)
    replica.sources.rules_now = Rules(limits=Limits(user=1))
    with pytest.raises(Refused, match="user's budget"):
        await aftermath(replica).describe(rested)
    assert (await card(replica, chat))[1] == "fallback"
    replica.sources.rules_now = Rules()
    await aftermath(replica).describe(rested)
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
    await aftermath(replica).describe(rested)
    assert (await card(replica, chat))[1:] == ("generated", None, None)


async def swept(replica: InProcessReplica, chat: ChatId, survivors: list[Aftermath]) -> None:
    """Let these find the chat without words, and wait until it has some."""
    running = [asyncio.create_task(survivor.run()) for survivor in survivors]
    described = asyncio.Event()
    replica.bus.listen(lambda notice: described.set() if notice.metadata_version else None)
    try:
        # Whoever drove it may still be at it.
        await asyncio.gather(*(survivor.sweep() for survivor in survivors))
        ended = "UPDATE chats SET updated_at = updated_at - $2::interval WHERE id = $1"
        await replica.pool.execute(ended, chat, WORDS_PATIENCE)
        await asyncio.gather(*(survivor.sweep() for survivor in survivors))
        await described.wait()
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)


async def test_words_that_a_crash_lost_are_found_later_and_once(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("How do I sort a list of numbers in Python?")
    await replica.comes_to_rest(chat)
    await swept(replica, chat, [aftermath(replica) for _ in range(2)])
    assert await replica.pool.fetchval("SELECT words_calls FROM chat_cards WHERE id = $1", chat) == 1
    assert (await card(replica, chat))[1] == "generated"
