"""Memory in real chats: kept by an agent, told to the next chat, stable for the cache, and nobody else's business."""

import json
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet

TURNS = 50


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        await fleet.ready()
        yield fleet


def call(tool: str, **arguments: Any) -> str:
    return f"[[call:{tool} {json.dumps(arguments)}]][[then]][[say:done]]"


async def asks(fleet: Fleet, text: str, number: int = 0, **body: Any) -> str:
    said = await fleet.at(number).post("/chats", {"content": [{"type": "text", "text": text}], **body})
    assert said.status == 201, said.body
    chat = said.json["chat"]["id"]
    assert (await fleet.comes_to_rest(number, chat))["status"] == "waiting"
    return chat


async def says(fleet: Fleet, chat: str, text: str, number: int = 0) -> None:
    before = (await fleet.chat(number, chat))["updated_at"]
    await fleet.at(number).post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": text}]})
    await fleet.until(number, chat, lambda card: card["status"] == "waiting" and card["updated_at"] > before)


def bodies(fleet: Fleet, marker: str) -> list[Any]:
    """The requests of a chat to its model, oldest first."""
    found: list[Any] = [request.json for request in fleet.sim.requests]
    return [body for body in found if body.get("tools") and marker in json.dumps(body["messages"])]


def system(fleet: Fleet, marker: str) -> str:
    return "\n".join(block["text"] for block in bodies(fleet, marker)[-1]["system"])


async def result(fleet: Fleet, chat: str) -> dict[str, Any]:
    items = (await fleet.at(0).get(f"/chats/{chat}/messages?after=0")).json["items"]
    return [part for message in items for part in message["parts"] if part["type"] == "tool_result"][-1]


async def memories(fleet: Fleet) -> list[dict[str, Any]]:
    return (await fleet.at(0).get("/memories")).json["items"]


async def test_what_an_agent_keeps_is_told_to_later_chats_and_leads_to_its_message(fleet: Fleet) -> None:
    chat = await asks(fleet, call("remember", fact="The user prefers tabs."))
    (memory,) = await memories(fleet)
    assert (memory["text"], memory["by_agent"], memory["chat_id"]) == ("The user prefers tabs.", True, chat)
    page = (await fleet.at(0).get(f"/chats/{chat}/messages?after=0")).json["items"]
    (origin,) = [message for message in page if message["number"] == memory["message"]]
    assert [part["type"] for part in origin["parts"]] == ["tool_call"]
    await says(fleet, chat, "still-the-first")
    assert "tabs" not in system(fleet, "still-the-first")
    later = await asks(fleet, "the-second-chat", number=1)
    assert "- The user prefers tabs." in system(fleet, "the-second-chat")
    await fleet.at(0).patch(f"/memories/{memory['id']}", {"text": "The user prefers spaces."})
    await says(fleet, later, "after-the-change", number=1)
    assert "- The user prefers spaces." in system(fleet, "after-the-change")
    await fleet.at(0).delete(f"/memories/{memory['id']}")
    await says(fleet, later, "after-it-is-forgotten", number=1)
    assert "prefers" not in system(fleet, "after-it-is-forgotten")


async def test_the_beginning_of_the_prompt_stays_the_same_over_fifty_turns_that_keep_facts(fleet: Fleet) -> None:
    for number in range(40):
        await fleet.at(0).post("/memories", {"text": f"Fact {number}: " + "a rule of how we work here. " * 8})
    chat = await asks(fleet, "fifty-turns begin")
    for turn in range(TURNS - 1):
        await fleet.at(turn % 2).post("/memories", {"text": f"Kept meanwhile, {turn}."})
        wish = call("remember", fact=f"Kept here, {turn}.") if turn % 5 == 0 else "[[say:30 tokens]]"
        await says(fleet, chat, wish, number=turn % 2)
    asked = bodies(fleet, "fifty-turns begin")
    assert len(asked) >= TURNS
    beginnings = {json.dumps([body["system"], body["tools"]]) for body in asked}
    assert len(beginnings) == 1
    assert "There is more (" in beginnings.pop()
    for before, after in pairwise(asked):
        assert _unmarked(after["messages"])[: len(before["messages"])] == _unmarked(before["messages"])
    read, whole = await _cached(fleet, chat)
    assert read / whole >= 0.95, f"{read} of {whole} tokens were read from the cache"


def _unmarked(messages: list[Any]) -> list[Any]:
    """Messages without the marks that move along with the end of the conversation."""
    text = json.dumps(messages)
    return json.loads(text.replace(', "cache_control": {"type": "ephemeral"}', ""))


async def _cached(fleet: Fleet, chat: str) -> tuple[int, int]:
    """What the answers after the first read from the cache, of all that they were told before the newest message."""
    row = await fleet.pool.fetchrow(
        "SELECT sum((answer::jsonb #>> '{usage,cache_read}')::bigint) AS read, "
        "sum((answer::jsonb #>> '{usage,input}')::bigint) AS whole FROM messages "
        "WHERE chat_id = $1 AND role = 'assistant' AND number > 2",
        UUID(chat),
    )
    assert row is not None
    return row["read"], row["whole"]


async def test_facts_about_a_label_are_told_to_chats_that_have_it(fleet: Fleet) -> None:
    labelled: dict[str, Any] = {"labels": {"project": "atlas"}}
    chat = await asks(fleet, call("remember", fact="Atlas is in Rust.", label="project:atlas"), **labelled)
    assert (await memories(fleet))[0]["label"] == "project:atlas"
    await says(fleet, chat, call("remember", fact="No.", label="project:other"))
    refused = await result(fleet, chat)
    assert refused["is_error"]
    assert "project:atlas" in refused["result"]
    await asks(fleet, "with-the-label", **labelled)
    await asks(fleet, "without-the-label")
    assert "Of the user, about project:atlas:\n- Atlas is in Rust." in system(fleet, "with-the-label")
    assert "Atlas" not in system(fleet, "without-the-label")


async def test_a_chat_that_others_can_read_is_told_only_what_everybody_is(fleet: Fleet) -> None:
    await fleet.at(0).post("/memories", {"text": "The user is looking for another job."})
    await fleet.at(0).post("/memories", {"text": "We ship on Mondays.", "whose": "organisation"})
    chat = await asks(fleet, "before-sharing")
    assert "another job" in system(fleet, "before-sharing")
    link = (await fleet.at(0).put(f"/chats/{chat}/link", {})).json["id"]
    await says(fleet, chat, "shared-now " + call("search_memory", words="job Mondays"))
    assert "another job" not in system(fleet, "shared-now")
    assert "We ship on Mondays." in system(fleet, "shared-now")
    assert (await result(fleet, chat))["result"] == "- We ship on Mondays."
    await says(fleet, chat, call("remember", fact="Somebody else said so."))
    assert (await result(fleet, chat))["is_error"]
    assert len(await memories(fleet)) == 2
    assert link


async def test_a_chat_that_only_looks_keeps_nothing_and_one_without_memory_is_told_nothing(fleet: Fleet) -> None:
    await fleet.at(0).post("/memories", {"text": "The user prefers tabs."})
    await asks(fleet, "a-plan " + call("remember", fact="Planned."), plan_mode=True)
    offered = {tool["name"] for tool in bodies(fleet, "a-plan")[0]["tools"]}
    assert ("remember" in offered, "search_memory" in offered) == (False, True)
    assert len(await memories(fleet)) == 1
    await fleet.at(0).put("/me/settings/memory", {"value": False})
    await asks(fleet, "switched-off", number=0)
    assert "tabs" not in system(fleet, "switched-off")
    assert not {"remember", "search_memory"} & {tool["name"] for tool in bodies(fleet, "switched-off")[0]["tools"]}


async def test_agents_keep_facts_for_the_person_and_secrets_are_refused(fleet: Fleet) -> None:
    task = call("remember", fact="Found by an agent.")
    chat = await asks(fleet, call("spawn_agent", type="general", title="Look", prompt=task))
    (child,) = (await fleet.chat(0, chat))["children"]
    await fleet.comes_to_rest(0, child)
    (memory,) = await memories(fleet)
    assert (memory["text"], memory["chat_id"]) == ("Found by an agent.", child)
    told = await asks(fleet, call("remember", fact="The key is sk-ant-REDACTED."))
    assert "looks like a secret" in (await result(fleet, told))["result"]
    assert len(await memories(fleet)) == 1
