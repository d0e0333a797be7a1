"""A turn as a trace: from the request to the tool, whichever replica does the work."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from perdure.store.pool import Pool
from perdure.testing.collector import Collector, ReceivedSpan, collector
from perdure.testing.fleet import Fleet, open_fleet

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TOOL = "[[call:list_templates]] [[say:3 tokens]]"


@pytest.fixture
async def receiver() -> AsyncIterator[Collector]:
    async with collector() as receiver:
        yield receiver


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path, receiver: Collector) -> AsyncIterator[Fleet]:
    environment = {"PERDURE_OTLP_ENDPOINT": receiver.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    async with open_fleet(database_url, pool, tmp_path, environment=environment) as fleet:
        yield fleet


async def asked(fleet: Fleet, number: int, text: str, **headers: str) -> str:
    said = await fleet.at(number).post("/chats", {"content": [{"type": "text", "text": text}]}, **headers)
    assert said.status == 201, said.body
    return said.json["chat"]["id"]


def named(spans: list[ReceivedSpan], name: str) -> list[ReceivedSpan]:
    return [span for span in spans if span.name == name]


async def test_a_turn_hangs_below_its_request_and_a_tool_below_its_step(fleet: Fleet, receiver: Collector) -> None:
    chat = await asked(fleet, 0, TOOL, traceparent=CALLER)
    await fleet.comes_to_rest(0, chat)
    (turn,) = await receiver.until("invoke_agent")
    spans = [span for span in receiver.spans if span.trace_id == turn.trace_id]
    (request,) = named(spans, "POST /chats")
    assert (request.trace_id, request.parent_id) == (CALLER.split("-")[1], CALLER.split("-")[2])
    assert turn.parent_id == request.id
    answers, (tools,) = named(spans, "step answer"), named(spans, "step tools")
    assert {step.parent_id for step in (*answers, tools)} == {turn.id}
    (tool,) = named(spans, "execute_tool list_templates")
    assert tool.parent_id == tools.id
    calls = [span for span in spans if span.name.startswith("chat ")]
    assert {call.parent_id for call in calls} == {step.id for step in answers}
    assert all(turn.start <= step.start <= step.end <= turn.end for step in answers)


async def test_a_call_says_what_the_conventions_for_models_want_and_nothing_that_was_said(
    fleet: Fleet, receiver: Collector
) -> None:
    chat = await asked(fleet, 0, "[[say:3 tokens]] a word that only we know")
    await fleet.comes_to_rest(0, chat)
    turn, call = (await receiver.until("invoke_agent"))[0], (await receiver.until("chat "))[0]
    assert call.attributes["gen_ai.operation.name"] == "chat"
    assert call.attributes["gen_ai.provider.name"] == "anthropic"
    assert call.attributes["gen_ai.conversation.id"] == chat
    assert call.attributes["gen_ai.usage.input_tokens"] > 0
    assert call.attributes["gen_ai.response.finish_reasons"] == ["stop"]
    assert turn.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert "a word that only we know" not in str(receiver.spans)


async def test_a_turn_that_another_replica_ends_is_one_trace(fleet: Fleet, receiver: Collector) -> None:
    chat = await asked(fleet, 0, f"{TOOL} [[gate:open]] [[say:2 tokens]]", traceparent=CALLER)
    await fleet.sim.gates["open"].reached()
    await receiver.until("step tools")
    await fleet.dies(0)
    await fleet.sim.gates["open"].set(open=True)
    await fleet.comes_to_rest(1, chat)
    (turn,) = await receiver.until("invoke_agent")
    assert turn.trace_id == CALLER.split("-")[1]
    (request,) = await receiver.until("POST /chats")
    assert turn.parent_id == request.id
    steps = [span for span in receiver.spans if span.name.startswith("step ")]
    assert {(step.trace_id, step.parent_id) for step in steps} == {(turn.trace_id, turn.id)}
    assert len(steps) == 3


async def test_a_queued_message_belongs_to_the_request_that_queued_it(fleet: Fleet, receiver: Collector) -> None:
    chat = await asked(fleet, 0, "[[gate:open]] [[say:2 tokens]]")
    await fleet.sim.gates["open"].reached()
    body = {"content": [{"type": "text", "text": "[[say:2 tokens]]"}]}
    assert (await fleet.at(1).post(f"/chats/{chat}/messages", body, traceparent=CALLER)).status == 202
    await fleet.sim.gates["open"].set(open=True)
    await fleet.comes_to_rest(0, chat)
    turns = await receiver.until("invoke_agent", 2)
    (sent,) = await receiver.until("POST /chats/{chat_id}/messages")
    second = next(turn for turn in turns if turn.attributes["perdure.turn"] > 1)
    assert (second.trace_id, second.parent_id) == (CALLER.split("-")[1], sent.id)


async def test_a_failed_attempt_is_a_failed_span_of_the_same_step(fleet: Fleet, receiver: Collector) -> None:
    chat = await asked(fleet, 0, "[[fault:overloaded x1]] [[say:3 tokens]]")
    await fleet.comes_to_rest(0, chat)
    await receiver.until("invoke_agent")
    (step,) = await receiver.until("step answer")
    failed, done = sorted(
        (span for span in receiver.spans if span.attributes.get("perdure.purpose") == "answer"),
        key=lambda span: span.start,
    )
    assert (failed.parent_id, done.parent_id) == (step.id, step.id)
    assert (failed.failed, done.failed) == (True, False)
    assert failed.attributes["error.type"] == "overloaded"
    assert step.start <= failed.start
