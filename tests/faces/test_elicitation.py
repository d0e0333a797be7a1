"""A call asks something before it goes on: whoever talks to the chat answers, in any protocol."""

from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import UUID

import aiohttp
import msgspec
import pytest
from openai import AsyncOpenAI
from tests.faces.conftest import minted
from tests.faces.editor import open_editor
from tests.faces.test_mcp import BOTH, Peer
from tests.faces.test_pages import Page

from perdure.core.action import ActionKind, Decision, Verdict
from perdure.core.chat import AT_REST, Status
from perdure.core.ids import ChatId
from perdure.machine.transitions import CancelRequiresAction, CompleteRequiresAction
from perdure.testing.replica import InProcessReplica
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.call import CallQuestion, InputNeeded, ToolOutput
from perdure.tools.tool import Effect, Tool, ToolContext

ASKED = "[[say:One moment.]] [[call:brew]] [[then]] [[say:There you are.]]"
FORM: dict[str, Any] = {"type": "object", "properties": {"cups": {"type": "integer"}}, "required": ["cups"]}
CUPS = CallQuestion("cups", "How many cups?", msgspec.json.encode(FORM).decode())
SUGAR = CallQuestion("sugar", "Sugar? Say so there.", url="https://bar.example/sugar")


class Brewing:
    """A tool that asks one thing after the other, and then says what it was answered each time."""

    def __init__(self, *asks: CallQuestion) -> None:
        self._asks = list(asks)
        self.answers: list[Any] = []
        self.tool = Tool(name="brew", description="Tea.", schema={"type": "object"}, effect=Effect.KEYED, run=self._run)

    async def _run(self, ctx: ToolContext, arguments: Mapping[str, Any]) -> ToolOutput:  # noqa: ARG002
        if ctx.answers:
            self.answers.append(msgspec.json.decode(ctx.answers))
        if self._asks:
            raise InputNeeded([self._asks.pop(0)])
        return ToolOutput("Tea.")


def offers(replica: InProcessReplica, *asks: CallQuestion) -> Brewing:
    brewing = Brewing(*asks)
    replica.tools.tools = (*BUILTIN_TOOLS, brewing.tool)
    return brewing


async def asking(replica: InProcessReplica, text: str = ASKED) -> ChatId:
    chat_id = await replica.someone_asks(text)
    await replica.until(chat_id, lambda chat: chat.status is Status.REQUIRES_ACTION)
    return chat_id


async def answered(replica: InProcessReplica, chat_id: ChatId, answers: dict[str, Any]) -> None:
    chat = await replica.machine.load(chat_id)
    assert chat.action is not None
    assert chat.action.kind is ActionKind.ELICITATION
    call = next(call for call in chat.open_calls if call.index in chat.action.calls)
    decision = Decision(call.call_id, Verdict.ANSWER, answers=msgspec.json.encode(answers).decode())
    await replica.machine.change(chat_id, CompleteRequiresAction(decisions=[decision]))


async def test_a_call_asks_as_often_as_it_needs_to(replica: InProcessReplica) -> None:
    brewing = offers(replica, CUPS, SUGAR)
    chat_id = await asking(replica)
    await answered(replica, chat_id, {"cups": {"action": "accept", "content": {"cups": 2}}})
    await replica.until(chat_id, lambda chat: chat.action is not None and chat.action.questions[0].key == "sugar")
    await answered(replica, chat_id, {"sugar": {"action": "accept"}})
    await replica.comes_to_rest(chat_id)
    assert brewing.answers == [{"cups": {"action": "accept", "content": {"cups": 2}}}, {"sugar": {"action": "accept"}}]
    assert (await replica.said(chat_id))[-1] == "There you are."


async def test_what_stands_beside_a_call_that_asks_is_done_meanwhile(replica: InProcessReplica) -> None:
    offers(replica, CUPS)
    beside = '[[call:read_skill {"name": "x"}]] [[call:brew]] [[then]] [[say:There you are.]]'
    chat_id = await asking(replica, beside)
    chat = await replica.machine.load(chat_id)
    assert [call.tool for call in chat.open_calls] == ["brew"]
    await answered(replica, chat_id, {"cups": {"action": "decline"}})
    await replica.comes_to_rest(chat_id)
    assert (await replica.said(chat_id))[-1] == "There you are."


async def test_a_call_that_nobody_answers_ends_with_a_result_that_says_so(replica: InProcessReplica) -> None:
    offers(replica, CUPS)
    chat_id = await asking(replica)
    await replica.machine.change(chat_id, CancelRequiresAction("Nobody answered."))
    await replica.comes_to_rest(chat_id)
    assert 'brew failed: "Nobody answered."' in await replica.said(chat_id)


@pytest.fixture
async def peer(replica: InProcessReplica, url: str) -> AsyncIterator[Peer]:
    async with aiohttp.ClientSession() as http:
        yield Peer(http, url, await minted(replica.pool, replica.user))


@pytest.mark.parametrize("declines", [False, True])
async def test_another_agent_passes_on_what_a_call_asks(peer: Peer, replica: InProcessReplica, declines: bool) -> None:
    brewing = offers(replica, CUPS)
    task = await peer.call("begin_chat", can=BOTH, message=ASKED)
    chat_id = ChatId(UUID(task["taskId"].split("-")[1]))
    await replica.until(chat_id, lambda chat: chat.status is Status.REQUIRES_ACTION)
    ((key, form),) = (await peer.task(task["taskId"]))["inputRequests"].items()
    assert form["params"] == {"mode": "form", "message": "How many cups?", "requestedSchema": FORM}
    wrong = {"taskId": task["taskId"], "inputResponses": {key: {"action": "accept", "content": {"cups": "two"}}}}
    assert "error" in await peer.modern("tasks/update", wrong, can=BOTH)
    said = {"action": "decline"} if declines else {"action": "accept", "content": {"cups": 3}}
    update = {"taskId": task["taskId"], "inputResponses": {key: said}}
    assert "result" in await peer.modern("tasks/update", update, can=BOTH)
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
    assert brewing.answers == [{"cups": said}]


async def test_a_page_of_ag_ui_fills_in_what_a_call_asks(
    url: str, openai: AsyncOpenAI, replica: InProcessReplica
) -> None:
    brewing = offers(replica, CUPS)
    page = Page(url, openai.api_key)
    said = {"id": "1", "role": "user", "content": ASKED}
    (interrupt,) = (await page.runs(said))[-1]["outcome"]["interrupts"]
    assert interrupt["responseSchema"] == FORM
    assert interrupt["toolCallId"]
    answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"cups": 1}}
    events = await page.runs(said, resume=[answer])
    assert events[-1]["type"] == "RUN_FINISHED"
    assert brewing.answers == [{"cups": {"action": "accept", "content": {"cups": 1}}}]


@pytest.mark.parametrize("forms", [True, False])
async def test_an_editor_is_asked_what_a_call_asks(url: str, replica: InProcessReplica, forms: bool) -> None:
    brewing = offers(replica, CUPS)
    token = await minted(replica.pool, replica.user)
    capabilities: dict[str, Any] = {"elicitation": {"form": {}}} if forms else {}
    async with open_editor(url, token, **capabilities) as ours:
        ours.answer = {"action": "accept", "content": {"cups": 4}}
        ours.choice = "decline"
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert await ours.prompts(session, ASKED) == "end_turn"
        shown = [form["requestedSchema"] for form in ours.forms], len(ours.permissions)
        assert shown == (([FORM], 0) if forms else ([], 1))
    expected = {"action": "accept", "content": {"cups": 4}} if forms else {"action": "decline"}
    assert brewing.answers == [{"cups": expected}]


async def test_an_editor_no_longer_asks_what_somebody_answered_elsewhere(url: str, replica: InProcessReplica) -> None:
    offers(replica, CUPS)
    token = await minted(replica.pool, replica.user)
    async with open_editor(url, token) as ours:
        ours.choice = None
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        ending = ours.begin("session/prompt", sessionId=session, prompt=[{"type": "text", "text": ASKED}])
        await ours.is_asked()
        chat_id = ChatId(await replica.pool.fetchval("SELECT id FROM chats"))
        await answered(replica, chat_id, {"cups": {"action": "decline"}})
        assert (await ending)["result"] == {"stopReason": "end_turn"}
