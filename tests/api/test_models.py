"""Setting providers up: what a service is known for need not be said, and what it lacks is said at once."""

from typing import Any

import pytest

from perdure.access.roles import Role
from perdure.testing.site import Town

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
    town: Town, dialect: str, body: dict[str, Any], complaint: str | None
) -> None:
    async with await town.person("boss", Role.ADMIN) as boss:
        said = await boss.post("/providers", {"name": "ours", "dialect": dialect, **body})
        known = [each["name"] for each in (await boss.get("/providers")).json["items"]]
    assert (said.status, said.json.get("message")) == ((201, None) if complaint is None else (400, complaint))
    assert known == (["ours"] if complaint is None else [])
