"""What pages speak that are made with the AI SDK or with AG-UI: one chat behind a thread, and a way back into it."""

from dataclasses import replace
from typing import Any

import aiohttp
import msgspec
import pytest
from openai import AsyncOpenAI

from perdure.agent.prepare import Policy, Rules
from perdure.core.ids import ChatId
from perdure.core.message import File
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.testing.served_api import listening

SAID = '[[think:Let me see.]] [[say:I look first.]] [[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'
Chunks = list[dict[str, Any]]


class Page:
    """A page elsewhere, with a token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.headers = {"authorization": f"Bearer {token}"}

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Chunks]:
        raw = None if body is None else msgspec.json.encode(body)
        async with (
            aiohttp.ClientSession() as http,
            http.request(method, f"{self.url}{path}", data=raw, headers=self.headers) as answer,
        ):
            lines = [line.removeprefix(b"data: ") async for line in answer.content if line.startswith(b"data: {")]
            return answer.status, [msgspec.json.decode(line) for line in lines]

    async def says(self, *messages: Any, name: str = "c1") -> Chunks:
        status, chunks = await self.ask("POST", "/ai/chat", {"id": name, "messages": messages, "model": "demo"})
        assert status == 200
        return chunks

    async def runs(self, *messages: Any, thread: str = "t1", **more: Any) -> Chunks:
        body = {"threadId": thread, "runId": "r1", "messages": messages, **more}
        status, events = await self.ask("POST", "/ag-ui/demo", body)
        assert status == 200
        return events


@pytest.fixture
def page(url: str, openai: AsyncOpenAI) -> Page:
    return Page(url, openai.api_key)


async def _chats(replica: InProcessReplica) -> list[ChatId]:
    return [row["id"] for row in await replica.pool.fetch("SELECT id FROM chat_cards ORDER BY created_at")]


def _texts(chunks: Chunks, kind: str) -> str:
    return "".join(chunk["delta"] for chunk in chunks if chunk["type"] == kind)


def _ui(role: str, text: str) -> dict[str, Any]:
    return {"id": text, "role": role, "parts": [{"type": "text", "text": text}]}


def _said(role: str, text: str) -> dict[str, Any]:
    return {"id": text, "role": role, "content": text}


async def test_a_message_of_the_ai_sdk_tells_of_every_step(page: Page) -> None:
    chunks = await page.says(_ui("user", SAID))
    assert _texts(chunks, "reasoning-delta") == "Let me see."
    assert _texts(chunks, "text-delta") == "I look first.Nothing there."
    kinds = [chunk["type"] for chunk in chunks if not chunk["type"].endswith("-delta")]
    assert kinds == [
        *("start", "start-step", "reasoning-start", "reasoning-end", "text-start", "text-end"),
        *("tool-input-start", "tool-input-available", "finish-step", "tool-output-error"),
        *("start-step", "text-start", "text-end", "finish-step", "finish"),
    ]


async def test_a_page_of_the_ai_sdk_goes_on_edits_and_asks_again(page: Page, replica: InProcessReplica) -> None:
    await page.says(_ui("user", "[[say:One.]]"))
    history = (_ui("user", "[[say:One.]]"), _ui("assistant", "One."))
    for text in ("[[say:Two.]]", "[[say:Better.]]", "[[say:Better.]]"):
        await page.says(*history, _ui("user", text))
    (chat,) = await _chats(replica)
    assert await replica.said(chat) == ["[[say:One.]]", "One.", "[[say:Better.]]", "Better."]


async def test_a_page_of_the_ai_sdk_comes_back_to_what_is_being_answered(
    page: Page, replica: InProcessReplica, sim: Simulator
) -> None:
    said = "[[say:Some words.]] [[gate:open]] [[say:The rest.]]"
    body = msgspec.json.encode({"id": "c1", "messages": [_ui("user", said)]})
    async with aiohttp.ClientSession(headers=page.headers) as http:
        async with http.post(f"{page.url}/ai/chat", data=body) as answer:
            await answer.content.readuntil(b"text-delta")
        async with http.get(f"{page.url}/ai/chat/c1/stream") as answer:
            told = await answer.content.readuntil(b"text-delta")
            await sim.gates["open"].set(open=True)
            told += await answer.read()
    chunks = [msgspec.json.decode(line[6:]) for line in told.split(b"\n\n") if line.startswith(b"data: {")]
    assert _texts(chunks, "text-delta") == "Some words.The rest."
    (chat,) = await _chats(replica)
    assert len(await replica.said(chat)) == 3
    assert (await page.ask("GET", "/ai/chat/c1/stream"))[0] == 204
    assert (await page.ask("GET", "/ai/chat/unknown/stream"))[0] == 204


async def test_a_run_of_ag_ui_tells_of_every_step(page: Page) -> None:
    events = await page.runs(_said("user", SAID))
    assert [event["type"] for event in events if not event["type"].endswith("CONTENT")] == [
        *("RUN_STARTED", "REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "REASONING_END"),
        *("TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"),
        *("TOOL_CALL_RESULT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "RUN_FINISHED"),
    ]
    assert _texts(events, "TEXT_MESSAGE_CONTENT") == "I look first.Nothing there."


async def test_a_thread_of_ag_ui_goes_on_and_is_restored(page: Page, replica: InProcessReplica) -> None:
    weather = {"name": "weather", "description": "", "parameters": {"type": "object"}}
    first = _said("user", "[[call:weather {}]] [[then]] [[say:It rains.]]")
    events = await page.runs(first, tools=[weather])
    call = next(event["toolCallId"] for event in events if event["type"] == "TOOL_CALL_START")
    called = {"id": "a", "role": "assistant", "toolCalls": [{"id": call, "function": {"name": "weather"}}]}
    result = {"id": "r", "role": "tool", "toolCallId": call, "content": "rain"}
    events = await page.runs(first, called, result, tools=[weather])
    assert _texts(events, "TEXT_MESSAGE_CONTENT") == "It rains."
    _, snapshot, last = await page.runs()
    assert [message["role"] for message in snapshot["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert last["type"] == "RUN_FINISHED"
    assert len(await _chats(replica)) == 1


async def test_a_thread_begun_in_one_protocol_goes_on_in_another(page: Page, replica: InProcessReplica) -> None:
    await page.says(_ui("user", "[[say:One.]]"))
    (chat,) = await _chats(replica)
    said = (_said("user", "[[say:One.]]"), _said("assistant", "One."), _said("user", "[[say:Two.]]"))
    assert _texts(await page.runs(*said, thread=str(chat)), "TEXT_MESSAGE_CONTENT") == "Two."
    assert await replica.said(chat) == ["[[say:One.]]", "One.", "[[say:Two.]]", "Two."]


async def test_a_page_that_knows_only_a_threads_name_goes_on_in_it(page: Page, replica: InProcessReplica) -> None:
    await page.says(_ui("user", "[[say:One.]]"), name="thread")
    assert _texts(await page.runs(_said("user", "[[say:Two.]]"), thread="thread"), "TEXT_MESSAGE_CONTENT") == "Two."
    assert _texts(await page.says(_ui("user", "[[say:Three.]]"), name="thread"), "text-delta") == "Three."
    (chat,) = await _chats(replica)
    assert (await replica.said(chat))[1::2] == ["One.", "Two.", "Three."]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"status": "resolved", "payload": {"decision": "approve"}}, "no skill"),
        ({"status": "resolved", "payload": {"decision": "deny", "note": "Not today."}}, "Not today."),
        ({"status": "cancelled"}, "denied"),
    ],
)
async def test_what_a_run_asks_is_answered_by_the_next_run(
    entry: dict[str, Any], told: str, page: Page, replica: InProcessReplica
) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    said = _said("user", SAID)
    first = await page.runs(said)
    (interrupt,) = first[-1]["outcome"]["interrupts"]
    assert interrupt["toolCallId"] == next(event["toolCallId"] for event in first if "toolCallId" in event)
    assert interrupt["responseSchema"]["required"] == ["decision"]
    # Whoever comes back is asked the same; whoever answers something else decides nothing.
    assert (await page.runs())[-1] == first[-1]
    assert (await page.runs(said, resume=[{"interruptId": "other", "status": "cancelled"}]))[-1] == first[-1]
    events = await page.runs(said, resume=[{"interruptId": interrupt["id"], **entry}])
    (result,) = (event["content"] for event in events if event["type"] == "TOOL_CALL_RESULT")
    assert told in result
    assert _texts(events, "TEXT_MESSAGE_CONTENT") == "I look first.Nothing there."
    assert events[-1] == {"type": "RUN_FINISHED", "threadId": "t1", "runId": "r1"}


@pytest.mark.parametrize(
    ("approval", "told"),
    [({"approved": True}, "no skill"), ({"approved": False, "reason": "Not today."}, "Not today.")],
)
async def test_a_message_of_the_ai_sdk_goes_on_after_its_person_decided(
    approval: dict[str, Any], told: str, page: Page, replica: InProcessReplica
) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    first = await page.says(_ui("user", SAID))
    assert [chunk["type"] for chunk in first[-2:]] == ["tool-approval-request", "finish"]
    call_id, key = first[-2]["toolCallId"], first[-2]["approvalId"]
    assert (await page.ask("GET", "/ai/chat/c1/stream"))[1] == first

    def decided(key: str) -> dict[str, Any]:
        call: dict[str, Any] = {"type": "dynamic-tool", "toolName": "read_skill", "toolCallId": call_id, "input": {}}
        responded = {**call, "state": "approval-responded", "approval": {"id": key, **approval}}
        return {"id": "a", "role": "assistant", "parts": [{"type": "text", "text": "I look first."}, responded]}

    # What answers another question decides nothing, and the same is asked again.
    assert (await page.says(_ui("user", SAID), decided("other")))[-2:] == first[-2:]
    more = await page.says(_ui("user", SAID), decided(key))
    assert more[0] == first[0]
    (result,) = (chunk["errorText"] for chunk in more if chunk["type"] == "tool-output-error")
    assert told in result
    assert _texts(more, "text-delta") == "Nothing there."
    (chat,) = await _chats(replica)
    assert (await replica.said(chat))[-1] == "Nothing there."


async def test_what_goes_wrong_in_a_turn_is_told(page: Page) -> None:
    assert [chunk["type"] for chunk in await page.says(_ui("user", "[[fault:auth]]"))][-2:] == ["error", "finish"]
    assert (await page.runs(_said("user", "[[fault:auth]]")))[-1]["type"] == "RUN_ERROR"
    assert (await page.ask("POST", "/ag-ui/nobody", {"threadId": "t", "runId": "r"}))[0] == 404
    assert (await page.ask("POST", "/ag-ui/demo", {"threadId": "t", "runId": "r"}))[0] == 404
    assert (await page.ask("POST", "/ai/chat", {"id": "c", "messages": []}))[0] == 400
    assert (await Page(page.url, "wrong").ask("POST", "/ai/chat", {}))[0] == 401


async def test_pages_of_other_origins_are_let_in_where_the_deployment_says_so(replica: InProcessReplica) -> None:
    asked = {"origin": "https://app.example.com", "access-control-request-headers": "authorization"}
    allowed: list[str | None] = []
    for origins in ((), ("https://app.example.com",), ("https://other.example.com",), ("*",)):
        foundation = replica.replica.foundation
        settings = replace(foundation.settings, allowed_origins=origins)
        elsewhere = replace(replica.replica, foundation=replace(foundation, settings=settings))
        async with listening(elsewhere.asgi) as url, aiohttp.ClientSession(headers=asked) as http:
            async with http.options(f"{url}/ai/chat") as answer:
                assert answer.status == 204
                allowed.append(answer.headers.get("access-control-allow-origin"))
            async with http.get(f"{url}/v1/models") as answer:
                assert answer.status == 401
                assert answer.headers.get("access-control-allow-origin") == allowed[-1]
    assert allowed == [None, "https://app.example.com", None, "https://app.example.com"]


@pytest.mark.parametrize(
    "file",
    [
        {"type": "binary", "mimeType": "text/plain", "data": "Tm90ZXMu", "filename": "notes.txt"},
        {"type": "document", "source": {"type": "data", "value": "Tm90ZXMu", "mimeType": "text/plain"}},
    ],
    ids=["binary", "source"],
)
async def test_a_page_of_ag_ui_sends_files(page: Page, replica: InProcessReplica, sim: Simulator, file: Any) -> None:
    content = [{"type": "text", "text": "[[say:I see.]] Look."}, file]
    events = await page.runs({"id": "1", "role": "user", "content": content})
    assert _texts([event for event in events if "delta" in event], "TEXT_MESSAGE_CONTENT") == "I see."
    assert b"Notes." in bytes(sim.requests[-1].body)
    (chat,) = await _chats(replica)
    assert [part.media_type for part in (await replica.messages(chat))[0].parts if isinstance(part, File)] == [
        "text/plain"
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"name": "a\n"}]},
        {"tools": [{"name": "execute"}]},
        {"tools": [{"name": "a", "parameters": {"type": "string"}}]},
        {"tools": [{"name": f"t{number}"} for number in range(251)]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}] * 201}]},
        {"messages": [{"role": "system", "content": "x" * 200_000}, {"role": "user", "content": "x"}]},
        {
            "messages": [
                {"role": "user", "content": [{"type": "image", "source": {"type": "url", "value": "http://a"}}]}
            ]
        },
    ],
    ids=["name", "shipped", "schema", "tools", "pieces", "prompt", "address"],
)
async def test_what_a_page_sends_is_bounded_as_everywhere(page: Page, replica: InProcessReplica, more: Any) -> None:
    body = {"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": "x"}], **more}
    assert (await page.ask("POST", "/ag-ui/demo", body))[0] == 400
    assert await _chats(replica) == []
