"""`perdure workspaces`: where agents act, for whoever has the machine."""

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

import typer

from perdure.access.keyring import open_keyring
from perdure.app.tool_parts import make_workspace_parts
from perdure.cli.users import with_pool
from perdure.core.errors import NotFound
from perdure.core.ids import WorkspaceId
from perdure.core.timing import SystemClock
from perdure.observe.measures.service import WorkspaceMeasures
from perdure.observe.metrics import Metrics
from perdure.settings import Settings
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.store.tables import workspaces as rows
from perdure.store.tables.workspaces import WorkspaceRow, everybodys
from perdure.workspaces.service import Workspaces

app = typer.Typer(no_args_is_help=True)
Id = Annotated[UUID, typer.Argument(help="The ID that `list` shows.")]


@app.command("list")
def list_workspaces() -> None:
    """List all workspaces, most recently used first."""
    rows = with_pool(everybodys)
    if not rows:
        typer.echo("There are no workspaces.", err=True)
    for row in rows:
        used = row.used_at.isoformat(timespec="seconds")
        typer.echo(f"{row.id}  {row.status}  {row.template}  {row.email}  used {used}")


@app.command()
def stop(workspace: Id) -> None:
    """Stop everything that runs in a workspace; its files are kept."""
    _with_workspace(workspace, lambda workspaces, row: workspaces.stop(row))
    typer.echo("It is stopped.")


@app.command()
def remove(workspace: Id) -> None:
    """Remove a workspace and all its files."""

    async def work(workspaces: Workspaces, row: WorkspaceRow) -> None:
        await workspaces.remove(row)
        await rows.remove(workspaces.pool, row.id)

    _with_workspace(workspace, work)
    typer.echo("It is gone.")


def _with_workspace(workspace: UUID, work: Callable[[Workspaces, WorkspaceRow], Awaitable[None]]) -> None:
    async def run(pool: Pool) -> None:
        measures = WorkspaceMeasures(Metrics())
        settings = Settings.from_environment()
        keyring = open_keyring(settings.secret_key, settings.data_dir)
        workspaces = make_workspace_parts(settings, pool, LocalBus(), SystemClock(), measures, keyring).workspaces
        row = await rows.load(pool, WorkspaceId(workspace))
        if row is None:
            raise NotFound("Workspace not found.")
        try:
            await work(workspaces, row)
        finally:
            await workspaces.close()

    with_pool(run)
