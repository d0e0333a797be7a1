"""A2A, with the protocol's own client: a task outlives whoever gave it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import httpx
import pytest
from a2a.client import Client, ClientConfig, create_client
from a2a.helpers import get_artifact_text, new_text_message
from a2a.types import (
    AuthenticationInfo,
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import (
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from aiohttp import web
from aiohttp.resolver import ThreadedResolver
from google.protobuf.json_format import MessageToDict, ParseDict
from tests.faces.conftest import minted

from perdure.agent.prepare import Policy, Rules
from perdure.app.background import reading
from perdure.app.replica import Replica
from perdure.core.ids import ChatId
from perdure.faces.a2a.pushing import Pushing
from perdure.sim.server import Simulator
from perdure.testing.polling import PATIENCE, seen
from perdure.testing.replica import InProcessReplica
from perdure.worker.webhooks import Ways, WebhookSender

WORKING = '[[say:I look.]] [[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'
ENDLESS = "[[say:Some words.]] [[gate:open]] [[say:The rest.]]"


def asking(text: str, context: str | None = None, *, immediately: bool = False) -> SendMessageRequest:
    message = new_text_message(text, context_id=context, role=Role.ROLE_USER)
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(return_immediately=immediately))


async def answered(client: Client, request: SendMessageRequest) -> Task:
    """What comes of a message, for somebody who waits."""
    events = [event async for event in client.send_message(request)]
    return events[-1].task


def text_of(updates: list[StreamResponse]) -> str:
    return "".join(get_artifact_text(each.artifact_update.artifact) for each in updates)


@pytest.fixture
async def http(replica: InProcessReplica) -> AsyncIterator[httpx.AsyncClient]:
    token = await minted(replica.pool, replica.user)
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        yield http


@pytest.fixture
async def streaming(http: httpx.AsyncClient, url: str) -> Client:
    return await create_client(url, ClientConfig(httpx_client=http))


@pytest.fixture
async def waiting(http: httpx.AsyncClient, url: str) -> Client:
    return await create_client(f"{url}/a2a/demo", ClientConfig(httpx_client=http, streaming=False))


async def test_a_task_is_a_turn_and_a_context_a_chat(
    streaming: Client, waiting: Client, replica: InProcessReplica
) -> None:
    updates = [update async for update in streaming.send_message(asking(WORKING))]
    task = updates[0].task
    assert text_of(updates) == "I look.Nothing there."
    assert updates[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED
    again = await answered(waiting, asking("[[say:And on.]]", task.context_id))
    assert again.context_id == task.context_id
    assert [get_artifact_text(each) for each in again.artifacts] == ["And on."]
    kept = await waiting.get_task(GetTaskRequest(id=task.id))
    assert [get_artifact_text(each) for each in kept.artifacts] == ["I look.", "Nothing there."]
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_a_context_may_have_a_name_of_the_clients(waiting: Client, replica: InProcessReplica) -> None:
    first = await answered(waiting, asking("[[say:One.]]", "my-context"))
    second = await answered(waiting, asking("[[say:Two.]]", "my-context"))
    assert first.context_id == second.context_id
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_whoever_was_cut_subscribes_again(streaming: Client, waiting: Client, sim: Simulator) -> None:
    task = await answered(waiting, asking(ENDLESS, immediately=True))
    assert task.status.state == TaskState.TASK_STATE_WORKING
    await sim.gates["open"].reached()
    updates: list[StreamResponse] = []
    async for update in streaming.subscribe(SubscribeToTaskRequest(id=task.id)):
        updates.append(update)
        if "Some" in text_of(updates):
            await sim.gates["open"].set(open=True)
    assert text_of(updates) == "Some words.The rest."
    with pytest.raises(UnsupportedOperationError):
        _ = [update async for update in streaming.subscribe(SubscribeToTaskRequest(id=task.id))]


async def test_the_same_message_again_is_the_same_task(waiting: Client, replica: InProcessReplica) -> None:
    request = asking("[[say:Once.]]")
    assert (await answered(waiting, request)).id == (await answered(waiting, request)).id
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_a_task_can_be_cancelled_while_it_runs(waiting: Client, sim: Simulator) -> None:
    task = await answered(waiting, asking(ENDLESS, immediately=True))
    await sim.gates["open"].reached()
    cancelled = await waiting.cancel_task(CancelTaskRequest(id=task.id))
    assert cancelled.status.state == TaskState.TASK_STATE_CANCELED
    with pytest.raises(TaskNotCancelableError):
        await waiting.cancel_task(CancelTaskRequest(id=task.id))


async def test_what_fails_is_told_in_the_protocols_words(waiting: Client, http: httpx.AsyncClient, url: str) -> None:
    failed = await answered(waiting, asking("[[fault:auth]]"))
    assert failed.status.state == TaskState.TASK_STATE_FAILED
    for name in ("no-task", f"{uuid4().hex}{1:08x}"):
        with pytest.raises(TaskNotFoundError):
            await waiting.get_task(GetTaskRequest(id=name))

    async def code(body: Any, **headers: str) -> int:
        answer = await http.post(f"{url}/a2a/demo", json=body, headers=headers)
        return answer.json()["error"]["code"]

    rpc = {"jsonrpc": "2.0", "id": 1}
    assert await code({**rpc, "method": "Nothing"}) == -32601
    assert await code({**rpc, "method": "SendMessage", "params": {"message": {}}}) == -32602
    assert await code({**rpc, "method": "GetTask", "params": {"id": "x"}}, **{"A2A-Version": "0.3"}) == -32009
    assert await code({**rpc, "method": "CreateTaskPushNotificationConfig"}) == -32602
    assert await code("no request") == -32600
    elsewhere = {"messageId": "m", "role": "ROLE_USER", "parts": [{"url": "http://127.0.0.1/secret"}]}
    assert await code({**rpc, "method": "SendMessage", "params": {"message": elsewhere}}) == -32005
    assert (await http.get(f"{url}/a2a/no-agent/.well-known/agent-card.json")).status_code == HTTPStatus.NOT_FOUND


async def test_a_task_is_for_its_owner_and_those_it_is_shared_with(
    waiting: Client, replica: InProcessReplica, url: str
) -> None:
    task = await answered(waiting, asking("[[say:Mine.]]"))
    pool, chat_id = replica.pool, task.context_id

    async def tries(method: str, token: str | None) -> int:
        """The HTTP status, or the protocol's code."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"id": task.id}}
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with (
            aiohttp.ClientSession(headers=headers) as http,
            http.post(f"{url}/a2a/demo", json=body) as answer,
        ):
            told = await answer.json()
            return told["error"]["code"] if "error" in told and answer.status == HTTPStatus.OK else answer.status

    async def person(name: str) -> tuple[object, str]:
        user = await pool.fetchval(
            "INSERT INTO users (organisation_id, email, name, role) VALUES ($1, $2, $2, 'member') RETURNING id",
            replica.organisation,
            f"{name}@example.com",
        )
        return user, await minted(pool, user)

    bob, reader = await person("bob")
    await pool.execute("INSERT INTO chat_shares (chat_id, user_id) VALUES ($1::uuid, $2)", chat_id, bob)
    _, stranger = await person("eve")
    assert await tries("GetTask", reader) == HTTPStatus.OK
    assert await tries("CancelTask", reader) == HTTPStatus.FORBIDDEN
    for method in ("GetTask", "CancelTask", "SubscribeToTask"):
        assert await tries(method, stranger) == -32001
        assert await tries(method, None) == HTTPStatus.UNAUTHORIZED
        assert await tries(method, await minted(pool, replica.user, "read")) == HTTPStatus.FORBIDDEN
    async with aiohttp.ClientSession() as http, http.get(f"{url}/.well-known/agent-card.json") as card:
        assert (await card.json())["supportedInterfaces"][0]["url"] == f"{url}/a2a/default"


@dataclass
class Caller:
    """Whoever gave a task, who is told at an address of theirs."""

    url: str = ""
    heard: "asyncio.Queue[tuple[dict[str, str], StreamResponse]]" = field(
        default_factory=asyncio.Queue[tuple[dict[str, str], StreamResponse]]
    )

    async def take(self, request: web.Request) -> web.Response:
        told = ParseDict(await request.json(), StreamResponse())
        await self.heard.put(({name.lower(): value for name, value in request.headers.items()}, told))
        return web.Response(status=200)

    async def hears(self, state: TaskState) -> tuple[dict[str, str], Task]:
        """What is told once the task stands so. What comes before may be told, or not."""
        async with asyncio.timeout(PATIENCE.total_seconds()):
            while True:
                headers, told = await self.heard.get()
                if told.task.status.state == state:
                    return headers, told.task


@pytest.fixture
async def caller(replica: InProcessReplica) -> AsyncIterator[Caller]:
    caller, app = Caller(), web.Application()
    app.router.add_post("/told", caller.take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    caller.url = f"http://localhost:{runner.addresses[0][1]}/told"
    async with telling(replica.replica):
        yield caller
    await runner.cleanup()


@asynccontextmanager
async def telling(replica: Replica) -> AsyncGenerator[None]:
    """What tells others, for once also on this machine."""
    foundation, services, hubs = replica.foundation, replica.services, replica.streams.hubs
    ways = Ways(resolver=ThreadedResolver(), tasks=Pushing(foundation.pool, hubs, reading(services)))
    sender = WebhookSender(
        *(foundation.pool, foundation.machine.outbox, foundation.keyring, foundation.clock),
        foundation.measures.webhooks,
        ways=ways,
    )
    task = asyncio.create_task(sender.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def test_whoever_gave_a_task_is_told_how_it_went(
    waiting: Client, caller: Caller, replica: InProcessReplica
) -> None:
    request = asking("[[say:Told elsewhere.]]", immediately=True)
    request.configuration.task_push_notification_config.CopyFrom(
        TaskPushNotificationConfig(
            url=caller.url,
            token="mine",
            authentication=AuthenticationInfo(scheme="Bearer", credentials="secret"),
        )
    )
    given = await answered(waiting, request)
    headers, task = await caller.hears(TaskState.TASK_STATE_COMPLETED)
    assert (headers["x-a2a-notification-token"], headers["authorization"]) == ("mine", "Bearer secret")
    assert (task.id, get_artifact_text(task.artifacts[0])) == (given.id, "Told elsewhere.")
    await seen(lambda: nothing_is_told(replica))


async def nothing_is_told(replica: InProcessReplica) -> bool:
    """Whether nobody waits to hear of a task any more."""
    return await replica.pool.fetchval("SELECT NOT EXISTS (SELECT FROM webhooks) AND NOT EXISTS (SELECT FROM outbox)")


async def test_a_task_that_asks_says_so_and_goes_on_with_the_answer(
    waiting: Client, streaming: Client, caller: Caller, replica: InProcessReplica
) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    task = await answered(waiting, asking(WORKING))
    assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    said, form = task.status.message.parts
    assert "May it?" in said.text
    key = MessageToDict(form.data)["question"]
    await waiting.create_task_push_notification_config(
        TaskPushNotificationConfig(task_id=task.id, id="p", url=caller.url)
    )
    _, told = await caller.hears(TaskState.TASK_STATE_INPUT_REQUIRED)
    assert told.id == task.id
    again = [update async for update in streaming.subscribe(SubscribeToTaskRequest(id=task.id))]
    assert again[-1].status_update.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert MessageToDict(again[-1].status_update.status.message.parts[1].data)["question"] == key
    answer = new_text_message("approve", task_id=task.id, role=Role.ROLE_USER)
    done = await answered(waiting, SendMessageRequest(message=answer))
    assert done.status.state == TaskState.TASK_STATE_COMPLETED
    assert [get_artifact_text(each) for each in done.artifacts] == ["I look.", "Nothing there."]
    await caller.hears(TaskState.TASK_STATE_COMPLETED)
    with pytest.raises(UnsupportedOperationError):
        await answered(waiting, SendMessageRequest(message=answer))


async def test_a_task_that_was_stopped_before_it_said_anything_is_told_of(
    waiting: Client, caller: Caller, sim: Simulator
) -> None:
    task = await answered(waiting, asking("[[gate:open]] [[say:Never.]]", immediately=True))
    await sim.gates["open"].reached()
    await waiting.create_task_push_notification_config(TaskPushNotificationConfig(task_id=task.id, url=caller.url))
    await waiting.cancel_task(CancelTaskRequest(id=task.id))
    await caller.hears(TaskState.TASK_STATE_CANCELED)


async def test_pushes_are_listed_and_removed_by_whoever_asked_for_them(
    waiting: Client, replica: InProcessReplica, http: httpx.AsyncClient, url: str, sim: Simulator
) -> None:
    task = await answered(waiting, asking(ENDLESS, immediately=True))
    for name in ("one", "two", "one"):
        config = TaskPushNotificationConfig(task_id=task.id, id=name, url=f"https://{name}.example/told", token="mine")
        made = await waiting.create_task_push_notification_config(config)
        assert (made.id, made.task_id, made.url, made.token) == (name, task.id, f"https://{name}.example/told", "mine")
    listed = await waiting.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task.id))
    assert [config.id for config in listed.configs] == ["one", "two"]
    # They are nothing that its owner set up as a webhook.
    assert (await http.get(f"{url}/api/v1/webhooks")).json()["items"] == []
    named = {"task_id": task.id, "id": "one"}
    found = await waiting.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**named))
    assert found.url == "https://one.example/told"
    await waiting.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(**named))
    with pytest.raises(TaskNotFoundError):
        await waiting.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**named))
    nowhere = TaskPushNotificationConfig(task_id=task.id, url="nowhere")
    with pytest.raises(InvalidParamsError):
        await waiting.create_task_push_notification_config(nowhere)
    foreign = TaskPushNotificationConfig(task_id=f"{uuid4().hex}{1:08x}", url="https://one.example/told")
    with pytest.raises(TaskNotFoundError):
        await waiting.create_task_push_notification_config(foreign)
    await sim.gates["open"].set(open=True)
    await replica.comes_to_rest(ChatId(UUID(task.context_id)))
