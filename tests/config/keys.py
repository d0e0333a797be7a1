"""A provider's key as it is stored."""

from uuid import UUID

from perdure.store.pool import Pool


async def stored_key(pool: Pool, sealed: bytes) -> UUID:
    organisation = await pool.fetchval("INSERT INTO organisations (name) VALUES ('Example') RETURNING id")
    provider = await pool.fetchval(
        "INSERT INTO providers (organisation_id, name, dialect, base_url) "
        "VALUES ($1, 'P', 'openai_chat', '') RETURNING id",
        organisation,
    )
    return await pool.fetchval(
        "INSERT INTO provider_keys (provider_id, secret, hint) VALUES ($1, $2, '') RETURNING id", provider, sealed
    )
