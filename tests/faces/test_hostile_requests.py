"""Whatever a program sends in any protocol, it gets an answer of that protocol, and no chat that cannot go on."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast
from uuid import uuid4

import aiohttp
import msgspec
import pytest
from msgspec import Raw
from tests.faces.conftest import minted
from tests.faces.test_mcp import ACCEPT

from perdure.core.chat import AT_REST
from perdure.core.ids import ChatId
from perdure.faces.mcp.wire import CAPABILITIES_KEY, MODERN, TASKS, VERSION_KEY
from perdure.testing.replica import InProcessReplica

HOSTILE = (
    *("null", "true", "0", "-1", "1e308", "4294967295", "9223372036854775808", "99999999999999999999999999"),
    *('""', '" "', r'"\u0000"', r'"a\nb"', r'"\ud800"', r'"\ud83d\ude00"', f'"{"x" * 70_000}"'),
    *("[]", "{}", "[null]", "[5]", "[{}]", "[[]]", '{"type": "text"}', "[" * 100 + "]" * 100),
    f"[{','.join(['{}'] * 2_000)}]",
)
AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that is fine as it is."""

    path: str
    body: Any
    headers: dict[str, str] = field(default_factory=dict[str, str])


def spoiled(body: Any) -> Iterator[tuple[str, Any]]:
    """The same with one place of it gone, or something else there."""
    for hostile in HOSTILE:
        yield hostile[:30], Raw(hostile.encode())
    if isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        for key, value in fields.items():
            yield f"no {key}", {name: kept for name, kept in fields.items() if name != key}
            for place, spoilt in spoiled(value):
                yield f"{key}.{place}", {**fields, key: spoilt}
    elif isinstance(body, list):
        items = cast("list[Any]", body)
        for index, value in enumerate(items):
            for place, spoilt in spoiled(value):
                yield f"{index}.{place}", [*items[:index], spoilt, *items[index + 1 :]]


def asks(chat: ChatId) -> dict[str, Ask]:
    """One request of everything that any protocol takes."""
    turn = f"{chat.hex}{1:08x}"
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    function = {"name": "look", "description": "Looks.", "parameters": parameters}
    said = {"role": "user", "content": [{"type": "text", "text": "[[say:a]]"}]}
    called = {"role": "assistant", "content": "b", "tool_calls": [{"id": "c", "function": {"name": "look"}}]}
    message = {"messageId": "m", "role": "ROLE_USER", "contextId": "k", "parts": [{"text": "[[say:a]]"}]}
    picture = {"raw": "aGk=", "mediaType": "text/plain", "filename": "a.txt"}
    part = {"type": "text", "text": "[[say:a]]"}

    def rpc(method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    found = {
        "completion": Ask(
            "/v1/chat/completions",
            {
                "model": "demo",
                "messages": [said, called, {"role": "tool", "tool_call_id": "c", "content": "d"}, said],
                "stream": True,
                "stream_options": {"include_usage": True},
                "tools": [{"type": "function", "function": function}],
                "reasoning_effort": "low",
                "user": "me",
                "n": 1,
            },
        ),
        "response": Ask(
            "/v1/responses",
            {
                "model": "demo",
                "input": [
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "[[say:a]]"}]},
                ],
                "instructions": "Be brief.",
                "stream": False,
                "background": False,
                "conversation": {"id": f"conv_{chat.hex}"},
                "tools": [{"type": "function", **function}],
                "reasoning": {"effort": "low"},
                "metadata": {"a": "b"},
                "user": "me",
            },
        ),
        "conversation": Ask("/v1/conversations", {"items": [{"type": "message", **said}], "metadata": {"a": "b"}}),
        "metadata": Ask(f"/v1/conversations/conv_{chat.hex}", {"metadata": {"a": "b"}}),
        "items": Ask(f"/v1/conversations/conv_{chat.hex}/items", {"items": [{"type": "message", **said}]}),
        "ai": Ask("/ai/chat", {"id": "a", "messages": [{"id": "1", "role": "user", "parts": [part]}], "model": "demo"}),
        "ag-ui": Ask(
            "/ag-ui/demo",
            {
                "threadId": "t",
                "runId": "r",
                "messages": [{"id": "1", "role": "user", "content": [part]}],
                "tools": [function],
            },
        ),
        "a2a": Ask("/a2a/demo", rpc("SendMessage", message=message, configuration={"returnImmediately": True})),
        "a2a file": Ask(
            "/a2a/demo", rpc("SendStreamingMessage", message={**message, "parts": [picture, {"text": "a"}]})
        ),
        **{
            f"a2a {each}": Ask("/a2a/demo", rpc(each, id=turn)) for each in ("GetTask", "CancelTask", "SubscribeToTask")
        },
    }
    task = f"turn-{chat.hex}-1"
    calls: dict[str, dict[str, Any]] = {
        "begin_chat": {"message": "[[say:a]]", "model": "demo", "system_prompt": "Be brief.", "key": "k", "wait_s": 1},
        "continue_chat": {"chat_id": str(chat), "message": "[[say:a]]", "model": "demo", "key": "k", "wait_s": 1},
        "wait_for_chat": {"chat_id": str(chat), "wait_s": 1},
        "read_chat": {"chat_id": str(chat), "after": 0, "limit": 5},
        "stop_chat": {"chat_id": str(chat)},
        "list_chats": {"query": "a", "cursor": "", "limit": 5},
        "list_models": {},
    }
    methods: dict[str, dict[str, Any]] = {
        "tasks/get": {"taskId": task},
        "tasks/update": {"taskId": task, "inputResponses": {"k": {"action": "accept", "content": {"decision": "a"}}}},
        "tasks/cancel": {"taskId": task},
        "tasks/result": {"taskId": task},
        "tasks/list": {"cursor": ""},
        "subscriptions/listen": {"notifications": {"taskIds": [task]}},
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}},
        **{f"tools/call {name}": {"name": name, "arguments": arguments} for name, arguments in calls.items()},
    }
    meta: dict[str, Any] = {
        VERSION_KEY: MODERN,
        CAPABILITIES_KEY: {"extensions": {TASKS: {}}, "elicitation": {}},
        "progressToken": 1,
    }
    for name, params in methods.items():
        method = name.split(" ")[0]
        mirrored = {
            "accept": ACCEPT,
            "mcp-protocol-version": MODERN,
            "mcp-method": method,
            "mcp-name": params.get("taskId") or params.get("name") or "",
        }
        found[f"mcp {name}"] = Ask("/mcp", rpc(method, **params, _meta=meta), mirrored)
        found[f"mcp before {name}"] = Ask("/mcp", rpc(method, **params), {"accept": ACCEPT})
    return found


NAMES = tuple(asks(ChatId(uuid4())))


@pytest.fixture
async def chat(replica: InProcessReplica) -> ChatId:
    chat = await replica.someone_asks("[[say:Hello.]]")
    await replica.comes_to_rest(chat)
    return chat


@pytest.mark.parametrize("name", NAMES)
async def test_no_request_is_a_bug_or_breaks_a_chat(
    replica: InProcessReplica, url: str, chat: ChatId, name: str
) -> None:
    ask = asks(chat)[name]
    token, turns = await minted(replica.pool, replica.user), asyncio.Semaphore(AT_ONCE)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json", **ask.headers}
    async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(60)) as http:

        async def tries(place: str, body: Any) -> str | None:
            async with turns, http.post(f"{url}{ask.path}", data=msgspec.json.encode(body)) as answer:
                # What tells of tasks goes on for as long as somebody listens.
                listens = "subscriptions/listen" in name and answer.content_type == "text/event-stream"
                text = (await (answer.content.readuntil(b"\n\n") if listens else answer.read())).decode()
                fine = answer.status < HTTPStatus.INTERNAL_SERVER_ERROR or answer.status == HTTPStatus.BAD_GATEWAY
                return None if fine and "-32603" not in text else f"{place}: {answer.status} {text[:300]}"

        assert await tries("as it is", ask.body) is None
        told = await asyncio.gather(*(tries(*each) for each in spoiled(ask.body)))
    assert [bug for bug in told if bug] == []
    for each in await replica.pool.fetch("SELECT id FROM chats"):
        rested = await replica.until(ChatId(each["id"]), lambda chat: chat.status in AT_REST)
        assert rested.last_error is None, (await replica.said(rested.id), rested.last_error)
