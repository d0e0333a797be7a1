"""A provider's key and a model as they are stored."""

from uuid import UUID

from perdure.store.pool import Pool


async def stored_provider(pool: Pool) -> UUID:
    organisation = await pool.fetchval("INSERT INTO organisations (name) VALUES ('Example') RETURNING id")
    return await pool.fetchval(
        "INSERT INTO providers (organisation_id, name, dialect, base_url) "
        "VALUES ($1, 'P', 'openai_chat', '') RETURNING id",
        organisation,
    )


async def stored_model(pool: Pool, options: str) -> None:
    """A model called m."""
    await pool.execute(
        "INSERT INTO model_settings (organisation_id, name, provider_id, model, options) "
        "SELECT organisation_id, 'm', id, 'm', $2 FROM providers WHERE id = $1",
        await stored_provider(pool),
        options,
    )


async def stored_key(pool: Pool, sealed: bytes) -> UUID:
    provider = await stored_provider(pool)
    return await pool.fetchval(
        "INSERT INTO provider_keys (provider_id, secret, hint) VALUES ($1, $2, '') RETURNING id", provider, sealed
    )
