"""The advisor: who may ask it, what it is told, what it costs, and that it can do nothing."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from perdure.agent.advice_prompt import ADVISING, MESSAGES, MESSAGES_BYTES, SYSTEM_BYTES, advice_messages, advice_system
from perdure.core.chat import State
from perdure.core.deltas import ToolResultDelta
from perdure.core.ids import ChatId, MessageNumber
from perdure.core.message import AnyPart, Message, NewMessage, Role, Text, ToolCall, ToolResult
from perdure.live.episodes import Episode
from perdure.sim.script import Call, Fault, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.advisor import GUIDANCE
from perdure.tools.call import ModelContext

ASK = Call("advisor", {"question": "Is a journal overkill?"})


class Bench:
    """A replica whose deployment has an advisor, as far as it is set up."""

    def __init__(self, replica: InProcessReplica, sim: Simulator) -> None:
        self.replica = replica
        self.sim = sim
        self.numbers = replica.numbers
        replica.tools.toolbox = replica.shipped
        sim.script(Script("advisor", (Step((Says("A cursor is enough."),)),), model="wise"))

    async def set(self, *, experiment: bool = True, **advisor: Any) -> None:
        await self.replica.offers("wise")
        experiments = ["advisor"] if experiment else []
        await self.replica.sets(experiments=experiments, advisor={"enabled": True, **advisor})

    async def runs(self, *steps: Step, model: str = "asker", **card: Any) -> ChatId:
        self.plays(*steps)
        chat = await self.replica.someone_asks("Should I?", model=model, **card)
        assert (await self.replica.comes_to_rest(chat)).state is State.W
        return chat

    def plays(self, *steps: Step) -> None:
        """What the model does that asks, in its next turn."""
        self.sim.script(Script("asker", (*steps, Step((Says("I go on."),))), model="asker*"))

    async def heard(self, chat: ChatId) -> list[dict[str, Any]]:
        parts = [part for message in await self.replica.messages(chat) for part in message.parts]
        results = [part for part in parts if isinstance(part, ToolResult) and part.tool == "advisor"]
        return [msgspec.json.decode(part.result) if not part.is_error else {"refused": part.result} for part in results]

    def asked(self, model: str = "asker") -> list[dict[str, Any]]:
        return [entry.json for entry in self.sim.requests if entry.model == model]  # pyright: ignore[reportReturnType]


@pytest.fixture
def bench(replica: InProcessReplica, sim: Simulator) -> Bench:
    return Bench(replica, sim)


def offers(request: dict[str, Any]) -> tuple[bool, bool]:
    """Whether a request has the tool, and whether it has the guidance."""
    tools = [tool["name"] for tool in request.get("tools", ())]
    return "advisor" in tools, "advisor-guidance" in msgspec.json.encode(request).decode()


@pytest.mark.parametrize(
    ("experiment", "enabled", "card", "offered"),
    [
        (True, True, {}, True),
        (False, True, {}, False),
        (True, False, {}, False),
        (True, True, {"plan_mode": True}, False),
        (True, True, {"agent_type": "general"}, False),
        (True, True, {"agent_type": "explore"}, False),
    ],
)
async def test_tool_and_guidance_come_together_or_not_at_all(
    bench: Bench, experiment: bool, enabled: bool, card: dict[str, Any], offered: bool
) -> None:
    await bench.set(experiment=experiment, enabled=enabled)
    if "agent_type" in card:
        parent = await bench.runs()
        card = {**card, "parent_id": parent, "root_id": parent}
    await bench.runs(**card)
    assert offers(bench.asked()[-1]) == (offered, offered)


async def test_the_nested_call_has_no_tools_and_the_end_of_the_askers_own_prompt(bench: Bench) -> None:
    await bench.set(model="wise")
    chat = await bench.runs(Step((Says("I am torn between two ways."), ASK)))
    (nested,) = bench.asked("wise")
    assert "tools" not in nested
    assert "tool_choice" not in nested
    assert offers(nested) == (False, False)
    text = msgspec.json.encode(nested).decode()
    for said in ("Should I?", "I am torn between two ways.", "Is a journal overkill?"):
        assert said in text
    assert nested["max_tokens"] == 16_384
    (advice,) = await bench.heard(chat)
    assert (advice["type"], advice["advice"], advice["model"]) == ("advice", "A cursor is enough.", "wise")
    assert advice["remaining_uses"] == 2
    assert advice["usage"]["output"] > 0


async def test_what_it_costs_is_counted_and_labelled_apart(bench: Bench) -> None:
    await bench.set(model="wise")
    chat = await bench.runs(Step((ASK,)))
    messages = await bench.replica.messages(chat)
    (advised,) = [message for message in messages if message.role is Role.TOOL]
    assert advised.model == "wise"
    assert advised.cost is not None
    assert advised.cost > 0
    total = sum(message.cost or 0 for message in messages)
    assert await bench.replica.pool.fetchval("SELECT cost FROM chat_cards WHERE id = $1", chat) == total
    assert (await bench.replica.machine.load(chat)).budget_spent == total
    assert advised.usage is not None
    assert bench.numbers("perdure_advisor_calls_total", outcome="advice") == 1
    assert bench.numbers("perdure_advisor_tokens_total", kind="input") == advised.usage.input > 0
    assert bench.numbers("perdure_advisor_tokens_total", kind="output") == advised.usage.output > 0
    assert bench.numbers("perdure_advisor_cost_microdollars_total") == advised.cost


async def test_a_mixed_batch_runs_nothing_and_the_model_recovers(bench: Bench) -> None:
    await bench.set(model="wise")
    mixed = Step((ASK, Call("recall", {}), Call("list_agents", {})))
    chat = await bench.runs(mixed, Step((ASK,)))
    assert len(bench.asked("wise")) == 1
    results = [word for word in await bench.replica.said(chat) if " failed: " in word]
    assert results == [
        "advisor failed: advisor must be called by itself. Call it again, alone.",
        "recall failed: Skipped because advisor must run alone. Call this again without it.",
        "list_agents failed: Skipped because advisor must run alone. Call this again without it.",
    ]
    assert [said.get("type") for said in await bench.heard(chat)] == [None, "advice"]


async def test_the_limit_holds_for_a_turn_and_only_advice_counts(bench: Bench) -> None:
    await bench.set(model="wise", max_uses=1)
    blank = Step((Call("advisor", {"question": "  "}),))
    chat = await bench.runs(blank, Step((ASK,)), Step((ASK,)))
    first, second, third = await bench.heard(chat)
    assert (first["type"], second["type"], third["type"]) == ("error", "advice", "limit_reached")
    assert (second["remaining_uses"], third["remaining_uses"]) == (0, 0)
    assert len(bench.asked("wise")) == 1
    bench.plays(Step((ASK,)))
    await bench.replica.someone_adds(chat, "And now?")
    await bench.replica.comes_to_rest(chat)
    assert (await bench.heard(chat))[-1]["type"] == "advice"


async def test_no_limit_of_its_own(bench: Bench) -> None:
    await bench.set(model="wise", max_uses=0)
    chat = await bench.runs(*[Step((ASK,))] * 4)
    heard = await bench.heard(chat)
    assert [said["type"] for said in heard] == ["advice"] * 4
    assert "remaining_uses" not in heard[0]


async def test_a_question_that_is_too_long_is_refused(bench: Bench) -> None:
    await bench.set(model="wise")
    chat = await bench.runs(Step((Call("advisor", {"question": "x" * 2001}),)))
    assert "do not match the tool's schema" in (await bench.heard(chat))[0]["refused"]
    assert bench.asked("wise") == []


async def test_a_failure_is_a_result_and_the_turn_goes_on(bench: Bench) -> None:
    await bench.set(model="wise")
    bench.sim.script(Script("advisor", (Step((Fault("auth"),)),), model="wise"))
    chat = await bench.runs(Step((ASK,)))
    (said,) = await bench.heard(chat)
    assert said["type"] == "error"
    assert said["error"]
    assert (await bench.replica.said(chat))[-1] == "I go on."


async def test_a_second_try_shows_its_answer_afresh(bench: Bench) -> None:
    await bench.set(model="wise")
    bench.sim.script(
        Script(
            "advisor",
            (
                Step(
                    (Says("Half of "), Fault("cut", times=1), Says("the advice.")),
                ),
            ),
            model="wise",
        )
    )
    chat, episodes = ChatId(uuid4()), dict[int, Episode]()
    stop = bench.replica.episodes.follow(chat, lambda episode: episodes.update({id(episode): episode}))
    await bench.runs(Step((ASK,)), chat_id=chat)
    stop()
    shown = [piece.delta for episode in episodes.values() for piece in episode.parts_since(0)]
    results = [delta for delta in shown if isinstance(delta, ToolResultDelta) and not delta.done]
    begun = [index for index, delta in enumerate(results) if delta.result_reset]
    assert len(begun) == 1
    assert "".join(delta.result_delta for delta in results[begun[0] :]) == "Half of the advice."
    assert (await bench.heard(chat))[0]["advice"] == "Half of the advice."


async def test_an_advisor_without_its_model_asks_the_chats_own(bench: Bench) -> None:
    await bench.set(model="lost")
    chat = await bench.runs(Step((Says("Hm."), ASK)), model="asker-two")
    (said,) = await bench.heard(chat)
    assert (said["type"], said["model"]) == ("advice", "asker-two")


def told(*said: tuple[Role, AnyPart]) -> ModelContext:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    messages = tuple(
        Message(role=role, parts=(part,), number=MessageNumber(number), revision=1, created_at=now)
        for number, (role, part) in enumerate(said, 1)
    )
    return ModelContext(system=("S" * 20_000, GUIDANCE), messages=messages)


def words(messages: Sequence[NewMessage]) -> list[str]:
    return [part.text for message in messages for part in message.parts if isinstance(part, Text)]


def test_the_advisor_is_told_the_newest_and_only_so_much() -> None:
    asker = told(*[(Role.USER, Text(f"{number} " + "x" * 1_000)) for number in range(40)])
    system = advice_system(asker)
    assert system[-1] == ADVISING
    assert GUIDANCE not in "".join(system)
    assert SYSTEM_BYTES <= len(system[0]) < SYSTEM_BYTES + 200
    *recent, question = words(advice_messages(asker, "Why?"))
    assert question == "<question>\nWhy?\n</question>"
    assert recent[-1].startswith("39 ")
    assert len(recent) <= MESSAGES
    assert sum(len(text) for text in recent) <= MESSAGES_BYTES
    short = words(advice_messages(told(*[(Role.USER, Text(str(number))) for number in range(40)]), "Why?"))
    assert short[:-1] == [str(number) for number in range(20, 40)]


def test_tool_exchanges_become_notes_and_its_own_call_is_left_out() -> None:
    asker = told(
        (Role.ASSISTANT, ToolCall("1", "read_file", '{"path":"a"}')),
        (Role.TOOL, ToolResult("1", "read_file", "no such file", is_error=True)),
        (Role.ASSISTANT, Text("Hm.")),
        (Role.ASSISTANT, ToolCall("2", "advisor", '{"question":"Why?"}')),
    )
    messages = advice_messages(asker, "Why?")
    assert words(messages)[:-1] == [
        '[The agent called read_file with {"path":"a"}]',
        "[read_file failed: no such file]",
        "Hm.",
    ]
    assert [message.role for message in messages] == [Role.ASSISTANT, Role.USER, Role.ASSISTANT, Role.USER]
