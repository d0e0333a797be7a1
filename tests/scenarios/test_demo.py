"""What a newcomer sees of agents, questions and plans without a model of their own."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from perdure.core.chat import State
from perdure.core.ids import ChatId
from perdure.core.parts import ToolCall
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.house import House, open_house
from perdure.tools.shipped import SHIPPED


@pytest.fixture
async def house(database_url: str, pool: Pool) -> AsyncIterator[House]:
    async with Simulator(rate=None) as sim, open_house(database_url, pool, sim.url) as house:
        house.tools.tools = SHIPPED
        yield house


async def calls(house: House, chat: ChatId) -> list[ToolCall]:
    parts = [part for message in await house.messages(chat) for part in message.parts]
    return [part for part in parts if isinstance(part, ToolCall)]


async def test_the_demo_agent_starts_a_team_and_hears_all_of_it(house: House) -> None:
    chat = await house.someone_asks("Please ask 4 agents to look around.")
    assert (await house.comes_to_rest(chat)).state is State.W
    made = [call.tool for call in await calls(house, chat)]
    assert made[:4] == ["spawn_agent"] * 4
    assert set(made[4:]) == {"wait_agent"}
    report = (await house.said(chat))[-1]
    assert report.startswith("## What my agents found")
    assert report.count("| finished |") == 4


async def test_the_demo_agent_asks_plans_and_then_builds(house: House) -> None:
    chat = await house.someone_asks("Write a fibonacci program.", plan_mode=True)
    await house.comes_to_rest(chat)
    (question,) = await calls(house, chat)
    options = msgspec.json.decode(question.args)["questions"][0]["options"]
    assert (question.tool, len(options)) == ("ask_user_question", 2)
    await house.someone_adds(chat, options[1]["label"])
    await house.comes_to_rest(chat)
    plan = (await calls(house, chat))[-1]
    assert plan.tool == "propose_plan"
    assert "- Used: As a module" in msgspec.json.decode(plan.args)["plan"]
    await house.pool.execute("UPDATE chat_cards SET plan_mode = false WHERE id = $1", chat)
    await house.someone_adds(chat, "Implement the plan.")
    await house.comes_to_rest(chat)
    assert (await calls(house, chat))[2].tool == "create_workspace"
    assert "fibonacci" in " ".join(await house.said(chat))
