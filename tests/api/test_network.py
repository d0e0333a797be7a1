"""What may leave workspaces, decided by people: in a chat, everywhere, once, and with a secret."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from perdure.access.actor import Role
from perdure.config.network import MOST_RULES
from perdure.testing.served_api import Person, ServedApi

RULE = {"host": "docs.example.org"}
KEYED = {"host": "forge.example.org", "credential": {"secret": "forge", "kind": "basic"}}


async def begun(person: Person) -> str:
    return (await person.post("/chats", {"content": [{"type": "text", "text": "Hello"}]})).json["chat"]["id"]


async def test_the_owner_of_a_chat_allows_hosts_there_and_takes_them_back(api: ServedApi) -> None:
    async with await api.person("ada") as ada:
        place = f"/chats/{await begun(ada)}/network"
        made = await ada.post(f"{place}/rules", {"rule": RULE, "once": True})
        assert (made.status, made.json["rule"], made.json["once"]) == (201, RULE, True)
        assert (await ada.get(place)).json == {
            "refused": [],
            "rules": [made.json],
            "requests": {"allowed": 0, "refused": 0},
        }
        assert (await ada.delete(f"{place}/rules/{uuid4()}")).status == 404
        assert (await ada.delete(f"{place}/rules/{made.json['id']}")).status < 300
        assert (await ada.get(place)).json["rules"] == []


async def test_a_member_brings_no_credential_and_no_private_network(api: ServedApi) -> None:
    async with await api.person("ada") as ada:
        place = f"/chats/{await begun(ada)}/network/rules"
        for more in (KEYED, {**RULE, "networks": ["10.0.0.0/8"]}):
            assert (await ada.post(place, {"rule": more})).status == 403
        assert (await ada.post("/network/rules", {"rule": RULE})).status == 403


async def test_a_rule_that_makes_no_sense_is_refused_with_its_place(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        answer = await boss.post("/network/rules", {"rule": {"host": "*"}})
        assert answer.status == 400
        assert [(fault["field"], "every host" in fault["detail"]) for fault in answer.json["validations"]] == [
            ("rule.host", True)
        ]


async def test_neither_a_chat_nor_an_organisation_gathers_rules_without_end(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        chat_id, other = await begun(boss), await begun(boss)
        for chat in (UUID(chat_id), None):
            await api.pool.execute(
                "INSERT INTO network_rules (organisation_id, chat_id, rule) "
                "SELECT $1, $2, $3 FROM generate_series(2, $4)",
                boss.organisation_id,
                chat,
                json.dumps(RULE),
                MOST_RULES,
            )
        for place in (f"/chats/{chat_id}/network/rules", "/network/rules"):
            last, over = await boss.post(place, {"rule": RULE}), await boss.post(place, {"rule": RULE})
            assert (last.status, over.status) == (201, 400)
            assert f"At most {MOST_RULES} rules" in over.json["message"]
            assert (await boss.delete(f"{place}/{last.json['id']}")).status < 300
            assert (await boss.post(place, {"rule": RULE})).status == 201
        assert (await boss.post(f"/chats/{other}/network/rules", {"rule": RULE})).status == 201


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("methods", ["GET"] * 101),
        ("methods", ["G" * 201]),
        ("paths", ["/a"] * 101),
        ("paths", ["/" + "a" * 2001]),
        ("networks", ["10.0.0.0/8"] * 101),
        ("credential", {"secret": "forge", "user": "u" * 201}),
        ("credential", {"secret": "forge", "kind": "header", "header": "h" * 201}),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_a_rule_is_of_a_size_that_somebody_can_read(api: ServedApi, field: str, value: Any) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        answer = await boss.post("/network/rules", {"rule": {**RULE, field: value}})
        assert (answer.status, [fault["field"] for fault in answer.json["validations"]]) == (400, [f"rule.{field}"])


async def test_a_secret_belongs_to_a_rule_and_is_never_shown(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        unnamed = await boss.put("/network/secrets/forge", {"secret": "t0ken-of-the-forge"})
        assert (unnamed.status, unnamed.json["validations"][0]["field"]) == (400, "name")
        rule = (await boss.post("/network/rules", {"rule": KEYED})).json
        assert (await boss.put("/network/secrets/forge", {"secret": "line\nbreak"})).status == 400
        assert (await boss.put("/network/secrets/forge", {"secret": "t0ken-of-the-forge"})).status < 300
        shown = await boss.get("/network")
        assert shown.json == {"rules": [rule], "secrets": ["forge"]}
        assert b"t0ken" not in shown.body
        stored = await api.pool.fetchval("SELECT secret FROM network_secrets")
        assert b"t0ken" not in stored
        assert (await boss.delete("/network/secrets/forge")).status < 300
        assert (await boss.delete("/network/secrets/forge")).status == 404
