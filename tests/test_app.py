"""How a replica starts."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from perdure.access.signing_in import FirstAccount
from perdure.app.foundation import migrate_database, require_login
from perdure.core.errors import Misconfigured
from perdure.core.ids import OrganisationId, UserId
from perdure.proof.proxy import Proxy
from perdure.settings import Address, Settings

NOBODY_SIGNS_IN = FirstAccount(UserId(UUID(int=1)), OrganisationId(UUID(int=2)), reachable=False)


async def test_a_replica_waits_for_a_database_that_is_still_starting(database_url: str) -> None:
    proxy = Proxy(database_url)
    applying = asyncio.create_task(migrate_database(proxy.url, patience=timedelta(minutes=1)))
    await asyncio.sleep(0)
    async with proxy.running():
        assert await applying == ()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "127.example.com", "localhost.example.com", "::12"])
def test_an_address_that_others_reach_needs_somebody_who_can_sign_in(host: str) -> None:
    settings = replace(Settings.from_environment({}), bind=Address(host, 8080))
    with pytest.raises(Misconfigured, match="Set a password first"):
        require_login(settings, NOBODY_SIGNS_IN)
    require_login(settings, replace(NOBODY_SIGNS_IN, reachable=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_the_machine_itself_is_let_in_before_anybody_has_a_password(host: str) -> None:
    require_login(replace(Settings.from_environment({}), bind=Address(host, 8080)), NOBODY_SIGNS_IN)
