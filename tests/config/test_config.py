"""Configuration is loaded once, kept, and forgotten the moment that it changes."""

import asyncio
from datetime import timedelta

import pytest
from asyncpg import Record

from perdure.access.keyring import Keyring
from perdure.access.signing_in import FirstAccount, first_account
from perdure.config.config import KEY_PURPOSE, Config
from perdure.config.demo import offer_demo
from perdure.core.errors import Unavailable
from perdure.core.ids import ModelName
from perdure.core.timing import SystemClock
from perdure.store.cache import Cache
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.testing.clock import HurriedClock

KEYRING = Keyring.of(["a secret key that only tests use"])


class CountingPool:
    """A pool that says how many statements went through it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.statements = 0

    async def fetch(self, sql: str, *values: object, timeout: float | None = None) -> list[Record]:
        self.statements += 1
        return await self._pool.fetch(sql, *values, timeout=timeout)

    async def fetchrow(self, sql: str, *values: object, timeout: float | None = None) -> Record | None:
        self.statements += 1
        return await self._pool.fetchrow(sql, *values, timeout=timeout)


@pytest.fixture
async def account(pool: Pool) -> FirstAccount:
    return await first_account(pool)


def config_over(pool: "Pool | CountingPool", bus: LocalBus) -> Config:
    # Time stands still: nothing runs out, however long a busy machine takes.
    config = Config(pool, bus, KEYRING, HurriedClock(0))  # pyright: ignore[reportArgumentType]
    config.follow()
    return config


async def test_a_warm_turn_costs_no_query(pool: Pool, account: FirstAccount) -> None:
    await offer_demo(pool, account.organisation, "http://127.0.0.1:1")
    counting = CountingPool(pool)
    config = config_over(counting, LocalBus())

    async def turn() -> None:
        model = await config.model(account.organisation, None)
        assert model is not None
        assert model.name == "demo"
        assert await config.model(account.organisation, ModelName("nothing")) is None
        await config.settings(account.organisation)
        await config.key(model.provider.id, organisation_id=account.organisation, user_id=account.owner)

    await asyncio.gather(*(turn() for _ in range(20)))
    assert counting.statements == 10, "six for the organisation and four for the person, once for all who asked"
    await turn()
    assert counting.statements == 10


async def test_a_change_on_another_replica_is_heard(pool: Pool, account: FirstAccount) -> None:
    bus = LocalBus()
    here, there = config_over(pool, bus), config_over(pool, bus)
    assert (await here.settings(account.organisation)).system_prompt == ""
    await pool.execute(
        "INSERT INTO settings (organisation_id, name, value) VALUES ($1, 'system_prompt', '\"Be brief.\"')",
        account.organisation,
    )
    assert (await here.settings(account.organisation)).system_prompt == ""
    there.changed(account.organisation)
    assert (await here.settings(account.organisation)).system_prompt == "Be brief."


async def test_a_value_that_no_longer_fits_counts_as_not_set(pool: Pool, account: FirstAccount) -> None:
    await pool.execute(
        "INSERT INTO settings (organisation_id, name, value) VALUES ($1, 'step_limit', '\"many\"'), ($1, 'gone', '1')",
        account.organisation,
    )
    settings = await config_over(pool, LocalBus()).settings(account.organisation)
    assert settings.step_limit == 1_200


async def test_a_personal_key_pays_before_the_deployments(pool: Pool, account: FirstAccount) -> None:
    await offer_demo(pool, account.organisation, "http://127.0.0.1:1")
    provider = await pool.fetchval("SELECT id FROM providers")
    config = config_over(pool, LocalBus())

    async def key() -> str | None:
        return await config.key(provider, organisation_id=account.organisation, user_id=account.owner)

    assert await key() is None
    put = "INSERT INTO provider_keys (provider_id, user_id, secret, hint) VALUES ($1, $2, $3, '')"
    await pool.execute(put, provider, None, KEYRING.seal("ours", KEY_PURPOSE))
    config.changed(account.organisation)
    assert await key() == "ours"
    await pool.execute(put, provider, account.owner, KEYRING.seal("mine", KEY_PURPOSE))
    config.changed_personal(account.owner)
    assert await key() == "mine"


async def test_the_demo_gives_way_to_a_provider_of_ones_own(pool: Pool, account: FirstAccount) -> None:
    await pool.execute(
        "INSERT INTO providers (organisation_id, name, dialect, base_url) VALUES ($1, 'real', 'gemini', 'http://x')",
        account.organisation,
    )
    assert not await offer_demo(pool, account.organisation, "http://127.0.0.1:1")


async def test_a_slow_load_does_not_overwrite_what_is_newer() -> None:
    started, goes_on = asyncio.Event(), asyncio.Event()
    values = ["old", "new"]

    async def load(_: str) -> str:
        value = values.pop(0)
        if value == "old":
            started.set()
            await goes_on.wait()
        return value

    cache = Cache[str, str](load, kept=timedelta(minutes=1), clock=SystemClock())
    slow = asyncio.create_task(cache.get("key"))
    await started.wait()
    cache.forget()
    assert await cache.get("key") == "new"
    goes_on.set()
    assert await slow == "old"
    assert await cache.get("key") == "new"


async def test_a_failed_load_is_tried_again() -> None:
    outcomes: list[Exception | str] = [Unavailable("away"), "there"]

    async def load(_: str) -> str:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    cache = Cache[str, str](load, kept=timedelta(minutes=1), clock=SystemClock())
    with pytest.raises(Unavailable, match="away"):
        await cache.get("key")
    assert await cache.get("key") == "there"
