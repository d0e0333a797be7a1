"""A replica keeps its right to its chats whatever its database does."""

import asyncio
import threading

from perdure.core.clock import SystemClock
from perdure.core.errors import Misconfigured
from perdure.proof.proxy import Fate, Proxy
from perdure.store.connection import connect
from perdure.store.hosts import ServerConnection
from perdure.store.pool import Pool
from perdure.store.replicas import Renewal
from perdure.worker.lease import Lease


async def test_a_lease_is_renewed_again_after_the_database_could_not_be_reached(database_url: str, pool: Pool) -> None:
    opened: list[ServerConnection] = []
    refused = asyncio.Event()
    renewed = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def connecting() -> ServerConnection:
        if opened and not refused.is_set():
            loop.call_soon_threadsafe(refused.set)
            raise Misconfigured("The database cannot be reached.")
        opened.append(await connect(database_url))
        return opened[-1]

    def note(_renewal: Renewal, _asked: float) -> None:
        if refused.is_set():
            renewed.set()

    lease = Lease(connecting, SystemClock())
    lease.when_renewed(note, lambda: None)
    await lease.start()
    # From outside: the connection belongs to the lease's own thread.
    await pool.execute("SELECT pg_terminate_backend($1)", opened[0].get_server_pid())
    async with asyncio.timeout(60):
        await renewed.wait()
    assert lease.valid
    await lease.stop()


async def test_a_lease_that_cannot_be_given_back_ends_all_the_same(database_url: str) -> None:
    proxy = Proxy(database_url)
    async with proxy.running():
        lease = Lease(lambda: connect(proxy.url), SystemClock())
        others = set(threading.enumerate())
        await lease.start()
        (thread,) = [each for each in set(threading.enumerate()) - others if each.name == "lease"]
        proxy.decide = lambda _: Fate.LOSE_REQUEST
        await lease.stop()
        await asyncio.to_thread(thread.join, 60)
    assert not thread.is_alive()
