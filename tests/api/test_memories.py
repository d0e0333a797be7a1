"""Memories over HTTP: whose they are, who may change them, what cannot be kept, and what is left of somebody's."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from perdure.access.actor import Role
from perdure.config.memories import LONGEST, MOST
from perdure.core.ids import OrganisationId
from perdure.testing.served_api import Person, ServedApi

EVERYBODY: dict[str, Any] = {"text": "Our fiscal year begins in April.", "whose": "organisation"}


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada") as ada:
        yield ada


async def kept(person: Person, text: str, **body: Any) -> dict[str, Any]:
    answer = await person.post("/memories", {"text": text, **body})
    assert answer.status == 201, answer.json
    return answer.json


async def texts(person: Person, query: str = "") -> list[str]:
    return [memory["text"] for memory in (await person.get(f"/memories{query}")).json["items"]]


async def test_what_a_person_writes_is_listed_changed_and_forgotten(ada: Person) -> None:
    memory = await kept(ada, "  I drink\n\ntea.\u200b ", label="team:docs")
    assert (memory["text"], memory["label"], memory["whose"], memory["may_change"]) == (
        "I drink tea.", "team:docs", "person", True
    )  # fmt: skip
    changed = await ada.patch(f"/memories/{memory['id']}", {"text": "I drink coffee.", "label": ""})
    assert (changed.json["text"], changed.json.get("label", "")) == ("I drink coffee.", "")
    assert await texts(ada) == ["I drink coffee."]
    assert (await ada.delete(f"/memories/{memory['id']}")).status == 204
    assert await texts(ada) == []
    assert (await ada.delete(f"/memories/{memory['id']}")).status == 404


async def test_the_same_text_is_kept_once(ada: Person) -> None:
    first = await kept(ada, "I drink tea.")
    assert (await kept(ada, "I  drink tea."))["id"] == first["id"]
    assert (await kept(ada, "I drink tea.", label="team:docs"))["id"] != first["id"]
    other = await kept(ada, "I drink milk.")
    refused = await ada.patch(f"/memories/{other['id']}", {"text": "I drink tea."})
    assert (refused.status, refused.json["message"]) == (409, "You have this memory already.")
    assert len(await texts(ada)) == 3


async def test_a_request_that_comes_twice_keeps_one(ada: Person) -> None:
    answers = [await ada.post("/memories", {"text": "Once."}, idempotency_key="k") for _ in range(2)]
    assert answers[0].json == answers[1].json


async def test_only_admins_say_what_everybodys_agents_are_told(api: ServedApi, ada: Person) -> None:
    assert (await ada.post("/memories", EVERYBODY)).status == 403
    async with await api.person("boss", Role.ADMIN) as boss:
        memory = await kept(boss, **EVERYBODY)
        (seen,) = (await ada.get("/memories")).json["items"]
        assert (seen["text"], seen["whose"], seen["may_change"]) == (EVERYBODY["text"], "organisation", False)
        assert (await ada.patch(f"/memories/{memory['id']}", {"text": "No."})).status == 403
        assert (await ada.delete(f"/memories/{memory['id']}")).status == 403
        assert (await boss.patch(f"/memories/{memory['id']}", {"text": "It begins in May."})).status == 200
        actions = [entry["action"] for entry in (await boss.get("/audit")).json["items"]]
        assert actions[:2] == ["memory.change", "memory.add"]
        assert (await boss.delete(f"/memories/{memory['id']}")).status == 204


async def test_memories_of_others_do_not_exist(api: ServedApi, ada: Person) -> None:
    memory = await kept(ada, "I drink tea.")
    elsewhere = OrganisationId(await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id"))
    async with (
        await api.person("boss", Role.OWNER) as boss,
        await api.person("eve", Role.OWNER, elsewhere) as eve,
    ):
        await kept(eve, **EVERYBODY)
        for other in (boss, eve):
            assert "I drink tea." not in await texts(other)
            assert (await other.patch(f"/memories/{memory['id']}", {"text": "No."})).status == 404
            assert (await other.delete(f"/memories/{memory['id']}")).status == 404
    assert await texts(ada) == ["I drink tea."]


@pytest.mark.parametrize(
    "text",
    [
        " \n\t",
        "\u200b\u2066",
        "x" * (LONGEST + 1),
        "The key is sk-ant-REDACTED.",
        "the password: Tr0ub4dor&3",
        "token = abc123def456",
        "-----BEGIN RSA PRIVATE KEY----- MIIEow",
    ],
)
async def test_what_cannot_be_kept_is_refused_with_a_word(ada: Person, text: str) -> None:
    refused = await ada.post("/memories", {"text": text})
    assert (refused.status, refused.json["validations"][0]["field"]) == (400, "text")
    assert await texts(ada) == []


@pytest.mark.parametrize(
    "text", ["Tokens are counted per month.", "The password is kept in the vault.", "ключ 🗝", "a\x00b"]
)
async def test_what_only_speaks_of_secrets_is_kept(ada: Person, text: str) -> None:
    await kept(ada, text)
    assert len(await texts(ada)) == 1


@pytest.mark.parametrize("label", ["docs", ":docs", "team:", "team:a\nb", "-:x", "team: "])
async def test_a_label_is_a_key_and_a_value(ada: Person, label: str) -> None:
    assert (await ada.post("/memories", {"text": "x", "label": label})).status == 400


async def in_pages(ada: Person, query: str) -> list[str]:
    seen, before = list[str](), ""
    while page := (await ada.get(f"/memories?{query}{before}")).json["items"]:
        seen += [memory["text"] for memory in page]
        before = f"&before={page[-1]['id']}"
    return seen


async def test_words_find_the_best_first_and_pages_follow_each_other(ada: Person) -> None:
    for number in range(5):
        await kept(ada, f"Fact {number}.")
    await kept(ada, "Deployments run on Mondays; a deployment takes an hour.")
    await kept(ada, "100% of the deploys are canaried.")
    assert (await texts(ada, "?q=deployment+hour"))[0].startswith("Deployments")
    assert await texts(ada, "?q=100%25") == ["100% of the deploys are canaried."]
    assert await texts(ada, "?q=nothing") == []
    assert await texts(ada, "?q=%27%3B+%26%7C%21+%3A*") == []
    seen = await in_pages(ada, "limit=3")
    assert (len(seen), len(set(seen)), seen[-1]) == (7, 7, "Fact 0.")
    # The best are the oldest, so that those that come after them are newer.
    await kept(ada, "A fact.")
    assert await in_pages(ada, "limit=2&q=fact+deployment+hour") == await texts(ada, "?q=fact+deployment+hour")


async def test_there_are_only_so_many(api: ServedApi, ada: Person) -> None:
    await api.pool.execute(
        "INSERT INTO memories (id, organisation_id, owner_id, text) "
        "SELECT gen_random_uuid(), $1, $2, 'fact ' || n FROM generate_series(1, $3::integer) n",
        ada.organisation_id, ada.id, MOST,
    )  # fmt: skip
    refused = await ada.post("/memories", {"text": "One more."})
    assert (refused.status, str(MOST) in refused.json["message"]) == (409, True)
    assert (await kept(ada, "fact 7"))["text"] == "fact 7"
    assert (await ada.delete("/memories")).status == 204
    assert await texts(ada) == []


async def test_a_chat_that_is_deleted_leaves_the_memory_and_a_person_takes_theirs_along(
    api: ServedApi, ada: Person
) -> None:
    chat = (await ada.post("/chats", {"content": [{"type": "text", "text": "hello"}]})).json["chat"]["id"]
    memory = await kept(ada, "I drink tea.")
    everybody = await api.pool.fetchval(
        "INSERT INTO memories (id, organisation_id, text, written_by) VALUES (gen_random_uuid(), $1, 'x', $2) "
        "RETURNING id",
        ada.organisation_id, ada.id,
    )  # fmt: skip
    origin = "UPDATE memories SET chat_id = $1, message = 2, by_agent = true WHERE id = $2"
    await api.pool.execute(origin, UUID(chat), UUID(memory["id"]))
    (seen, *_) = (await ada.get("/memories?whose=person")).json["items"]
    assert (seen["chat_id"], seen["message"], seen["by_agent"]) == (chat, 2, True)
    await api.pool.execute("DELETE FROM chats WHERE id = $1", UUID(chat))
    (seen, *_) = (await ada.get("/memories?whose=person")).json["items"]
    assert ("chat_id" in seen, seen["text"]) == (False, "I drink tea.")
    await api.pool.execute("DELETE FROM users WHERE id = $1", ada.id)
    assert await api.pool.fetchval("SELECT array_agg(id) FROM memories") == [everybody]
