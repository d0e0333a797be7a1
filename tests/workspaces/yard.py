"""Workspaces on this host as the service keeps them, with their rows."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from tests.workspaces.inside import PATIENCE

from perdure.core.ids import WorkspaceId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.store.pubsub import LocalBus
from perdure.store.tables import workspaces
from perdure.store.tables.templates import packed
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.local.layout import Layout
from perdure.workspaces.service import Wish, Workspaces
from perdure.workspaces.templates.catalogue import TemplateCatalogue


class Yard:
    """Workspaces on this host, and how they stand."""

    def __init__(self, pool: Pool, folder: Path, wish: Wish) -> None:
        self._pool = pool
        self.folder = folder
        self.wish = replace(wish, template="blank")
        self.service = self.replica()

    def replica(self, patience: timedelta = PATIENCE) -> Workspaces:
        drivers, templates = Drivers(self.folder, LocalDriver(self.folder)), TemplateCatalogue(self._pool)
        return Workspaces(self._pool, drivers, templates, LocalBus(), SystemClock(), patience=patience)

    async def made(self) -> WorkspaceRow:
        return await self.row((await self.service.create(WorkspaceId(uuid4()), self.wish)).id)

    async def row(self, workspace_id: WorkspaceId) -> WorkspaceRow:
        found = await workspaces.load(self._pool, workspace_id)
        assert found is not None
        return found

    def layout(self, row: WorkspaceRow) -> Layout:
        return Layout(self.folder / str(row.id))

    def agent(self, row: WorkspaceRow) -> int:
        """The agent program, as this host numbers it."""
        return int(json.loads(self.layout(row).information("agent").read_text())["child-pid"])

    async def offers(self, name: str, recipe: str) -> None:
        insert = "INSERT INTO templates (organisation_id, name, recipe, readme, files) VALUES ($1, $2, $3, '', $4)"
        await self._pool.execute(insert, self.wish.organisation_id, name, recipe, packed({}))

    async def clear(self) -> None:
        for record in await self._pool.fetch("SELECT id FROM workspaces"):
            row = await workspaces.load(self._pool, record["id"])
            assert row is not None
            await self.service.remove(row)
        await self.service.close()
