"""Other agents reach chats as tools: in both versions of the protocol, with tasks and without."""

import asyncio
import base64
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import msgspec
import pytest
from tests.faces.conftest import minted

from perdure.access.actor import Scope
from perdure.agent.prepare import Policy, Rules
from perdure.core.chat import AT_REST, Status
from perdure.core.ids import ChatId
from perdure.core.message import ToolResult
from perdure.faces.mcp.wire import (
    BAD_PARAMS,
    CAPABILITIES_KEY,
    HEADER_MISMATCH,
    INVALID_REQUEST,
    MISSING_CAPABILITY,
    MODERN,
    NO_METHOD,
    TASKS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
)
from perdure.testing.replica import InProcessReplica

BOTH: dict[str, Any] = {"extensions": {TASKS: {}}, "elicitation": {}}
ACCEPT = "application/json, text/event-stream"


def _mirrored(message: Any) -> dict[str, str]:
    """What the newer version of the protocol wants in headers, too."""
    match message:
        case {"method": str(method), "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": _}} as params}:
            name = params.get("name") or params.get("taskId") or ""
            return {"mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": name}
        case _:
            return {}


class Peer:
    """A client that speaks the protocol word for word."""

    def __init__(self, http: aiohttp.ClientSession, url: str, token: str) -> None:
        self._http = http
        self._url = f"{url}/mcp"
        self.headers = {"authorization": f"Bearer {token}", "accept": ACCEPT}
        self._number = 0

    async def post(self, message: Any, **headers: str) -> tuple[int, list[dict[str, Any]], Any]:
        said = {**_mirrored(message), **{name.replace("_", "-"): value for name, value in headers.items()}}
        async with self._http.post(self._url, json=message, headers={**self.headers, **said}) as answer:
            text = await answer.text()
            lines = text.splitlines() if answer.content_type == "text/event-stream" else [f"data: {text}"]
            found = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
            return answer.status, [msgspec.json.decode(line) for line in found if line], answer.headers

    async def modern(
        self, method: str, params: dict[str, Any] | None = None, *, can: dict[str, Any] | None = None, **headers: str
    ) -> dict[str, Any]:
        _, messages, _ = await self.post(*self.request(method, params, can=can), **headers)
        return messages[-1]

    def request(
        self, method: str, params: dict[str, Any] | None = None, *, can: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any]]:
        self._number += 1
        params = params or {}
        meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: can or {}, **params.get("_meta", {})}
        return ({"jsonrpc": "2.0", "id": self._number, "method": method, "params": {**params, "_meta": meta}},)

    async def legacy(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        _, messages, _ = await self.post(message, mcp_protocol_version="2025-11-25", **headers)
        return messages[-1]

    async def call(self, tool: str, *, can: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
        return (await self.modern("tools/call", {"name": tool, "arguments": arguments}, can=can))["result"]

    async def task(self, task_id: str, can: dict[str, Any] = BOTH) -> dict[str, Any]:
        return (await self.modern("tasks/get", {"taskId": task_id}, can=can))["result"]


@pytest.fixture
async def peer(replica: InProcessReplica, url: str) -> AsyncIterator[Peer]:
    async with aiohttp.ClientSession() as http:
        yield Peer(http, url, await minted(replica.pool, replica.user))


def chat_named(task: dict[str, Any]) -> ChatId:
    return ChatId(UUID(task["taskId"].split("-")[1]))


def chat_of(result: dict[str, Any]) -> ChatId:
    return ChatId(UUID(result["structuredContent"]["chat_id"]))


async def test_a_chat_begins_and_goes_on(peer: Peer, replica: InProcessReplica) -> None:
    begun = await peer.call("begin_chat", message="[[say:Hello.]]")
    assert begun["content"] == [{"type": "text", "text": "Hello."}]
    assert begun["structuredContent"]["outcome"] == "completed"
    # Some clients show their model nothing but this.
    assert begun["structuredContent"]["text"] == "Hello."
    chat_id = str(chat_of(begun))
    more = await peer.call("continue_chat", chat_id=chat_id, message="[[say:Again.]]")
    assert more["content"][0]["text"] == "Again."
    read = await peer.call("read_chat", chat_id=chat_id)
    said = [(message["role"], message["text"]) for message in read["structuredContent"]["messages"]]
    assert said == [
        ("user", "[[say:Hello.]]"),
        ("assistant", "Hello."),
        ("user", "[[say:Again.]]"),
        ("assistant", "Again."),
    ]
    listed = await peer.call("list_chats")
    assert [chat["chat_id"] for chat in listed["structuredContent"]["chats"]] == [chat_id]
    assert (await peer.call("list_models"))["structuredContent"]["models"][0] == "demo"
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_a_client_that_takes_tasks_gets_one_at_once_and_its_result_later(
    peer: Peer, replica: InProcessReplica
) -> None:
    task = await peer.call("begin_chat", can=BOTH, message="[[say:Hello.]]")
    assert task["resultType"] == "task"
    assert task["ttlMs"] is None
    await replica.until(chat_named(task), lambda chat: chat.status in AT_REST)
    done = await peer.task(task["taskId"])
    assert done["status"] == "completed"
    assert done["resultType"] == "complete"
    assert done["result"]["content"][0]["text"] == "Hello."


async def test_the_same_key_again_begins_nothing_and_says_nothing_twice(peer: Peer, replica: InProcessReplica) -> None:
    first = await peer.call("begin_chat", message="[[say:Hello.]]", key="one")
    assert await peer.call("begin_chat", message="[[say:Hello.]]", key="one") == first
    other = await peer.call("begin_chat", message="something else", key="one")
    assert other["isError"]
    chat_id = str(chat_of(first))
    more = await peer.call("continue_chat", chat_id=chat_id, message="[[say:More.]]", key="two")
    assert await peer.call("continue_chat", chat_id=chat_id, message="[[say:More.]]", key="two") == more
    assert await replica.pool.fetchval("SELECT count(*) FROM messages WHERE role = 'user'") == 2


ASKED = '[[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'


def asks_first(replica: InProcessReplica) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})


async def results(replica: InProcessReplica, chat_id: ChatId) -> list[str]:
    found = [part for message in await replica.messages(chat_id) for part in message.parts]
    return [part.result for part in found if isinstance(part, ToolResult)]


@pytest.mark.parametrize(("answer", "ran"), [("approve", True), ("deny", False), (None, False)])
async def test_a_task_that_needs_a_decision_asks_for_it_and_goes_on(
    peer: Peer, replica: InProcessReplica, answer: str | None, ran: bool
) -> None:
    asks_first(replica)
    task = await peer.call("begin_chat", can=BOTH, message=ASKED)
    chat_id = chat_named(task)
    await replica.until(chat_id, lambda chat: chat.status is Status.REQUIRES_ACTION)
    asks = await peer.task(task["taskId"])
    assert asks["status"] == "input_required"
    ((key, form),) = asks["inputRequests"].items()
    assert form["method"] == "elicitation/create"
    assert "read_skill" in form["params"]["message"]
    # Who cannot ask a person is not asked.
    assert (await peer.task(task["taskId"], {"extensions": {TASKS: {}}}))["status"] == "working"
    said = {"action": "decline"} if answer is None else {"action": "accept", "content": {"decision": answer}}
    for answers in ({"unheard-of": said}, {key: {"action": "cancel"}}):
        await peer.modern("tasks/update", {"taskId": task["taskId"], "inputResponses": answers}, can=BOTH)
        assert (await peer.task(task["taskId"]))["status"] == "input_required"
    # The same answer twice decides once.
    for _ in range(2):
        update = {"taskId": task["taskId"], "inputResponses": {key: said}}
        assert (await peer.modern("tasks/update", update, can=BOTH))["result"]["resultType"] == "complete"
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
    assert (await peer.task(task["taskId"]))["result"]["content"][0]["text"] == "Nothing there."
    assert ("There is no skill" in (await results(replica, chat_id))[0]) == ran


async def test_a_client_without_tasks_is_asked_in_the_middle_of_its_call(peer: Peer, replica: InProcessReplica) -> None:
    asks_first(replica)
    can: dict[str, Any] = {"elicitation": {"form": {}}}
    asked = await peer.call("begin_chat", can=can, message=ASKED)
    assert asked["resultType"] == "input_required"
    (key,) = asked["inputRequests"]
    again = {
        "name": "begin_chat",
        "arguments": {"message": ASKED},
        "requestState": asked["requestState"],
        "inputResponses": {key: {"action": "accept", "content": {"decision": "approve"}}},
    }
    done = (await peer.modern("tools/call", again, can=can))["result"]
    assert done["content"][0]["text"] == "Nothing there."
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1
    wrong = await peer.modern("tools/call", {**again, "requestState": "turn-0"}, can=can)
    assert wrong["result"]["isError"]


async def test_a_client_that_cannot_ask_is_told_who_decides(peer: Peer, replica: InProcessReplica) -> None:
    asks_first(replica)
    told = await peer.call("begin_chat", message=ASKED)
    assert told["structuredContent"]["status"] == "input_required"
    assert "approved or denied" in told["content"][0]["text"]


async def test_an_older_client_is_asked_on_its_stream_and_answers_to_any_replica(
    peer: Peer, replica: InProcessReplica
) -> None:
    asks_first(replica)
    said: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {}}
    hello: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": said}
    _, (answer,), headers = await peer.post(hello)
    assert answer["result"]["protocolVersion"] == "2025-11-25"
    session = {"mcp_session_id": headers["mcp-session-id"]}
    params = {"name": "begin_chat", "arguments": {"message": ASKED}, "task": {}}
    task = (await peer.legacy("tools/call", params, **session))["result"]["task"]
    await replica.until(chat_named(task), lambda chat: chat.status is Status.REQUIRES_ACTION)
    assert (await peer.legacy("tasks/get", {"taskId": task["taskId"]}, **session))["result"][
        "status"
    ] == "input_required"
    result = asyncio.create_task(peer.legacy("tasks/result", {"taskId": task["taskId"]}, **session))
    number = await replica.pool.fetchval("SELECT last_assistant FROM chats")
    reply = {"jsonrpc": "2.0", "id": f"{task['taskId']}/approval-{number}-0-0"}
    decided = {**reply, "result": {"action": "accept", "content": {"decision": "approve"}}}
    status, _, _ = await peer.post(decided, mcp_protocol_version="2025-11-25", **session)
    assert status == HTTPStatus.ACCEPTED
    done = (await result)["result"]
    assert done["content"][0]["text"] == "Nothing there."
    assert done["_meta"]["io.modelcontextprotocol/related-task"]["taskId"] == task["taskId"]
    listed = (await peer.legacy("tasks/list"))["result"]["tasks"]
    assert [(each["taskId"], each["status"]) for each in listed] == [(task["taskId"], "completed")]
    over = await peer.legacy("tasks/cancel", {"taskId": task["taskId"]})
    assert over["error"]["code"] == BAD_PARAMS


async def test_an_older_client_sees_the_question_in_its_call(peer: Peer, replica: InProcessReplica) -> None:
    asks_first(replica)
    params = {"name": "begin_chat", "arguments": {"message": ASKED, "wait_s": 0}, "_meta": {"progressToken": 7}}
    message = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}
    first = await peer.call("begin_chat", message=ASKED, key="k")
    await replica.until(chat_of(first), lambda chat: chat.status is Status.REQUIRES_ACTION)
    params["arguments"] = {"chat_id": str(chat_of(first)), "wait_s": 0}
    params["name"] = "wait_for_chat"
    session = {"mcp_protocol_version": "2025-11-25", "mcp_session_id": "x-elicits"}
    _, messages, _ = await peer.post(message, **session)
    question, answer = [each for each in messages if each.get("method") != "notifications/progress"]
    assert question["method"] == "elicitation/create"
    assert question["params"]["requestedSchema"]["properties"]["decision"]["enum"][0] == "approve"
    assert answer["id"] == 5


async def test_steps_are_told_while_they_happen(peer: Peer) -> None:
    params = {"name": "begin_chat", "arguments": {"message": ASKED}, "_meta": {"progressToken": "p"}}
    _, messages, _ = await peer.post(*peer.request("tools/call", params))
    *progress, answer = messages
    told = [(each["params"]["progress"], each["params"]["message"]) for each in progress]
    assert told == [(1, "The agent calls read_skill."), (2, "read_skill failed.")]
    assert answer["result"]["content"][0]["text"] == "Nothing there."


async def test_stop_and_cancel_end_the_turn_that_is_meant(peer: Peer, replica: InProcessReplica) -> None:
    said = "[[say:Some words.]] [[gate:never]] [[say:Not these.]]"
    waits = await peer.call("begin_chat", message=said, wait_s=0)
    assert waits["structuredContent"]["status"] == "working"
    assert "wait_for_chat" in waits["content"][0]["text"]
    chat_id, name = chat_of(waits), waits["structuredContent"]["task_id"]
    await replica.shows(chat_id)
    assert (await peer.modern("tasks/cancel", {"taskId": name}, can=BOTH))["result"]["resultType"] == "complete"
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
    assert (await peer.task(name))["status"] == "cancelled"
    await peer.call("continue_chat", chat_id=str(chat_id), message=said, wait_s=0)
    await replica.shows(chat_id)
    # The task that is over stops nothing that came after it.
    await peer.modern("tasks/cancel", {"taskId": name}, can=BOTH)
    assert (await peer.call("wait_for_chat", chat_id=str(chat_id), wait_s=0))["structuredContent"][
        "status"
    ] == "working"
    queued = await peer.call("continue_chat", chat_id=str(chat_id), message="[[say:Later.]]")
    assert queued["structuredContent"]["status"] == "queued"
    await peer.call("stop_chat", chat_id=str(chat_id))
    await replica.until(chat_id, lambda chat: chat.status in AT_REST and not chat.queue)
    assert (await replica.said(chat_id))[-1] == "Later."


async def test_whoever_subscribes_is_told_of_every_move_until_the_end(peer: Peer, replica: InProcessReplica) -> None:
    asks_first(replica)
    task = await peer.call("begin_chat", can=BOTH, message=ASKED)
    await replica.until(chat_named(task), lambda chat: chat.status is Status.REQUIRES_ACTION)
    wanted = {"notifications": {"taskIds": [task["taskId"]]}}
    listening = asyncio.create_task(peer.post(*peer.request("subscriptions/listen", wanted, can=BOTH)))
    asks = await peer.task(task["taskId"])
    (key,) = asks["inputRequests"]
    said = {key: {"action": "accept", "content": {"decision": "deny"}}}
    await peer.modern("tasks/update", {"taskId": task["taskId"], "inputResponses": said}, can=BOTH)
    _, (acknowledged, *moves, over), _ = await listening
    assert acknowledged["params"]["notifications"] == {"taskIds": [task["taskId"]]}
    assert moves[-1]["method"] == "notifications/tasks"
    assert moves[-1]["params"]["status"] == "completed"
    assert over["result"]["resultType"] == "complete"
    refused = await peer.modern("subscriptions/listen", wanted)
    assert refused["error"]["code"] == MISSING_CAPABILITY


async def test_a_turn_that_fails_is_a_result_that_says_so(peer: Peer) -> None:
    failed = await peer.call("begin_chat", message="[[fault:auth]]")
    assert failed["isError"]
    assert failed["structuredContent"]["outcome"] == "failed"
    assert "key" in failed["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("begin_chat", {"message": "hi", "model": "nobody's"}, "no model"),
        ("begin_chat", {"message": ""}, "message"),
        ("begin_chat", {"words": "hi"}, "words"),
        ("begin_chat", [], "object"),
        ("read_chat", {"chat_id": "not an id"}, "not found"),
        ("continue_chat", {"chat_id": str(uuid4()), "message": "hi"}, "not found"),
        ("wait_for_chat", {"chat_id": str(uuid4())}, "not found"),
        ("stop_chat", {"chat_id": str(uuid4())}, "not found"),
    ],
)
async def test_an_agent_reads_what_is_wrong_with_its_call(
    peer: Peer, tool: str, arguments: Any, told: str, replica: InProcessReplica
) -> None:
    result = (await peer.modern("tools/call", {"name": tool, "arguments": arguments}))["result"]
    assert result["isError"]
    assert told in result["content"][0]["text"].lower()
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 0


async def test_what_is_no_request_is_an_error_of_the_protocol(peer: Peer) -> None:
    async def code(method: str, params: dict[str, Any] | None = None, **headers: str) -> tuple[int, int]:
        status, (answer,), _ = await peer.post(*peer.request(method, params, can=BOTH), **headers)
        return status, answer["error"]["code"]

    assert await code("tools/call", {"name": "nothing"}) == (200, BAD_PARAMS)
    assert await code("tasks/get", {"taskId": "turn-1"}) == (200, BAD_PARAMS)
    assert await code("tasks/get", {"taskId": f"turn-{uuid4().hex}-1"}) == (200, BAD_PARAMS)
    assert await code("tasks/list") == (404, NO_METHOD)
    assert await code("initialize") == (404, NO_METHOD)
    assert await code("tools/list", mcp_method="prompts/list") == (400, HEADER_MISMATCH)
    assert await code("tools/call", {"name": "list_models"}, mcp_name="stop_chat") == (400, HEADER_MISMATCH)
    assert await code("tools/list", mcp_protocol_version="2025-11-25") == (400, HEADER_MISMATCH)
    odd = {"_meta": {VERSION_KEY: "1900-01-01"}}
    assert await code("tools/list", odd, mcp_protocol_version="1900-01-01") == (400, UNSUPPORTED_VERSION)
    assert await code("tools/list", {"_meta": {CAPABILITIES_KEY: None}}) == (400, BAD_PARAMS)
    for body in ("[]", {"jsonrpc": "1.0"}):
        status, (answer,), _ = await peer.post(body)
        assert (status, answer["error"]["code"]) == (400, INVALID_REQUEST)
    encoded = f"=?base64?{base64.b64encode(b'list_models').decode()}?="
    assert (await peer.modern("tools/call", {"name": "list_models"}, mcp_name=encoded))["result"]["content"]


async def test_only_pages_that_are_let_in_may_call(peer: Peer) -> None:
    for origin, wanted in (("https://evil.example.com", 403), ("http://localhost:3000", 200)):
        status, _, _ = await peer.post(*peer.request("tools/list"), origin=origin)
        assert status == wanted
    # A page that calls this machine by a name of its own.
    status, _, _ = await peer.post(*peer.request("tools/list"), origin="http://evil.example", host="evil.example")
    assert status == HTTPStatus.FORBIDDEN


async def test_who_is_refused_reads_where_it_says_what_a_token_is_for(
    peer: Peer, url: str, replica: InProcessReplica
) -> None:
    reading = await minted(replica.pool, replica.user, Scope.READ)
    for token, wanted in (("pdt_wrong", 401), (reading, 403)):
        status, (answer,), headers = await peer.post(*peer.request("tools/list"), authorization=f"Bearer {token}")
        assert status == wanted
        assert answer["error"]["code"] == INVALID_REQUEST
        assert f'resource_metadata="{url}/.well-known/oauth-protected-resource/mcp"' in headers["www-authenticate"]
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"{url}/.well-known/oauth-protected-resource/mcp") as told,
        http.get(f"{url}/.well-known/something-else") as nothing,
    ):
        assert (await told.json())["resource"] == f"{url}/mcp"
        assert (await told.json())["scopes_supported"] == ["chat"]
        assert nothing.status == HTTPStatus.NOT_FOUND
