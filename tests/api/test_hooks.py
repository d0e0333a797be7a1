"""Hooks at the door: asked once a request is found valid, and about results that clients bring."""

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import msgspec
import pytest
from tests.tools.hooks.receiver import SECRET, Receiver, receiving

from perdure.access.actor import Role
from perdure.core.action import CallKind
from perdure.core.ids import ChatId
from perdure.core.message import Kind, Message, NewMessage, Text, ToolCall, ToolResult, Visibility
from perdure.core.message import Role as Speaker
from perdure.machine.transitions import CommitStep, EnterRequiresAction
from perdure.store.histories import load_history
from perdure.testing.served_api import Person, ServedApi

HELLO = [{"type": "text", "text": "Hello"}]


@pytest.fixture
async def receiver(api: ServedApi) -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver
        await api.services.hooks.close()


async def hooked(api: ServedApi, receiver: Receiver, *events: str) -> None:
    async with await api.person("boss", Role.ADMIN) as boss:
        body = {"url": receiver.url, "events": list(events), "secret": SECRET, "timeout_ms": 5_000}
        assert (await boss.post("/hooks", body)).status == 201


async def begun(ada: Person) -> str:
    return (await ada.post("/chats", {"content": HELLO})).json["chat"]["id"]


async def test_nobody_is_asked_about_a_request_that_is_refused_anyway(
    ada: Person, api: ServedApi, receiver: Receiver
) -> None:
    chat = await begun(ada)
    await hooked(api, receiver, "session_start", "user_prompt_submit")
    path = f"/chats/{chat}"
    gone = "00000000-0000-4000-8000-000000000000"
    await api.pool.execute("UPDATE chats SET status = 'waiting', archived = true")
    refused = [
        await ada.post(f"{path}/messages", {"content": HELLO}),
        await ada.put(f"{path}/messages/1", {"content": HELLO}),
        await ada.post("/chats", {"content": HELLO, "workspace_id": gone}),
    ]
    await api.pool.execute("UPDATE chats SET archived = false")
    refused.append(await ada.put(f"{path}/messages/7", {"content": HELLO}))
    assert [answer.status for answer in refused] == [400, 400, 404, 404]
    assert receiver.heard == []
    assert (await ada.put(f"{path}/messages/1", {"content": HELLO})).status == 202
    assert [question["event"] for question in receiver.heard] == ["user_prompt_submit"]


async def parked(api: ServedApi, chat: str) -> None:
    """The chat waits for the client to look something up."""
    call = NewMessage(role=Speaker.ASSISTANT, parts=(ToolCall("c", "look", '{"at": "it"}'),))
    machine, chat_id = api.services.machine, ChatId(UUID(chat))
    await machine.change(chat_id, CommitStep(messages=(call,), call_kinds={"look": CallKind.CLIENT}))
    await machine.change(chat_id, EnterRequiresAction(deadline=timedelta(minutes=5)))


async def history(api: ServedApi, chat: str) -> tuple[Message, ...]:
    return (await load_history(api.pool, ChatId(UUID(chat)))).messages


async def test_hooks_are_asked_about_what_clients_bring(ada: Person, api: ServedApi, receiver: Receiver) -> None:
    chat = await begun(ada)
    await parked(api, chat)
    await hooked(api, receiver, "post_tool_use")
    receiver.answering = lambda _: {"decision": "deny", "user_message": "Not that.", "model_context": "Ask again."}
    wrong = {"results": [{"call_id": "other", "output": "seen"}]}
    assert (await ada.post(f"/chats/{chat}/tool-results", wrong)).status == 400
    assert receiver.heard == []
    brought = {"results": [{"call_id": "c", "output": "seen"}]}
    assert (await ada.post(f"/chats/{chat}/tool-results", brought)).status == 200
    (question,) = receiver.heard
    payload = {"tool": "look", "call_id": "c", "arguments": '{"at": "it"}', "output": '"seen"', "is_error": False}
    assert question["payload"] == payload
    _, _, result, added, told = await history(api, chat)
    part = result.parts[0]
    assert isinstance(part, ToolResult)
    assert (msgspec.json.decode(part.result), part.is_error) == ("The result was withheld by a hook: Not that.", True)
    assert (added.parts, added.kind, added.visibility) == ((Text("Ask again."),), Kind.HOOK, Visibility.MODEL)
    assert told.kind is Kind.NOTICE


async def test_results_that_a_hook_cannot_be_asked_about_are_not_stored(
    ada: Person, api: ServedApi, receiver: Receiver
) -> None:
    chat = await begun(ada)
    await parked(api, chat)
    await hooked(api, receiver, "post_tool_use")
    receiver.answering = lambda _: b"<html>oops</html>"
    brought = {"results": [{"call_id": "c", "output": "seen"}]}
    answer = await ada.post(f"/chats/{chat}/tool-results", brought)
    assert (answer.status, answer.json["kind"]) == (502, "hook_dispatch_failed")
    assert receiver.url not in answer.body.decode()
    assert len(await history(api, chat)) == 2
    receiver.answering = lambda _: {}
    assert (await ada.post(f"/chats/{chat}/tool-results", brought)).status == 200
    assert len(await history(api, chat)) == 3
