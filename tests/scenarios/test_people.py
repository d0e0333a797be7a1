"""Several people in one chat, on replicas that die: every word once, in order, and whose it is."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import pytest

from perdure.access.credentials import TOKEN_PREFIX, digest, mint
from perdure.core.ids import UserId
from perdure.store.pool import Pool
from perdure.testing.fleet import PATIENCE, Fleet, open_fleet
from perdure.testing.served_api import Person

PEOPLE, WORDS = 20, 2
LONG = 4 * PATIENCE


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=3) as fleet:
        await fleet.ready()
        yield fleet


async def joined(fleet: Fleet, name: str) -> Person:
    """Somebody of the same organisation, with a token."""
    user, token = UserId(uuid4()), mint(TOKEN_PREFIX)
    await fleet.pool.execute(
        "INSERT INTO users (id, organisation_id, email, name, role) VALUES ($1, $2, $3, $4, 'member')",
        user,
        fleet.person.organisation_id,
        f"{name}@example.com",
        name,
    )
    await fleet.pool.execute(
        "INSERT INTO tokens (hash, user_id, name, hint, scopes) VALUES ($1, $2, 'test', '', '{admin}')",
        digest(token),
        user,
    )
    return Person(user, fleet.person.organisation_id, fleet.replicas[0].url, token)


async def says(fleet: Fleet, person: Person, name: str, chat_id: str, busy: str) -> None:
    """One word after the other, each until somebody has taken it: with the same key, at whichever replica answers."""
    chance = random.Random(name)
    for word in range(WORDS):
        text = f"[[say:1 tokens]] {name} {word}"
        body = {"content": [{"type": "text", "text": text}], "busy": busy}
        while True:
            person.url = fleet.replicas[chance.randrange(3)].url
            try:
                sent = await person.post(f"/chats/{chat_id}/messages", body, idempotency_key=f"{name}-{word}")
            except (aiohttp.ClientError, TimeoutError, OSError):
                await asyncio.sleep(0.1)
                continue
            if sent.status == 202:
                break
            # The queue is full, or the replica has just come back.
            assert sent.status in (429, 503), sent.body
            await asyncio.sleep(0.1)


async def test_twenty_people_speak_in_one_chat_while_replicas_die(fleet: Fleet) -> None:
    chat_id = await fleet.asks(0, "[[say:1 tokens]] hello")
    async with AsyncExitStack() as stack:
        people = {f"p{n}": await stack.enter_async_context(await joined(fleet, f"p{n}")) for n in range(PEOPLE)}
        users = [str(person.id) for person in people.values()]
        acl = {"users": users, "roles": dict.fromkeys(users, "write")}
        assert (await fleet.at(0).put(f"/chats/{chat_id}/acl", acl)).status == 200
        async with asyncio.timeout(LONG), asyncio.TaskGroup() as group:
            for place, (name, person) in enumerate(people.items()):
                group.create_task(says(fleet, person, name, chat_id, "queue" if place % 3 else "steer"))
            group.create_task(_deaths(fleet))
    await fleet.comes_to_rest(0, chat_id, within=LONG)
    rows = await fleet.pool.fetch(
        "SELECT parts::jsonb -> 0 ->> 'text' AS text, created_by, author FROM messages "
        "WHERE chat_id = $1 AND role = 'user' AND number > 1 ORDER BY number",
        UUID(chat_id),
    )
    said = [row["text"].removeprefix("[[say:1 tokens]] ") for row in rows]
    assert sorted(said) == sorted(f"{name} {word}" for name in people for word in range(WORDS))
    for name in people:
        assert [text for text in said if text.split()[0] == name] == [f"{name} {word}" for word in range(WORDS)]
    for text, row in zip(said, rows, strict=True):
        name = text.split()[0]
        assert (row["created_by"], row["author"]) == (people[name].id, name)
    waited = await fleet.pool.fetchval("SELECT count(*) FROM queued_messages WHERE chat_id = $1", UUID(chat_id))
    assert waited == 0


async def _deaths(fleet: Fleet) -> None:
    for number in (1, 2):
        await fleet.dies(number)
        await fleet.comes_back(number)


async def test_who_is_here_and_types_reaches_the_other_replicas(fleet: Fleet) -> None:
    chat_id = await fleet.asks(0, "[[say:1 tokens]] hello")
    path = f"/chats/{chat_id}"
    async with await joined(fleet, "will") as will:
        body = {"users": [str(will.id)], "roles": {str(will.id): "write"}}
        assert (await fleet.at(0).put(f"{path}/acl", body)).status == 200
        elsewhere = replace(will, url=fleet.replicas[1].url)
        async with aclosing(fleet.at(0).events(f"{path}/stream")) as hers, asyncio.timeout(PATIENCE):
            await anext(hers)
            async with elsewhere, aclosing(elsewhere.events(f"{path}/stream")) as his:
                await _present(his, {"Owner": False, "will": False})
                await _present(hers, {"Owner": False, "will": False})
                third = replace(will, url=fleet.replicas[2].url)
                async with third:
                    assert (await third.post(f"{path}/typing", {"typing": True})).status == 204
                await _present(hers, {"Owner": False, "will": True})
                await _present(his, {"Owner": False, "will": True})
            await _present(hers, {})


async def _present(events: Any, wanted: dict[str, bool]) -> None:
    """Follow until these people are here, each typing or not."""
    async for event in events:
        people = event["people"] if event["type"] == "presence" else None
        if people is not None and {each["name"]: each.get("typing", False) for each in people} == wanted:
            return
    raise AssertionError
