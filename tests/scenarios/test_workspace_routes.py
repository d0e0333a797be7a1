"""Workspaces over HTTP: made, looked into, stopped and removed by whoever owns them."""

import zipfile
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest

from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.metric_reader import sample
from perdure.testing.polling import seen


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, count=1) as fleet:
        yield fleet


async def test_a_workspace_is_made_looked_into_stopped_and_removed(fleet: Fleet) -> None:
    ada = fleet.at(0)
    names = [template["name"] for template in (await ada.get("/templates")).json["items"]]
    assert {"blank", "python", "node", "git"} <= set(names)
    made = await ada.post("/workspaces", {"template": "blank"})
    assert (made.status, made.json["status"], "sandboxed" in made.json) == (201, "running", False)
    place = f"/workspaces/{made.json['id']}"
    assert (await ada.get(f"{place}/files?path=.&depth=1")).json["entries"] == []
    assert (await ada.get(f"{place}/diff")).status == 404
    assert (await ada.get(f"{place}/files/content?path=missing.txt")).status == 404
    assert (await ada.get(f"{place}/files/content?path=.")).status == 409
    numbers = await fleet.numbers(0)
    assert sample(numbers, "perdure_workspaces_built_total", outcome="ok") == 1
    assert sample(numbers, "perdure_workspace_build_seconds_count") == 1
    assert sample(numbers, "perdure_workspace_open_seconds_count") == 1
    assert sample(numbers, "perdure_workspaces_watched") == 1
    assert (await ada.post(f"{place}/stop")).json["status"] == "stopped"
    assert sample(await fleet.numbers(0), "perdure_workspaces_stopped_total", why="asked") == 1
    assert await seen(lambda: unwatched(fleet))
    assert (await ada.post(f"{place}/start")).json["status"] == "running"
    assert (await ada.delete(place)).status == 204
    assert (await ada.get(place)).status == 404


async def test_files_are_put_into_a_workspace_and_come_back_one_by_one_or_all_together(fleet: Fleet) -> None:
    ada = fleet.at(0)
    place = f"/workspaces/{(await ada.post('/workspaces', {'template': 'blank'})).json['id']}"
    for path, content in {"a.txt": b"one", "deep/er/b.bin": b"\x00\xff"}.items():
        assert (await ada.ask("PUT", f"{place}/files/content?path={path}", content)).status == 204
    assert (await ada.get(f"{place}/files/content?path=deep/er/b.bin")).body == b"\x00\xff"
    kept = await ada.get(f"{place}/files/content?path=deep/er/b.bin&download=true")
    assert kept.headers["content-disposition"] == "attachment; filename*=UTF-8''b.bin"
    whole = await ada.get(f"{place}/archive")
    assert whole.headers["content-type"] == "application/zip"
    assert unzipped(whole.body) == {"a.txt": b"one", "deep/er/b.bin": b"\x00\xff"}
    part = await ada.get(f"{place}/archive?path=deep")
    assert "deep.zip" in part.headers["content-disposition"]
    assert unzipped(part.body) == {"er/b.bin": b"\x00\xff"}
    assert (await ada.ask("PUT", f"{place}/files/content?path=../outside", b"x")).status == 409


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


async def unwatched(fleet: Fleet) -> bool:
    return sample(await fleet.numbers(0), "perdure_workspaces_watched") == 0


async def test_a_template_that_is_not_there_is_a_clear_error(fleet: Fleet) -> None:
    said = await fleet.at(0).post("/workspaces", {"template": "castle"})
    assert said.status == 404
    assert "blank" in said.json["message"]


@pytest.mark.parametrize("ends", ["true", "exit 3"])
async def test_a_build_is_followed_to_its_end(fleet: Fleet, ends: str) -> None:
    ada = fleet.at(0)
    await ada.put("/templates/slow", {"recipe": f"description = 's'\nstart_up = 'echo one; echo two; {ends}'"})
    noted = (await ada.post("/workspaces", {"template": "slow", "wait": False})).json
    assert noted["status"] == "creating"
    events = [event async for event in ada.events(f"/workspaces/{noted['id']}/build")]
    assert events[0] == {"type": "progress", "stage": "create"}
    assert "".join(event.get("text", "") for event in events) == "one\ntwo\n"
    if ends == "true":
        assert events[-1] == {"type": "ready"}
        assert [event async for event in ada.events(f"/workspaces/{noted['id']}/build")] == [{"type": "ready"}]
    else:
        message = "The step start_up failed with exit code 3."
        assert events[-1] == {"type": "failed", "message": message, "stage": "start_up", "detail": "one\ntwo\n"}
        assert (await ada.get(f"/workspaces/{noted['id']}")).json["status"] == "failed"
        assert sample(await fleet.numbers(0), "perdure_workspaces_built_total", outcome="failed") == 1
