"""What a replica's numbers say after work that is known."""

import asyncio
from typing import Annotated
from uuid import uuid4

import msgspec
import pytest

from perdure.core.card import NewCard
from perdure.core.chat import Busy, Chat, Status
from perdure.core.ids import ChatId, ReplicaId, RunnerId
from perdure.machine.change import Owner
from perdure.machine.machine import Machine
from perdure.machine.transitions import Acquire, Create, Interrupt, RequestCompaction
from perdure.sim.server import Simulator
from perdure.store.execution import Execution
from perdure.testing.metric_reader import MetricReader
from perdure.testing.replica import InProcessReplica
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.worker.runner import Runner


@tool(Effect.READS)
async def echo(_: ToolContext, text: Annotated[str, msgspec.Meta(description="What to say.")]) -> str:
    """Say it again."""
    return text


@pytest.fixture
def numbers(replica: InProcessReplica) -> MetricReader:
    return replica.numbers


async def test_a_turn_with_a_tool_is_two_answers_and_one_batch(
    replica: InProcessReplica, numbers: MetricReader
) -> None:
    replica.tools.tools = (echo,)
    chat = await replica.someone_asks('[[call:echo {"text": "four"}]] [[say:3 tokens]]')
    await replica.comes_to_rest(chat)
    assert numbers("perdure_steps_total", kind="answer") == 2
    assert numbers("perdure_steps_total", kind="tools") == 1
    assert numbers("perdure_turns_total", outcome="finished") == 1
    assert numbers("perdure_turn_seconds_count", outcome="finished") == 1
    assert numbers("perdure_tool_calls_total", tool="echo", outcome="ok") == 1
    assert numbers("perdure_tool_result_bytes_sum", tool="echo") == 4
    assert numbers("perdure_model_calls_total", provider="Simulator", model="demo", purpose="answer", outcome="ok") == 2
    assert numbers("perdure_first_token_seconds_count", provider="Simulator", model="demo") == 2
    assert numbers("perdure_tokens_total", model="demo", kind="input") > 0
    assert numbers("perdure_cost_dollars_total", model="demo") > 0
    assert numbers("perdure_commits_total", result="done") >= 3
    assert numbers("perdure_step_seconds_count", kind="answer") == 2
    assert numbers("perdure_attempts_total") == 3
    assert numbers("perdure_tool_seconds_count", tool="echo") == 1
    assert numbers("perdure_model_call_seconds_count", provider="Simulator", model="demo") == 2
    assert numbers("perdure_prompt_bytes_count") == 2
    # What was asked, what was called, what it gave: one message, then three.
    assert (numbers("perdure_prompt_messages_count"), numbers("perdure_prompt_messages_sum")) == (2, 4)
    assert numbers("perdure_prompt_tokens_sum") == numbers("perdure_tokens_total", model="demo", kind="input")
    assert numbers("perdure_commit_seconds_count") == numbers("perdure_commits_total", result="done")


async def test_a_name_that_the_model_made_up_is_no_series_of_its_own(
    replica: InProcessReplica, numbers: MetricReader
) -> None:
    chat = await replica.someone_asks('[[call:no_such_tool_at_all {"text": "four"}]] [[say:3 tokens]]')
    await replica.comes_to_rest(chat)
    assert numbers("perdure_tool_calls_total", tool="unknown", outcome="error") == 1
    assert "no_such_tool_at_all" not in replica.measures.metrics.render().decode()


async def test_a_call_whose_price_nobody_knows_costs_nothing_and_is_counted(
    replica: InProcessReplica, numbers: MetricReader
) -> None:
    replica.models.price = None
    await replica.comes_to_rest(await replica.someone_asks("[[say:3 tokens]]"))
    assert numbers("perdure_unpriced_calls_total", model="demo") == 1
    assert numbers("perdure_cost_dollars_total", model="demo") == 0


async def test_work_that_the_chat_has_moved_on_without_is_counted(
    replica: InProcessReplica, numbers: MetricReader, sim: Simulator
) -> None:
    # Under the name of a replica that lives elsewhere, so that nothing here tells the runner of the row.
    chat, owner = await driven_elsewhere(replica, "[[say:3 tokens]] [[gate:open]]")
    driving = asyncio.ensure_future(Runner(replica.runner_services, chat, owner).run())
    await sim.gates["open"].reached()
    await another_machine(replica).change(chat.id, Interrupt())
    await sim.gates["open"].set(open=True)
    await driving
    assert numbers("perdure_stale_work_total") == 1
    assert numbers("perdure_turns_total", outcome="interrupted") == 1


async def driven_elsewhere(replica: InProcessReplica, text: str) -> tuple[Chat, Owner]:
    """A chat of another replica, whose lease outlasts the test."""
    owner = Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
    await replica.pool.execute(
        "INSERT INTO replicas (id, version, seen_at) VALUES ($1, '', now() + interval '1 hour')", owner.worker_id
    )
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="elsewhere")
    said = Create((replica.says(text),))
    taken = await another_machine(replica).create(ChatId(uuid4()), card, [said, Acquire(owner)])
    return taken.chat, owner


def another_machine(replica: InProcessReplica) -> Machine:
    """What it changes, nobody here is told."""
    return Machine(Execution(replica.pool), lambda _: None)


async def test_a_turn_that_another_replica_began_is_timed_from_its_beginning(
    replica: InProcessReplica, numbers: MetricReader
) -> None:
    chat, owner = await driven_elsewhere(replica, "[[say:3 tokens]]")
    await replica.pool.execute("UPDATE chats SET turn_began_at = turn_began_at - interval '1 hour'")
    await replica.pool.execute("DELETE FROM replicas WHERE id = $1", owner.worker_id)
    await replica.comes_to_rest(chat.id)
    timed = [numbers(f"perdure_turn_seconds_{what}", outcome="finished") for what in ("count", "sum")]
    assert (timed[0], timed[1] > 3600) == (1, True)


async def test_a_failed_attempt_is_a_retry_of_its_kind(replica: InProcessReplica, numbers: MetricReader) -> None:
    chat = await replica.someone_asks("[[fault:overloaded x1]] [[say:3 tokens]]")
    rested = await replica.comes_to_rest(chat)
    assert rested.status is Status.WAITING
    assert numbers("perdure_retries_total", kind="overloaded") == 1
    calls = {"provider": "Simulator", "model": "demo", "purpose": "answer"}
    assert numbers("perdure_model_calls_total", **calls, outcome="overloaded") == 1


async def test_a_message_in_the_queue_is_timed_until_it_is_taken_up(
    replica: InProcessReplica, numbers: MetricReader, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[gate:open]] [[say:3 tokens]]")
    await sim.gates["open"].reached()
    await replica.someone_adds(chat, "[[say:3 tokens]]", Busy.QUEUE)
    await sim.gates["open"].set(open=True)
    await replica.comes_to_rest(chat)
    assert numbers("perdure_queue_wait_seconds_count") == 1
    assert numbers("perdure_turns_total", outcome="finished") == 2


async def test_a_message_that_another_replica_queued_is_timed_too(
    replica: InProcessReplica, numbers: MetricReader, sim: Simulator
) -> None:
    chat = await replica.someone_asks("[[gate:open]] [[say:3 tokens]]")
    await sim.gates["open"].reached()
    await replica.someone_adds(chat, "[[say:3 tokens]]", Busy.QUEUE)
    await replica.pool.execute("UPDATE queued_messages SET created_at = created_at - interval '1 hour'")
    await sim.gates["open"].set(open=True)
    await replica.comes_to_rest(chat)
    assert (numbers("perdure_queue_wait_seconds_count"), numbers("perdure_queue_wait_seconds_sum") > 3600) == (1, True)


async def test_an_error_that_ends_a_turn_is_counted_by_kind(replica: InProcessReplica, numbers: MetricReader) -> None:
    chat = await replica.someone_asks("[[fault:auth]]")
    rested = await replica.comes_to_rest(chat)
    assert rested.status is Status.ERROR
    assert numbers("perdure_turn_errors_total", kind="auth") == 1
    assert numbers("perdure_turns_total", outcome="failed") == 1


async def test_a_compaction_is_counted_with_its_source_and_its_result(
    replica: InProcessReplica, numbers: MetricReader
) -> None:
    chat = await replica.someone_asks("[[say:600 tokens]] begin")
    rested = await replica.comes_to_rest(chat)
    await replica.machine.change(chat, RequestCompaction())
    await replica.until(
        chat, lambda row: row.status is Status.WAITING and row.snapshot_version > rested.snapshot_version + 2
    )
    assert numbers("perdure_compactions_total", source="manual", result="summarised") == 1
    assert numbers("perdure_steps_total", kind="compaction") == 1
    calls = {"provider": "Simulator", "model": "demo", "purpose": "compaction"}
    assert numbers("perdure_model_calls_total", **calls, outcome="ok") == 1
