"""Stories about money: a chat, a person and an organisation that may spend only so much."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.cli.test_chat import ended, started

from perdure.access.secret_texts import TOKEN_PREFIX, digest, mint
from perdure.core.ids import UserId
from perdure.store.pool import Pool
from perdure.testing.polling import seen
from perdure.testing.site import Person
from perdure.testing.town import ReplicaTown, replicas

DOLLAR = 1_000_000
PATIENCE = timedelta(seconds=60)
ASKED = [{"type": "text", "text": "[[say:50 tokens]]"}]


@pytest.fixture
async def town(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[ReplicaTown]:
    """A model that costs a dollar for a hundred thousand tokens of output, and never says more than a thousand."""
    async with replicas(database_url, pool, tmp_path, count=1) as town:
        options = {"price": {"input": 0, "output": 10 * DOLLAR}, "max_output_tokens": 1_000, "context_window": 200_000}
        assert (await town.person.patch("/model-settings/demo", {"options": options})).status == 200
        yield town


async def _parked(town: ReplicaTown, **options: Any) -> str:
    said = await town.person.post("/chats", {"content": ASKED, **options})
    assert said.status == 201, said.body
    chat_id = said.json["chat"]["id"]
    await town.until(0, chat_id, lambda card: card["status"] == "requires_action")
    return chat_id


async def test_a_chat_over_its_budget_asks_and_goes_on_when_it_is_raised(town: ReplicaTown) -> None:
    chat_id = await _parked(town, budget_limit=9_999)
    view = (await town.person.get(f"/chats/{chat_id}")).json
    assert view["action"] == {"kind": "budget", "limit": 9_999}
    assert [entry["kind"] for entry in (await town.person.get("/inbox")).json["items"]] == ["needs_you"]
    assert (await town.person.post(f"/chats/{chat_id}/action", {"limit": 9_999})).status == 409
    assert (await town.person.post(f"/chats/{chat_id}/action", {"limit": DOLLAR})).status == 200
    assert (await town.comes_to_rest(0, chat_id))["cost"] == 500
    mine = (await town.person.get("/budgets")).json["user"]
    assert mine["limit"] is None


async def test_an_organisation_over_its_budget_is_raised_by_an_owner_who_answers(town: ReplicaTown) -> None:
    assert (await town.person.put("/budgets", {"organisation": 10_400})).json["organisation"]["limit"] == 10_400
    await town.comes_to_rest(0, await town.asks(0, "[[say:50 tokens]]"))
    await _spent_next_month_too(town)
    chat_id = await _parked(town)
    action = (await town.person.get(f"/chats/{chat_id}")).json["action"]
    # What the title of the first chat cost may be counted already.
    assert action.pop("spent") >= 500
    assert action == {"kind": "budget", "budget": "organisation", "limit": 10_400}
    assert (await town.person.post(f"/chats/{chat_id}/action", {"limit": DOLLAR})).status == 200
    await town.comes_to_rest(0, chat_id)
    budgets = (await town.person.get("/budgets")).json
    assert budgets["organisation"]["limit"] == DOLLAR
    actions = [entry["action"] for entry in (await town.person.get("/audit")).json["items"]]
    assert actions.count("setting.put") == 2


async def _spent_next_month_too(town: ReplicaTown) -> None:
    """Once it is counted what was spent, as much is counted for the next month, which may begin at any moment."""
    organisation = town.person.organisation_id

    async def counted() -> bool:
        return bool(await town.pool.fetchval("SELECT sum(spent) >= 500 FROM budgets WHERE payer = $1", organisation))

    await seen(counted)
    await town.pool.execute(
        "INSERT INTO budgets (payer, month, spent) SELECT payer, month + interval '1 month', spent FROM budgets "
        "WHERE payer = $1 ON CONFLICT DO NOTHING",
        organisation,
    )


async def test_raising_an_organisations_budget_lets_everything_go_on_that_waits_for_it(town: ReplicaTown) -> None:
    assert (await town.person.put("/budgets", {"organisation": 100})).status == 200
    chats = [await _parked(town) for _ in range(2)]
    assert (await town.person.put("/budgets", {"organisation": DOLLAR})).status == 200
    for chat_id in chats:
        assert (await town.comes_to_rest(0, chat_id))["status"] == "waiting"


async def test_a_member_over_their_budget_goes_on_once_somebody_else_raised_it(town: ReplicaTown) -> None:
    assert (await town.person.put("/budgets", {"user": 5_000})).status == 200
    added = (await town.person.post("/users", {"email": "m@example.com", "name": "M", "role": "member"})).json
    token = mint(TOKEN_PREFIX)
    await town.pool.execute(
        "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', '{admin}')",
        digest(token),
        UUID(added["id"]),
    )
    async with Person(UserId(UUID(added["id"])), town.person.organisation_id, town.replicas[0].url, token) as member:
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
        assert (await town.person.put("/budgets", put)).status == 200
        assert await seen(rests, within=PATIENCE)
        assert (await member.get("/budgets")).json["user"]["limit"] == DOLLAR
        assert "people" not in (await member.get("/budgets")).json


async def test_at_a_terminal_a_budget_is_raised_by_a_word(town: ReplicaTown) -> None:
    chat_id = await _parked(town, budget_limit=0)
    process = await started(town, "--chat", chat_id)
    assert process.stdin is not None
    assert process.stderr is not None
    asked = await asyncio.wait_for(process.stderr.readuntil(b"/decline\n"), 60)
    assert b"The chat's budget has no room for the next step: $0.0000 of $0.0000 is spent." in asked
    process.stdin.write(b"/raise 0.5\n")
    await town.comes_to_rest(0, chat_id)
    assert (await ended(process, ""))[0] == 0
    costs = (await town.person.get(f"/chats/{chat_id}/cost")).json["items"]
    assert [line["cost"] for line in costs if line["purpose"] == "answer"] == [500]


async def test_a_declined_budget_ends_the_turn(town: ReplicaTown) -> None:
    chat_id = await _parked(town, budget_limit=0)
    assert (await town.person.post(f"/chats/{chat_id}/action", {"decline": True})).status == 200
    card = await town.comes_to_rest(0, chat_id)
    assert (card["status"], card["last_error"]["kind"]) == ("error", "usage_limit")
