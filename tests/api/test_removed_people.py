"""Chats of somebody who was removed: an admin reads and stops them, and nobody else learns of them."""

from perdure.access.actor import Role
from perdure.testing.served_api import Person, ServedApi

TEXT = [{"type": "text", "text": "hello"}]


async def test_an_admin_reads_and_stops_the_chats_of_somebody_who_was_removed(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
    async with await api.person("boss", Role.ADMIN) as boss, await api.person("bob") as bob:
        assert (await boss.get(f"/chats/{chat}")).status == 404
        assert (await boss.get(f"/users/{ada.id}/chats")).status == 403
        assert (await boss.delete(f"/users/{ada.id}")).status == 204
        listed = (await boss.get(f"/users/{ada.id}/chats")).json["items"]
        assert [(each["id"], each["status"]) for each in listed] == [(chat, "running")]
        assert (await boss.get(f"/chats/{chat}")).json["chat"]["owner_id"] == str(ada.id)
        said = (await boss.get(f"/chats/{chat}/messages")).json["items"]
        assert [message["parts"][0]["text"] for message in said] == ["hello"]
        assert (await boss.post(f"/chats/{chat}/messages", {"content": TEXT})).status == 403
        stopped = await boss.post(f"/chats/{chat}/interrupt")
        assert (stopped.status, stopped.json["chat"]["status"]) == (200, "interrupting")
        assert "chat.stop" in [entry["action"] for entry in (await boss.get("/audit")).json["items"]]
        assert (await boss.get("/chats")).json["items"] == []
        assert (await bob.get(f"/chats/{chat}")).status == 404
        assert (await bob.get(f"/users/{ada.id}/chats")).status == 403


async def test_a_person_who_is_let_in_again_has_their_chats_to_themselves(api: ServedApi, ada: Person) -> None:
    chat = (await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
    async with await api.person("boss", Role.ADMIN) as boss:
        await boss.delete(f"/users/{ada.id}")
        assert (await boss.get(f"/chats/{chat}")).status == 200
        await boss.patch(f"/users/{ada.id}", {"disabled": False})
        assert (await boss.get(f"/chats/{chat}")).status == 404
        assert (await boss.post(f"/chats/{chat}/interrupt")).status == 404


async def test_a_token_of_an_admin_that_is_for_chats_stops_no_chat_of_somebody_else(
    api: ServedApi, ada: Person
) -> None:
    chat = (await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
    async with await api.person("boss", Role.ADMIN) as boss:
        await boss.delete(f"/users/{ada.id}")
        await api.pool.execute("UPDATE tokens SET scopes = '{chat}' WHERE user_id = $1", boss.id)
        api.services.authentication.forget()
        assert (await boss.post(f"/chats/{chat}/interrupt")).status == 403
