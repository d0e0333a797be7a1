"""What must be unique and is there already: a conflict that names the field, whichever request runs into it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from perdure.access.actor import Role
from perdure.testing.polling import seen
from perdure.testing.served_api import Person, ServedApi

WAITING = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"
PROVIDER = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:9"}


@pytest.fixture
async def boss(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("boss", Role.OWNER) as person:
        yield person


async def added(boss: Person, path: str, body: dict[str, Any]) -> str:
    answer = await boss.post(path, body)
    assert answer.status == 201, answer.json
    return answer.json.get("id", answer.json.get("name"))


def told(answer: Any) -> tuple[int, str, list[dict[str, str]]]:
    return answer.status, answer.json["message"], answer.json.get("validations", [])


def taken(field: str, message: str) -> tuple[int, str, list[dict[str, str]]]:
    return 409, message, [{"field": field, "detail": "is taken"}]


@pytest.mark.parametrize(
    ("path", "first", "second", "field", "message"),
    [
        ("/groups", {"name": "Red"}, {"name": "red"}, "name", "There is a group of this name already."),
        (
            "/providers",
            {"name": "Ours", **PROVIDER},
            {"name": "OURS", **PROVIDER},
            "name",
            "There is a provider of this name already.",
        ),
        (
            "/users",
            {"email": "new@example.com", "name": "New"},
            {"email": "New@example.com", "name": "Other"},
            "email",
            "There is somebody with this address already.",
        ),
        (
            "/mcp-servers",
            {"slug": "tickets", "url": "http://127.0.0.1:9"},
            {"slug": "tickets", "url": "http://127.0.0.1:10"},
            "slug",
            "There is an MCP server of this name already.",
        ),
    ],
)
async def test_what_is_there_is_not_added_again(
    boss: Person, path: str, first: dict[str, Any], second: dict[str, Any], field: str, message: str
) -> None:
    await added(boss, path, first)
    assert told(await boss.post(path, second)) == taken(field, message)


async def test_a_group_is_not_renamed_to_one_that_is_there(boss: Person) -> None:
    await added(boss, "/groups", {"name": "Red"})
    blue = await added(boss, "/groups", {"name": "Blue"})
    refused = await boss.patch(f"/groups/{blue}", {"name": "red"})
    assert told(refused) == taken("name", "There is a group of this name already.")
    assert [group["name"] for group in (await boss.get("/groups")).json["items"]] == ["Red", "Blue"]


async def test_a_provider_is_not_renamed_to_one_that_is_there(boss: Person) -> None:
    await added(boss, "/providers", {"name": "Ours", **PROVIDER})
    other = await added(boss, "/providers", {"name": "Other", **PROVIDER})
    refused = await boss.patch(f"/providers/{other}", {"name": "ours"})
    assert told(refused) == taken("name", "There is a provider of this name already.")


async def models(boss: Person, *names: str) -> None:
    provider = await added(boss, "/providers", {"name": "Ours", **PROVIDER})
    for name in names:
        await added(boss, "/model-settings", {"name": name, "provider_id": provider, "model": name})


async def test_a_model_is_not_added_again(boss: Person) -> None:
    await models(boss, "one")
    provider = (await boss.get("/providers")).json["items"][0]["id"]
    refused = await boss.post("/model-settings", {"name": "one", "provider_id": provider, "model": "other"})
    assert told(refused) == taken("name", "There is a model of this name already.")


async def test_of_many_defaults_that_are_chosen_at_once_the_last_one_is_chosen(api: ServedApi, boss: Person) -> None:
    await models(boss, "one", "two", "three")
    names = ("one", "two", "three") * 4
    answers = await asyncio.gather(*(boss.patch(f"/model-settings/{name}", {"default": True}) for name in names))
    assert {answer.status for answer in answers} == {200}
    assert await api.pool.fetchval("SELECT count(*) FROM model_settings WHERE chosen") == 1


async def test_of_two_defaults_that_are_chosen_at_once_one_is_refused(api: ServedApi, boss: Person) -> None:
    await api.has_no_model()
    await models(boss, "one", "two")
    async with api.pool.acquire() as connection:
        async with connection.transaction():
            await connection.execute("UPDATE model_settings SET chosen = true WHERE name = 'two'")
            asked = asyncio.ensure_future(boss.patch("/model-settings/one", {"default": True}))

            async def waits() -> bool:
                return await api.pool.fetchval(WAITING)

            await seen(waits)
        refused = await asked
    assert told(refused) == taken("default", "Another model was made the default at the same moment. Try again.")
    chosen = await api.pool.fetch("SELECT name FROM model_settings WHERE chosen")
    assert [row["name"] for row in chosen] == ["two"]
