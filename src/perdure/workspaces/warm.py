"""Warm starts: workspaces made ahead of their use, for templates that want some to stand ready."""

import hashlib
import logging
from collections.abc import Sequence
from contextlib import suppress
from uuid import uuid4

import msgspec

from perdure.core.errors import PerdureError
from perdure.core.ids import OrganisationId, WorkspaceId
from perdure.core.tasks import BackgroundTasks
from perdure.core.timing import WARM_LONGEST, WARM_MAKING, WARM_PERIOD, Clock
from perdure.store.pool import Pool
from perdure.store.tables import warm_workspaces
from perdure.store.tables.warm_workspaces import NewWarm, WarmRow
from perdure.workspaces.driver import Network, restored, stored
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.templates.building import Bound, bind, build
from perdure.workspaces.templates.catalogue import TemplateCatalogue
from perdure.workspaces.templates.template import Template

_log = logging.getLogger(__name__)


def version_of(bound: Bound) -> str:
    """What a workspace made from this is made of. Another value of a parameter makes another workspace."""
    made_of = (bound.template.recipe, sorted(bound.template.files.items()), sorted(bound.values.items()))
    return hashlib.sha256(msgspec.json.encode(made_of)).hexdigest()


def may_be_warm(template: Template) -> bool:
    """A template that must be told something first cannot be made ahead; a proxy's rules belong to a chat."""
    recipe = template.recipe
    return (
        recipe.warm > 0
        and recipe.network is not Network.ALLOW
        and all(each.default is not None for each in recipe.parameters)
    )


class WarmWorkspaces:
    """Keeps as many ready as templates say, with all other replicas."""

    def __init__(self, pool: Pool, drivers: Drivers, templates: TemplateCatalogue, clock: Clock) -> None:
        self._pool, self._drivers, self._templates, self._clock = pool, drivers, templates, clock
        self._tasks = BackgroundTasks(_log)

    async def run(self) -> None:
        """Fill gaps and clear what is too old, until cancelled."""
        try:
            while True:
                await self._clock.sleep(WARM_PERIOD.total_seconds())
                try:
                    await self.round()
                except PerdureError as error:
                    _log.warning("workspaces were not made ahead: %s", error)
        finally:
            self._tasks.cancel()
            await self._tasks.settled()

    async def round(self) -> None:
        rows = await warm_workspaces.listed(self._pool)
        wanted = await self._wanted()
        for row in rows:
            current = wanted.get((row.organisation_id, row.template))
            stale = current is None or version_of(current) != row.version or row.place >= current.template.recipe.warm
            if stale and row.status == "ready":
                self._tasks.start(self._remove(row), "removing a workspace made ahead")
        for row in await warm_workspaces.abandoned(self._pool, WARM_MAKING, WARM_LONGEST):
            self._tasks.start(self._remove(row), "removing a workspace made ahead")
        for (organisation, name), bound in wanted.items():
            await self._fill(organisation, name, bound, rows)

    async def settled(self) -> None:
        """Until what this replica makes and removes is made and removed."""
        await self._tasks.settled()

    async def _wanted(self) -> dict[tuple[OrganisationId, str], Bound]:
        """The templates that want any. Those that are shipped want none."""
        found: dict[tuple[OrganisationId, str], Bound] = {}
        for row in await warm_workspaces.brought(self._pool):
            with suppress(PerdureError):
                template = await self._templates.find(row.organisation_id, row.name)
                if may_be_warm(template):
                    found[row.organisation_id, row.name] = bind(template, {})
        return found

    async def _fill(self, organisation: OrganisationId, name: str, bound: Bound, rows: Sequence[WarmRow]) -> None:
        version = version_of(bound)
        held = {
            row.place
            for row in rows
            if (row.organisation_id, row.template, row.version) == (organisation, name, version)
            and row.status != "leaving"
        }
        for place in sorted(set(range(bound.template.recipe.warm)) - held):
            workspace = WorkspaceId(uuid4())
            plan = bound.plan(workspace)
            driver = bound.template.recipe.driver
            fresh = NewWarm(workspace, organisation, name, version, place, driver, stored(plan))
            if await warm_workspaces.begin(self._pool, fresh) is not None:
                self._tasks.start(self._make(fresh, bound), "making a workspace ahead")

    async def _make(self, warm: NewWarm, bound: Bound) -> None:
        try:
            driver = self._drivers.of(warm.driver, bound.template.recipe.settings)
            async for _ in build(driver, warm.id, bound):
                pass
        except PerdureError as error:
            # It is tried again when it is taken for abandoned, not at once.
            _log.warning("a workspace of template %s was not made ahead: %s", warm.template, error)
            return
        if await warm_workspaces.ready(self._pool, warm.id) is None:
            await driver.remove(restored(warm.plan))

    async def _remove(self, row: WarmRow) -> None:
        """Nobody can take it any more, then its files go, then its row: whatever is cut short is done again."""
        if await warm_workspaces.leave(self._pool, row.id) is None:
            return
        plan = restored(row.plan)
        try:
            await self._drivers.of(row.driver, plan.settings).remove(plan)
        except (PerdureError, OSError) as error:
            _log.warning("workspace %s that was made ahead stays for now: %s", row.id, error)
            return
        await warm_workspaces.forget(self._pool, row.id)
