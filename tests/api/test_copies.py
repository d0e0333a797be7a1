"""What is made of a whole chat: forks, branches, exports, costs, search."""

import asyncio
from uuid import UUID

import pytest

from perdure.core.action import CallKind
from perdure.core.ids import ChatId, ReplicaId, RunnerId
from perdure.core.message import NewMessage, ProviderMetadata, Role, Text, ToolCall, Usage
from perdure.machine.change import Owner
from perdure.machine.transitions import Abandon, Acquire, CommitStep, FinishTurn
from perdure.store.search import BATCH
from perdure.store.tables import search
from perdure.testing.served_api import Person, ServedApi

OWNER = Owner(ReplicaId(UUID(int=1)), RunnerId(UUID(int=2)))


def said(text: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}]}


async def answered(api: ServedApi, person: Person, question: str, answer: str) -> str:
    """A chat in which somebody asked and the agent answered."""
    chat_id = (await person.post("/chats", said(question))).json["chat"]["id"]
    await answer_in(api, chat_id, answer)
    return chat_id


async def answer_in(api: ServedApi, chat_id: str, answer: str) -> None:
    signature = ProviderMetadata("anthropic_messages", "m", {"signature": "CANARY"})
    message = NewMessage(
        role=Role.ASSISTANT,
        parts=(Text(answer, signature),),
        model=None,
        usage=Usage(input=10, output=5),
        cost=120,
        provider_response_id="CANARY",
    )
    step = CommitStep(messages=(message,), continues=False)
    await api.services.machine.change(ChatId(UUID(chat_id)), Acquire(OWNER), step, FinishTurn(), Abandon())


async def test_a_fork_with_content_runs_and_leaves_the_original_alone(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    forked = await ada.post(f"/chats/{chat_id}/fork", {"after": 2, **said("and three?")})
    assert (forked.status, forked.json["chat"]["status"]) == (201, "running")
    assert forked.json["message"]["parts"][0]["text"] == "and three?"
    copy = (await ada.get(f"/chats/{forked.json['chat']['id']}/messages?after=0")).json["items"]
    assert [message["parts"][0]["text"] for message in copy] == ["one?", "two.", "and three?"]
    assert (await ada.get(f"/chats/{chat_id}")).json["chat"]["status"] == "waiting"


async def test_a_fork_without_content_rests_with_open_calls_answered(api: ServedApi, ada: Person) -> None:
    chat_id = (await ada.post("/chats", said("look"))).json["chat"]["id"]
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("c1", "look", "{}"),))
    step = CommitStep(messages=(call,), call_kinds={"look": CallKind.CLIENT})
    await api.services.machine.change(ChatId(UUID(chat_id)), Acquire(OWNER), step)
    forked = (await ada.post(f"/chats/{chat_id}/fork", {"after": 2})).json["chat"]
    assert forked["status"] == "waiting"
    copy = (await ada.get(f"/chats/{forked['id']}/messages?after=0")).json["items"]
    assert [message["role"] for message in copy] == ["user", "assistant", "tool"]
    assert copy[2]["parts"][0]["is_error"] is True
    assert (await ada.post(f"/chats/{chat_id}/fork", {"after": 9})).status == 404


async def test_what_an_edit_hid_is_a_branch(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    await ada.put(f"/chats/{chat_id}/messages/1", said("uno?"))
    branches = (await ada.get(f"/chats/{chat_id}/branches")).json["items"]
    assert [branch["after"] for branch in branches] == [0]
    assert [message["parts"][0]["text"] for message in branches[0]["messages"]] == ["one?", "two."]


async def test_a_fork_goes_on_from_a_branch_as_it_was(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    await ada.post(f"/chats/{chat_id}/messages", said("three?"))
    await answer_in(api, chat_id, "four.")
    await ada.put(f"/chats/{chat_id}/messages/3", said("tres?"))
    await answer_in(api, chat_id, "cuatro.")
    await ada.put(f"/chats/{chat_id}/messages/1", said("uno?"))
    assert await forked_texts(ada, chat_id, 4) == ["one?", "two.", "three?", "four."]
    assert await forked_texts(ada, chat_id, 6) == ["one?", "two.", "tres?", "cuatro."]
    assert await forked_texts(ada, chat_id, 7) == ["uno?"]


async def forked_texts(person: Person, chat_id: str, after: int) -> list[str]:
    forked = (await person.post(f"/chats/{chat_id}/fork", {"after": after})).json["chat"]
    copy = (await person.get(f"/chats/{forked['id']}/messages?after=0")).json["items"]
    return [message["parts"][0]["text"] for message in copy]


async def test_an_export_holds_what_people_see_and_nothing_else(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    markdown = await ada.get(f"/chats/{chat_id}/export?format=markdown")
    assert markdown.headers["content-type"].startswith("text/markdown")
    assert markdown.body.decode().startswith("# one?\n\n## You")
    assert "two." in markdown.body.decode()
    exported = await ada.get(f"/chats/{chat_id}/export")
    assert [message["number"] for message in exported.json["messages"]] == [1, 2]
    assert b"CANARY" not in exported.body + markdown.body
    assert b"CANARY" not in (await ada.get(f"/chats/{chat_id}/messages")).body


async def test_cost_and_usage_add_up(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    cost = (await ada.get(f"/chats/{chat_id}/cost")).json
    assert (cost["cost"], cost["items"][0]["input"], cost["items"][0]["calls"]) == (120, 10, 1)
    usage = (await ada.get("/usage?group=user")).json["items"]
    assert [(line["name"], line["cost"], line["output"]) for line in usage] == [("ada@example.com", 120, 5)]


async def test_search_finds_words_ranks_them_and_shows_where(api: ServedApi, ada: Person) -> None:
    best = await answered(api, ada, "How do zebras sleep?", "Zebras sleep standing; a zebra rarely lies down.")
    other = await answered(api, ada, "Name some animals.", "A horse, a cow, and one zebra among many others.")
    await answered(api, ada, "What is a tree?", "A plant.")
    for chat_id in await api.pool.fetch("SELECT id FROM chats"):
        api.search.moved(chat_id["id"])
    await api.search.once()
    found = (await ada.get("/chats?q=zebra")).json["items"]
    assert [item["id"] for item in found] == [best, other]
    assert "**zebra**" in found[1]["snippet"]
    assert [item["match"] for item in found] == [{"chat_id": best, "number": 2}, {"chat_id": other, "number": 2}]
    assert "match" not in (await ada.get("/chats?q=title:animals")).json["items"][0]
    assert [i["id"] for i in (await ada.get("/chats?q=zebra%20title:animals")).json["items"]] == [other]
    assert (await ada.get("/chats?q=colour:red")).status == 400
    async with await api.person("bob") as bob:
        assert (await bob.get("/chats?q=zebra")).json["items"] == []
        await ada.put(f"/chats/{other}/acl", {"users": [str(bob.id)]})
        assert [item["id"] for item in (await bob.get("/chats?q=zebra")).json["items"]] == [other]


async def test_search_forgets_what_an_edit_hid(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "Where is the walrus?", "At sea.")
    api.search.moved(ChatId(UUID(chat_id)))
    await api.search.once()
    await ada.put(f"/chats/{chat_id}/messages/1", said("Where is the seal?"))
    await ada.patch(f"/chats/{chat_id}", {"title": "Seals"})
    api.search.moved(ChatId(UUID(chat_id)))
    await api.search.once()
    assert (await ada.get("/chats?q=walrus")).json["items"] == []
    assert len((await ada.get("/chats?q=seal")).json["items"]) == 1


async def test_search_catches_up_with_what_nobody_told_it(api: ServedApi, ada: Person) -> None:
    await answered(api, ada, "Where is the walrus?", "At sea.")
    await api.search.once()
    assert len((await ada.get("/chats?q=walrus")).json["items"]) == 1


@pytest.mark.parametrize("count", [BATCH - 1, BATCH, BATCH + 1, 2 * BATCH])
async def test_search_gets_through_a_change_of_any_number_of_messages(api: ServedApi, ada: Person, count: int) -> None:
    messages = [
        {"key": str(n), "role": "user", "parts": [{"type": "text", "text": f"word{n}"}]} for n in range(1, count + 1)
    ]
    brought = {"source": "codex", "source_id": "s1", "messages": messages}
    chat_id = (await ada.post("/imports", brought)).json["chat_id"]
    other = await answered(api, ada, "Where is the walrus?", "At sea.")
    async with asyncio.timeout(20):
        await api.search.once()
    for number in {1, min(BATCH, count), min(BATCH + 1, count), count}:
        (found,) = (await ada.get(f"/chats?q=word{number}")).json["items"]
        assert found["match"] == {"chat_id": chat_id, "number": number}
    assert [item["id"] for item in (await ada.get("/chats?q=walrus")).json["items"]] == [other]
    assert await search.behind(api.pool, 10) == []


async def test_only_an_archived_chat_can_be_deleted_and_then_it_is_gone(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    assert (await ada.delete(f"/chats/{chat_id}")).status == 409
    await ada.patch(f"/chats/{chat_id}", {"archived": True})
    assert (await ada.delete(f"/chats/{chat_id}")).status == 204
    assert (await ada.get(f"/chats/{chat_id}")).status == 404
    assert await api.pool.fetchval("SELECT count(*) FROM messages") == 0
    assert await api.pool.fetchval("SELECT count(*) FROM audit WHERE action = 'chat.delete'") == 1


async def test_reading_a_chat_reads_what_the_inbox_says_of_it(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    await answered(api, ada, "three?", "four.")
    await ada.patch(f"/chats/{chat_id}", {"read": 1})
    assert (await ada.get("/inbox")).json["unread"] == 2
    await ada.patch(f"/chats/{chat_id}", {"read": 2})
    left = (await ada.get("/inbox?unread=true")).json
    assert (left["unread"], len(left["items"])) == (1, 1)
    assert left["items"][0]["chat_id"] != chat_id


async def test_the_inbox_tells_counts_and_is_marked(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "one?", "two.")
    inbox = (await ada.get("/inbox")).json
    assert [(entry["kind"], entry["chat_id"]) for entry in inbox["items"]] == [("finished", chat_id)]
    assert inbox["unread"] == 1
    entry = inbox["items"][0]["id"]
    assert "read_at" in (await ada.post(f"/inbox/{entry}/read")).json
    assert (await ada.get("/inbox?unread=true")).json == {"items": [], "unread": 0}
    assert "read_at" not in (await ada.post(f"/inbox/{entry}/unread")).json
    assert (await ada.post("/inbox/read-all")).json == {"unread": 0}


async def test_a_text_is_found_in_a_chat_in_what_was_said_and_in_what_was_done(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "Is it 100% done?", "Not quite:\nthe   ZEBRA is missing.")
    path = f"/chats/{chat_id}/matches?q="
    assert (await ada.get(path + "zebra")).json == {"items": [2]}
    assert (await ada.get(path + "quite:%20the%20zebra")).json == {"items": [2]}
    assert (await ada.get(path + "100%25")).json == {"items": [1]}
    assert (await ada.get(path + "1.0%25")).json == {"items": []}
    # The words of the wire are not what people said.
    assert (await ada.get(path + "signature")).json == {"items": []}
    assert (await ada.get(path + "type")).json == {"items": []}
    assert (await ada.get(path + "%20")).json == {"items": []}
    await ada.put(f"/chats/{chat_id}/messages/1", said("And now?"))
    assert (await ada.get(path + "zebra")).json == {"items": []}


async def test_a_text_is_found_in_calls_and_not_in_what_is_for_the_model_alone(api: ServedApi, ada: Person) -> None:
    chat_id = await answered(api, ada, "Look.", "Done.")
    await ada.post(f"/chats/{chat_id}/messages", said("Again."))
    calls = (Text("a secret walrus", model_only=True), ToolCall("c1", "execute", '{"command":"grep walrus notes"}'))
    message = NewMessage(role=Role.ASSISTANT, parts=calls)
    step = CommitStep(messages=(message,), continues=False)
    await api.services.machine.change(ChatId(UUID(chat_id)), Acquire(OWNER), step, FinishTurn(), Abandon())
    found = (await ada.get(f"/chats/{chat_id}/matches?q=walrus%20notes")).json["items"]
    assert len(found) == 1
    assert (await ada.get(f"/chats/{chat_id}/matches?q=secret")).json == {"items": []}
