"""How a replica starts."""

import asyncio
from datetime import timedelta

from perdure.app.ground import bring_up_to_date
from perdure.proof.proxy import Proxy


async def test_a_replica_waits_for_a_database_that_is_still_starting(database_url: str) -> None:
    proxy = Proxy(database_url)
    applying = asyncio.create_task(bring_up_to_date(proxy.url, patience=timedelta(minutes=1)))
    await asyncio.sleep(0)
    async with proxy.running():
        assert await applying == ()
