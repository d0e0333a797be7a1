"""Folders for the workspaces of a test: their users can reach them, and what runs in them ends with the test."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from perdure.store.pool import Pool
from perdure.workspaces.driver import Plan
from perdure.workspaces.local.driver import LocalDriver


@asynccontextmanager
async def workspace_folder(pool: Pool, folder: Path | None = None) -> AsyncGenerator[Path]:
    """A folder for workspaces; all that the database knows are gone with it."""
    with tempfile.TemporaryDirectory(prefix="perdure-workspaces-") as name:
        place = folder or Path(name)
        _open_to_users(place)
        driver = LocalDriver(place)
        try:
            yield place
        finally:
            for (workspace_id,) in await pool.fetch("SELECT id FROM workspaces"):
                await driver.remove(Plan(workspace_id))
            await driver.close()


def _open_to_users(folder: Path) -> None:
    """Workspaces run as users of their own, who must be able to reach their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    closed = (place for place in (folder, *folder.parents) if not place.stat().st_mode & 0o001)
    for place in closed:
        place.chmod(0o755)
