"""What a token is for, and whose a chat is, in every protocol: by every route, and by every kind of request."""

import re
from collections.abc import AsyncIterator
from http import HTTPStatus
from uuid import UUID

import aiohttp
import msgspec
import pytest
from tests.faces.conftest import Cast, minted
from tests.faces.requests import Ask, all_else, asks

from perdure.access.actor import Scope
from perdure.access.credentials import SESSION_PREFIX, digest, mint
from perdure.app.replica import PROTOCOLS
from perdure.core.ids import ChatId
from perdure.core.message import Role
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica

ROUTES = [(protocol.base + route.path, route) for protocol in PROTOCOLS for route in protocol.table.routes]
READS_NO_CHAT = {"GET /a2a/{agent}/.well-known/agent-card.json", "GET /mcp", "DELETE /mcp"}
"""An agent's card; and what only says that the protocol has no such thing."""


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60)) as http:
        yield http


async def told(http: aiohttp.ClientSession, url: str, ask: Ask, token: str) -> tuple[int, str]:
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json", **ask.headers}
    async with http.post(f"{url}{ask.path}", data=msgspec.json.encode(ask.body), headers=headers) as answer:
        listens = "subscriptions/listen" in str(ask.body) and answer.content_type == "text/event-stream"
        text = await (answer.content.readuntil(b"\n\n") if listens else answer.read())
        return answer.status, text.decode()


async def rows_of(pool: Pool, chat_id: ChatId) -> list[str]:
    """All that anybody could change of a chat."""
    tables = (("chats", "id"), ("messages", "chat_id"), ("queued_messages", "chat_id"), ("face_notes", "chat_id"))
    return [
        await pool.fetchval(f"SELECT array_agg(t::text ORDER BY t::text) FROM {table} t WHERE {key} = $1", chat_id)  # noqa: S608
        for table, key in tables
    ]


async def made(pool: Pool) -> tuple[int, ...]:
    """How many of what a chat's token can make there are."""
    tables = ("chats", "messages", "queued_messages", "files", "face_notes", "workspaces")
    return tuple([await pool.fetchval(f"SELECT count(*) FROM {table}") for table in tables])  # noqa: S608


def test_every_route_is_in_the_matrix() -> None:
    """A protocol that is new says here, or in a file of its own, who may use it."""
    asked = {f"POST {ask.path}" for ask in asks(ChatId(UUID(int=1))).values()}
    named = {"POST /v1/responses/{response_id}/cancel", "POST /v1/files"}
    for path, route in ROUTES:
        name = f"{route.method} {path}"
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(name))
        by_file = path.startswith("/v1") and (route.parameters or route.reads or name in named)
        known = by_file or name in READS_NO_CHAT or name == "GET /ai/chat/{name}/stream"
        assert known or any(re.fullmatch(pattern, each) for each in asked), name


async def test_nobody_changes_or_reads_a_chat_of_others_in_any_protocol(
    cast: Cast, replica: InProcessReplica, http: aiohttp.ClientSession
) -> None:
    before = await rows_of(replica.pool, cast.chat_id)
    for name, ask in asks(cast.chat_id).items():
        for token in (cast.stranger, cast.elsewhere):
            _, text = await told(http, cast.url, ask, token)
            assert "Hello." not in text, name
            assert await rows_of(replica.pool, cast.chat_id) == before, name


async def test_whoever_a_chat_is_shared_with_only_reads_it_in_any_protocol(
    cast: Cast, replica: InProcessReplica, http: aiohttp.ClientSession
) -> None:
    before, seen = await rows_of(replica.pool, cast.chat_id), set[str]()
    for name, ask in asks(cast.chat_id).items():
        status, text = await told(http, cast.url, ask, cast.bob)
        assert status < HTTPStatus.INTERNAL_SERVER_ERROR, name
        assert await rows_of(replica.pool, cast.chat_id) == before, name
        seen |= {name} if "Hello." in text else set()
    assert {"a2a GetTask", "mcp tools/call read_chat", "mcp tasks/get"} <= seen


GOING_ON = {
    "response": "completed",
    "ai": '"finish"',
    "ag-ui": "RUN_FINISHED",
    "a2a": "contextId",
    "mcp before tools/call continue_chat": '"text":"a"',
}
"""What says something more in a chat, in each protocol, and what shows that it was taken."""


@pytest.mark.parametrize("name", GOING_ON)
async def test_whoever_a_chat_is_shared_with_to_write_goes_on_in_it_in_any_protocol(
    cast: Cast, replica: InProcessReplica, http: aiohttp.ClientSession, name: str
) -> None:
    await replica.pool.execute("UPDATE chat_shares SET role = 'write' WHERE chat_id = $1", cast.chat_id)
    ask = asks(cast.chat_id)[name]
    # Which tools a chat has is for its owner to say.
    asked = Ask(ask.path, {key: value for key, value in ask.body.items() if key != "tools"}, ask.headers)
    status, text = await told(http, cast.url, asked, cast.bob)
    assert (status, GOING_ON[name] in text) == (200, True), text
    await replica.comes_to_rest(cast.chat_id)
    said = await replica.messages(cast.chat_id)
    assert [message.author for message in said if message.role is Role.USER] == [None, "bob@example.com"]


async def test_whoever_may_write_in_a_chat_may_stop_it_in_any_protocol(
    cast: Cast, replica: InProcessReplica, http: aiohttp.ClientSession, sim: Simulator
) -> None:
    await replica.pool.execute("UPDATE chat_shares SET role = 'write' WHERE chat_id = $1", cast.chat_id)
    for gate, path, params in (
        ("a2a", "/a2a/demo", "CancelTask"),
        ("mcp", "/mcp", "tasks/cancel"),
        ("openai", "/v1/responses/{turn}/cancel", ""),
    ):
        said = f"[[say:Some words.]] [[gate:{gate}]] [[say:Not these.]]"
        number = int((await replica.someone_adds(cast.chat_id, said)).chat.turn)
        await sim.gates[gate].reached()
        named = {"CancelTask": f"{cast.chat_id.hex}{number:08x}", "tasks/cancel": f"turn-{cast.chat_id.hex}-{number}"}
        key = "id" if params == "CancelTask" else "taskId"
        body = {"jsonrpc": "2.0", "id": 1, "method": params, "params": {key: named[params]}} if params else {}
        turn = f"resp_{cast.chat_id.hex}{number:08x}"
        status, text = await told(http, cast.url, Ask(path.format(turn=turn), body), cast.bob)
        assert (status, '"error":{' in text) == (200, False), text
        await replica.comes_to_rest(cast.chat_id)
        assert "Not these." not in (await replica.said(cast.chat_id))[-1]


@pytest.mark.parametrize("token", ["none", "wrong", "session", "read"])
async def test_no_route_does_anything_without_a_token_that_is_for_it(
    cast: Cast, replica: InProcessReplica, http: aiohttp.ClientSession, token: str
) -> None:
    secret = {"wrong": "pdt_wrong", "none": ""}.get(token) or mint(SESSION_PREFIX)
    if token == "session":
        await replica.pool.execute(
            "INSERT INTO sessions (hash, user_id, expires_at) VALUES ($1, $2, now() + interval '1 day')",
            digest(secret),
            replica.user,
        )
    elif token == "read":
        secret = await minted(replica.pool, replica.user, Scope.READ)
    headers = {} if token == "none" else {"authorization": f"Bearer {secret}"}
    cookies = {"perdure_session": secret}
    before = await all_else(replica.pool), await made(replica.pool)
    for path, route in ROUTES:
        if token == "read" and route.reads:
            continue
        place = re.sub(r"\{\w+\}", "demo", path)
        async with http.request(route.method, f"{cast.url}{place}", data=b"{}", headers=headers, cookies=cookies) as it:
            assert it.status == (403 if token == "read" else 401), f"{route.method} {path}"
            assert "set-cookie" not in it.headers
    assert (await all_else(replica.pool), await made(replica.pool)) == before


async def test_a_page_comes_back_to_chats_that_it_may_read(
    cast: Cast, replica: InProcessReplica, http: aiohttp.ClientSession, sim: Simulator
) -> None:
    chat_id = await replica.someone_asks("[[say:Some words.]] [[gate:open]] [[say:The rest.]]")
    await replica.pool.execute(
        "INSERT INTO chat_shares (chat_id, user_id) SELECT $1, user_id FROM chat_shares WHERE chat_id = $2",
        chat_id,
        cast.chat_id,
    )
    for token, status in ((cast.ada, 200), (cast.bob, 200), (cast.stranger, 204), (cast.elsewhere, 204)):
        headers = {"authorization": f"Bearer {token}"}
        async with http.get(f"{cast.url}/ai/chat/{chat_id}/stream", headers=headers) as answer:
            assert answer.status == status
            if status == HTTPStatus.OK:
                await answer.content.readuntil(b"text-delta")
    await sim.gates["open"].set(open=True)
    await replica.comes_to_rest(chat_id)
