"""The written schema is the one that the migrations make."""

import asyncio
from importlib.resources import files

from perdure.testing.schema import dumped_schema


async def test_the_written_schema_is_up_to_date(database_url: str) -> None:
    written = files("perdure.store").joinpath("schema.sql").read_text()
    assert await asyncio.to_thread(dumped_schema, database_url) == written, "run: make schema"
