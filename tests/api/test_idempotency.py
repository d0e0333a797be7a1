"""The same key, the same answer, one change."""

import asyncio

from perdure.access.actor import Role
from perdure.api.examples import EXAMPLES
from perdure.testing.served_api import Person, ServedApi

HELLO = [{"type": "text", "text": "hello"}]


async def test_the_same_key_ten_times_at_once_is_one_message(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    path = f"/chats/{chat['id']}/messages"
    answers = await asyncio.gather(*(ada.post(path, {"content": HELLO}, idempotency_key="k1") for _ in range(10)))
    assert {answer.status for answer in answers} == {202}
    assert len({answer.body for answer in answers}) == 1
    assert await api.pool.fetchval("SELECT count(*) FROM queued_messages") == 1


async def test_ten_creations_with_one_key_are_one_chat(api: ServedApi, ada: Person) -> None:
    answers = await asyncio.gather(*(ada.post("/chats", {"content": HELLO}, idempotency_key="k1") for _ in range(10)))
    assert len({answer.body for answer in answers}) == 1
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_the_same_key_with_another_body_is_refused(ada: Person) -> None:
    await ada.post("/chats", {"content": HELLO}, idempotency_key="k1")
    other = await ada.post("/chats", {"content": [{"type": "text", "text": "bye"}]}, idempotency_key="k1")
    assert other.status == 422


async def test_a_repeated_stop_gets_its_first_answer_after_the_chat_rests(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    path = f"/chats/{chat['id']}/interrupt"
    first = await ada.post(path, idempotency_key="stop")
    await api.pool.execute("UPDATE chats SET status = 'waiting', snapshot_version = snapshot_version + 1")
    again = await ada.post(path, idempotency_key="stop")
    assert (again.status, again.body) == (200, first.body)


async def test_keys_belong_to_their_caller(api: ServedApi, ada: Person) -> None:
    await ada.post("/chats", {"content": HELLO}, idempotency_key="k1")
    async with await api.person("bob") as bob:
        assert (
            await bob.post("/chats", {"content": [{"type": "text", "text": "bye"}]}, idempotency_key="k1")
        ).status == 201


async def test_a_kept_answer_is_forgotten_after_a_day(api: ServedApi, ada: Person) -> None:
    first = await ada.post("/chats", {"content": HELLO}, idempotency_key="k1")
    await api.pool.execute("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'")
    second = await ada.post("/chats", {"content": HELLO}, idempotency_key="k1")
    assert first.json["chat"]["id"] != second.json["chat"]["id"]


async def test_a_patch_with_a_key_is_applied_once(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    path = f"/chats/{chat['id']}"
    before = await api.pool.fetchval("SELECT metadata_version FROM chat_cards")
    answers = await asyncio.gather(*(ada.patch(path, {"title": "t"}, idempotency_key="k") for _ in range(5)))
    assert len({answer.body for answer in answers}) == 1
    assert await api.pool.fetchval("SELECT metadata_version FROM chat_cards") == before + 1


async def test_a_chat_is_renamed_and_archived_in_one_request_with_a_key(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": HELLO})).json["chat"]
    await api.pool.execute("UPDATE chats SET status = 'waiting', snapshot_version = snapshot_version + 1")
    path, body = f"/chats/{chat['id']}", {"title": "t", "archived": True}
    moved = await asyncio.wait_for(ada.patch(path, body, idempotency_key="k"), 30)
    assert (moved.status, moved.json["chat"]["title"], moved.json["chat"]["archived"]) == (200, "t", True)
    assert (await ada.patch(path, body, idempotency_key="k")).body == moved.body


async def test_more_requests_with_keys_than_connections_do_not_wait_for_each_other(api: ServedApi, ada: Person) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        asked = range(3 * api.pool.get_max_size())
        chats = await asyncio.gather(*(ada.post("/chats", {"content": HELLO}) for _ in asked))
        await api.pool.execute("UPDATE chats SET status = 'waiting', snapshot_version = snapshot_version + 1")
        paths = [f"/chats/{chat.json['chat']['id']}" for chat in chats]
        archived = (ada.patch(path, {"archived": True}, idempotency_key=path) for path in paths)
        # Each of these asks for settings while it holds a connection.
        hooked = (boss.post("/hooks", EXAMPLES["add_hook"], idempotency_key=f"k{number}") for number in asked)
        api.services.config.changed(boss.organisation_id)
        answers = await asyncio.wait_for(asyncio.gather(*archived, *hooked), 30)
    assert {answer.status for answer in answers} == {200, 201}


async def test_a_workspace_that_is_asked_for_twice_with_one_key_is_one(api: ServedApi, ada: Person) -> None:
    body = {"template": "blank", "wait": False}
    made = await ada.post("/workspaces", body, idempotency_key="k")
    # The replica was lost before it could keep its answer.
    await api.pool.execute("DELETE FROM idempotency_keys")
    again = await ada.post("/workspaces", body, idempotency_key="k")
    assert (made.status, again.status, again.json["id"]) == (201, 201, made.json["id"])
    assert await api.pool.fetchval("SELECT count(*) FROM workspaces") == 1
