"""Who may do what through the Model Context Protocol: every tool, on what is one's own, shared and foreign."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp
import pytest
from tests.faces.conftest import minted
from tests.faces.test_mcp import BOTH, Peer

from perdure.access.actor import Role, Scope
from perdure.core.chat import AT_REST
from perdure.core.ids import ChatId
from perdure.faces.asked import TurnId
from perdure.faces.mcp.routes import MCP
from perdure.faces.mcp.tasks import task_id
from perdure.faces.mcp.tools import TOOLS
from perdure.testing.replica import InProcessReplica

NAMED = [tool for tool in TOOLS if "chat_id" in tool.arguments.__struct_fields__]
OWNERS = {"continue_chat", "stop_chat"}


@dataclass(frozen=True, slots=True)
class Cast:
    """A chat of Ada's, shared with Bob, foreign to everybody else. All by their tokens."""

    chat_id: ChatId
    ada: str
    bob: str
    stranger: str
    elsewhere: str
    url: str
    http: aiohttp.ClientSession

    async def works(self, token: str, tool: str) -> bool:
        """Whether a call does something."""
        more: dict[str, Any] = {"message": "[[say:More.]]"} if tool == "continue_chat" else {}
        result = await Peer(self.http, self.url, token).call(tool, chat_id=str(self.chat_id), **more)
        return not result["isError"]


@pytest.fixture
async def cast(replica: InProcessReplica, url: str) -> AsyncIterator[Cast]:
    pool = replica.pool
    chat_id = await replica.someone_asks("[[say:Hello.]]")
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
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
    async with aiohttp.ClientSession() as http:
        yield Cast(
            chat_id=ChatId(chat_id),
            ada=await minted(pool, replica.user, "chat"),
            bob=bobs,
            stranger=(await person("eve"))[1],
            elsewhere=(await person("zoe", other))[1],
            url=url,
            http=http,
        )


@pytest.mark.parametrize("tool", NAMED, ids=lambda tool: tool.name)
async def test_a_chat_is_its_owners_readable_where_shared_and_nowhere_else(cast: Cast, tool: Any) -> None:
    assert not await cast.works(cast.stranger, tool.name)
    assert not await cast.works(cast.elsewhere, tool.name)
    assert await cast.works(cast.bob, tool.name) == (tool.name not in OWNERS)
    # There is nothing to stop: its owner is told so, and nobody else anything.
    assert await cast.works(cast.ada, tool.name) == (tool.name != "stop_chat")


async def test_a_task_is_its_owners_readable_where_shared_and_nowhere_else(cast: Cast) -> None:
    name = task_id(TurnId(cast.chat_id, 1))
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        params: dict[str, Any] = {"taskId": name, "inputResponses": {}}
        found = {
            who: "result" in await Peer(cast.http, cast.url, token).modern(method, params, can=BOTH)
            for who, token in (("ada", cast.ada), ("bob", cast.bob), ("eve", cast.stranger), ("zoe", cast.elsewhere))
        }
        assert found == {"ada": True, "bob": method != "tasks/cancel", "eve": False, "zoe": False}, method
    listed = await Peer(cast.http, cast.url, cast.bob).legacy("tasks/list")
    assert listed["result"]["tasks"] == []


async def test_lists_hold_what_one_may_read(cast: Cast) -> None:
    seen = [
        len((await Peer(cast.http, cast.url, token).call("list_chats"))["structuredContent"]["chats"])
        for token in (cast.ada, cast.bob, cast.stranger, cast.elsewhere)
    ]
    assert seen == [1, 1, 0, 0]


async def test_nothing_answers_somebody_without_a_token(cast: Cast, replica: InProcessReplica) -> None:
    reading = await minted(replica.pool, replica.user, Scope.READ)
    for route in MCP.table.routes:
        for token, wanted in ((None, 401), ("pdt_wrong", 401), (reading, 405 if route.reads else 403)):
            headers = {} if token is None else {"authorization": f"Bearer {token}"}
            async with cast.http.request(route.method, f"{cast.url}/mcp", data=b"{}", headers=headers) as answer:
                assert answer.status == wanted, route.name
                assert answer.headers.get("set-cookie") is None
    async with cast.http.post(f"{cast.url}/mcp", cookies={"perdure_session": cast.ada}) as answer:
        assert answer.status == HTTPStatus.UNAUTHORIZED


async def test_an_auditor_has_no_chats(cast: Cast, replica: InProcessReplica) -> None:
    await replica.pool.execute("UPDATE users SET role = 'auditor' WHERE email = 'eve@example.com'")
    result = await Peer(cast.http, cast.url, cast.stranger).call("begin_chat", message="hi")
    assert result["isError"]
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1
