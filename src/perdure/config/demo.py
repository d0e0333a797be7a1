"""A model for people who have no key yet: the simulator, as the only provider of a fresh deployment."""

import asyncio
from urllib.parse import urlsplit

import msgspec

from perdure.config.models import ModelOptions, Price
from perdure.core.ids import OrganisationId
from perdure.core.message import Effort
from perdure.core.timing import DEMO_PATIENCE
from perdure.store.errors import transaction
from perdure.store.pool import Pool
from perdure.store.tables import models, providers

_OPTIONS = ModelOptions(
    context_window=200_000,
    max_output_tokens=8_000,
    max_effort=Effort.NONE,
    images=True,
    documents=True,
    price=Price(input=0, output=0),
)


async def offer_demo(pool: Pool, organisation_id: OrganisationId, url: str) -> bool:
    """Make the simulator at this address the default model, unless somebody set up a provider of their own.

    A simulator that another process brought stays, as long as it answers: its chats must not lose their model.
    """
    known = await providers.demo_url(pool, organisation_id)
    if known is not None and await _answers(known):
        return True
    async with transaction(pool) as connection:
        provider = await providers.put_demo(connection, organisation_id, url)
        if provider is None:
            return False
        options = msgspec.json.encode(_OPTIONS).decode()
        await models.put_demo(connection, organisation_id, provider, options)
        return True


async def _answers(url: str) -> bool:
    """Whether somebody listens there."""
    place = urlsplit(url)
    try:
        async with asyncio.timeout(DEMO_PATIENCE.total_seconds()):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
