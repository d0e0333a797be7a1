"""Sharing a chat by a link, and taking that back."""

from typing import Any
from uuid import uuid4

from perdure.access.actor import Role
from perdure.core.ids import OrganisationId
from perdure.testing.served_api import Person, ServedApi

HELLO = [{"type": "text", "text": "Hello."}]


async def begun(ada: Person) -> str:
    return (await ada.post("/chats", {"content": HELLO})).json["chat"]["id"]


async def linked(ada: Person, chat_id: str) -> Any:
    return (await ada.put(f"/chats/{chat_id}/link", {})).json


async def test_whoever_opens_a_link_reads_the_chat_until_it_is_taken_back(api: ServedApi, ada: Person) -> None:
    chat_id = await begun(ada)
    link = await linked(ada, chat_id)
    async with await api.person("bob") as bob:
        assert (await bob.get(f"/chats/{chat_id}")).status == 404
        assert (await bob.post(f"/links/{link['id']}")).json == {"chat_id": chat_id}
        assert (await bob.get(f"/chats/{chat_id}")).status == 200
        assert [chat["id"] for chat in (await bob.get("/chats?shared=true")).json["items"]] == [chat_id]
        assert (await ada.delete(f"/chats/{chat_id}/link")).status == 204
        assert (await bob.get(f"/chats/{chat_id}")).status == 404
        assert (await bob.post(f"/links/{link['id']}")).status == 404


async def test_who_was_named_still_reads_the_chat_without_the_link(api: ServedApi, ada: Person) -> None:
    chat_id = await begun(ada)
    link = await linked(ada, chat_id)
    async with await api.person("bob") as bob:
        await ada.put(f"/chats/{chat_id}/acl", {"users": [str(bob.id)]})
        await bob.post(f"/links/{link['id']}")
        await ada.delete(f"/chats/{chat_id}/link")
        assert (await bob.get(f"/chats/{chat_id}")).status == 200


async def test_a_chat_has_one_link_which_only_its_owner_is_told(api: ServedApi, ada: Person) -> None:
    chat_id = await begun(ada)
    assert (await ada.get(f"/chats/{chat_id}/link")).json == {}
    link = await linked(ada, chat_id)
    assert (await linked(ada, chat_id))["id"] == link["id"]
    assert (await ada.get(f"/chats/{chat_id}/link")).json == link
    async with await api.person("bob") as bob:
        await bob.post(f"/links/{link['id']}")
        assert (await bob.get(f"/chats/{chat_id}/link")).json == {}
        assert (await bob.delete(f"/chats/{chat_id}/link")).status == 403


async def test_a_link_leads_nobody_of_another_organisation_anywhere(api: ServedApi, ada: Person) -> None:
    link = await linked(ada, await begun(ada))
    other = OrganisationId(await api.pool.fetchval("INSERT INTO organisations (name) VALUES ('E') RETURNING id"))
    async with await api.person("eve", Role.OWNER, other) as eve:
        assert (await eve.post(f"/links/{link['id']}")).status == 404
        assert (await eve.post(f"/links/{uuid4()}")).status == 404
