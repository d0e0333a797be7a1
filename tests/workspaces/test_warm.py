"""Workspaces that were made ahead of their use: each is taken once, and as many stand ready as the template says."""

import asyncio
from dataclasses import replace
from uuid import uuid4

import pytest
from tests.workspaces.yard import Yard

from perdure.core.errors import InvalidInput
from perdure.core.ids import WorkspaceId
from perdure.store.pool import Pool
from perdure.store.tables import warm_workspaces
from perdure.workspaces.service import Workspaces
from perdure.workspaces.templates.template import Texts, accepted
from perdure.workspaces.warm import WarmWorkspaces

RECIPE = "description = ''\nwarm = {warm}\nstart_up = 'echo {said} > made; echo once >> ~/runs'"


async def filled(warm: WarmWorkspaces) -> None:
    await warm.round()
    await warm.settled()


async def offered(yard: Yard, warm: int = 2) -> None:
    await yard.offers("quick", RECIPE.format(warm=warm, said="first"))
    yard.wish = replace(yard.wish, template="quick", most=10)


async def cleared(yard: Yard, pool: Pool) -> None:
    await pool.execute("DELETE FROM templates")
    await filled(yard.service.warm)
    assert await warm_workspaces.listed(pool) == []


async def test_as_many_stand_ready_as_the_template_says_also_with_several_replicas(yard: Yard, pool: Pool) -> None:
    await offered(yard)
    replicas = [yard.service, yard.replica(), yard.replica()]
    await asyncio.gather(*(filled(each.warm) for each in replicas))
    rows = await warm_workspaces.listed(pool)
    assert [(row.place, row.status) for row in sorted(rows, key=lambda row: row.place)] == [(0, "ready"), (1, "ready")]
    assert len([path for path in yard.folder.iterdir() if (path / "tree/made").exists()]) == 2
    await cleared(yard, pool)
    for each in replicas[1:]:
        await each.close()


async def test_one_that_stands_ready_is_taken_as_it_is(yard: Yard, pool: Pool) -> None:
    await offered(yard, warm=1)
    await filled(yard.service.warm)
    (ready,) = await warm_workspaces.listed(pool)
    row = await yard.service.begin(WorkspaceId(uuid4()), yard.wish)
    assert row.status == "running"
    client = await yard.service.client(row)
    assert (await client.files.content("made", 100), await client.files.content("/home/agent/runs", 100)) == (
        b"first\n",
        b"once\n",
    )
    assert await warm_workspaces.listed(pool) == []
    assert (yard.folder / str(ready.id)).is_dir()
    again = await yard.service.create(row.id, yard.wish)
    assert (again.id, again.plan) == (row.id, row.plan)
    await yard.service.remove(row)
    assert not (yard.folder / str(ready.id)).exists()
    await cleared(yard, pool)


async def test_of_many_who_want_the_last_one_a_single_one_gets_it(yard: Yard, pool: Pool) -> None:
    await offered(yard, warm=1)
    await filled(yard.service.warm)
    rows = await asyncio.gather(*(yard.service.begin(WorkspaceId(uuid4()), yard.wish) for _ in range(6)))
    assert sorted(row.status for row in rows) == ["creating"] * 5 + ["running"]
    await cleared(yard, pool)


async def test_the_same_wish_twice_at_once_takes_one(yard: Yard, pool: Pool) -> None:
    await offered(yard)
    await filled(yard.service.warm)
    same, other = WorkspaceId(uuid4()), yard.replica()

    async def begins(service: Workspaces) -> str | None:
        return (await service.begin(same, yard.wish)).plan

    await asyncio.gather(begins(yard.service), begins(other))
    row = await yard.row(same)
    left = await warm_workspaces.listed(pool)
    assert (row.status, len(left)) == ("running", 1)
    assert str(left[0].id) not in (row.plan or "")
    await cleared(yard, pool)
    await other.close()


async def test_a_template_that_changes_makes_others(yard: Yard, pool: Pool) -> None:
    await offered(yard, warm=1)
    await filled(yard.service.warm)
    (old,) = await warm_workspaces.listed(pool)
    await pool.execute("UPDATE templates SET recipe = $1", RECIPE.format(warm=1, said="second"))
    await filled(yard.service.warm)
    (fresh,) = await warm_workspaces.listed(pool)
    assert fresh.version != old.version
    assert not (yard.folder / str(old.id)).exists()
    assert (yard.folder / str(fresh.id) / "tree/made").read_text() == "second\n"
    await cleared(yard, pool)


async def test_what_a_killed_replica_left_half_made_is_removed_and_made_anew(yard: Yard, pool: Pool) -> None:
    await offered(yard, warm=1)
    await filled(yard.service.warm)
    (half,) = await warm_workspaces.listed(pool)
    await pool.execute("UPDATE warm_workspaces SET status = 'creating', begun_at = now() - interval '1 hour'")
    await filled(yard.service.warm)
    await filled(yard.service.warm)
    (fresh,) = await warm_workspaces.listed(pool)
    assert (fresh.status, fresh.id == half.id) == ("ready", False)
    assert not (yard.folder / str(half.id)).exists()
    await cleared(yard, pool)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("warm = -1", ">= 0"),
        ("warm = 1\n[[parameters]]\nname = 'url'\nrequired = true", "the parameter url has no default"),
        ("warm = 1\nnetwork = 'allow'", "belongs to a chat"),
    ],
)
def test_a_template_that_cannot_be_made_ahead_is_refused(more: str, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        accepted(Texts("quick", f"description = ''\n{more}"))
    assert told in " ".join(fault.detail for fault in caught.value.validations)
