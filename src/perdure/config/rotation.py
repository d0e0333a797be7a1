"""Sealing stored secrets anew, so that an old key of the deployment can be let go."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from perdure.access.keyring import Keyring
from perdure.access.login_services import SECRET_PURPOSE as LOGIN_PURPOSE
from perdure.access.vapid import PURPOSE as VAPID_PURPOSE
from perdure.config.config import KEY_PURPOSE
from perdure.config.hooks import HOOK_PURPOSE
from perdure.config.mcp import GRANT_PURPOSE, SERVER_PURPOSE
from perdure.config.network import NETWORK_PURPOSE
from perdure.config.triggers import TRIGGER_PURPOSE
from perdure.config.webhooks import WEBHOOK_PURPOSE
from perdure.store.pool import Pool
from perdure.store.scopes import Database
from perdure.store.tables import secrets


class Sealed(NamedTuple):
    """A kind of secret that is kept sealed: what for, how to list them, how to put one in another's place."""

    purpose: str
    listed: Callable[[Database], Awaitable[list[bytes]]]
    seal: Callable[[Database, bytes, bytes], Awaitable[None]]


SEALED = {
    "provider_keys": Sealed(KEY_PURPOSE, secrets.list_provider_keys, secrets.seal_provider_keys),
    "mcp_servers": Sealed(SERVER_PURPOSE, secrets.list_mcp_servers, secrets.seal_mcp_servers),
    "mcp_registrations": Sealed(GRANT_PURPOSE, secrets.list_mcp_registrations, secrets.seal_mcp_registrations),
    "mcp_grants": Sealed(GRANT_PURPOSE, secrets.list_mcp_grants, secrets.seal_mcp_grants),
    "webhooks": Sealed(WEBHOOK_PURPOSE, secrets.list_webhooks, secrets.seal_webhooks),
    "triggers": Sealed(TRIGGER_PURPOSE, secrets.list_triggers, secrets.seal_triggers),
    "hooks": Sealed(HOOK_PURPOSE, secrets.list_hooks, secrets.seal_hooks),
    "network_secrets": Sealed(NETWORK_PURPOSE, secrets.list_network_secrets, secrets.seal_network_secrets),
    "own_network_secrets": Sealed(NETWORK_PURPOSE, secrets.list_own_network_secrets, secrets.seal_own_network_secrets),
    "login_services": Sealed(LOGIN_PURPOSE, secrets.list_login_services, secrets.seal_login_services),
    "deployment_secrets": Sealed(VAPID_PURPOSE, secrets.list_deployment_secrets, secrets.seal_deployment_secrets),
}
"""What is kept sealed for longer than a day."""


async def seal_anew(pool: Pool, keyring: Keyring) -> int:
    """Seal with the first key whatever an older one sealed. How many there were."""
    count = 0
    for kind in SEALED.values():
        for sealed in await kind.listed(pool):
            if keyring.stale(sealed):
                await kind.seal(pool, sealed, keyring.seal(keyring.open(sealed, kind.purpose), kind.purpose))
                count += 1
    return count
