"""Sealing stored secrets anew, so that an old key of the deployment can be let go."""

from asyncpg import Pool, Record

from perdure.access.keyring import Keyring
from perdure.config.config import KEY_PURPOSE
from perdure.config.hooks import HOOK_PURPOSE
from perdure.config.mcp import GRANT_PURPOSE, SERVER_PURPOSE
from perdure.store.queries import query

SEALED = {
    "provider_keys": KEY_PURPOSE,
    "mcp_servers": SERVER_PURPOSE,
    "mcp_grants": GRANT_PURPOSE,
    "hooks": HOOK_PURPOSE,
}
"""Where secrets are kept for longer than a day, and what each is sealed for."""


async def seal_anew(pool: "Pool[Record]", keyring: Keyring) -> int:
    """Seal with the first key whatever an older one sealed. How many there were."""
    count = 0
    for table, purpose in SEALED.items():
        for row in await pool.fetch(query(f"secrets/list_{table}")):
            sealed: bytes = row["secret"]
            if keyring.stale(sealed):
                secret = keyring.open(sealed, purpose)
                await pool.execute(query(f"secrets/seal_{table}"), sealed, keyring.seal(secret, purpose))
                count += 1
    return count
