"""Calls of MCP servers that become tasks: waited for by whoever lives, asked about, stopped. Perdure is the server."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams
from tests.faces.conftest import minted
from tests.tools.mcp.peers import Bridge, everything
from tests.tools.mcp.test_turns import calling
from tests.worker.test_journal import call_in_hand

from perdure.agent.prepare import Policy, Rules
from perdure.api.http import App, Receive, Scope, Send
from perdure.core.action import ActionKind, Decision, Verdict
from perdure.core.chat import AT_REST, Status
from perdure.core.ids import ChatId, RunnerId
from perdure.faces.asking import TurnId
from perdure.faces.finding import keyed_chat
from perdure.faces.mcp.tasks import task_id
from perdure.machine.transitions import CompleteRequiresAction, Interrupt
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.testing.served_api import listening
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.mcp.protocol.tasks import filled, put_aside
from perdure.tools.tool import Effect

BEGIN = "perdure__begin_chat"


class SignedIn:
    """An app whose callers have shown a token."""

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "headers": [*scope["headers"], self._header]}, receive, send)


@pytest.fixture
async def itself(replica: InProcessReplica, bridge: Bridge) -> AsyncIterator[Bridge]:
    """A replica that is its own MCP server."""
    replica.tools.tools = BUILTIN_TOOLS
    await replica.offers()
    token = await minted(replica.pool, replica.user)
    async with listening(SignedIn(replica.replica.asgi, token)) as url:
        await bridge.add("perdure", url=f"{url}/mcp")
        yield bridge
        await bridge.services.connections.close()


def below(replica: InProcessReplica, key: str) -> ChatId:
    """The chat that a call with this key begins."""
    return keyed_chat(replica.user, f"mcp:{key}")


async def results(replica: InProcessReplica, chat_id: ChatId, tool: str = BEGIN) -> list[str]:
    return [word for word in await replica.said(chat_id) if word.startswith((f"{tool}: ", f"{tool} failed: "))]


@pytest.mark.usefixtures("itself")
async def test_a_call_that_becomes_a_task_brings_its_result(replica: InProcessReplica, sim: Simulator) -> None:
    calling(sim, (BEGIN, {"message": "[[say:From below.]]", "key": "k"}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    assert (await replica.comes_to_rest(chat_id)).status is Status.WAITING
    assert await results(replica, chat_id) == [f"{BEGIN}: From below."]
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 2


@pytest.mark.usefixtures("itself")
async def test_whoever_takes_over_waits_for_the_task_instead_of_calling_again(replica: InProcessReplica) -> None:
    journaling = replica.runner_services.tools.journaling
    other = await replica.someone_asks("[[say:Begun before the kill.]]")
    run, fence = await call_in_hand(replica, "perdure__list_models")
    tool = replace(BUILTIN_TOOLS[0], name="perdure__list_models", effect=Effect.ONCE)
    begun = await journaling.begin(run, fence, tool, entry=None, incarnation=None)
    await journaling.hand(begun.run, fence, task_id(TurnId(other, 1)))
    (entry,) = await replica.runner_services.journal.load(run.chat_id, run.message)
    assert (entry.effect, entry.handle) == ("keyed", task_id(TurnId(other, 1)))
    await replica.pool.execute("UPDATE replicas SET seen_at = 'epoch' WHERE id = $1", fence.worker_id)
    assert (await replica.comes_to_rest(run.chat_id)).status is Status.WAITING
    told = await results(replica, run.chat_id, "perdure__list_models")
    assert told == ["perdure__list_models: Begun before the kill."]


async def test_a_runner_that_was_replaced_notes_no_task(replica: InProcessReplica) -> None:
    journal = replica.runner_services.journal
    run, fence = await call_in_hand(replica, "pay")
    assert await journal.start(run, fence, tool="pay", effect="once")
    assert not await journal.hand(run, RunnerId(uuid4()), "turn-1")
    (entry,) = await journal.load(run.chat_id, run.message)
    assert (entry.effect, entry.handle) == ("once", None)


@pytest.mark.usefixtures("itself")
async def test_stop_stops_the_task(replica: InProcessReplica, sim: Simulator) -> None:
    calling(sim, (BEGIN, {"message": "[[say:Some words.]] [[gate:never]] [[say:Not these.]]", "key": "k"}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await replica.until(chat_id, lambda chat: bool(chat.open_calls))
    child = below(replica, "k")
    await noted(replica, chat_id)
    await replica.machine.change(chat_id, Interrupt())
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
    await replica.until(child, lambda chat: chat.status in AT_REST)
    assert (await replica.said(child))[-1] != "Not these."


async def noted(replica: InProcessReplica, chat_id: ChatId) -> None:
    """Wait until the journal knows the task."""
    chat = await replica.until(chat_id, lambda chat: bool(chat.open_calls))
    while True:
        entries = await replica.runner_services.journal.load(chat_id, chat.last_assistant)
        if any(entry.handle for entry in entries):
            return


ASKS = '[[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'
"""Said to the chat below, which then needs an approval: the task asks for it."""


async def asked_by_a_task(replica: InProcessReplica, sim: Simulator) -> ChatId:
    """A chat whose call is a task that asks something."""
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    calling(sim, (BEGIN, {"message": ASKS, "key": "k"}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await replica.until(chat_id, lambda chat: chat.status is Status.REQUIRES_ACTION)
    return chat_id


@pytest.mark.usefixtures("itself")
async def test_what_a_task_asks_is_asked_of_a_person_and_the_call_goes_on_with_the_answer(
    replica: InProcessReplica, sim: Simulator
) -> None:
    chat_id = await asked_by_a_task(replica, sim)
    chat = await replica.machine.load(chat_id)
    assert chat.action is not None
    assert (chat.action.kind, chat.worker_id) == (ActionKind.ELICITATION, None)
    (question,) = chat.action.questions
    assert (question.call, question.key) == (0, "approval-2-0-0")
    assert "An agent wants to call read_skill" in question.message
    assert "decision" in msgspec.json.decode(question.schema)["properties"]
    answers = msgspec.json.encode({question.key: {"action": "accept", "content": {"decision": "approve"}}}).decode()
    decision = Decision(chat.open_calls[0].call_id, Verdict.ANSWER, answers=answers)
    await replica.machine.change(chat_id, CompleteRequiresAction(decisions=[decision]))
    assert (await replica.comes_to_rest(chat_id)).status is Status.WAITING
    assert await results(replica, chat_id) == [f"{BEGIN}: Nothing there."]
    assert (await replica.said(chat_id)).count("done") == 1


@pytest.mark.usefixtures("itself")
async def test_stop_stops_a_task_that_waits_for_an_answer(replica: InProcessReplica, sim: Simulator) -> None:
    chat_id = await asked_by_a_task(replica, sim)
    await replica.machine.change(chat_id, Interrupt())
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
    child = await replica.until(below(replica, "k"), lambda chat: chat.status in AT_REST)
    assert (await replica.said(child.id))[-1] != "Nothing there."


async def test_a_tool_of_an_older_server_that_only_runs_as_a_task_is_offered_and_works(
    replica: InProcessReplica, bridge: Bridge, sim: Simulator
) -> None:
    async with everything() as server:
        await bridge.add("everything", url=f"http://127.0.0.1:{server.port}/mcp")
        calling(sim, ("everything__simulate-research-query", {"topic": "tea"}))
        chat_id = await replica.someone_asks("[[script:calls]]")
        await replica.until(chat_id, lambda chat: chat.status in AT_REST, patience=100)
        (told,) = await results(replica, chat_id, "everything__simulate-research-query")
        assert "tea" in told


DRINK, NAME = {"type": "string", "default": "tea"}, {"type": "string"}


@pytest.mark.parametrize(
    ("fields", "required", "answer"),
    [
        ({"drink": DRINK, "name": NAME}, ["drink"], ("accept", {"drink": "tea"})),
        ({"drink": DRINK, "name": NAME}, ["drink", "name"], ("cancel", None)),
        ({"name": NAME}, [], ("cancel", None)),
        ({}, [], ("cancel", None)),
    ],
)
async def test_a_form_of_a_trusted_server_is_filled_in_where_it_proposes_all_that_it_needs(
    fields: dict[str, Any], required: list[str], answer: tuple[str, Any]
) -> None:
    schema = {"type": "object", "properties": fields, "required": required}
    asked = ElicitRequestFormParams(message="What may it be?", requested_schema=schema)
    told = await filled(None, asked)
    assert (told.action, told.content) == answer
    assert (await put_aside(None, asked)).action == "cancel"


async def test_nobody_is_sent_elsewhere_by_a_trusted_server() -> None:
    asked = ElicitRequestURLParams(message="Sign here.", url="https://elsewhere.example", elicitation_id="1")
    assert (await filled(None, asked)).action == "cancel"
