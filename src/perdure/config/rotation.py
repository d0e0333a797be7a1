"""Sealing stored secrets anew, so that an old key of the deployment can be let go."""

from asyncpg import Pool, Record

from perdure.access.keyring import Keyring
from perdure.access.login_services import SECRET_PURPOSE as LOGIN_PURPOSE
from perdure.access.vapid import PURPOSE as VAPID_PURPOSE
from perdure.config.config import KEY_PURPOSE
from perdure.config.hooks import HOOK_PURPOSE
from perdure.config.mcp import GRANT_PURPOSE, SERVER_PURPOSE
from perdure.store.queries import query

SEALED = {
    "provider_keys": KEY_PURPOSE,
    "mcp_servers": SERVER_PURPOSE,
    "mcp_registrations": GRANT_PURPOSE,
    "mcp_grants": GRANT_PURPOSE,
    "hooks": HOOK_PURPOSE,
    "login_services": LOGIN_PURPOSE,
    "deployment_secrets": VAPID_PURPOSE,
}
"""What is kept sealed for longer than a day, and what each kind is sealed for."""


async def seal_anew(pool: "Pool[Record]", keyring: Keyring) -> int:
    """Seal with the first key whatever an older one sealed. How many there were."""
    count = 0
    for kind, purpose in SEALED.items():
        for row in await pool.fetch(query(f"secrets/list_{kind}")):
            sealed: bytes = row["secret"]
            if keyring.stale(sealed):
                secret = keyring.open(sealed, purpose)
                await pool.execute(query(f"secrets/seal_{kind}"), sealed, keyring.seal(secret, purpose))
                count += 1
    return count
