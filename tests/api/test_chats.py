"""Chats over HTTP."""

import asyncio
from datetime import timedelta
from uuid import UUID

from perdure.core.ids import ChatId
from perdure.core.notice import Notice, Topic
from perdure.testing.served_api import Person, ServedApi

HELLO = [{"type": "text", "text": "Hello, who are you today my friend?"}]


async def test_a_new_chat_runs_and_is_titled_by_its_first_words(ada: Person) -> None:
    created = await ada.post("/chats", {"content": HELLO, "client_id": "c1", "labels": {"team": "docs"}})
    assert created.status == 201
    chat, message = created.json["chat"], created.json["message"]
    assert chat["status"] == "running"
    assert chat["title"] == "Hello, who are you today my"
    assert chat["labels"] == {"team": "docs"}
    assert message["parts"] == HELLO
    assert (message["number"], message["client_id"], message["role"]) == (1, "c1", "user")


async def test_a_chat_is_read_as_it_was_created(ada: Person) -> None:
    created = (await ada.post("/chats", {"content": HELLO})).json
    read = (await ada.get(f"/chats/{created['chat']['id']}")).json
    # Nobody takes it here, which is said of a chat after two seconds.
    read["chat"].pop("waiting_for_capacity", None)
    assert read == {
        "chat": created["chat"],
        "queue": [],
        "action": None,
        "retry": None,
        "error": None,
        "settings": {},
        "cursor": created["cursor"],
    }


async def test_a_chat_that_nobody_has_room_for_says_so(ada: Person, api: ServedApi) -> None:
    created = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    moved = "UPDATE chats SET updated_at = now() + $1::interval"
    await api.pool.execute(moved, timedelta(minutes=1))
    assert "waiting_for_capacity" not in (await ada.get(f"/chats/{created['id']}")).json["chat"]
    await api.pool.execute(moved, timedelta(seconds=-3))
    assert (await ada.get(f"/chats/{created['id']}")).json["chat"]["waiting_for_capacity"] is True


async def test_chats_come_in_pages_the_pinned_one_first(ada: Person) -> None:
    ids = [(await ada.post("/chats", {"content": HELLO, "title": f"chat {n}"})).json["chat"]["id"] for n in range(5)]
    assert (await ada.patch(f"/chats/{ids[1]}", {"pin": 1})).status == 200
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await ada.get(f"/chats?limit=2{cursor}")).json
        seen += [item["id"] for item in page["items"]]
        if "next_cursor" not in page:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [ids[1], ids[4], ids[3], ids[2], ids[0]]


async def test_a_list_is_filtered_by_label(ada: Person) -> None:
    await ada.post("/chats", {"content": HELLO, "labels": {"team": "docs"}})
    await ada.post("/chats", {"content": HELLO, "labels": {"team": "core"}})
    page = (await ada.get("/chats?label=team:core")).json
    assert [item["labels"] for item in page["items"]] == [{"team": "core"}]


async def test_renaming_says_who_named_it_and_leaves_the_order_alone(ada: Person, api: ServedApi) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    renamed = await ada.patch(f"/chats/{chat['id']}", {"title": "Greetings"})
    assert renamed.json["chat"]["title"] == "Greetings"
    assert renamed.json["chat"]["updated_at"] == chat["updated_at"]
    assert await api.pool.fetchval("SELECT title_source FROM chat_cards") == "named"


async def test_a_message_that_waits_keeps_the_model_and_the_effort_of_its_sending(ada: Person, api: ServedApi) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    chosen = "UPDATE chat_cards SET model = $1, effort = $2"
    await api.pool.execute(chosen, "first", "low")
    for body in ({}, {"effort": "high"}):
        assert (await ada.post(f"/chats/{chat['id']}/messages", {"content": HELLO, **body})).status == 202
    await api.pool.execute(chosen, "second", None)
    await ada.post(f"/chats/{chat['id']}/messages", {"content": HELLO})
    queue = (await ada.get(f"/chats/{chat['id']}")).json["queue"]
    asked = [(waiting.get("model"), waiting.get("effort")) for waiting in queue]
    assert asked == [("first", "low"), ("first", "high"), ("second", None)]


async def test_a_message_to_a_busy_chat_waits_in_its_queue(ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    sent = await ada.post(f"/chats/{chat['id']}/messages", {"content": HELLO, "busy": "steer"})
    assert sent.status == 202
    assert sent.json["queued"]["number"] == 1
    assert sent.json["queued"]["steer"] is True
    assert "message" not in sent.json
    page = (await ada.get(f"/chats/{chat['id']}/messages")).json
    assert [message["number"] for message in page["items"]] == [1]
    assert page["queue"] == [sent.json["queued"]]


async def test_the_queue_is_edited_reordered_and_emptied(ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    path = f"/chats/{chat['id']}"
    for word in ("one", "two", "three"):
        await ada.post(f"{path}/messages", {"content": [{"type": "text", "text": word}]})
    assert (await ada.put(f"{path}/queue", {"order": [3, 1, 2]})).status == 200
    assert (await ada.put(f"{path}/queue/1", {"content": [{"type": "text", "text": "uno"}]})).status == 200
    assert (await ada.delete(f"{path}/queue/2")).status == 204
    assert (await ada.delete(f"{path}/queue/2")).status == 404
    queue = (await ada.get(path)).json["queue"]
    assert [(item["number"], item["parts"][0]["text"]) for item in queue] == [(3, "three"), (1, "uno")]
    assert (await ada.post(f"{path}/queue/1/promote")).json["chat"]["status"] == "interrupting"


async def test_the_twenty_first_waiting_message_is_too_many(ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    statuses = [(await ada.post(f"/chats/{chat['id']}/messages", {"content": HELLO})).status for _ in range(20)]
    assert statuses == [202] * 20
    refused = await ada.post(f"/chats/{chat['id']}/messages", {"content": HELLO})
    assert (refused.status, refused.headers["retry-after"]) == (429, "5")


async def test_an_edit_replaces_the_message_and_what_followed(ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    path = f"/chats/{chat['id']}"
    await ada.post(f"{path}/messages", {"content": HELLO})
    edited = await ada.put(f"{path}/messages/1", {"content": [{"type": "text", "text": "Good bye"}]})
    assert edited.status == 202
    assert (edited.json["message"]["number"], edited.json["chat"]["status"]) == (2, "running")
    page = (await ada.get(f"{path}/messages")).json
    assert [message["parts"][0]["text"] for message in page["items"]] == ["Good bye"]
    assert page["queue"] == []
    assert (await ada.put(f"{path}/messages/9", {"content": HELLO})).status == 404


async def test_stop_works_while_running_and_is_refused_at_rest(ada: Person, api: ServedApi) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    path = f"/chats/{chat['id']}"
    assert (await ada.post(f"{path}/interrupt")).json["chat"]["status"] == "interrupting"
    assert (await ada.post(f"{path}/interrupt")).json["chat"]["status"] == "interrupting"
    await api.pool.execute("UPDATE chats SET status = 'waiting', snapshot_version = snapshot_version + 1")
    refused = await ada.post(f"{path}/interrupt")
    assert (refused.status, refused.json["message"]) == (409, "This is not possible while the chat is at rest.")
    assert (await ada.post(f"{path}/retry")).status == 409
    assert (await ada.post(f"{path}/compact")).json["message"].startswith("There is nothing to compact")


async def test_an_archived_chat_says_that_it_is(ada: Person, api: ServedApi) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    path = f"/chats/{chat['id']}"
    busy = await ada.patch(path, {"archived": True})
    assert (busy.status, busy.json["message"]) == (
        409,
        "This is not possible while the chat is at work. Wait until it rests, or interrupt it.",
    )
    await api.pool.execute("UPDATE chats SET status = 'waiting', snapshot_version = snapshot_version + 1")
    assert (await ada.patch(path, {"archived": True})).json["chat"]["archived"] is True
    refused = await ada.post(f"{path}/messages", {"content": HELLO})
    assert (refused.status, refused.json["message"]) == (400, "The chat is archived. Unarchive it first.")
    assert (await ada.get("/chats")).json["items"] == []
    assert len((await ada.get("/chats?archived=true")).json["items"]) == 1
    assert "archived" not in (await ada.patch(path, {"archived": False})).json["chat"]


async def test_reading_marks_a_chat_as_read(ada: Person, api: ServedApi) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    await api.pool.execute("UPDATE chats SET last_assistant = 2, snapshot_version = snapshot_version + 1")
    assert (await ada.get(f"/chats/{chat['id']}")).json["chat"]["unread"] is True
    assert "unread" not in (await ada.patch(f"/chats/{chat['id']}", {"read": 2})).json["chat"]


async def test_a_chat_gets_a_workspace_made_for_it(ada: Person, api: ServedApi) -> None:
    wish = {"content": HELLO, "workspace": {"template": "blank"}}
    answers = await asyncio.gather(*(ada.post("/chats", wish, idempotency_key="once") for _ in range(3)))
    assert {answer.status for answer in answers} == {201}
    made = {answer.json["chat"]["workspace_id"] for answer in answers}
    assert [item["id"] for item in (await ada.get("/workspaces")).json["items"]] == list(made)
    place = f"/workspaces/{made.pop()}"
    noted = (await ada.get(place)).json
    assert (noted["template"], noted["status"]) == ("blank", "creating")
    assert (await ada.get(f"{place}/files")).json["entries"] == []
    assert (await ada.get(place)).json["status"] == "running"
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_a_workspace_that_cannot_be_leaves_nothing_behind(ada: Person, api: ServedApi) -> None:
    async with await api.person("bob") as bob:
        await api.pool.execute(
            "INSERT INTO workspaces (id, organisation_id, owner_id, driver, template) "
            "VALUES ($1, $2, $3, 'local', 'blank')",
            UUID(int=7),
            bob.organisation_id,
            bob.id,
        )
    foreign, none = str(UUID(int=7)), str(UUID(int=8))
    for body, status in (
        ({"workspace_id": foreign}, 404),
        ({"workspace_id": none}, 404),
        ({"workspace": {"template": "castle"}}, 400),
        ({"workspace": {"template": "blank", "parameters": {"moat": True}}}, 400),
        ({"workspace": {"template": "blank"}, "workspace_id": foreign}, 400),
    ):
        assert (await ada.post("/chats", {"content": HELLO, **body})).status == status
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 0
    assert (await ada.get("/workspaces")).json["items"] == []
    chat_id = (await ada.post("/chats", {"content": HELLO})).json["chat"]["id"]
    assert (await ada.patch(f"/chats/{chat_id}", {"workspace_id": foreign})).status == 404
    assert "workspace_id" not in (await ada.get(f"/chats/{chat_id}")).json["chat"]
    await api.pool.execute("DELETE FROM workspaces")


async def test_reading_a_chat_tells_those_who_watch(ada: Person, api: ServedApi) -> None:
    chat_id = (await ada.post("/chats", {"content": HELLO})).json["chat"]["id"]
    heard: list[Notice] = []
    api.services.pubsub.listen(heard.append)
    await ada.patch(f"/chats/{chat_id}", {"read": 1})
    assert heard == [Notice(Topic.CHAT, ChatId(UUID(chat_id)), name="read")]


async def test_a_change_that_cannot_be_made_whole_is_not_made_in_part(ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    refused = await ada.patch(f"/chats/{chat['id']}", {"title": "t", "archived": True, "read": 1})
    assert refused.status == 409
    (card,) = (await ada.get("/chats")).json["items"]
    assert (card["title"], card.get("archived", False)) == (chat["title"], False)


async def test_what_is_not_in_the_queue_is_not_found_also_where_nothing_is(ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    queue = f"/chats/{chat['id']}/queue"
    answers = [
        await ada.put(queue, {"order": [1]}),
        await ada.put(f"{queue}/1", {"content": HELLO}),
        await ada.post(f"{queue}/1/promote"),
        await ada.delete(f"{queue}/1"),
    ]
    assert [answer.status for answer in answers] == [404] * 4
