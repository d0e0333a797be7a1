"""Providers that keep answers: turns that hang on the last one, and answers that outlive whoever asked for them."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgspec
import pytest

from perdure.agent.prompt import PromptContext
from perdure.core.card import Card
from perdure.core.chat import State
from perdure.core.ids import ChatId
from perdure.machine.transitions import Interrupt
from perdure.providers.request import ModelSettings
from perdure.sim.server import Simulator
from perdure.store.pool import Pool
from perdure.testing.fakes import PlainSources
from perdure.testing.polling import seen
from perdure.testing.replica import InProcessReplica, open_replica

# Whatever response is written down, it is one that the provider does not know.
FORGOTTEN = """
CREATE FUNCTION forgotten() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN NEW.response_id := 'resp_forgotten'; RETURN NEW; END $$;
CREATE TRIGGER forgotten BEFORE INSERT ON background_responses FOR EACH ROW EXECUTE FUNCTION forgotten();
"""


@pytest.fixture
async def replica(database_url: str, pool: Pool, sim: Simulator) -> AsyncIterator[InProcessReplica]:
    async with open_replica(database_url, pool, sim.url, dialect="openai_responses") as replica:
        yield replica


class Instructed(PlainSources):
    """A system text that somebody changes."""

    text = "Be brief."

    async def context(self, card: Card) -> PromptContext:  # noqa: ARG002
        return PromptContext(instructions=self.text)


def sent(sim: Simulator) -> list[dict[str, Any]]:
    return [msgspec.json.decode(entry.body, type=dict[str, Any]) for entry in sim.requests if entry.body]


async def noted(pool: Pool) -> None:
    """Wait until it is written down which response is listened to."""
    await seen(lambda: pool.fetchval("SELECT count(*) FROM background_responses"))


async def says(replica: InProcessReplica, chat: ChatId, text: str) -> None:
    await replica.someone_adds(chat, text)
    assert (await replica.comes_to_rest(chat)).state is State.W


async def test_a_turn_hangs_on_the_last_answer_until_the_system_text_changes(
    replica: InProcessReplica, sim: Simulator
) -> None:
    sources = Instructed()
    object.__setattr__(replica.runner_services.preparation, "sources", sources)
    replica.models.settings = ModelSettings(options={"chain": True})
    chat = await replica.someone_asks("[[say:One.]]")
    await replica.comes_to_rest(chat)
    await says(replica, chat, "[[say:Two.]]")
    sources.text = "Be long."
    await says(replica, chat, "[[say:Three.]]")
    await says(replica, chat, "[[say:Four.]]")
    first, second, third, fourth = sent(sim)
    assert ["previous_response_id" in request for request in (first, second, third, fourth)] == [
        False,
        True,
        False,
        True,
    ]
    assert (len(second["input"]), len(third["input"]), len(fourth["input"])) == (1, 5, 1)
    assert third["store"] is True


async def test_an_answer_in_the_background_is_found_again_by_the_next_driver(
    replica: InProcessReplica, sim: Simulator, database_url: str, pool: Pool
) -> None:
    replica.models.settings = ModelSettings(options={"background": True})
    chat = await replica.someone_asks("[[say:Half ]] [[gate:open]] [[say:and whole.]]")
    await sim.gates["open"].reached()
    await noted(pool)
    await replica.worker.drain()
    await sim.gates["open"].set(open=True)
    async with open_replica(database_url, pool, sim.url, dialect="openai_responses") as heir:
        heir.models.settings = replica.models.settings
        rested = await heir.comes_to_rest(chat)
        question, *answer = await heir.said(chat)
        assert (rested.state, " ".join(answer)) == (State.W, "Half and whole.")
        assert question.startswith("[[say")
    assert len(sent(sim)) == 1


async def test_an_answer_that_the_provider_forgot_is_asked_for_again(
    replica: InProcessReplica, sim: Simulator, pool: Pool
) -> None:
    replica.models.settings = ModelSettings(options={"background": True})
    await pool.execute(FORGOTTEN)
    chat = await replica.someone_asks("[[fault:cut x1]] [[say:Whole.]]")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, (await replica.said(chat))[-1], len(sent(sim))) == (State.W, "Whole.", 2)


async def test_a_stopped_answer_is_given_up(replica: InProcessReplica, sim: Simulator, pool: Pool) -> None:
    replica.models.settings = ModelSettings(options={"background": True})
    chat = await replica.someone_asks("[[say:Half ]] [[gate:never]]")
    await sim.gates["never"].reached()
    await noted(pool)
    await replica.machine.change(chat, Interrupt())
    rested = await replica.comes_to_rest(chat)
    assert rested.state is State.W
    response_id = await pool.fetchval("SELECT response_id FROM background_responses")
    address = f"{sim.url}/v1/responses/{response_id}"
    async with aiohttp.ClientSession(headers={"authorization": "Bearer sim-key"}) as http, http.get(address) as kept:
        assert (await kept.json())["status"] == "cancelled"
