"""Compaction in whole turns: by itself, by hand, when the provider refuses, and when nothing helps."""

from collections.abc import AsyncIterator
from dataclasses import replace

import msgspec
import pytest

from perdure.agent.prepare import Rules
from perdure.core.chat import Chat, State
from perdure.core.deltas import ToolResultDelta
from perdure.core.failure import ErrorKind
from perdure.core.ids import ChatId, ModelName
from perdure.core.message import Kind, Role, Text, ToolResult
from perdure.machine.transitions import RequestCompaction, SendMessage
from perdure.providers.estimate import BYTES_PER_TOKEN
from perdure.providers.request import ModelSettings
from perdure.sim.script import Call, Fault, GatePart, Script, Step
from perdure.sim.script import Text as Say
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.tool import Effect, Tool, ToolContext, tool
from perdure.worker.duties.following import NOT_ASKED_AGAIN

WINDOW = 8_000
MODEL = "small-window-8k"


@tool(Effect.READS)
async def flood(_: ToolContext, size: int) -> str:
    """Gives back very much."""
    return "x" * size


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, window=WINDOW) as replica:
        replica.tools.tools = (flood,)
        yield replica


async def talked(replica: InProcessReplica, turns: int, tokens: int = 600) -> tuple[ChatId, Chat]:
    chat = await replica.someone_asks(f"[[say:{tokens} tokens]] begin", model=MODEL)
    rested = await replica.comes_to_rest(chat)
    for turn in range(turns - 1):
        await replica.someone_adds(chat, f"[[say:{tokens} tokens]] turn {turn}")
        rested = await replica.comes_to_rest(chat)
    return chat, rested


async def boundaries(replica: InProcessReplica, chat: ChatId) -> int:
    query = "SELECT count(*) FROM messages WHERE chat_id = $1 AND kind = 'boundary'"
    return await replica.pool.fetchval(query, chat)


async def told(replica: InProcessReplica, chat: ChatId) -> list[dict[str, object]]:
    """What people were told about compactions."""
    query = "SELECT parts FROM messages WHERE chat_id = $1 AND kind = 'compaction' AND role = 'tool' ORDER BY number"
    rows = await replica.pool.fetch(query, chat)
    parts = [msgspec.json.decode(row["parts"], type=tuple[ToolResult, ...])[0] for row in rows]
    return [msgspec.json.decode(part.result) for part in parts]


async def test_a_long_chat_compacts_itself_and_goes_on(replica: InProcessReplica) -> None:
    chat, rested = await talked(replica, 14)
    assert rested.state is State.W
    assert await boundaries(replica, chat) >= 1
    first = (await told(replica, chat))[0]
    assert first["source"] == "automatic"
    assert int(str(first["tokens_after"])) < WINDOW * 0.35
    everything = await replica.pool.fetchval(
        "SELECT count(*) FROM messages WHERE chat_id = $1 AND role = 'user' AND kind = 'ordinary'", chat
    )
    assert everything == 14


async def test_compaction_by_hand_ends_without_an_answer(replica: InProcessReplica) -> None:
    chat, rested = await talked(replica, 3)
    await replica.machine.change(chat, RequestCompaction())
    after = await replica.until(
        chat, lambda row: row.state is State.W and row.snapshot_version > rested.snapshot_version + 2
    )
    assert after.compaction_requested_at is None
    assert await boundaries(replica, chat) == 1
    assert (await told(replica, chat))[0]["source"] == "manual"
    call, last = (await replica.messages(chat))[-2:]
    assert (last.kind, last.role) == (Kind.COMPACTION, Role.TOOL)
    assert call.runtime_ms is not None


async def test_what_failed_is_asked_again_with_a_shorter_history_if_somebody_wants_both(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat, _ = await talked(replica, 3)
    await replica.someone_adds(chat, "[[fault:401]] This one fails.")
    failed = await replica.comes_to_rest(chat)
    asked = len(sim.requests)
    await replica.machine.change(chat, RequestCompaction(retry=True))
    after = await replica.until(
        chat, lambda row: row.state is State.E0 and row.snapshot_version > failed.snapshot_version + 2
    )
    # The summary, and what failed, which fails again.
    assert (await boundaries(replica, chat), len(sim.requests)) == (1, asked + 2)
    assert (after.last_error, b"This one fails." in bytes(sim.requests[-1].body)) == (failed.last_error, True)


async def test_a_summary_that_is_still_too_long_becomes_shorter_where_somebody_retries_with_a_compaction(
    replica: InProcessReplica, sim: Simulator
) -> None:
    # A summary that is as long as it may be: the plain cut of what was said.
    replica.sources.rules_now = Rules(summary_model=ModelName("unknown-summariser"))
    sim.script(Script("refused", (Step((Fault("overflow"),)),) * 9, counted=True))
    chat, _ = await talked(replica, 3)
    await replica.someone_adds(chat, "[[script:refused]]")
    failed = await replica.comes_to_rest(chat)
    assert failed.last_error is not None
    assert failed.last_error.kind is ErrorKind.CONTEXT_OVERFLOW
    by_itself = await boundaries(replica, chat)
    sim.script(Script("refused", (Step((Say("It fits now."),)),) * 20, counted=True))
    await replica.machine.change(chat, RequestCompaction(retry=True))
    after = await replica.until(chat, lambda row: row.state is State.W)
    assert (after.last_error, await boundaries(replica, chat)) == (None, by_itself + 1)
    query = "SELECT length(parts::text) FROM messages WHERE chat_id = $1 AND kind = 'boundary' ORDER BY number"
    *_, first, second = [row[0] for row in await replica.pool.fetch(query, chat)]
    assert second < first


@pytest.mark.parametrize("waiting", [False, True])
async def test_compaction_by_hand_from_an_error_does_not_ask_again_what_failed(
    replica: InProcessReplica, sim: Simulator, waiting: bool
) -> None:
    chat, _ = await talked(replica, 3)
    await replica.someone_adds(chat, "[[fault:401]] This one fails.")
    failed = await replica.comes_to_rest(chat)
    assert failed.last_error is not None
    asked = len(sim.requests)
    steps = [RequestCompaction(), *([SendMessage(replica.says("[[say:3 tokens]] And now?"))] if waiting else [])]
    await replica.machine.change_by(chat, lambda _: steps)
    after = await replica.until(
        chat, lambda row: row.state is State.E0 and row.snapshot_version > failed.snapshot_version + 2
    )
    assert await boundaries(replica, chat) == 1
    assert after.last_error == (failed.last_error if waiting else NOT_ASKED_AGAIN)
    # The summary, and an answer to what was said since, which fails in the same way.
    assert len(sim.requests) == asked + 1 + waiting
    assert (b"And now?" in bytes(sim.requests[-1].body)) is waiting


async def test_a_provider_that_refuses_the_prompt_for_its_size_triggers_compaction(replica: InProcessReplica) -> None:
    replica.models.window = 100_000
    chat, rested = await talked(replica, 16)
    assert rested.state is State.W
    assert "overflow" in {row["source"] for row in await told(replica, chat)}


async def test_after_two_refusals_in_a_row_the_model_still_hears_the_newest_message(
    replica: InProcessReplica, sim: Simulator
) -> None:
    replica.models.window = 100 * WINDOW
    chat = await replica.someone_asks("[[say:3000 tokens]] begin", model="demo-fast")
    for turn in range(8):
        await replica.comes_to_rest(chat)
        await replica.someone_adds(chat, f"[[say:3000 tokens]] turn {turn}")
    await replica.comes_to_rest(chat)
    await replica.pool.execute("UPDATE chat_cards SET model = $2 WHERE id = $1", chat, MODEL)
    await replica.someone_adds(chat, "[[say:20 tokens]] And now with a small model.")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)
    assert [row["source"] for row in await told(replica, chat)] == ["overflow", "overflow"]
    assert b"And now with a small model." in bytes(sim.requests[-1].body)
    assert sim.requests[-1].model == MODEL


async def test_gigantic_results_never_end_a_chat(replica: InProcessReplica, sim: Simulator) -> None:
    # Counted, since a compaction takes the earlier steps out of the prompt.
    calls = tuple(Step((Call("flood", {"size": 200_000}),)) for _ in range(6))
    sim.script(Script("floods", (*calls, Step((Say("Dry again."),))), model="flooding-window-8k", counted=True))
    chat = await replica.someone_asks("Go on.", model="flooding-window-8k")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)
    assert await boundaries(replica, chat) >= 1


async def test_a_failing_summariser_is_replaced_by_a_plain_cut(replica: InProcessReplica, sim: Simulator) -> None:
    replica.sources.rules_now = Rules(summary_model=ModelName("unknown-summariser"))
    chat, rested = await talked(replica, 14)
    assert rested.state is State.W
    assert all("error" in row for row in await told(replica, chat))
    assert await boundaries(replica, chat) >= 1
    assert sim.requests


@pytest.mark.parametrize(
    "lie",
    ["input=1,output=1", "input=900000000,output=5", "input=0,output=0"],
    ids=["too little", "far too much", "none"],
)
async def test_lying_usage_figures_neither_fill_the_window_nor_compact_for_ever(
    replica: InProcessReplica, sim: Simulator, lie: str
) -> None:
    chat = await replica.someone_asks(f"[[usage:{lie}]] [[say:600 tokens]] begin", model=MODEL)
    rested = await replica.comes_to_rest(chat)
    for turn in range(13):
        await replica.someone_adds(chat, f"[[usage:{lie}]] [[say:600 tokens]] turn {turn}")
        rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)
    assert await boundaries(replica, chat) > 0
    assert len(sim.requests) <= 14 * 3, "at most one refusal and one summary to an answer"


async def test_a_history_of_twenty_windows_still_fits(replica: InProcessReplica, sim: Simulator) -> None:
    replica.models.window = WINDOW * 100
    chat = await replica.someone_asks(f"[[say:{WINDOW} tokens]] begin", model="demo-fast")
    for turn in range(19):
        await replica.comes_to_rest(chat)
        await replica.someone_adds(chat, f"[[say:{WINDOW} tokens]] turn {turn}")
    await replica.comes_to_rest(chat)
    replica.models.window = WINDOW
    await replica.pool.execute("UPDATE chat_cards SET model = $2 WHERE id = $1", chat, MODEL)
    asked = len(sim.requests)
    await replica.someone_adds(chat, "[[say:20 tokens]] And now with a small model.")
    rested = await replica.comes_to_rest(chat)
    # The simulator refuses whatever is larger than the model's window.
    assert (rested.state, rested.last_error) == (State.W, None)
    assert await boundaries(replica, chat) >= 1
    before, last = sim.requests[asked - 1], sim.requests[-1]
    assert (before.model, last.model) == ("demo-fast", MODEL)
    assert len(before.body) > 20 * WINDOW * 3 > 20 * len(last.body)
    spoken = "SELECT count(*) FROM messages WHERE chat_id = $1 AND kind = 'ordinary'"
    assert await replica.pool.fetchval(spoken, chat) == 42


async def test_a_message_of_twenty_windows_ends_in_a_state_that_a_user_can_act_on(replica: InProcessReplica) -> None:
    replica.models.threshold = 2.0
    chat = await replica.someone_asks("[[say:20 tokens]] " + "word " * (WINDOW * 20), model=MODEL)
    rested = await replica.comes_to_rest(chat)
    assert rested.last_error is None or rested.last_error.kind is ErrorKind.CONTEXT_OVERFLOW
    assert rested.state in (State.W, State.E0)
    texts = [part.text for message in await replica.messages(chat) for part in message.parts if isinstance(part, Text)]
    assert len(texts[0]) > WINDOW * 20


async def test_a_history_stays_small_enough_for_the_model_that_summarises_it(replica: InProcessReplica) -> None:
    replica.models.window, replica.models.windows = 100 * WINDOW, {"short-sighted": WINDOW}
    replica.sources.rules_now = Rules(summary_model=ModelName("short-sighted"))
    chat = await replica.someone_asks("[[say:600 tokens]] begin", model="demo-fast")
    for turn in range(13):
        await replica.comes_to_rest(chat)
        await replica.someone_adds(chat, f"[[say:600 tokens]] turn {turn}")
    assert (await replica.comes_to_rest(chat)).state is State.W
    first = (await told(replica, chat))[0]
    assert first["source"] == "automatic"
    assert WINDOW // 2 < int(str(first["tokens_before"])) < WINDOW


async def compacted_by_hand(replica: InProcessReplica, chat: ChatId) -> dict[str, object]:
    """What people were told of it."""
    rested = await replica.comes_to_rest(chat)
    await replica.machine.change(chat, RequestCompaction())
    await replica.until(chat, lambda row: row.state is State.W and row.snapshot_version > rested.snapshot_version + 2)
    return (await told(replica, chat))[-1]


async def test_a_chat_that_fills_little_of_its_window_is_compacted_when_somebody_asks(
    replica: InProcessReplica,
) -> None:
    replica.models.window = 200_000
    chat = await replica.someone_asks("[[say:2000 tokens]] begin", model="demo-fast")
    said = await compacted_by_hand(replica, chat)
    assert int(str(said["tokens_after"])) < int(str(said["tokens_before"])) // 2
    assert await boundaries(replica, chat) == 1


async def test_a_chat_too_short_to_become_shorter_stays_as_it_is(replica: InProcessReplica, sim: Simulator) -> None:
    replica.sources.rules_now = Rules(summary_model=ModelName("long-winded"))
    sim.script(Script("long", (Step((Say("word " * 400),)),), model="long-winded", counted=True, chores=True))
    chat = await replica.someone_asks("hello")
    said = await compacted_by_hand(replica, chat)
    assert said["tokens_after"] == said["tokens_before"]
    assert await boundaries(replica, chat) == 0


async def test_people_see_how_far_a_summary_is_and_not_what_it_says(replica: InProcessReplica, sim: Simulator) -> None:
    replica.sources.rules_now = Rules(summary_model=ModelName("steady"))
    sim.script(
        Script(
            "steady", (Step((Say("secret " * 100), GatePart("summary"))),), model="steady", counted=True, chores=True
        )
    )
    chat = await replica.someone_asks("[[say:4000 tokens]] hello", model="demo-fast")
    await replica.comes_to_rest(chat)
    await replica.machine.change(chat, RequestCompaction())
    episode = await replica.shows(chat, lambda piece: piece.role is Role.TOOL)
    shown = episode.parts_since(0)
    await sim.gates["summary"].set(open=True)
    await replica.comes_to_rest(chat)
    progress = [piece.delta.result_delta for piece in shown if isinstance(piece.delta, ToolResultDelta)]
    assert progress[0].endswith(" tokens so far")
    assert "secret" not in msgspec.json.encode([piece.delta for piece in shown]).decode()
    assert await boundaries(replica, chat) == 1


def large(tokens: int) -> Tool:
    """A tool whose description takes so much of the prompt."""
    return replace(flood, description="x" * tokens * BYTES_PER_TOKEN)


async def test_tools_that_fill_the_prompt_do_not_have_it_compacted_again_and_again(replica: InProcessReplica) -> None:
    replica.tools.tools, replica.models.threshold = (large(3_500),), 0.3
    chat = await replica.someone_asks("[[say:50 tokens]] begin", model="demo-fast")
    for turn in range(4):
        await replica.comes_to_rest(chat)
        await replica.someone_adds(chat, f"[[say:50 tokens]] turn {turn}")
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert await boundaries(replica, chat) == 0


async def test_a_compaction_reaches_its_target_beside_large_tools(replica: InProcessReplica) -> None:
    replica.tools.tools = (large(2_500),)
    chat = await replica.someone_asks("[[say:600 tokens]] begin", model="demo-fast")
    for turn in range(9):
        await replica.comes_to_rest(chat)
        await replica.someone_adds(chat, f"[[say:600 tokens]] turn {turn}")
    await replica.comes_to_rest(chat)
    sizes = [int(str(row["tokens_after"])) for row in await told(replica, chat)]
    limit = WINDOW * 7 // 10
    assert sizes
    # The tool, and an eighth of what there is room for before the next one.
    assert max(sizes) <= 2_600 + limit // 8


async def test_a_summary_is_asked_for_with_what_the_provider_has_cached_of_the_chat(
    database_url: str, pool: Pool, sim: Simulator
) -> None:
    async with open_replica(database_url, pool, sim.url, dialect="openai_responses") as replica:
        replica.tools.tools = (flood,)
        replica.models.settings = ModelSettings(options={"chain": True})
        chat = await replica.someone_asks("[[say:2000 tokens]]", model="demo-fast")
        await compacted_by_hand(replica, chat)
    answer, summary = [msgspec.json.decode(bytes(request.body)) for request in sim.requests]
    assert summary["prompt_cache_key"] == answer["prompt_cache_key"] == str(chat)
    assert summary["tools"] == answer["tools"] != []
    # A chain would bring what was shortened back in full.
    assert (answer["store"], summary["store"]) == (True, False)
    assert "previous_response_id" not in summary
