"""Bringing chats along over HTTP: what is there stays, what makes no sense is refused, and nobody gets another's."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from perdure.testing.served_api import Person, ServedApi


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada") as ada:
        yield ada


def said(key: str, text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"key": key, "role": role, "parts": [{"type": "text", "text": text}], **more}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"source": "codex", "source_id": "s1", "messages": messages, **more}


BEGINNING = (said("1", "Hello.", created_at="2024-02-03T04:05:06Z"), said("2", "Hi.", "assistant", model="gpt-0"))


async def texts(person: Person, chat: str) -> list[str]:
    items = (await person.get(f"/chats/{chat}/messages?after=0")).json["items"]
    return [part.get("text") or part.get("result") or part["type"] for message in items for part in message["parts"]]


async def test_times_models_and_the_title_come_along(ada: Person) -> None:
    made = (await ada.post("/imports", body(*BEGINNING, title="Greeting", labels={"project": "atlas"}))).json
    assert (made["outcome"], made["added"]) == ("created", 2)
    chat = (await ada.get(f"/chats/{made['chat_id']}")).json["chat"]
    assert (chat["title"], chat["created_at"], chat["source"]) == ("Greeting", "2024-02-03T04:05:06Z", "import")
    assert chat["labels"] == {"imported": "codex", "project": "atlas"}
    first, second = (await ada.get(f"/chats/{made['chat_id']}/messages?after=0")).json["items"]
    assert (first["created_at"], first["created_by"], second["model"]) == ("2024-02-03T04:05:06Z", str(ada.id), "gpt-0")
    assert (await ada.get("/me/usage?group_by=model")).json.get("items", []) == []


async def test_the_same_again_adds_nothing_and_more_adds_the_rest(ada: Person) -> None:
    chat = (await ada.post("/imports", body(*BEGINNING))).json["chat_id"]
    again = (await ada.post("/imports", body(*BEGINNING))).json
    assert again == {"chat_id": chat, "outcome": "unchanged", "added": 0}
    more = (await ada.post("/imports", body(*BEGINNING, said("3", "More.")))).json
    assert more == {"chat_id": chat, "outcome": "added", "added": 1}
    after = (await ada.post("/imports", body(said("4", "Much more.", "assistant"), after="3"))).json
    assert after["added"] == 1
    assert await texts(ada, chat) == ["Hello.", "Hi.", "More.", "Much more."]
    state = (await ada.get("/imports?source=codex&source_id=s1")).json
    assert state == {"chat_id": chat, "deleted": False, "live": ["1", "2", "3", "4"], "hidden": []}


async def test_two_imports_at_once_come_to_one_chat(ada: Person) -> None:
    answers = await asyncio.gather(*(ada.post("/imports", body(*BEGINNING)) for _ in range(8)))
    assert {answer.status for answer in answers} <= {200, 409}
    chats = {answer.json["chat_id"] for answer in answers if answer.status == 200}
    assert len(chats) == 1
    assert await texts(ada, chats.pop()) == ["Hello.", "Hi."]
    assert len((await ada.get("/chats")).json["items"]) == 1


async def test_calls_that_nobody_answered_are_answered_until_their_results_come(ada: Person) -> None:
    call = {
        "key": "2",
        "role": "assistant",
        "parts": [{"type": "tool_call", "call_id": "c", "tool": "t", "args": "{}"}],
    }
    chat = (await ada.post("/imports", body(BEGINNING[0], call))).json["chat_id"]
    assert (await texts(ada, chat))[-1].startswith('"The call was not answered')
    result = {"key": "3", "role": "tool", "parts": [{"type": "tool_result", "call_id": "c", "result": "yes"}]}
    await ada.post("/imports", body(result, said("4", "So it is.", "assistant"), after="2"))
    assert await texts(ada, chat) == ["Hello.", "tool_call", "yes", "So it is."]
    assert (await ada.get("/imports?source=codex&source_id=s1")).json["live"] == ["1", "2", "3", "4"]


async def test_a_chat_is_its_importers_alone(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/imports", body(*BEGINNING))).json["chat_id"]
    async with await api.person("bob") as bob:
        assert (await bob.get("/imports?source=codex&source_id=s1")).json["chat_id"] is None
        other = (await bob.post("/imports", body(*BEGINNING))).json
        assert (other["outcome"], other["chat_id"] == chat) == ("created", False)
        assert (await bob.get(f"/chats/{chat}")).status == 404
        file = await ada.ask("POST", "/files", b"hello", x_file_name="a.txt", content_type="text/plain")
        part = {"type": "file", "file_id": file.json["id"]}
        refused = await bob.post("/imports", body({"key": "9", "role": "user", "parts": [part]}, after="2"))
        assert (refused.status, refused.json["message"]) == (400, "File not found.")
        assert (
            await ada.post("/imports", body({"key": "9", "role": "user", "parts": [part]}, after="2"))
        ).status == 200


SENSELESS: list[dict[str, Any]] = [
    {"messages": []},
    {"messages": [said("1", "a"), said("1", "b")]},
    {"messages": [said("1", "a", "system")]},
    {"messages": [{"key": "1", "role": "user", "parts": []}]},
    {"messages": [said("", "a")]},
    {"messages": [said("1", "a", created_at="yesterday")]},
    {"messages": [{"key": "1", "role": "user", "parts": [{"type": "notice", "kind": "x", "text": "y"}]}]},
    {"source": "Codex!"},
    {"source_id": ""},
    {"source_id": "a\nb"},
    {"labels": {"project": ""}},
]


@pytest.mark.parametrize("changes", SENSELESS)
async def test_what_makes_no_sense_is_refused(ada: Person, changes: dict[str, Any]) -> None:
    assert (await ada.post("/imports", {**body(*BEGINNING), **changes})).status == 400
    assert (await ada.get("/chats")).json["items"] == []


async def test_what_follows_nothing_that_is_there_is_refused(ada: Person) -> None:
    assert (await ada.post("/imports", body(said("2", "b"), after="1"))).status == 409
    await ada.post("/imports", body(*BEGINNING))
    assert (await ada.post("/imports", body(said("9", "b"), after="8"))).status == 409


async def test_an_archived_chat_takes_nothing_in_until_it_is_back(ada: Person) -> None:
    chat = (await ada.post("/imports", body(*BEGINNING))).json["chat_id"]
    await ada.patch(f"/chats/{chat}", {"archived": True})
    refused = await ada.post("/imports", body(said("3", "More."), after="2"))
    assert (refused.status, "archived" in refused.json["message"]) == (409, True)
    await ada.patch(f"/chats/{chat}", {"archived": False})
    assert (await ada.post("/imports", body(said("3", "More."), after="2"))).status == 200


async def test_whatever_a_program_wrote_can_be_stored(ada: Person) -> None:
    strange = "nul \x00, half a pair \ud800, \u202e backwards".encode("utf-8", "surrogatepass").decode(
        "utf-8", "replace"
    )
    far = said("2", strange, "assistant", created_at="9999-12-31T23:59:59Z", model="m")
    made = await ada.post("/imports", body(said("1", "x", created_at="0001-01-01T00:00:00Z"), far))
    assert made.status == 200, made.json
    assert len(await texts(ada, made.json["chat_id"])) == 2
