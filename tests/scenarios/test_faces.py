"""A replica is killed in the middle of what another protocol streams."""

from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet

SAID = "[[think:Let me see.]] [[say:Once upon a time there was]] [[gate:middle]] [[say:an end, and all was well.]]"


def _client(fleet: Fleet, number: int) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=f"{fleet.replicas[number].url}/v1", api_key=fleet.person.token, max_retries=0)


async def _events(stream: Any) -> list[str]:
    return [event.to_json(indent=None) async for event in stream]


async def test_a_background_response_goes_on_at_another_replica_after_a_kill(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        await fleet.ready()
        async with _client(fleet, 0) as first, _client(fleet, 1) as second:
            created = await first.responses.create(model="demo", input=SAID, background=True)
            seen: list[str] = []
            async for event in await first.responses.retrieve(created.id, stream=True):
                seen.append(event.to_json(indent=None))
                if event.type == "response.output_text.delta" and "time" in event.delta:
                    break
            await fleet.dies(0)
            resumed = await second.responses.retrieve(created.id, stream=True, starting_after=len(seen) - 1)
            await fleet.sim.gates["middle"].set(open=True)
            rest = await _events(resumed)
            # As if nothing had happened: as somebody reads it who comes later.
            assert seen + rest == await _events(await second.responses.retrieve(created.id, stream=True))
            done = await second.responses.retrieve(created.id)
            assert done.status == "completed"
            assert done.output_text == "Once upon a time there wasan end, and all was well."
