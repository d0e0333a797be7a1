"""Signing in while the database is away: whoever tries is told to try again."""

from collections.abc import Awaitable, Callable

import pytest

from perdure.access.keyring import Keyring
from perdure.access.login_services import LoginServices
from perdure.access.oidc import Oidc
from perdure.access.signing_in import SignIn, Visitor
from perdure.core.errors import Unavailable
from perdure.core.timing import SystemClock
from perdure.store.pool import open_pool

SOMEBODY = Visitor("127.0.0.1")
WAYS: dict[str, Callable[[SignIn, LoginServices], Awaitable[object]]] = {
    "methods": lambda sign_in, _: sign_in.reachable(),
    "services": lambda _, services: services.offered(),
    "password": lambda sign_in, _: sign_in.by_password("ada@example.com", "long enough", SOMEBODY),
    "link": lambda sign_in, _: sign_in.by_link("pdl_any", SOMEBODY),
    "service": lambda _, services: services.begin("any", "http://127.0.0.1/callback"),
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_database_that_is_away_is_not_a_bug(database_url: str, way: str) -> None:
    clock = SystemClock()
    async with open_pool(database_url) as pool:
        sign_in = SignIn(pool, clock)
        services = LoginServices(pool, Keyring.of(["a key that only tests use"]), Oidc(clock), clock)
    with pytest.raises(Unavailable):
        await WAYS[way](sign_in, services)
