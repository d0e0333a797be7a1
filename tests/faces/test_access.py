"""Who may do what through OpenAI's API: every route, on what is one's own, shared and foreign."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
import msgspec
import pytest
from tests.faces.conftest import Cast

from perdure.api.routing import Route
from perdure.faces.asked import TurnId
from perdure.faces.content import file_id
from perdure.faces.openai.ids import conversation_id, item_id, response_id
from perdure.faces.openai.routes import OPENAI
from perdure.testing.replica import InProcessReplica

TABLE = OPENAI.table
SAID = {"type": "message", "role": "user", "content": "hi"}
BODY: dict[str, Any] = {"model": "demo", "input": "hi", "messages": [], "items": [SAID], "metadata": {}}
NAMED = [route for route in TABLE.routes if {"response_id", "conversation_id"} & set(route.parameters)]

FILES = [route for route in TABLE.routes if route.path.startswith("/files/{name}")]


@dataclass(frozen=True, slots=True)
class Things:
    """What routes of OpenAI's API name, all of Ada's."""

    cast: Cast
    turn: TurnId
    file: str
    item: str
    """One that was added to the chat, and waits."""

    async def ask(self, route: Route, token: str | None) -> int:
        names = {
            "response_id": response_id(self.turn),
            "conversation_id": conversation_id(self.turn.chat_id),
            "name": self.item if "conversation_id" in route.parameters else self.file,
        }
        path = route.path.format_map(names)
        body = None if route.reads else msgspec.json.encode(BODY)
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        async with (
            aiohttp.ClientSession() as http,
            http.request(route.method, f"{self.cast.url}/v1{path}", data=body, headers=headers) as answer,
        ):
            if answer.status != HTTPStatus.OK:
                assert "message" in (await answer.json())["error"]
            return answer.status


@pytest.fixture
async def things(replica: InProcessReplica, cast: Cast) -> Things:
    await replica.pool.execute(
        "INSERT INTO face_notes (chat_id, number, owner_id, items) VALUES ($1, 0, $2, $3)",
        cast.chat_id,
        replica.user,
        msgspec.json.encode([SAID]).decode(),
    )
    file = await replica.pool.fetchval(
        "INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content) "
        "VALUES (gen_random_uuid(), $1, $2, 'a', 'text/plain', 1, 'a') RETURNING id",
        replica.organisation,
        replica.user,
    )
    return Things(
        cast=cast,
        turn=TurnId(cast.chat_id, 1),
        file=file_id(file),
        item=item_id(TurnId(cast.chat_id, 0xFFFF_FFFF), "msg", 0),
    )


@pytest.mark.parametrize("route", NAMED, ids=lambda route: route.name)
async def test_a_chat_is_its_owners_readable_where_shared_and_nowhere_else(things: Things, route: Route) -> None:
    assert await things.ask(route, things.cast.stranger) == HTTPStatus.NOT_FOUND
    assert await things.ask(route, things.cast.elsewhere) == HTTPStatus.NOT_FOUND
    assert await things.ask(route, things.cast.bob) == (HTTPStatus.OK if route.reads else HTTPStatus.FORBIDDEN)
    assert await things.ask(route, things.cast.ada) == HTTPStatus.OK


@pytest.mark.parametrize("route", FILES, ids=lambda route: f"{route.method} {route.path}")
async def test_a_file_is_its_owners_alone(things: Things, route: Route) -> None:
    assert await things.ask(route, things.cast.bob) == HTTPStatus.NOT_FOUND
    assert await things.ask(route, things.cast.elsewhere) == HTTPStatus.NOT_FOUND
    assert await things.ask(route, things.cast.ada) == HTTPStatus.OK


async def test_an_auditor_has_no_chats(things: Things, replica: InProcessReplica) -> None:
    await replica.pool.execute("UPDATE users SET role = 'auditor' WHERE email = 'eve@example.com'")
    for route in TABLE.routes:
        if not route.reads and not route.parameters:
            assert await things.ask(route, things.cast.stranger) in {HTTPStatus.FORBIDDEN, HTTPStatus.BAD_REQUEST}, (
                route.name
            )
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1
