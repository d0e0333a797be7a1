"""Who is here, who types, whom a message names, and that nobody stays who may not."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from tests.api.test_shared_chats import saying, share

from perdure.testing.served_api import Person, ServedApi

PATIENCE = 30
REVOKED_WITHIN = 2.0


async def begun(ada: Person) -> str:
    return f"/chats/{(await ada.post('/chats', saying('Hello'))).json['chat']['id']}"


async def people(events: AsyncGenerator[dict[str, Any]]) -> list[tuple[str, bool]]:
    """Who is here, as the stream says next."""
    async with asyncio.timeout(PATIENCE):
        async for event in events:
            if event["type"] == "presence":
                return [(person["name"], person.get("typing", False)) for person in event["people"]]
    raise AssertionError


async def test_those_who_follow_a_chat_see_each_other_come_type_and_go(api: ServedApi, ada: Person) -> None:
    path = await begun(ada)
    async with await api.person("will") as will, await api.person("rita") as rita:
        await share(ada, path, will=(will, "write"), rita=(rita, "read"))
        async with aclosing(ada.events(f"{path}/stream")) as hers:
            await anext(hers)
            async with aclosing(will.events(f"{path}/stream")) as his:
                assert await people(his) == await people(hers) == [("ada", False), ("will", False)]
                assert (await will.post(f"{path}/typing", {"typing": True})).status == 204
                assert await people(hers) == [("ada", False), ("will", True)]
                await will.post(f"{path}/typing", {"typing": False})
                assert await people(hers) == [("ada", False), ("will", False)]
                assert (await rita.post(f"{path}/typing", {"typing": True})).status == 403
            assert await people(hers) == []


async def test_a_chat_of_one_person_says_nothing_of_presence(api: ServedApi, ada: Person) -> None:
    path = await begun(ada)
    heard: list[Any] = []
    stop = api.services.pubsub.listen(heard.append)
    async with aclosing(ada.events(f"{path}/stream")) as one, aclosing(ada.events(f"{path}/stream")) as other:
        first, second = await anext(one), await anext(other)
    stop()
    assert "presence" not in (first["type"], second["type"])
    assert [notice for notice in heard if notice.topic == "presence"] == []


async def test_taking_a_share_back_ends_the_stream_of_that_person_at_once_and_of_nobody_else(
    api: ServedApi, ada: Person
) -> None:
    path = await begun(ada)
    async with await api.person("will") as will, await api.person("ann") as ann:
        await share(ada, path, will=(will, "write"), ann=(ann, "approve"))
        link = (await ada.put(f"{path}/link", {})).json["id"]
        async with await api.person("lena") as lena:
            await lena.post(f"/links/{link}")
            async with (
                aclosing(will.events(f"{path}/stream")) as his,
                aclosing(ann.events(f"{path}/stream")) as hers,
                aclosing(lena.events(f"{path}/stream")) as linked,
            ):
                for events in (his, hers, linked):
                    await anext(events)
                began = time.monotonic()
                await share(ada, path, ann=(ann, "approve"), lena=(lena, "read"))
                await _ended(his)
                assert time.monotonic() - began < REVOKED_WITHIN
                began = time.monotonic()
                await ada.delete(f"{path}/link")
                await share(ada, path, ann=(ann, "approve"))
                await _ended(linked)
                assert time.monotonic() - began < REVOKED_WITHIN
                assert await people(hers) != []
        assert (await will.post(f"{path}/messages", saying("Still here"))).status == 404


async def _ended(events: AsyncGenerator[dict[str, Any]]) -> None:
    async with asyncio.timeout(PATIENCE):
        async for _ in events:
            pass


async def test_whoever_is_named_is_told_and_nobody_who_may_not_read(api: ServedApi, ada: Person) -> None:
    path = await begun(ada)
    async with await api.person("will") as will, await api.person("mallory") as mallory:
        await share(ada, path, will=(will, "write"))
        named = [str(ada.id), str(will.id), str(mallory.id)]
        said = saying("Look at\nthis, @ada", mentions=named)
        assert (await will.post(f"{path}/messages", said)).status == 202
        (entry,) = (await ada.get("/inbox")).json["items"]
        assert (entry["kind"], entry["text"], entry["chat_id"]) == ("mention", "will: Look at this, @ada", path[7:])
        assert [each["kind"] for each in (await will.get("/inbox")).json["items"]] == ["shared"]
        assert (await mallory.get("/inbox")).json["items"] == []


async def test_a_chat_is_unread_for_whoever_has_not_seen_what_another_said(api: ServedApi, ada: Person) -> None:
    path = await begun(ada)
    async with await api.person("will") as will:
        await share(ada, path, will=(will, "write"))

        async def unread(person: Person) -> tuple[bool, int]:
            card = (await person.get(path)).json["chat"].get("unread", False)
            return card, len((await person.get("/chats?unread=true")).json["items"])

        assert [await unread(ada), await unread(will)] == [(False, 0), (True, 1)]
        await will.patch(path, {"read": 1})
        assert await unread(will) == (False, 0)
