"""Hooks from end to end: a real replica asks a real program, which checks the signature and has its say."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.tools.hooks.receiver import SECRET, Receiver, receiving

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.metric_reader import sample
from perdure.testing.polling import seen

RECALL = '[[call:recall {"words": "weather"}]]'


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        await fleet.at(0).put("/settings/experiments", {"value": ["hooks"]})
        yield fleet


async def hook(fleet: Fleet, receiver: Receiver, *events: str, **options: Any) -> str:
    body = {"url": receiver.url, "events": list(events), "secret": SECRET, "timeout_ms": 5_000, **options}
    made = await fleet.at(0).post("/hooks", body)
    assert made.status == 201, made.body
    return made.json["id"]


async def parts(fleet: Fleet, chat: str, kind: str) -> list[dict[str, Any]]:
    page = (await fleet.at(0).get(f"/chats/{chat}/messages?after=0")).json
    return [part for message in page["items"] for part in message["parts"] if part["type"] == kind]


async def shown(fleet: Fleet, chat: str) -> str:
    """All that people see but for the answers of the model, which may say what it was told."""
    page = (await fleet.at(0).get(f"/chats/{chat}/messages?after=0")).json
    return str([message for message in page["items"] if message["role"] != "assistant"])


def asked(fleet: Fleet, number: int) -> str:
    """What the model was sent."""
    return bytes(fleet.sim.requests[number].body).decode()


def told(fleet: Fleet) -> str:
    """All that models were sent so far."""
    return "\n".join(asked(fleet, number) for number in range(len(fleet.sim.requests)))


async def deliveries(fleet: Fleet, hook_id: str, count: int) -> list[dict[str, Any]]:
    """The log, once it has so many lines: it is written without anybody waiting for it."""

    async def logged() -> list[dict[str, Any]] | None:
        items = (await fleet.at(0).get(f"/hooks/{hook_id}/deliveries")).json["items"]
        return items if len(items) >= count else None

    return await seen(logged) or []


def say(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


async def test_a_denied_prompt_is_403_and_nothing_is_stored(fleet: Fleet, receiver: Receiver) -> None:
    hook_id = await hook(fleet, receiver, "user_prompt_submit")
    receiver.answering = lambda _: {"decision": "deny", "user_message": "No secrets in prompts, please."}
    said = await fleet.at(0).post("/chats", say("my password is hunter2"))
    assert (said.status, said.json) == (403, {"message": "No secrets in prompts, please.", "kind": "hook_denied"})
    assert (await fleet.at(0).get("/chats")).json["items"] == []
    question = receiver.heard[0]
    assert (question["event"], question["payload"]["input"]) == ("user_prompt_submit", "my password is hunter2")
    line = (await deliveries(fleet, hook_id, 1))[0]
    assert (line["outcome"], line["status"], line["attempts"]) == ("denied", 200, 1)
    numbers = await fleet.numbers(0)
    assert sample(numbers, "perdure_hook_questions_total", event="user_prompt_submit", outcome="denied") == 1
    assert sample(numbers, "perdure_hook_seconds_count", event="user_prompt_submit") == 1
    assert line["dispatch_id"] == question["dispatch_id"]


async def test_a_prompt_is_rewritten_and_the_model_is_told_what_people_are_not(
    fleet: Fleet, receiver: Receiver
) -> None:
    await hook(fleet, receiver, "session_start", "user_prompt_submit")

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        if question["event"] == "session_start":
            return {"model_context": "The user is an admin."}
        return {"input": "what is [removed]?", "user_message": "A name was removed."}

    receiver.answering = answer
    chat = await fleet.asks(0, "what is Project X?")
    await fleet.comes_to_rest(0, chat)
    assert [question["event"] for question in receiver.heard] == ["session_start", "user_prompt_submit"]
    assert (await parts(fleet, chat, "text"))[0]["text"] == "what is [removed]?"
    assert [part["text"] for part in await parts(fleet, chat, "notice")] == ["A name was removed."]
    assert "The user is an admin." not in await shown(fleet, chat)
    prompts = (await fleet.at(0).get(f"/chats/{chat}/prompts")).json["items"]
    assert [prompt["text"] for prompt in prompts] == ["what is [removed]?"]
    indexed = [row["text"] for row in await seen(lambda: fleet.pool.fetch("SELECT text FROM search_documents"))]
    assert "The user is an admin." not in indexed[0]
    sent = asked(fleet, 0)
    assert "what is [removed]?" in sent
    assert "The user is an admin." in sent
    assert "Project X" not in sent
    assert "A name was removed." not in sent


async def test_a_call_is_denied_before_it_runs_and_the_turn_goes_on(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "pre_tool_use", tools=["rec*"])
    receiver.answering = lambda _: {"decision": "deny", "user_message": "Not today."}
    chat = await fleet.asks(0, f"please {RECALL}")
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    results = await parts(fleet, chat, "tool_result")
    assert [(part["result"], part["is_error"]) for part in results] == [("Denied by a hook: Not today.", True)]
    assert receiver.heard[0]["payload"]["input"] == {"words": "weather"}


async def test_a_call_is_rewritten_and_marked(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "pre_tool_use")
    receiver.answering = lambda _: {"input": {"words": "please"}}
    chat = await fleet.asks(0, f"please {RECALL}")
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    call = (await parts(fleet, chat, "tool_call"))[0]
    assert (call["args"], call["rewritten"]) == ('{"words":"please"}', True)
    assert "is_error" not in (await parts(fleet, chat, "tool_result"))[0]


async def test_what_is_added_to_a_result_follows_it_for_the_model_alone(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "post_tool_use")
    receiver.answering = lambda _: {"model_context": "Recall is often wrong.", "user_message": "Looked it up."}
    chat = await fleet.asks(0, f"please {RECALL}")
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    assert [part["text"] for part in await parts(fleet, chat, "notice")] == ["Looked it up."]
    assert "Recall is often wrong." not in await shown(fleet, chat)
    assert "Recall is often wrong." in asked(fleet, 1)
    assert receiver.heard[0]["payload"]["tool"] == "recall"


async def test_the_end_of_a_turn_is_put_off_once(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "stop")
    receiver.answering = lambda _: {"decision": "deny", "model_context": "Say it again, shorter."}
    chat = await fleet.asks(0, "hello")
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    answers = (await fleet.at(0).get(f"/chats/{chat}/messages?after=0")).json["items"]
    assert [message["role"] for message in answers].count("assistant") == 2
    assert "Say it again, shorter." in asked(fleet, 1)
    assert len(receiver.heard) == 1


async def test_a_hook_that_does_not_answer_in_time_stops_everything_unless_it_may_be_missed(
    fleet: Fleet, receiver: Receiver
) -> None:
    hook_id = await hook(fleet, receiver, "user_prompt_submit", timeout_ms=200)
    receiver.answering = lambda _: None
    said = await fleet.at(0).post("/chats", say("hello"))
    assert (said.status, said.json["kind"]) == (502, "hook_dispatch_failed")
    assert (await fleet.at(0).get("/chats")).json["items"] == []
    line = (await deliveries(fleet, hook_id, 1))[0]
    assert (line["outcome"], line["detail"]) == ("failed", "it did not answer within 200 ms")
    assert (await fleet.at(0).patch(f"/hooks/{hook_id}", {"fail_open": True})).status == 200
    assert (await fleet.at(0).post("/chats", say("hello"))).status == 201


async def test_a_wrong_secret_is_noticed_by_the_receiver_and_stops_the_turn(fleet: Fleet, receiver: Receiver) -> None:
    hook_id = await hook(fleet, receiver, "pre_tool_use")
    await fleet.at(0).patch(f"/hooks/{hook_id}", {"secret": "quite another secret than that"})
    chat = await fleet.asks(0, f"please {RECALL}")
    rested = await fleet.comes_to_rest(0, chat)
    assert rested["status"] == "error"
    assert receiver.forged == ["The signature is wrong."]
    view = (await fleet.at(0).get(f"/chats/{chat}")).json
    assert view["error"]["kind"] == "hook_dispatch_failed"
    assert await parts(fleet, chat, "tool_call") == []


@pytest.mark.parametrize("event", ["pre_tool_use", "post_tool_use", "stop"])
async def test_trying_again_asks_a_hook_again_that_could_not_be_heard(
    fleet: Fleet, receiver: Receiver, event: str
) -> None:
    await hook(fleet, receiver, event)
    receiver.answering = lambda _: b"<html>oops</html>"
    chat = await fleet.asks(0, f"please {RECALL}")
    assert (await fleet.comes_to_rest(0, chat))["status"] == "error"
    view = (await fleet.at(0).get(f"/chats/{chat}")).json
    assert view["error"]["kind"] == "hook_dispatch_failed"
    # Its address may hold credentials.
    assert view["error"]["message"].startswith("The hook without a name could not be asked: its answer is not valid")
    assert len(receiver.heard) == 1
    receiver.answering = lambda _: {}
    assert (await fleet.at(0).post(f"/chats/{chat}/retry")).status == 200
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    assert [question["event"] for question in receiver.heard] == [event, event]
    assert len(await parts(fleet, chat, "tool_result")) == 1


@pytest.mark.parametrize("event", ["session_start", "user_prompt_submit"])
async def test_a_hook_that_cannot_be_asked_about_a_new_agent_ends_the_turn(
    fleet: Fleet, receiver: Receiver, event: str
) -> None:
    await hook(fleet, receiver, event)
    chats = "SELECT count(*) AS number FROM chat_cards WHERE parent_id IS NOT NULL"
    spawns = ("spawn", "look around")

    def about_agent(question: dict[str, Any]) -> bool:
        return question["payload"].get("source", question["payload"].get("input")) in spawns

    receiver.answering = lambda question: b"<html>oops</html>" if about_agent(question) else {}
    spawn = '[[call:spawn_agent {"type": "general", "prompt": "look around"}]]'
    chat = await fleet.asks(0, f"please {spawn} {RECALL}")
    assert (await fleet.comes_to_rest(0, chat))["status"] == "error"
    assert (await fleet.at(0).get(f"/chats/{chat}")).json["error"]["kind"] == "hook_dispatch_failed"
    assert [row["number"] for row in await fleet.pool.fetch(chats)] == [0]
    receiver.answering = lambda _: {}
    assert (await fleet.at(0).post(f"/chats/{chat}/retry")).status == 200
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    assert [row["number"] for row in await fleet.pool.fetch(chats)] == [1]
    assert len([question for question in receiver.heard if about_agent(question)]) == 2
    assert ["is_error" in part for part in await parts(fleet, chat, "tool_result")] == [False, False]


async def test_nobody_is_asked_about_a_call_that_cannot_run(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "pre_tool_use", "post_tool_use")
    chat = await fleet.asks(0, "please [[call:no_such_tool]] [[call:recall limit=many]] [[say:3 tokens]]")
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    assert [part["is_error"] for part in await parts(fleet, chat, "tool_result")] == [True, True]
    assert receiver.heard == []


async def test_a_request_that_is_sent_again_by_somebody_else_is_refused(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "user_prompt_submit")
    await fleet.comes_to_rest(0, await fleet.asks(0, "hello"))
    assert receiver.forged == []
    assert await receiver.again() == 401
    assert receiver.forged == ["This request was received before."]


async def test_an_answer_that_means_nothing_is_a_clear_error(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "user_prompt_submit", name="rules")
    receiver.answering = lambda _: b"<html>oops</html>"
    said = await fleet.at(0).post("/chats", say("hello"))
    assert said.status == 502
    assert said.json["message"].startswith("The hook rules could not be asked: its answer is not valid")
    receiver.answering = lambda _: {}
    assert (await fleet.at(0).post("/chats", say("hello"))).status == 201


async def test_hooks_that_are_not_switched_on_are_not_there(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "user_prompt_submit")
    await fleet.at(0).put("/settings/experiments", {"value": []})
    assert (await fleet.at(0).get("/hooks")).status == 404
    await fleet.comes_to_rest(0, await fleet.asks(0, "hello"))
    assert receiver.heard == []


async def test_a_summary_is_guided_before_it_is_written_and_told_of_after(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "pre_compact", "post_compact")

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        if question["event"] == "pre_compact":
            return {"decision": "deny", "model_context": "Keep every name."}
        return {"model_context": "The plan was agreed on.", "user_message": "Summarised."}

    receiver.answering = answer
    chat = await fleet.asks(0, "Remember that my cat is called Ada. [[say:noted]]")
    await fleet.comes_to_rest(0, chat)
    await fleet.at(0).post(f"/chats/{chat}/messages", say("And my dog Bob. [[say:noted]]"))
    await fleet.comes_to_rest(0, chat)
    assert (await fleet.at(0).post(f"/chats/{chat}/compact")).status == 200
    await seen(lambda: heard_of(receiver, "post_compact"))
    assert (await fleet.comes_to_rest(0, chat))["status"] == "waiting"
    assert [question["event"] for question in receiver.heard] == ["pre_compact", "post_compact"]
    assert "Keep every name." in told(fleet)
    assert "Summarised." in [part["text"] for part in await parts(fleet, chat, "notice")]
    await fleet.at(0).post(f"/chats/{chat}/messages", say("Go on. [[say:yes]]"))
    await fleet.comes_to_rest(0, chat)
    assert "The plan was agreed on." in told(fleet)
    assert "The plan was agreed on." not in await shown(fleet, chat)


async def heard_of(receiver: Receiver, event: str) -> bool:
    return any(question["event"] == event for question in receiver.heard)


async def test_the_prompt_of_an_agent_is_asked_about_before_it_starts(fleet: Fleet, receiver: Receiver) -> None:
    await hook(fleet, receiver, "session_start", "user_prompt_submit")

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        if "dig" in str(question["payload"].get("input")) and "[[" not in question["payload"]["input"]:
            return {"decision": "deny", "user_message": "No digging."}
        if question["payload"].get("input") == "look around":
            return {"input": "[[say:looked]] look, and touch nothing"}
        return {}

    receiver.answering = answer
    spawn = '[[call:spawn_agent {{"type": "general", "prompt": "{}"}}]]'
    spawns = "".join(map(spawn.format, ("dig", "look around")))
    chat = await fleet.asks(0, spawns)
    await fleet.comes_to_rest(0, chat)
    denied, started = await parts(fleet, chat, "tool_result")
    assert (denied["result"], denied["is_error"]) == ("A hook denied the prompt: No digging.", True)
    (child,) = (await fleet.at(0).get(f"/chats/{chat}/children")).json["items"]
    assert child["id"] in started["result"]
    assert (await parts(fleet, child["id"], "text"))[0]["text"] == "[[say:looked]] look, and touch nothing"
    sources = [question["payload"]["source"] for question in receiver.heard if question["event"] == "session_start"]
    assert sorted(sources) == ["create", "spawn", "spawn"]


async def test_what_was_added_to_a_waiting_message_for_the_model_is_not_shown(fleet: Fleet, receiver: Receiver) -> None:
    chat = await fleet.asks(0, "[[gate:go]][[say:first]]")
    await hook(fleet, receiver, "user_prompt_submit")
    receiver.answering = lambda _: {"model_context": "Between us.", "user_message": "Checked."}
    queued = await fleet.at(0).post(f"/chats/{chat}/messages", say("second [[say:second]]"))
    assert [part["type"] for part in queued.json["queued"]["parts"]] == ["text", "notice"]
    view = (await fleet.at(0).get(f"/chats/{chat}")).json
    assert [part["type"] for part in view["queue"][0]["parts"]] == ["text", "notice"]
    events = fleet.at(0).events(f"/chats/{chat}/stream")
    async for event in events:
        if event["type"] == "queue_update":
            assert "Between us." not in str(event)
            break
    await events.aclose()
    await fleet.sim.gates["go"].set(open=True)
    await fleet.until(0, chat, lambda card: card["status"] == "waiting")
    assert "Between us." in told(fleet)
    assert "Between us." not in await shown(fleet, chat)
