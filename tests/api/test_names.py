"""Names of things: one line that says something, without the blanks around it."""

from typing import Any

import pytest

from perdure.access.actor import Role
from perdure.testing.served_api import ServedApi

BLANKS = ("", " ", " \t ", "\u00a0\u3000", "\n", "\u200b", " \ufeff\u202e")
PROVIDER: Any = {"name": "P", "dialect": "openai_chat", "base_url": "http://127.0.0.1:9"}
NAMED: dict[str, Any] = {
    "/groups": {"name": "G"},
    "/tokens": {"name": "T"},
    "/providers": PROVIDER,
    "/model-settings": {"name": "m", "model": "m"},
}


@pytest.mark.parametrize("path", NAMED)
@pytest.mark.parametrize("blank", BLANKS, ids=repr)
async def test_a_blank_name_is_refused_and_named(api: ServedApi, path: str, blank: str) -> None:
    async with await api.person("boss", Role.OWNER) as boss:
        provider = (await boss.post("/providers", {**PROVIDER, "name": "mine"})).json["id"]
        body = {**NAMED[path], **({"provider_id": provider} if path == "/model-settings" else {})}
        refused = await boss.post(path, {**body, "name": blank})
        assert refused.status == 400
        assert [wrong["field"] for wrong in refused.json["validations"]] == ["name"]
        made = await boss.post(path, {**body, "name": f"\u2003{body['name']} "})
        assert (made.status, made.json["name"]) == (201, body["name"])


async def test_a_blank_name_is_refused_also_when_it_replaces_another(api: ServedApi) -> None:
    async with await api.person("boss", Role.OWNER) as boss:
        provider = (await boss.post("/providers", PROVIDER)).json["id"]
        group = (await boss.post("/groups", {"name": "G"})).json["id"]
        chat = (await boss.post("/chats", {"content": [{"type": "text", "text": "hello"}]})).json["chat"]["id"]
        changes = {
            f"/providers/{provider}": {"name": " "},
            f"/groups/{group}": {"name": "\t"},
            f"/chats/{chat}": {"title": " "},
        }
        for path, body in changes.items():
            refused = await boss.patch(path, body)
            assert (refused.status, refused.json["validations"][0]["detail"]) == (
                400,
                "must not be blank, and must be one line",
            )
        assert (await boss.patch(f"/chats/{chat}", {"labels": {"team": " "}})).status == 400


async def test_two_names_that_differ_by_blanks_are_one(api: ServedApi) -> None:
    async with await api.person("boss", Role.OWNER) as boss:
        assert (await boss.post("/groups", {"name": "Docs"})).status == 201
        assert (await boss.post("/groups", {"name": " Docs"})).status == 409
        assert (await boss.post("/providers", PROVIDER)).status == 201
        assert (await boss.post("/providers", {**PROVIDER, "name": "P "})).status == 409


async def test_a_name_that_may_be_left_out_is_none_where_it_is_blank(api: ServedApi) -> None:
    async with await api.person("boss", Role.OWNER) as boss:
        body = {"email": "x@example.com", "name": "  "}
        assert (await boss.post("/users", body)).json["name"] == ""
        hook = {"url": "https://127.0.0.1:9/hook", "events": ["pre_tool_use"], "name": " rules "}
        assert (await boss.post("/hooks", hook)).json["name"] == "rules"
