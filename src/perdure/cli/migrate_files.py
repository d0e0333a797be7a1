"""`perdure migrate-files`: move the bytes of files into object storage, or back into Postgres."""

from datetime import timedelta
from typing import Annotated

import typer

from perdure.app.foundation import outside_network
from perdure.cli.users import with_pool
from perdure.core.errors import Misconfigured, Unavailable
from perdure.core.timing import SystemClock
from perdure.objects.client import ObjectClient
from perdure.objects.failures import StorageAway
from perdure.objects.migration import Progress, bring_back, move_out
from perdure.objects.mover import Mover
from perdure.objects.opening import object_client
from perdure.observe.measures.all import Measures
from perdure.settings import Settings
from perdure.store.pool import Pool

NOWHERE = "PERDURE_S3_URL does not say where files go. Set it as the replicas have it."
STAY = "PERDURE_S3_FROM is `never`, so that files stay in Postgres. Set it to a number of bytes to move them."
LEAVING = "Replicas would move the files out again. Set PERDURE_S3_FROM=never for them, restart them, and set it here."


def command(
    *,
    back: Annotated[bool, typer.Option("--back", help="Move files back into Postgres.")] = False,
) -> None:
    """Safe to stop at any moment, and to run again: it goes on where it was."""
    settings = Settings.from_environment()
    if settings.s3_url is None:
        raise Misconfigured(NOWHERE)
    if back and settings.s3_from:
        raise Misconfigured(LEAVING)
    if not back and not settings.s3_from:
        raise Misconfigured(STAY)
    lost = with_pool(lambda pool: _migrated(pool, settings, back=back))
    for each in lost:
        typer.echo(each, err=True)
    if lost:
        raise typer.Exit(1)


async def _migrated(pool: Pool, settings: Settings, *, back: bool) -> tuple[str, ...]:
    network, clock = outside_network(settings), SystemClock()
    client = object_client(settings, clock, Measures().objects, proxy=network.proxy, trusted=network.trusted)
    assert client is not None
    try:
        await client.check()
        return await (_back(pool, client) if back else _out(pool, client, settings, clock))
    except StorageAway as failure:
        raise Unavailable(f"{failure} Then run it again: it goes on where it was.") from failure
    finally:
        await client.close()


async def _out(pool: Pool, client: ObjectClient, settings: Settings, clock: SystemClock) -> tuple[str, ...]:
    mover = Mover(pool, client, clock, smallest=settings.s3_from, kept=timedelta(days=settings.s3_kept_days))
    last = Progress(0, 0)
    async for last in move_out(pool, mover, settings.s3_from, clock):
        _show(last)
    unused, unknown = await mover.sweep(), await mover.remove_strangers()
    typer.echo(f"{_files(last.moved)} moved into {client.bucket}.")
    if unused or unknown:
        typer.echo(f"Removed there: {unused} that no file uses, {unknown} that nobody knows.")
    return ()


async def _back(pool: Pool, client: ObjectClient) -> tuple[str, ...]:
    last = Progress(0, 0)
    async for last in bring_back(pool, client):
        _show(last)
    typer.echo(f"{_files(last.moved)} brought back.")
    if not last.left:
        typer.echo(f"Nothing is needed from {client.bucket} any more. Unset PERDURE_S3_URL, then remove it.")
    return last.lost


def _show(progress: Progress) -> None:
    if progress.left:
        typer.echo(f"{progress.moved} moved, {progress.left} left")


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
