"""A replica keeps its right to its chats whatever its database does."""

import asyncio
import threading
from datetime import timedelta

import pytest

from perdure.core.errors import Misconfigured
from perdure.core.timing import LEASE, LEASE_MARGIN, LOOP_STALL, SEVERED_LEASE, UNSERVED, SystemClock
from perdure.proof.proxy import Fate, Proxy
from perdure.store.connection import connect
from perdure.store.hosts import ServerConnection
from perdure.store.pool import Pool
from perdure.store.replicas import Renewal
from perdure.testing.polling import eventually
from perdure.worker.lease import Lease


async def test_a_lease_is_renewed_again_after_the_database_could_not_be_reached(database_url: str) -> None:
    opened: list[ServerConnection] = []
    refused = asyncio.Event()
    renewed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def note(_renewal: Renewal, _asked: float) -> None:
        if refused.is_set():
            renewed.set()

    async with Proxy(database_url).running() as proxy:

        async def connecting() -> ServerConnection:
            if opened and not refused.is_set():
                loop.call_soon_threadsafe(refused.set)
                raise Misconfigured("The database cannot be reached.")
            opened.append(await connect(proxy.url))
            return opened[-1]

        lease = Lease(connecting, SystemClock())
        lease.when_renewed(note, lambda: None)
        await lease.start()
        proxy.cut()
        async with asyncio.timeout(60):
            await renewed.wait()
        assert lease.valid
        await lease.stop()


@pytest.fixture
def no_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is renewed only because its time has come."""
    monkeypatch.setattr("perdure.worker.lease.RENEWAL_PERIOD", timedelta(hours=1))


@pytest.mark.usefixtures("no_beat")
async def test_a_lease_whose_connection_ends_is_renewed_at_once(database_url: str) -> None:
    opened: list[ServerConnection] = []
    async with Proxy(database_url).running() as proxy:

        async def connecting() -> ServerConnection:
            opened.append(await connect(proxy.url))
            return opened[-1]

        lease = Lease(connecting, SystemClock())
        await lease.start()
        proxy.cut()
        await asyncio.to_thread(eventually, lambda: lease.renewals["ok"] > 1, "it is renewed")
        assert len(opened) == 2
        await lease.stop()


@pytest.mark.usefixtures("no_beat")
async def test_a_lease_is_renewed_at_once_when_its_chats_can_be_written_again(database_url: str) -> None:
    lease = Lease(lambda: connect(database_url), SystemClock())
    await lease.start()
    renewed = lease.renewals["ok"]
    lease.hinder(hindered=True)
    lease.hinder(hindered=False)
    await asyncio.to_thread(eventually, lambda: lease.renewals["ok"] > renewed, "it is renewed")
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


class SetClock(SystemClock):
    """It says what it is told to say; waits take as long as ever."""

    def __init__(self) -> None:
        self.at = 100.0

    def monotonic(self) -> float:
        return self.at

    def later(self, than: timedelta) -> None:
        self.at = 100.0 + than.total_seconds()


async def test_a_lease_ends_here_before_the_database_says_so(database_url: str) -> None:
    clock, proxy = SetClock(), Proxy(database_url)
    async with proxy.running():
        lease = Lease(lambda: connect(proxy.url), clock)
        await lease.start()
        proxy.decide = lambda _: Fate.LOSE_REQUEST
        clock.later(SEVERED_LEASE - LEASE_MARGIN - timedelta(milliseconds=1))
        assert lease.valid
        clock.later(SEVERED_LEASE - LEASE_MARGIN)
        assert not lease.valid
        clock.later(LEASE - LEASE_MARGIN - timedelta(milliseconds=1))
        assert not lease.lost
        clock.later(LEASE - LEASE_MARGIN)
        assert lease.lost
        await lease.stop()


async def test_a_replica_whose_loop_hangs_loses_its_lease(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    clock = SetClock()
    lease = Lease(lambda: connect(database_url), clock)
    await lease.start()
    clock.later(LOOP_STALL + LEASE)
    await asyncio.to_thread(eventually, lambda: "the event loop hangs" in caplog.text, "it is not renewed")
    assert not lease.valid
    await lease.stop()


async def test_a_replica_that_cannot_write_loses_its_lease(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    clock = SetClock()
    lease = Lease(lambda: connect(database_url), clock)
    await lease.start()
    lease.hinder(hindered=True)
    clock.later(UNSERVED + LEASE)
    lease.tick()
    await asyncio.to_thread(eventually, lambda: "cannot be written" in caplog.text, "it is not renewed")
    assert not lease.valid
    await lease.stop()


async def test_a_replica_whose_lease_ran_out_goes_on_under_another_id(database_url: str, pool: Pool) -> None:
    renamed = asyncio.Event()
    lease = Lease(lambda: connect(database_url), SystemClock())
    lease.when_renewed(lambda _renewal, _asked: None, renamed.set)
    await lease.start()
    before = lease.id
    await pool.execute("UPDATE replicas SET seen_at = 'epoch' WHERE id = $1", before)
    async with asyncio.timeout(60):
        await renamed.wait()
    assert lease.id != before
    await lease.stop()
