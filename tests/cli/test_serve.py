"""How a server ends."""

import asyncio
import signal
from pathlib import Path

import aiohttp

from perdure.store.pool import Pool
from perdure.testing.fleet import open_fleet
from perdure.testing.polling import PATIENCE, seen

LONG = {"PERDURE_DRAIN_SECONDS": "600"}


async def test_a_second_ctrl_c_waits_neither_for_what_runs_nor_for_those_who_follow_it(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with (
        open_fleet(database_url, pool, tmp_path, count=1, environment=LONG) as fleet,
        aiohttp.ClientSession() as http,
    ):
        await fleet.ready()
        replica = fleet.replicas[0]

        async def drains() -> bool:
            async with http.get(f"{replica.url}/readyz") as answer:
                return answer.status == 503

        chat = await fleet.asks(0, "[[say:one]] [[gate:never]]")
        events = fleet.at(0).events(f"/chats/{chat}/stream")
        await anext(events)
        replica.process.send_signal(signal.SIGINT)
        await seen(drains)
        replica.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE.total_seconds()):
            _ = [event async for event in events]
            assert await replica.process.wait() == 0
