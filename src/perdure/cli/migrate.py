"""`perdure migrate`: bring the database to the newest schema, and say what was done."""

import asyncio

import typer

from perdure.app.foundation import migrate_database
from perdure.settings import Settings
from perdure.store.database import open_database


def command() -> None:
    applied = asyncio.run(_migrate(Settings.from_environment()))
    for name in applied:
        typer.echo(f"applied {name}")
    if not applied:
        typer.echo("Nothing to do: the schema is the newest.")


async def _migrate(settings: Settings) -> tuple[str, ...]:
    async with open_database(settings) as url:
        return await migrate_database(url)
