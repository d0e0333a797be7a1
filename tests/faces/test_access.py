"""Who may do what through OpenAI's API: every route, on what is one's own, shared and foreign, with every token."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
import msgspec
import pytest
from tests.faces.conftest import minted

from perdure.access.actor import Role, Scope
from perdure.api.routing import Route
from perdure.core.chat import AT_REST
from perdure.core.ids import ChatId
from perdure.faces.asked import TurnId
from perdure.faces.content import file_id
from perdure.faces.openai.ids import conversation_id, item_id, response_id
from perdure.faces.openai.routes import OPENAI
from perdure.testing.replica import InProcessReplica

TABLE = OPENAI.table
SAID = {"type": "message", "role": "user", "content": "hi"}
BODY: dict[str, Any] = {"model": "demo", "input": "hi", "messages": [], "items": [SAID], "metadata": {}}
NAMED = [route for route in TABLE.routes if {"response_id", "conversation_id"} & set(route.parameters)]


@dataclass(frozen=True, slots=True)
class Cast:
    """A chat of Ada's, shared with Bob, foreign to everybody else. All by their tokens."""

    turn: TurnId
    file: str
    item: str
    """One that was added to the chat, and waits."""
    ada: str
    bob: str
    stranger: str
    elsewhere: str
    url: str

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
            http.request(route.method, f"{self.url}/v1{path}", data=body, headers=headers) as answer,
        ):
            if answer.status != HTTPStatus.OK:
                assert "message" in (await answer.json())["error"]
            return answer.status


@pytest.fixture
async def cast(replica: InProcessReplica, url: str) -> Cast:
    pool = replica.pool
    chat_id = await replica.someone_asks("[[say:Hello.]]")
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
    await pool.execute(
        "INSERT INTO face_notes (chat_id, number, owner_id, items) VALUES ($1, 0, $2, $3)",
        chat_id,
        replica.user,
        msgspec.json.encode([SAID]).decode(),
    )
    other = await pool.fetchval("INSERT INTO organisations (name) VALUES ('Elsewhere') RETURNING id")

    async def person(name: str, organisation: object = replica.organisation) -> tuple[object, str]:
        user = await pool.fetchval(
            "INSERT INTO users (organisation_id, email, name, role) VALUES ($1, $2, $2, $3) RETURNING id",
            organisation,
            f"{name}@example.com",
            Role.MEMBER.value,
        )
        return user, await minted(pool, user, "admin")

    bob, bobs = await person("bob")
    await pool.execute("INSERT INTO chat_shares (chat_id, user_id) VALUES ($1, $2)", chat_id, bob)
    file = await pool.fetchval(
        "INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content) "
        "VALUES (gen_random_uuid(), $1, $2, 'a', 'text/plain', 1, 'a') RETURNING id",
        replica.organisation,
        replica.user,
    )
    return Cast(
        turn=TurnId(ChatId(chat_id), 1),
        file=file_id(file),
        item=item_id(TurnId(ChatId(chat_id), 0xFFFF_FFFF), "msg", 0),
        ada=await minted(pool, replica.user, "chat"),
        bob=bobs,
        stranger=(await person("eve"))[1],
        elsewhere=(await person("zoe", other))[1],
        url=url,
    )


@pytest.mark.parametrize("route", NAMED, ids=lambda route: route.name)
async def test_a_chat_is_its_owners_readable_where_shared_and_nowhere_else(cast: Cast, route: Route) -> None:
    assert await cast.ask(route, cast.stranger) == HTTPStatus.NOT_FOUND
    assert await cast.ask(route, cast.elsewhere) == HTTPStatus.NOT_FOUND
    assert await cast.ask(route, cast.bob) == (HTTPStatus.OK if route.reads else HTTPStatus.FORBIDDEN)
    assert await cast.ask(route, cast.ada) == HTTPStatus.OK


@pytest.mark.parametrize("name", ["/files/{name}", "/files/{name}/content"])
async def test_a_file_is_its_owners_alone(cast: Cast, name: str) -> None:
    (route,) = (route for route in TABLE.routes if route.path == name)
    assert await cast.ask(route, cast.ada) == HTTPStatus.OK
    assert await cast.ask(route, cast.bob) == HTTPStatus.NOT_FOUND
    assert await cast.ask(route, cast.elsewhere) == HTTPStatus.NOT_FOUND


async def test_nothing_answers_somebody_without_a_token(cast: Cast) -> None:
    for route in TABLE.routes:
        assert await cast.ask(route, None) == HTTPStatus.UNAUTHORIZED, route.name
        assert await cast.ask(route, "pdt_wrong") == HTTPStatus.UNAUTHORIZED, route.name


async def test_a_token_that_only_reads_changes_nothing(cast: Cast, replica: InProcessReplica) -> None:
    reading = await minted(replica.pool, replica.user, Scope.READ)
    for route in TABLE.routes:
        if not route.reads:
            assert await cast.ask(route, reading) == HTTPStatus.FORBIDDEN, route.name


async def test_an_auditor_has_no_chats(cast: Cast, replica: InProcessReplica) -> None:
    await replica.pool.execute("UPDATE users SET role = 'auditor' WHERE email = 'eve@example.com'")
    for route in TABLE.routes:
        if not route.reads and not route.parameters:
            assert await cast.ask(route, cast.stranger) in {HTTPStatus.FORBIDDEN, HTTPStatus.BAD_REQUEST}, route.name
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_the_cookie_of_the_page_is_no_token(cast: Cast) -> None:
    cookies = {"perdure_session": cast.ada}
    async with aiohttp.ClientSession(cookies=cookies) as http, http.get(f"{cast.url}/v1/models") as answer:
        assert answer.status == HTTPStatus.UNAUTHORIZED
