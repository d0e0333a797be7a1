"""Stories about money: a chat, a person and an organisation that may spend only so much."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.cli.test_chat import ended, started

from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.core.ids import UserId
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.polling import seen
from perdure.testing.served_api import Person

DOLLAR = 1_000_000
PATIENCE = timedelta(seconds=60)
ASKED = [{"type": "text", "text": "[[say:50 tokens]]"}]


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    """A model that costs a dollar for a hundred thousand tokens of output, and never says more than a thousand."""
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        options = {"price": {"input": 0, "output": 10 * DOLLAR}, "max_output_tokens": 1_000, "context_window": 200_000}
        assert (await fleet.person.patch("/model-settings/demo", {"options": options})).status == 200
        yield fleet


async def _parked(fleet: Fleet, **options: Any) -> str:
    said = await fleet.person.post("/chats", {"content": ASKED, **options})
    assert said.status == 201, said.body
    chat_id = said.json["chat"]["id"]
    await fleet.until(0, chat_id, lambda card: card["status"] == "requires_action")
    return chat_id


async def test_a_chat_over_its_budget_asks_and_goes_on_when_it_is_raised(fleet: Fleet) -> None:
    chat_id = await _parked(fleet, budget_limit=9_999)
    view = (await fleet.person.get(f"/chats/{chat_id}")).json
    assert view["action"] == {"kind": "budget", "limit": 9_999}
    assert [entry["kind"] for entry in (await fleet.person.get("/inbox")).json["items"]] == ["needs_you"]
    assert (await fleet.person.post(f"/chats/{chat_id}/action", {"limit": 9_999})).status == 409
    assert (await fleet.person.post(f"/chats/{chat_id}/action", {"limit": DOLLAR})).status == 200
    assert (await fleet.comes_to_rest(0, chat_id))["cost"] == 500
    mine = (await fleet.person.get("/budgets")).json["user"]
    assert mine["limit"] is None


async def test_an_organisation_over_its_budget_is_raised_by_an_owner_who_answers(fleet: Fleet) -> None:
    assert (await fleet.person.put("/budgets", {"organisation": 10_400})).json["organisation"]["limit"] == 10_400
    await fleet.comes_to_rest(0, await fleet.asks(0, "[[say:50 tokens]]"))
    await _spent_next_month_too(fleet)
    chat_id = await _parked(fleet)
    action = (await fleet.person.get(f"/chats/{chat_id}")).json["action"]
    # What the title of the first chat cost may be counted already.
    assert action.pop("spent") >= 500
    assert action == {"kind": "budget", "budget": "organisation", "limit": 10_400}
    assert (await fleet.person.post(f"/chats/{chat_id}/action", {"limit": DOLLAR})).status == 200
    await fleet.comes_to_rest(0, chat_id)
    budgets = (await fleet.person.get("/budgets")).json
    assert budgets["organisation"]["limit"] == DOLLAR
    actions = [entry["action"] for entry in (await fleet.person.get("/audit")).json["items"]]
    assert actions.count("setting.put") == 2


async def _spent_next_month_too(fleet: Fleet) -> None:
    """Once it is counted what was spent, as much is counted for the next month, which may begin at any moment."""
    organisation = fleet.person.organisation_id

    async def counted() -> bool:
        return bool(await fleet.pool.fetchval("SELECT sum(spent) >= 500 FROM budgets WHERE payer = $1", organisation))

    await seen(counted)
    await fleet.pool.execute(
        "INSERT INTO budgets (payer, month, spent) SELECT payer, month + interval '1 month', spent FROM budgets "
        "WHERE payer = $1 ON CONFLICT DO NOTHING",
        organisation,
    )


async def test_raising_an_organisations_budget_lets_everything_go_on_that_waits_for_it(fleet: Fleet) -> None:
    assert (await fleet.person.put("/budgets", {"organisation": 100})).status == 200
    chats = [await _parked(fleet) for _ in range(2)]
    assert (await fleet.person.put("/budgets", {"organisation": DOLLAR})).status == 200
    for chat_id in chats:
        assert (await fleet.comes_to_rest(0, chat_id))["status"] == "waiting"


async def test_a_member_over_their_budget_goes_on_once_somebody_else_raised_it(fleet: Fleet) -> None:
    assert (await fleet.person.put("/budgets", {"user": 5_000})).status == 200
    added = (await fleet.person.post("/users", {"email": "m@example.com", "name": "M", "role": "member"})).json
    token = mint(TOKEN_PREFIX)
    await fleet.pool.execute(
        "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', '{admin}')",
        digest(token),
        UUID(added["id"]),
    )
    async with Person(UserId(UUID(added["id"])), fleet.person.organisation_id, fleet.replicas[0].url, token) as member:
        chat_id = (await member.post("/chats", {"content": ASKED})).json["chat"]["id"]

        async def chat() -> dict[str, Any]:
            return (await member.get(f"/chats/{chat_id}")).json

        async def asked() -> dict[str, Any] | None:
            return (await chat())["action"]

        async def rests() -> bool:
            return (await chat())["chat"]["status"] == "waiting"

        action = await seen(asked, within=PATIENCE)
        assert action is not None
        assert (action["budget"], action["limit"]) == ("user", 5_000)
        assert (await member.post(f"/chats/{chat_id}/action", {"limit": DOLLAR})).status == 403
        assert (await member.put("/budgets", {"user": DOLLAR})).status == 403
        put = {"user": 5_000, "people": {added["id"]: DOLLAR}}
        assert (await fleet.person.put("/budgets", put)).status == 200
        assert await seen(rests, within=PATIENCE)
        assert (await member.get("/budgets")).json["user"]["limit"] == DOLLAR
        assert "people" not in (await member.get("/budgets")).json


async def test_at_a_terminal_a_budget_is_raised_by_a_word(fleet: Fleet) -> None:
    chat_id = await _parked(fleet, budget_limit=0)
    process = await started(fleet, "--chat", chat_id)
    assert process.stdin is not None
    assert process.stderr is not None
    asked = await asyncio.wait_for(process.stderr.readuntil(b"/decline\n"), 60)
    assert b"The chat's budget has no room for the next step: $0.0000 of $0.0000 is spent." in asked
    process.stdin.write(b"/raise 0.5\n")
    await fleet.comes_to_rest(0, chat_id)
    assert (await ended(process, ""))[0] == 0
    costs = (await fleet.person.get(f"/chats/{chat_id}/cost")).json["items"]
    assert [line["cost"] for line in costs if line["purpose"] == "answer"] == [500]


async def test_a_declined_budget_ends_the_turn(fleet: Fleet) -> None:
    chat_id = await _parked(fleet, budget_limit=0)
    assert (await fleet.person.post(f"/chats/{chat_id}/action", {"decline": True})).status == 200
    card = await fleet.comes_to_rest(0, chat_id)
    assert (card["status"], card["last_error"]["kind"]) == ("error", "usage_limit")
