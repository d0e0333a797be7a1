"""Setting up a provider: with its key in one step, and tried before it has a model."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.providers.servers import Canned, answer

from perdure.access.actor import Role
from perdure.sim.routes import NAMES as SERVED
from perdure.sim.server import Simulator
from perdure.testing.ports import free_port
from perdure.testing.served_api import Person, ServedApi


def json(document: object, *, status: str = "200 OK") -> bytes:
    return answer(msgspec.json.encode(document), status=status, content_type="application/json")


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator(rate=None) as simulator:
        yield simulator


@pytest.fixture
async def boss(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("boss", Role.OWNER) as person:
        yield person


@pytest.fixture(autouse=True)
async def nothing_set_up(api: ServedApi) -> None:
    await api.has_no_model()


async def tried(boss: Person, **provider: Any) -> tuple[bool, str]:
    """What trying a new provider says."""
    body = {"name": "Ours", "dialect": "openai_chat", **provider}
    added = (await boss.post("/providers", body)).json
    answer = (await boss.post(f"/providers/{added['id']}/test", {})).json
    return answer["ok"], answer["message"]


async def test_a_provider_comes_with_its_key_or_not_at_all(api: ServedApi, boss: Person) -> None:
    body = {"name": "Ours", "dialect": "openai_chat", "base_url": "http://127.0.0.1:9"}
    assert {(await boss.post("/providers", {**body, "key": key})).status for key in ("", " ", "\n\t")} == {400}
    assert (await boss.get("/providers")).json["items"] == []
    added = await boss.post("/providers", {**body, "key": "sk-of-the-deployment"})
    assert (added.status, added.json["has_key"]) == (201, True)
    assert [entry["has_key"] for entry in (await boss.get("/providers")).json["items"]] == [True]
    assert (await boss.get(f"/providers/{added.json['id']}/keys")).json["items"][0]["hint"] == "ment"
    assert b"sk-of" not in added.body
    actions = await api.pool.fetch("SELECT action FROM audit ORDER BY id")
    assert [row["action"] for row in actions] == ["provider.add", "key.put"]


async def test_a_provider_without_a_model_is_tried_with_one_that_it_offers(boss: Person, sim: Simulator) -> None:
    assert await tried(boss, base_url=sim.url, key="k" * 20) == (True, "demo answers.")


async def test_a_model_that_is_set_up_is_the_one_that_is_tried(boss: Person, sim: Simulator) -> None:
    body = {"name": "P", "dialect": "openai_chat", "base_url": sim.url, "key": "k" * 20}
    added = (await boss.post("/providers", body)).json["id"]
    await boss.post("/model-settings", {"name": "ours", "provider_id": added, "model": "demo-fast"})
    assert (await boss.post(f"/providers/{added}/test", {})).json["message"] == "ours answers."
    await boss.patch(f"/providers/{added}", {"enabled": False})
    assert (await boss.post(f"/providers/{added}/test", {})).json["message"] == "ours answers."
    assert (await boss.post(f"/providers/{added}/test", {"model": "theirs"})).status == 409


async def test_trying_a_provider_says_what_is_wrong(boss: Person, sim: Simulator) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    wrong = await tried(boss, name="Away", base_url=nobody)
    assert wrong == (False, "Away cannot be reached. Check its address and the network.")
    wrong = await tried(boss, name="Keyless", base_url=sim.url, options={"vendor": "openai"})
    assert wrong == (False, "There is no API key for Keyless. Add one in the settings.")
    ok, words = await tried(boss, name="Lost", base_url=f"{sim.url}/elsewhere", key="k" * 20)
    assert not ok
    assert words.startswith("Lost has no list of models at this address.")
    bedrock = {"dialect": "anthropic_messages", "options": {"vendor": "bedrock"}}
    ok, words = await tried(boss, name="Rock", base_url=sim.url, **bedrock)
    assert not ok
    assert words == "Rock does not say which models it has. Add a model, then test it."


LIST = json({"data": [{"id": "gpt-5"}, {"id": "text-embedding-3"}, {"id": "gpt-5-mini"}]})


async def test_a_list_alone_says_what_it_can(boss: Person) -> None:
    async with Canned(LIST) as azure:
        found = await tried(boss, base_url=azure.url, key="k" * 20, options={"vendor": "azure"})
    assert found == (True, "Ours answers and offers 3 models. Add one, then test it.")
    async with Canned(json({"data": []})) as empty:
        found = await tried(boss, name="Empty", base_url=empty.url)
    assert found == (False, "Empty answers, but offers no models yet.")
    refusal = json({"error": {"message": "Incorrect key"}}, status="401 Unauthorized")
    async with Canned(refusal) as strict:
        ok, words = await tried(boss, name="Strict", base_url=strict.url, key="k" * 20)
    assert not ok
    assert words.startswith("Strict rejected the credentials.")


async def test_the_cheapest_known_model_is_asked(boss: Person) -> None:
    async with Canned(LIST) as server:
        await tried(boss, base_url=server.url, key="k" * 20, options={"vendor": "openai"})
        assert b'"model":"gpt-5-mini"' in server.requests[-1]


async def test_whoever_chats_can_bring_a_key_for_the_provider_of_a_model(boss: Person, ada: Person) -> None:
    body = {"name": "P", "dialect": "openai_chat", "base_url": "http://127.0.0.1:9"}
    provider = (await boss.post("/providers", body)).json["id"]
    await boss.post("/model-settings", {"name": "ours", "provider_id": provider, "model": "m"})
    (model,) = (await ada.get("/models")).json["items"]
    assert (model["provider"], model["provider_id"]) == ("P", provider)
    keys = f"/providers/{provider}/keys"
    assert (await ada.post(keys, {"key": "sk-of-her-own-1234", "personal": True})).status == 201
    assert [(key["hint"], key["personal"]) for key in (await ada.get(keys)).json["items"]] == [("1234", True)]
    assert (await ada.delete(f"{keys}?personal=true")).status == 204
    assert (await ada.get(keys)).json["items"] == []
    assert (await ada.get(f"/providers/{ada.id}/keys")).status == 404


async def test_a_provider_says_which_models_it_offers_or_why_not(boss: Person, sim: Simulator) -> None:
    async def offered(**provider: Any) -> tuple[list[str], str]:
        added = (await boss.post("/providers", {"dialect": "openai_chat", **provider})).json
        answer = (await boss.get(f"/providers/{added['id']}/models")).json
        return answer["items"], answer["message"]

    assert await offered(name="A", base_url=sim.url, key="k" * 20) == (list(SERVED), "")
    nobody = f"http://127.0.0.1:{free_port()}"
    assert await offered(name="B", base_url=nobody) == ([], "B cannot be reached. Check its address and the network.")
    bedrock = await offered(
        name="C", dialect="anthropic_messages", base_url=sim.url, options={"vendor": "bedrock", "region": "us-east-1"}
    )
    assert bedrock == ([], "C does not say which models it has.")


BASE = {"name": "Ours", "dialect": "openai_chat", "base_url": "http://127.0.0.1:9"}


@pytest.mark.parametrize(
    "headers",
    [
        {"X": "a\nb"},
        {"X": "a\rb"},
        {"X": "a\0"},
        {"X": "\x7f"},
        {"X Y": "a"},
        {"": "a"},
        {"Ü": "a"},
        {"content-LENGTH": "5"},
    ],
)
async def test_a_header_that_cannot_be_sent_is_refused_where_it_is_set(boss: Person, headers: dict[str, str]) -> None:
    added = (await boss.post("/providers", BASE)).json
    sets = [
        await boss.post("/providers", {**BASE, "name": "Others", "options": {"headers": headers}}),
        await boss.patch(f"/providers/{added['id']}", {"options": {"headers": headers}}),
    ]
    assert [answer.status for answer in sets] == [400, 400]
    assert [answer.json["validations"][0]["field"] for answer in sets] == ["options.headers"] * 2
    kept = await boss.patch(f"/providers/{added['id']}", {"options": {"headers": {"X-Ours": "grün, a\tb"}}})
    assert kept.json["options"]["headers"] == {"X-Ours": "grün, a\tb"}


@pytest.mark.parametrize("key", ["a\0bcdefghij", "abc\x01defghij", "good-key-1234\nbad\x7fkey"])
async def test_a_key_that_cannot_be_sent_is_refused_where_it_is_set(boss: Person, key: str) -> None:
    added = (await boss.post("/providers", {**BASE, "key": "first-key\nsecond-key"})).json
    sets = [
        await boss.post("/providers", {**BASE, "name": "Others", "key": key}),
        await boss.post(f"/providers/{added['id']}/keys", {"key": key}),
    ]
    assert [answer.status for answer in sets] == [400, 400]
    assert [answer.json["validations"][0]["field"] for answer in sets] == ["key"] * 2
