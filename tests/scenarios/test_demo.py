"""What a newcomer sees of agents, questions and plans without a model of their own."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from perdure.core.chat import State
from perdure.core.ids import ChatId
from perdure.core.message import ToolCall
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.builtin import BUILTIN_TOOLS


@pytest.fixture
async def replica(database_url: str, pool: Pool) -> AsyncIterator[InProcessReplica]:
    async with Simulator(rate=None) as sim, open_replica(database_url, pool, sim.url) as replica:
        replica.tools.tools = BUILTIN_TOOLS
        yield replica


async def calls(replica: InProcessReplica, chat: ChatId) -> list[ToolCall]:
    parts = [part for message in await replica.messages(chat) for part in message.parts]
    return [part for part in parts if isinstance(part, ToolCall)]


async def test_the_demo_agent_starts_a_team_and_hears_all_of_it(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("Please ask 4 agents to look around.")
    assert (await replica.comes_to_rest(chat)).state is State.W
    made = [call.tool for call in await calls(replica, chat)]
    assert made[:4] == ["spawn_agent"] * 4
    assert set(made[4:]) == {"wait_agent"}
    report = (await replica.said(chat))[-1]
    assert report.startswith("## What my agents found")
    assert report.count("| finished |") == 4


async def test_the_demo_agent_asks_plans_and_then_builds(replica: InProcessReplica) -> None:
    chat = await replica.someone_asks("Write a fibonacci program.", plan_mode=True)
    await replica.comes_to_rest(chat)
    (question,) = await calls(replica, chat)
    options = msgspec.json.decode(question.args)["questions"][0]["options"]
    assert (question.tool, len(options)) == ("ask_user_question", 2)
    await replica.someone_adds(chat, options[1]["label"])
    await replica.comes_to_rest(chat)
    plan = (await calls(replica, chat))[-1]
    assert plan.tool == "propose_plan"
    assert "- Used: As a module" in msgspec.json.decode(plan.args)["plan"]
    await replica.pool.execute("UPDATE chat_cards SET plan_mode = false WHERE id = $1", chat)
    await replica.someone_adds(chat, "Implement the plan.")
    await replica.comes_to_rest(chat)
    assert (await calls(replica, chat))[2].tool == "create_workspace"
    assert "fibonacci" in " ".join(await replica.said(chat))
