"""Setting providers up: what a service is known for need not be said, and what it lacks is said at once."""

from typing import Any

import pytest

from perdure.access.roles import Role
from perdure.testing.served_api import ServedApi

OURS = {"base_url": "https://models.example.org"}


@pytest.mark.parametrize(
    ("dialect", "body", "complaint"),
    [
        ("anthropic_messages", {"options": {"vendor": "anthropic"}}, None),
        ("openai_responses", {"options": {"vendor": "openai"}}, None),
        ("gemini", {"options": {"vendor": "google"}}, None),
        ("anthropic_messages", {"options": {"vendor": "bedrock", "region": "eu-central-1"}}, None),
        ("gemini", {"options": {"vendor": "vertex", "project": "ours"}}, None),
        ("openai_chat", OURS, None),
        ("openai_chat", {}, "ours needs a base url."),
        ("openai_responses", {"options": {"vendor": "azure"}}, "ours needs a base url."),
        ("anthropic_messages", {"options": {"vendor": "bedrock"}}, "ours needs a region."),
        ("gemini", {"options": {"vendor": "vertex"}}, "ours needs a project."),
    ],
)
async def test_a_provider_that_cannot_be_reached_is_refused(
    api: ServedApi, dialect: str, body: dict[str, Any], complaint: str | None
) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        said = await boss.post("/providers", {"name": "ours", "dialect": dialect, **body})
        known = [each["name"] for each in (await boss.get("/providers")).json["items"]]
    assert (said.status, said.json.get("message")) == ((201, None) if complaint is None else (400, complaint))
    assert known == (["ours"] if complaint is None else [])


@pytest.mark.parametrize(
    ("address", "vendor", "dialect"),
    [
        ("http://[", "", "anthropic_messages"),
        ("http://[::1", "anthropic", "anthropic_messages"),
        ("https://a.test:port", "azure", "openai_chat"),
        ("https://a.test:99999", "bedrock", "anthropic_messages"),
        ("http://[", "vertex", "anthropic_messages"),
    ],
)
async def test_an_address_that_nobody_can_ask_is_refused_by_its_field(
    api: ServedApi, address: str, vendor: str, dialect: str
) -> None:
    options = {"vendor": vendor, "region": "eu-central-1", "project": "ours"}
    body = {"name": "ours", "dialect": dialect, "options": options}
    async with await api.person("boss", Role.ADMIN) as boss:
        said = await boss.post("/providers", {**body, "base_url": address})
        added = await boss.post("/providers", {**body, **OURS})
        changed = await boss.patch(f"/providers/{added.json['id']}", {"base_url": address})
        kept = (await boss.get("/providers")).json["items"]
    assert (said.status, [each["field"] for each in said.json["validations"]]) == (400, ["base_url"])
    assert (changed.status, changed.json["validations"]) == (400, said.json["validations"])
    assert [each["base_url"] for each in kept] == [OURS["base_url"]]


async def test_a_provider_is_not_changed_into_one_that_cannot_be_reached(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        added = await boss.post("/providers", {"name": "ours", "dialect": "openai_chat", **OURS})
        changed = await boss.patch(f"/providers/{added.json['id']}", {"base_url": ""})
        switched = await boss.patch(f"/providers/{added.json['id']}", {"enabled": False})
    assert (changed.status, changed.json["message"]) == (400, "ours needs a base url.")
    assert (switched.status, switched.json["base_url"]) == (200, OURS["base_url"])


async def test_a_known_model_is_shown_as_it_is_although_nobody_typed_it(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        added = await boss.post("/providers", {"name": "ours", "dialect": "anthropic_messages", **OURS})
        body = {"provider_id": added.json["id"], "model": "claude-sonnet-4-6"}
        for name, options in (
            ("known", {}),
            ("told", {"min_effort": "low", "max_effort": "high", "context_window": 1_000}),
            ("wrong", {"thinking": "loudly"}),
        ):
            await boss.post("/model-settings", {**body, "name": name, "options": options})
        shown = {model["name"]: model for model in (await boss.get("/models")).json["items"]}
    assert shown["known"]["efforts"] == ["none", "minimal", "low", "medium", "high", "max"]
    assert (shown["known"]["context_window"], shown["known"]["price"]["output"]) == (1_000_000, 15_000_000)
    assert (shown["told"]["efforts"], shown["told"]["context_window"]) == (["low", "medium", "high"], 1_000)
    assert shown["wrong"]["efforts"] == shown["known"]["efforts"]
