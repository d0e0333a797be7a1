"""What the simulator writes down: requests without keys, and clients that go away."""

import asyncio

import aiohttp
from openai import AsyncOpenAI

from perdure.sim.recording import Filter
from perdure.sim.server import Simulator


async def test_requests_are_recorded_without_the_key(sim: Simulator, openai: AsyncOpenAI) -> None:
    await openai.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello there"}])
    async with aiohttp.ClientSession() as client, client.get(f"{sim.url}/sim/requests?model=m&marker=hello") as answer:
        recorded = await answer.text()
        (entry,) = (await answer.json())["requests"]
    assert entry["body"]["messages"][0]["content"] == "hello there"
    assert entry["headers"]["authorization"] == "[redacted]"
    assert openai.api_key not in recorded


async def test_a_client_that_goes_away_is_noticed(sim: Simulator) -> None:
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "[[say:hi]][[gate:door]]"}]}
    async with aiohttp.ClientSession(headers={"authorization": "Bearer k"}) as client:
        answer = await client.post(f"{sim.url}/v1/chat/completions", json=body)
        await sim.gates["door"].reached()
        answer.close()
        async with asyncio.timeout(60):
            (entry,) = await sim.recording.until(1, Filter(closed=True))
    assert entry.client_closed_at is not None
    assert entry.client_closed_at >= entry.at
    assert sim.gates["door"].waiting == 0
