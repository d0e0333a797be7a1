"""People's workspaces on a real cluster: made ahead and taken, forgotten and swept, and what the doctor sees."""

import shutil
import sys
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.kubernetes.place import IMAGE, NOTHING, STORAGE_CLASS, Place, new_plan
from tests.workspaces.yard import Yard

from perdure.cli.checks.clusters import cluster_findings
from perdure.cli.checks.finding import Verdict
from perdure.core.ids import WorkspaceId
from perdure.core.timing import ORPHAN_KEPT
from perdure.settings import Settings
from perdure.store.pool import Pool
from perdure.store.tables import warm_workspaces, workspaces
from perdure.testing.clock import HurriedClock
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.orphans import Orphans

CLUSTER = "tests"
LONGEST = timedelta(milliseconds=300)


@pytest.fixture
async def offered(place: Place, yard: Yard, pool: Pool) -> AsyncGenerator[Yard]:
    """Its people may have pods."""
    folder = yard.folder / "kubernetes"
    folder.mkdir()
    shutil.copy(place.kubeconfig, folder / CLUSTER)
    await yard.offers("pods", recipe(place))
    yard.wish = replace(yard.wish, template="pods", most=10)
    yield yard
    await pool.execute("DELETE FROM templates")
    await yard.service.warm.round()
    await yard.service.warm.settled()
    for row in await workspaces.of_driver(pool, "kubernetes"):
        found = await workspaces.load(pool, row.id)
        assert found is not None
        await yard.service.remove(found)
        await workspaces.remove(pool, row.id)
    assert await place.left() == NOTHING


def recipe(place: Place, warm: int = 0, **more: str) -> str:
    settings = {
        "image": IMAGE, "storage_class": STORAGE_CLASS, "cluster": CLUSTER, "namespace": place.namespace, **more,
    }  # fmt: skip
    said = "\n".join(f'{name} = "{value}"' for name, value in settings.items())
    head = f"description = ''\ndriver = 'kubernetes'\nwarm = {warm}\nstart_up = 'echo once >> ~/runs'"
    return f"{head}\n[settings]\n{said}"


async def test_one_that_stands_ready_in_a_pod_is_there_at_once(place: Place, offered: Yard, pool: Pool) -> None:
    await pool.execute("UPDATE templates SET recipe = $1", recipe(place, warm=1))
    await offered.service.warm.round()
    await offered.service.warm.settled()
    (ready,) = await warm_workspaces.listed(pool)
    assert (ready.status, await place.left()) == ("ready", {**NOTHING, **dict.fromkeys(NOTHING, 1)})
    # Another replica than the one that made it.
    service = offered.replica()
    begun = time.monotonic()
    row = await service.begin(WorkspaceId(uuid4()), offered.wish)
    client = await service.client(row)
    seen = await client.files.content("/home/agent/runs", 100)
    took = timedelta(seconds=time.monotonic() - begun)
    assert (row.status, seen) == ("running", b"once\n")
    sys.stdout.write(f"\ntaken and read after {took.total_seconds():.3f} s\n")
    await service.close()


async def test_what_the_database_does_not_know_goes_from_the_cluster_after_a_while(
    place: Place, offered: Yard, pool: Pool, tmp_path: Path
) -> None:
    row = await offered.made()
    drivers = Drivers(offered.folder, LocalDriver(tmp_path))
    settings = {"image": IMAGE, "storage_class": STORAGE_CLASS, "cluster": CLUSTER, "namespace": place.namespace}
    lost, others = new_plan(), new_plan()
    made, another = drivers.cluster(settings), place.driver("another-deployment")
    await made.create(lost)
    await (await made.start(lost)).close()
    await another.create(others)
    clock = HurriedClock(ORPHAN_KEPT.total_seconds())
    orphans = Orphans(pool, drivers, clock)
    assert await orphans.round() == 0
    await clock.sleep(2 * ORPHAN_KEPT.total_seconds())
    assert await orphans.round() == 1
    assert await made.held() == [row.id]
    assert await another.held() == [others.id]
    await another.remove(others)
    await another.close()
    await drivers.close()


async def test_what_a_failed_build_has_left_goes_too(place: Place, offered: Yard, pool: Pool, tmp_path: Path) -> None:
    row = await offered.made()
    await workspaces.stand(pool, row.id, "failed", "The cluster went away in the middle.")
    drivers, clock = Drivers(offered.folder, LocalDriver(tmp_path)), HurriedClock(ORPHAN_KEPT.total_seconds())
    orphans = Orphans(pool, drivers, clock)
    await orphans.round()
    await clock.sleep(2 * ORPHAN_KEPT.total_seconds())
    assert await orphans.round() == 1
    assert await place.left() == NOTHING
    await drivers.close()


async def test_the_doctor_says_what_the_cluster_really_does(place: Place, offered: Yard, pool: Pool) -> None:
    settings = Settings(data_dir=offered.folder)
    able, claims = [finding async for finding in cluster_findings(pool, settings)]
    assert able.verdict is Verdict.GOOD
    assert f"namespace {place.namespace}: v1." in able.detail
    assert "network policies hold; pods have users of their own" in able.detail
    assert (claims.verdict, claims.detail) == (Verdict.GOOD, "of class folders (perdure.test/folders)")
    await pool.execute("UPDATE templates SET recipe = $1", recipe(place, storage_class="nowhere"))
    found = [finding async for finding in cluster_findings(pool, settings)]
    assert [finding.verdict for finding in found] == [Verdict.GOOD, Verdict.BAD]
    await pool.execute("UPDATE templates SET recipe = $1", recipe(place, cluster="gone"))
    (gone,) = [finding async for finding in cluster_findings(pool, settings)]
    assert gone.verdict is Verdict.BAD
    assert gone.detail.startswith("There is no kubeconfig 'gone': put it at")
