"""Chain mode of the Responses API: a new turn sends only what is new, and a forgotten chain is mended once."""

from typing import Any

import msgspec
import pytest
from msgspec import structs
from tests.providers.routes import TOOLS, assistant, route, tool, user

from perdure.core.message import FinishReason, Kind, NewMessage, ProviderMetadata, Reasoning, Text, ToolCall, ToolResult
from perdure.providers.client import ProviderClient
from perdure.providers.dialects.openai_responses.encode import link
from perdure.providers.request import ModelRequest, ModelSettings
from perdure.sim.server import Simulator

CHAINED = ModelSettings(options={"chain": True})


def stored(*parts: Any, response_id: str | None = "resp_1") -> NewMessage:
    finished = structs.replace(assistant(*parts), finish_reason=FinishReason.STOP)
    return structs.replace(finished, provider_response_id=response_id)


def test_only_a_new_turn_hangs_on_a_stored_answer() -> None:
    hi, more = user("hi"), user("more")
    call = ToolCall("c", "look", "{}")
    assert link([hi, stored("Hello."), more], "m") == ("resp_1", [more])
    assert link([hi, stored("Hello."), more, user("and more")], "m") == ("resp_1", [more, user("and more")])
    assert link([hi], "m") is None
    assert link([hi, stored("Hello.")], "m") is None
    assert link([hi, stored("Hello.", response_id=None), more], "m") is None
    assert link([hi, stored(call), tool(ToolResult("c", "look", "seen")), more], "m") is None
    assert link([hi, stored("Hello."), structs.replace(user("Summary"), kind=Kind.BOUNDARY), more], "m") is None
    cut = structs.replace(stored("Hel"), finish_reason=FinishReason.INTERRUPTED)
    assert link([hi, cut, more], "m") is None
    thought = Reasoning("Hm.", provider_metadata=ProviderMetadata("openai_responses", "another", {}))
    assert link([hi, stored(thought, "Hello."), more], "m") is None
    assert link([hi, stored(thought, "Hello."), more], "another") == ("resp_1", [more])


def sent(sim: Simulator) -> list[dict[str, Any]]:
    return [msgspec.json.decode(entry.body, type=dict[str, Any]) for entry in sim.requests]


async def test_the_second_turn_sends_only_the_new_message(sim: Simulator, client: ProviderClient) -> None:
    way, first = route(sim, "openai_responses"), user("[[say:One.]]")
    answer = await client.complete(way, ModelRequest(messages=[first], tools=TOOLS, settings=CHAINED))
    said = stored(*answer.parts, response_id=answer.finish.response_id)
    again = ModelRequest(messages=[first, said, user("[[say:Two.]]")], tools=TOOLS, settings=CHAINED)
    assert [part.text for part in (await client.complete(way, again)).parts if isinstance(part, Text)] == ["Two."]
    before, now = sent(sim)
    assert (before["store"], "previous_response_id" in before) == (True, False)
    assert (now["previous_response_id"], len(now["input"])) == (answer.finish.response_id, 1)


async def test_a_forgotten_chain_is_told_everything_once(sim: Simulator, client: ProviderClient) -> None:
    history = [user("hi"), stored("Hello.", response_id="resp_forgotten"), user("[[say:Two.]]")]
    answer = await client.complete(route(sim, "openai_responses"), ModelRequest(messages=history, settings=CHAINED))
    assert [part.text for part in answer.parts if isinstance(part, Text)] == ["Two."]
    assert [(entry.status, len(body["input"])) for entry, body in zip(sim.requests, sent(sim), strict=True)] == [
        (400, 1),
        (200, 3),
    ]
    assert sent(sim)[1]["store"] is True


@pytest.mark.parametrize("option", ["chain", "background"])
async def test_our_own_options_are_not_sent_as_they_are(sim: Simulator, client: ProviderClient, option: str) -> None:
    settings = ModelSettings(options={option: False})
    await client.complete(
        route(sim, "openai_responses"), ModelRequest(messages=[user("[[say:Hi.]]")], settings=settings)
    )
    assert option not in sent(sim)[0]
    assert sent(sim)[0]["store"] is False
