"""Schedules in real chats: an agent makes them once somebody agreed, and they begin chats on real replicas."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet

YEARLY = {"name": "New year", "rule": "0 9 1 1 *", "prompt": "Wish everybody well.", "zone": "Europe/Berlin"}


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        await fleet.ready()
        yield fleet


def wish(tool: str, **arguments: Any) -> str:
    return f"[[call:{tool} {json.dumps(arguments)}]][[then]][[say:done]]"


async def says(fleet: Fleet, chat: str, text: str) -> None:
    before = (await fleet.chat(0, chat))["updated_at"]
    await fleet.at(0).post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": text}]})
    await fleet.until(0, chat, lambda card: card["updated_at"] > before and card["status"] != "running")


async def decides(fleet: Fleet, chat: str, decision: str, number: int = 0) -> None:
    await fleet.until(number, chat, lambda card: card["status"] == "requires_action")
    call = (await parts(fleet, chat, "tool_call"))[-1]
    body = {"decisions": [{"call_id": call["call_id"], "decision": decision}]}
    assert (await fleet.at(number).post(f"/chats/{chat}/action", body)).status == 200
    assert (await fleet.comes_to_rest(number, chat))["status"] == "waiting"


async def parts(fleet: Fleet, chat: str, kind: str) -> list[dict[str, Any]]:
    items = (await fleet.at(0).get(f"/chats/{chat}/messages?after=0")).json["items"]
    return [part for message in items for part in message["parts"] if part["type"] == kind]


async def result(fleet: Fleet, chat: str) -> dict[str, Any]:
    return (await parts(fleet, chat, "tool_result"))[-1]


async def schedules(fleet: Fleet) -> list[dict[str, Any]]:
    return (await fleet.at(0).get("/schedules")).json["items"]


async def test_an_agent_makes_a_schedule_once_somebody_agreed(fleet: Fleet) -> None:
    chat = await fleet.asks(0, wish("add_schedule", **YEARLY))
    await fleet.until(0, chat, lambda card: card["status"] == "requires_action")
    assert await schedules(fleet) == []
    await decides(fleet, chat, "approve")
    (made,) = await schedules(fleet)
    assert {name: made[name] for name in YEARLY} == YEARLY
    assert made["next_at"].endswith("-01-01T08:00:00Z")
    assert made["id"] in (await result(fleet, chat))["result"]
    await says(fleet, chat, wish("list_schedules"))
    assert f"{made['id']} New year: 0 9 1 1 * (Europe/Berlin)" in (await result(fleet, chat))["result"]
    await says(fleet, chat, wish("remove_schedule", schedule=made["id"][:8]))
    await decides(fleet, chat, "approve")
    assert await schedules(fleet) == []


async def test_an_agent_that_is_refused_makes_none(fleet: Fleet) -> None:
    chat = await fleet.asks(0, wish("add_schedule", **YEARLY))
    await decides(fleet, chat, "deny")
    assert await schedules(fleet) == []


async def test_an_agent_is_told_what_is_wrong(fleet: Fleet) -> None:
    chat = await fleet.asks(0, wish("list_schedules"))
    await fleet.comes_to_rest(0, chat)
    for change, word in (
        ({"rule": "0 0 30 2 *"}, "never runs"),
        ({"rule": "every morning"}, "5 fields"),
        ({"zone": "Europe/Berlni"}, "no time zone"),
        ({"prompt": "   "}, "empty"),
    ):
        await says(fleet, chat, wish("add_schedule", **(YEARLY | change)))
        await decides(fleet, chat, "approve")
        told = await result(fleet, chat)
        assert told["is_error"]
        assert word in told["result"]
    assert await schedules(fleet) == []


async def test_what_is_to_be_said_in_this_chat_is_said_there(fleet: Fleet) -> None:
    chat = await fleet.asks(0, wish("add_schedule", **YEARLY, chat="this"))
    await decides(fleet, chat, "approve")
    (made,) = await schedules(fleet)
    assert made["chat_id"] == chat
    before = (await fleet.chat(0, chat))["updated_at"]
    await fleet.at(1).post(f"/schedules/{made['id']}/runs", {})
    await fleet.until(0, chat, lambda card: card["updated_at"] > before and card["status"] == "waiting")
    assert (await fleet.said(0, chat))[-2] == YEARLY["prompt"]
