"""Calls that ask something before they are carried out: a person answers in the chat, whatever dies meanwhile."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.tools.mcp.peers import Bridge, Peer, workbench
from tests.tools.mcp.test_turns import calling
from tests.worker.test_journal import call_in_hand

from perdure.core.action import Action, ActionKind, Decision, Verdict
from perdure.core.chat import AT_REST, Status
from perdure.core.ids import ChatId
from perdure.machine.transitions import CompleteRequiresAction, Interrupt
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.call import CallQuestion
from perdure.tools.mcp.asking import AskedCall
from perdure.tools.tool import Effect

BREW = "bench__brew"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    (path := tmp_path / "ledger").touch()
    return path


def written(ledger: Path) -> str:
    return ledger.read_text()


@pytest.fixture
async def server(bridge: Bridge, ledger: Path, request: pytest.FixtureRequest) -> AsyncIterator[Peer]:
    async with workbench(ledger=ledger) as server:
        await bridge.add("bench", url=f"http://127.0.0.1:{server.port}/mcp", **getattr(request, "param", {}))
        yield server


async def asks(replica: InProcessReplica, chat_id: ChatId, message: str) -> Action:
    """Wait until this is asked."""

    def asked(chat: Any) -> bool:
        return chat.action is not None and any(message in one.message for one in chat.action.questions)

    action = (await replica.until(chat_id, asked)).action
    assert action is not None
    assert action.kind is ActionKind.ELICITATION
    return action


async def answers(replica: InProcessReplica, chat_id: ChatId, message: str, answer: dict[str, Any]) -> None:
    (question,) = (await asks(replica, chat_id, message)).questions
    call = (await replica.machine.load(chat_id)).open_calls[0]
    brought = msgspec.json.encode({question.key: answer}).decode()
    decision = Decision(call.call_id, Verdict.ANSWER, answers=brought)
    await replica.machine.change(chat_id, CompleteRequiresAction(decisions=[decision]))


def filled(value: object) -> dict[str, Any]:
    return {"action": "accept", "content": {"value": value}}


async def told(replica: InProcessReplica, chat_id: ChatId, tool: str = BREW) -> list[str]:
    return [word for word in await replica.said(chat_id) if word.startswith((f"{tool}: ", f"{tool} failed: "))]


@pytest.mark.parametrize("dies", [False, True])
async def test_a_call_asks_in_the_chat_and_goes_on_with_the_answers_also_at_a_server_that_was_restarted(
    replica: InProcessReplica, sim: Simulator, server: Peer, ledger: Path, dies: bool
) -> None:
    calling(sim, (BREW, {}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await asks(replica, chat_id, "How many cups?")
    # Nothing runs and nobody drives the chat while a person thinks.
    assert (await replica.machine.load(chat_id)).worker_id is None
    if dies:
        await server.is_killed()
        await server.starts()
    await answers(replica, chat_id, "How many cups?", filled(2))
    await answers(replica, chat_id, "Of what?", filled("coffee"))
    assert (await replica.comes_to_rest(chat_id)).status is Status.WAITING
    assert await told(replica, chat_id) == [f"{BREW}: noted 2 cups of coffee"]
    assert written(ledger) == "2 cups of coffee\n"


@pytest.mark.usefixtures("server")
async def test_a_person_who_declines_is_heard_by_the_server(replica: InProcessReplica, sim: Simulator) -> None:
    calling(sim, (BREW, {}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await answers(replica, chat_id, "How many cups?", {"action": "decline"})
    await answers(replica, chat_id, "Of what?", {"action": "cancel"})
    await replica.comes_to_rest(chat_id)
    assert await told(replica, chat_id) == [f"{BREW}: noted None cups of None"]


@pytest.mark.usefixtures("server")
async def test_stop_ends_a_call_that_waits_for_an_answer(
    replica: InProcessReplica, sim: Simulator, ledger: Path
) -> None:
    calling(sim, (BREW, {}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await asks(replica, chat_id, "How many cups?")
    await replica.machine.change(chat_id, Interrupt())
    await replica.until(chat_id, lambda chat: chat.status in AT_REST)
    assert written(ledger) == ""


@pytest.mark.parametrize("server", [{"trusted": True}], indirect=True)
@pytest.mark.usefixtures("server")
async def test_of_a_trusted_server_only_that_is_asked_for_which_it_proposes_nothing(
    replica: InProcessReplica, sim: Simulator
) -> None:
    calling(sim, (BREW, {}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await answers(replica, chat_id, "How many cups?", filled(3))
    await replica.comes_to_rest(chat_id)
    assert await told(replica, chat_id) == [f"{BREW}: noted 3 cups of tea"]


@pytest.mark.parametrize("server", [{"trusted": False}, {"trusted": True}], indirect=True)
@pytest.mark.usefixtures("server")
async def test_a_call_that_may_be_repeated_is_asked_about_once_as_well(
    replica: InProcessReplica, sim: Simulator
) -> None:
    calling(sim, ("bench__guess", {}))
    chat_id = await replica.someone_asks("[[script:calls]]")
    await answers(replica, chat_id, "Which number?", filled(7))
    await replica.comes_to_rest(chat_id)
    assert await told(replica, chat_id, "bench__guess") == ["bench__guess: It is 7."]


CUPS = CallQuestion("0.asked", "How many cups?", "{}")


async def noted(replica: InProcessReplica, call: AskedCall, tool: str = BREW) -> ChatId:
    """A chat whose runner died after it noted where its call stands."""
    journaling = replica.runner_services.tools.journaling
    run, fence = await call_in_hand(replica, tool)
    begun = await journaling.begin(
        run, fence, replace(BUILTIN_TOOLS[0], name=tool, effect=Effect.ONCE), entry=None, incarnation=None
    )
    await journaling.hand(begun.run, fence, msgspec.json.encode(call).decode())
    await replica.pool.execute("UPDATE replicas SET seen_at = 'epoch' WHERE id = $1", fence.worker_id)
    return run.chat_id


@pytest.mark.usefixtures("server")
async def test_what_a_dead_replica_did_not_come_to_ask_is_asked_by_the_next(replica: InProcessReplica) -> None:
    chat_id = await noted(replica, AskedCall(round=0, questions=(CUPS,), state=None))
    await asks(replica, chat_id, "How many cups?")


@pytest.mark.usefixtures("server")
async def test_a_call_that_was_made_again_by_a_dead_replica_is_not_made_once_more_unasked(
    replica: InProcessReplica, ledger: Path
) -> None:
    chat_id = await noted(replica, AskedCall(round=0, questions=(), state=None, sent=True))
    chat = await replica.until(chat_id, lambda chat: chat.status is Status.REQUIRES_ACTION)
    assert chat.action is not None
    assert chat.action.kind is ActionKind.OUTCOME_UNKNOWN
    decision = Decision(chat.open_calls[0].call_id, Verdict.SKIP)
    await replica.machine.change(chat_id, CompleteRequiresAction(decisions=[decision]))
    await replica.comes_to_rest(chat_id)
    assert written(ledger) == ""


@pytest.mark.parametrize("server", [{"trusted": True}], indirect=True)
@pytest.mark.usefixtures("server")
async def test_a_call_that_may_be_repeated_is_made_once_more(replica: InProcessReplica) -> None:
    tool = "bench__guess"
    chat_id = await noted(replica, AskedCall(round=0, questions=(), state=None, sent=True), tool)
    await answers(replica, chat_id, "Which number?", filled(7))
    await replica.comes_to_rest(chat_id)
    assert await told(replica, chat_id, tool) == [f"{tool}: It is 7."]
