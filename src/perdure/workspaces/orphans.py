"""What clusters have of workspaces that nobody knows: found by label, and removed after a while."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress

from perdure.core.errors import PerdureError
from perdure.core.ids import WorkspaceId
from perdure.core.timing import ORPHAN_KEPT, ORPHAN_SWEEP, Clock
from perdure.store.pool import Pool
from perdure.store.scopes import Database
from perdure.store.tables import templates, workspaces
from perdure.workspaces.driver import Plan, restored
from perdure.workspaces.drivers import KUBERNETES, Drivers
from perdure.workspaces.templates.template import Texts, parse

_log = logging.getLogger(__name__)


async def cluster_settings(db: Database) -> Sequence[Mapping[str, str]]:
    """How templates and workspaces reach clusters, each way once."""
    found = [restored(row.plan).settings for row in await workspaces.of_driver(db, KUBERNETES) if row.plan]
    for row in await templates.everybodys(db):
        # Whoever uses one that cannot be read hears why.
        with suppress(PerdureError):
            recipe = parse(Texts(row.name, row.recipe, row.readme, {})).recipe
            if recipe.driver == KUBERNETES:
                found.append(recipe.settings)
    return [dict(each) for each in {frozenset(settings.items()) for settings in found}]


class Orphans:
    """Pods, claims and secrets that a failed build, or a commit that a failover lost, has left in a cluster.

    What is nobody's for long enough goes: a replica that has just started, or a database that has just been restored,
    is no reason to remove anything at once.
    """

    def __init__(self, pool: Pool, drivers: Drivers, clock: Clock) -> None:
        self._pool, self._drivers, self._clock = pool, drivers, clock
        self._seen: dict[WorkspaceId, float] = {}

    async def run(self) -> None:
        """Look every now and then, until cancelled."""
        while True:
            await self._clock.sleep(ORPHAN_SWEEP.total_seconds())
            try:
                await self.round()
            except PerdureError as error:
                _log.warning("what clusters have of workspaces was not looked at: %s", error)

    async def round(self) -> int:
        """How many were removed."""
        removed, seen = 0, dict[WorkspaceId, float]()
        for plan in await self._unknown():
            seen[plan.id] = self._seen.get(plan.id, self._clock.monotonic())
            if plan.id not in self._seen:
                _log.warning("the cluster has workspace %s, and nobody knows it: it goes in a while", plan.id)
            if self._clock.monotonic() - seen[plan.id] >= ORPHAN_KEPT.total_seconds():
                await self._drivers.cluster(plan.settings).remove(plan)
                _log.warning("workspace %s, which nobody knew, is removed from the cluster", plan.id)
                removed += 1
                del seen[plan.id]
        self._seen = seen
        return removed

    async def _unknown(self) -> list[Plan]:
        held: dict[WorkspaceId, Mapping[str, str]] = {}
        for way in await self._ways():
            try:
                held |= dict.fromkeys(await self._drivers.cluster(way).held(), way)
            except PerdureError as error:
                _log.warning("what a cluster has of workspaces was not looked at: %s", error)
        # Read after what there is: a row is written before anything is made for it.
        rows = await workspaces.of_driver(self._pool, KUBERNETES)
        known = {restored(row.plan).id if row.plan else row.id for row in rows if row.status != "failed"}
        return [Plan(found, settings=way) for found, way in held.items() if found not in known]

    async def _ways(self) -> Sequence[Mapping[str, str]]:
        """One to each namespace: through sandboxes where there may be any."""
        ways: dict[tuple[str, str], Mapping[str, str]] = {}
        for way in await cluster_settings(self._pool):
            # A kubeconfig that is gone is told to whoever uses the template.
            with suppress(PerdureError):
                place = self._drivers.cluster(way).place
                if place not in ways or way.get("resource") == "sandbox":
                    ways[place] = way
        return list(ways.values())
