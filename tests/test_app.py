"""How a replica starts."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from perdure.access.signing_in import Household
from perdure.app.ground import bring_up_to_date, refuse_open_door
from perdure.core.errors import Misconfigured
from perdure.core.ids import OrganisationId, UserId
from perdure.proof.proxy import Proxy
from perdure.settings import Address, Settings

NOBODY_SIGNS_IN = Household(UserId(UUID(int=1)), OrganisationId(UUID(int=2)), reachable=False)


async def test_a_replica_waits_for_a_database_that_is_still_starting(database_url: str) -> None:
    proxy = Proxy(database_url)
    applying = asyncio.create_task(bring_up_to_date(proxy.url, patience=timedelta(minutes=1)))
    await asyncio.sleep(0)
    async with proxy.running():
        assert await applying == ()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "127.example.com", "localhost.example.com", "::12"])
def test_an_address_that_others_reach_needs_somebody_who_can_sign_in(host: str) -> None:
    settings = replace(Settings.from_environment({}), bind=Address(host, 8080))
    with pytest.raises(Misconfigured, match="Set a password first"):
        refuse_open_door(settings, NOBODY_SIGNS_IN)
    refuse_open_door(settings, replace(NOBODY_SIGNS_IN, reachable=True))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_the_machine_itself_is_let_in_before_anybody_has_a_password(host: str) -> None:
    refuse_open_door(replace(Settings.from_environment({}), bind=Address(host, 8080)), NOBODY_SIGNS_IN)
