"""Setting providers up: what a service is known for need not be said, and what it lacks is said at once."""

from typing import Any

import pytest

from perdure.access.actor import Role
from perdure.testing.served_api import ServedApi

OURS = {"base_url": "https://models.example.org"}


@pytest.fixture(autouse=True)
async def nothing_set_up(api: ServedApi) -> None:
    await api.has_no_model()


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
            ("wrong", {}),
        ):
            await boss.post("/model-settings", {**body, "name": name, "options": options})
        wrong = """UPDATE model_settings SET options = '{"thinking": "loudly"}' WHERE name = 'wrong'"""
        await api.pool.execute(wrong)
        api.services.config.changed(boss.organisation_id)
        shown = {model["name"]: model for model in (await boss.get("/models")).json["items"]}
    assert shown["known"]["efforts"] == ["none", "minimal", "low", "medium", "high", "max"]
    assert (shown["known"]["context_window"], shown["known"]["price"]["output"]) == (1_000_000, 15_000_000)
    assert (shown["told"]["efforts"], shown["told"]["context_window"]) == (["low", "medium", "high"], 1_000)
    assert shown["wrong"]["efforts"] == shown["known"]["efforts"]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"context_window": 0}, "options.context_window"),
        ({"context_window": -1}, "options.context_window"),
        ({"max_output_tokens": 0}, "options.max_output_tokens"),
        ({"price": {"input": -1}}, "options.price.input"),
        ({"price": {"output": 10**18}}, "options.price.output"),
        ({"price": {"cache_read": -1}}, "options.price.cache_read"),
        ({"startup_timeout_s": -1}, "options.startup_timeout_s"),
        ({"startup_timeout_s": 0}, "options.startup_timeout_s"),
        ({"silence_timeout_s": -0.5}, "options.silence_timeout_s"),
        ({"silence_timeout_s": 1e300}, "options.silence_timeout_s"),
        ({"compaction_threshold": 0}, "options.compaction_threshold"),
        ({"compaction_threshold": 101}, "options.compaction_threshold"),
        ({"temperature": -1}, "options.temperature"),
        ({"top_p": 1.5}, "options.top_p"),
        ({"top_k": 0}, "options.top_k"),
        ({"thinking": "hard"}, "options.thinking"),
        ({"min_effort": "high", "max_effort": "low"}, "options.min_effort"),
    ],
)
async def test_options_that_make_no_sense_are_refused(api: ServedApi, options: dict[str, Any], field: str) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        provider = (await boss.post("/providers", {"name": "ours", "dialect": "openai_chat", **OURS})).json["id"]
        body = {"name": "small", "provider_id": provider, "model": "s"}
        refused = await boss.post("/model-settings", {**body, "options": options})
        assert (await boss.post("/model-settings", body)).status == 201
        changed = await boss.patch("/model-settings/small", {"options": options})
        kept = (await boss.get("/model-settings")).json["items"]
    for answer in (refused, changed):
        assert (answer.status, [each["field"] for each in answer.json["validations"]]) == (400, [field])
    assert next(each for each in kept if each["name"] == "small")["options"] == {}


async def test_an_option_that_was_stored_before_it_was_checked_counts_as_not_said(api: ServedApi) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        provider = (await boss.post("/providers", {"name": "ours", "dialect": "openai_chat", **OURS})).json["id"]
        body = {"name": "small", "provider_id": provider, "model": "s", "options": {"context_window": 1_000}}
        assert (await boss.post("/model-settings", body)).status == 201
        stored = """UPDATE model_settings SET options = '{"context_window": 0, "top_k": 4}' WHERE name = 'small'"""
        await api.pool.execute(stored)
        api.services.config.changed(boss.organisation_id)
        kept = (await boss.get("/model-settings")).json["items"]
        usable = (await boss.get("/models")).json["items"]
    assert next(each for each in kept if each["name"] == "small")["options"] == {"top_k": 4}
    assert "context_window" not in next(each for each in usable if each["name"] == "small")
