"""Requests that a chat refuses: nothing of them stays behind, whatever they wanted to settle besides."""

from typing import Any

import pytest

from perdure.access.actor import Role
from perdure.core.action import ActionKind, Breach, BudgetOwner
from perdure.core.chat import Chat
from perdure.machine.transitions import EnterRequiresAction
from perdure.testing.chats import READ, Chats
from perdure.testing.served_api import Person, ServedApi

HELLO = [{"type": "text", "text": "Hello."}]


@pytest.fixture
def chats(api: ServedApi, ada: Person) -> Chats:
    return Chats(api.services.machine, organisation_id=ada.organisation_id, user_id=ada.id)


async def card(api: ServedApi, chat: Chat) -> dict[str, Any]:
    row = await api.pool.fetchrow("SELECT plan_mode, settings, metadata_version FROM chat_cards WHERE id = $1", chat.id)
    assert row is not None
    return dict(row)


async def test_a_message_that_is_refused_leaves_plan_mode_as_it_was(api: ServedApi, ada: Person, chats: Chats) -> None:
    chat = await chats.created()
    path, planned = f"/chats/{chat.id}/messages", {"content": HELLO, "plan_mode": True}
    for _ in range(20):
        assert (await ada.post(path, {"content": HELLO})).status == 202
    before = await card(api, chat)
    assert (await ada.post(path, planned)).status == 429
    assert await card(api, chat) == before
    assert (await ada.delete(f"/chats/{chat.id}/queue/1")).status == 204
    sent = await ada.post(path, planned)
    assert (sent.status, sent.json["chat"]["plan_mode"]) == (202, True)
    assert (await card(api, chat))["plan_mode"] is True


async def test_an_approval_that_is_refused_is_not_remembered(api: ServedApi, ada: Person, chats: Chats) -> None:
    chat = await chats.parked(READ, ActionKind.APPROVAL)
    always = {"call_id": READ.call_id, "decision": "approve_always"}
    unknown = {"call_id": "another", "decision": "approve"}
    before = await card(api, chat)
    assert (await ada.post(f"/chats/{chat.id}/action", {"decisions": [always, unknown]})).status == 400
    assert await card(api, chat) == before
    assert (await ada.post(f"/chats/{chat.id}/action", {"decisions": [always]})).status == 200
    view = (await ada.get(f"/chats/{chat.id}")).json
    assert (view["chat"]["status"], view["settings"]) == ("running", {"approvals": {READ.tool: "auto"}})


async def test_an_approval_adds_to_those_that_were_given_before(ada: Person, chats: Chats) -> None:
    chat = await chats.parked(READ, ActionKind.APPROVAL)
    settled = {"approvals": {"execute": "deny", READ.tool: "ask"}, "web_search": True}
    assert (await ada.patch(f"/chats/{chat.id}", settled)).status == 200
    always = {"call_id": READ.call_id, "decision": "approve_always"}
    assert (await ada.post(f"/chats/{chat.id}/action", {"decisions": [always]})).status == 200
    view = (await ada.get(f"/chats/{chat.id}")).json
    assert view["settings"] == {"approvals": {"execute": "deny", READ.tool: "auto"}, "web_search": True}


async def test_a_limit_that_is_refused_raises_no_budget(api: ServedApi) -> None:
    async with await api.person("grace", Role.OWNER) as grace:
        chats = Chats(api.services.machine, organisation_id=grace.organisation_id, user_id=grace.id)
        breach = Breach(BudgetOwner.ORGANISATION, limit=100, spent=100)
        chat = await chats.created(EnterRequiresAction(ActionKind.BUDGET, deadline=None, breach=breach))
        assert (await grace.put("/budgets", {"organisation": 50})).status == 200
        assert (await grace.post(f"/chats/{chat.id}/action", {"limit": 80})).status == 409
        assert (await grace.get("/budgets")).json["organisation"]["limit"] == 50


async def test_an_archive_that_is_refused_leaves_title_and_marker_alone(
    api: ServedApi, ada: Person, chats: Chats
) -> None:
    chat = await chats.created()
    asked = {"title": "Another", "archived": True, "pin": 1, "read": 1}
    assert (await ada.patch(f"/chats/{chat.id}", asked)).status == 409
    seen = (await ada.get(f"/chats/{chat.id}")).json["chat"]
    assert (seen["title"], seen.get("pin", 0)) == ("A chat", 0)
    assert await api.pool.fetchval("SELECT count(*) FROM read_markers") == 0
    rested = await chats.at_rest()
    assert (await ada.patch(f"/chats/{rested.id}", asked)).status == 200
    seen = (await ada.get(f"/chats/{rested.id}")).json["chat"]
    assert (seen["title"], seen["archived"], seen.get("pin", 0)) == ("Another", True, 0)
