"""Housekeeping: what rests is archived, what was kept long enough goes, and nothing else."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from perdure.access.actor import Role
from perdure.core.ids import ChatId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.testing.served_api import Person, ServedApi, serve_api
from perdure.worker.housekeeping import Housekeeping

TEXT = [{"type": "text", "text": "hello"}]


@pytest.fixture
async def api(database_url: str, pool: Pool) -> AsyncIterator[ServedApi]:
    async with serve_api(database_url, pool) as api:
        yield api


@pytest.fixture
async def boss(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("boss", Role.OWNER) as boss:
        yield boss


def _keeper(api: ServedApi) -> Housekeeping:
    services = api.services
    return Housekeeping(api.pool, services.machine, services.config, services.pubsub, SystemClock())


async def _chat(
    api: ServedApi, person: Person, *, idle_days: int, status: str = "waiting", **options: object
) -> ChatId:
    created = await person.post("/chats", {"content": TEXT, **options})
    chat_id = UUID(created.json["chat"]["id"])
    await api.pool.execute(
        "UPDATE chats SET status = $2, updated_at = now() - make_interval(days => $3) WHERE id = $1",
        chat_id,
        status,
        idle_days,
    )
    return ChatId(chat_id)


async def _archived(api: ServedApi) -> set[ChatId]:
    return {row["id"] for row in await api.pool.fetch("SELECT id FROM chats WHERE archived")}


async def test_idle_families_are_archived_and_their_owner_is_told_once(api: ServedApi, boss: Person) -> None:
    old = [await _chat(api, boss, idle_days=40, title=f"old {n}") for n in range(7)]
    child = await _chat(api, boss, idle_days=40)
    parent = await _chat(api, boss, idle_days=40, title="parent")
    await _chat(api, boss, idle_days=10)
    await _chat(api, boss, idle_days=40, status="running")
    pinned = await _chat(api, boss, idle_days=40)
    await boss.patch(f"/chats/{pinned}", {"pin": 1})
    young_child = await _chat(api, boss, idle_days=1)
    busy_family = await _chat(api, boss, idle_days=40)
    for member, root in ((child, parent), (young_child, busy_family)):
        await api.pool.execute("UPDATE chat_cards SET parent_id = $2, root_id = $2 WHERE id = $1", member, root)
    await _keeper(api).once()
    assert await _archived(api) == set[ChatId]()
    await boss.put("/settings/auto_archive", {"value": {"idle_days": 30}})
    await _keeper(api).once()
    assert await _archived(api) == {*old, parent, child}
    (digest,) = (await boss.get("/inbox")).json["items"]
    assert (digest["kind"], digest["title"]) == ("digest", "8 chats were archived")
    assert digest["text"].endswith("and 3 more.")
    await _keeper(api).once()
    assert len((await boss.get("/inbox")).json["items"]) == 1


async def test_archived_chats_and_unused_files_go_after_the_retention(api: ServedApi, boss: Person) -> None:
    gone, kept = [await _chat(api, boss, idle_days=days) for days in (31, 29)]
    await api.pool.execute("UPDATE chats SET archived = true")
    live = await _chat(api, boss, idle_days=400)
    files: list[UUID] = []
    for _ in range(3):
        stored = await boss.ask("POST", "/files", b"x", x_file_name="a.txt", content_type="text/plain")
        files.append(UUID(stored.json["id"]))
    await api.pool.execute("INSERT INTO file_links (chat_id, file_id) VALUES ($1, $2)", live, files[0])
    await api.pool.execute("UPDATE files SET created_at = now() - interval '31 days' WHERE id <> $1", files[2])
    await _keeper(api).once()
    assert {row["id"] for row in await api.pool.fetch("SELECT id FROM chats")} == {kept, live}
    assert (await boss.get(f"/chats/{gone}")).status == 404
    assert await api.pool.fetchval("SELECT count(*) FROM messages WHERE chat_id = $1", gone) == 0
    assert {row["id"] for row in await api.pool.fetch("SELECT id FROM files")} == {files[0], files[2]}
    audited = {entry["action"] for entry in (await boss.get("/audit")).json["items"]}
    assert {"chats.purge", "files.purge"} <= audited
    await boss.put("/settings/retention", {"value": {"archived_days": 7}})
    await _keeper(api).once()
    assert {row["id"] for row in await api.pool.fetch("SELECT id FROM chats")} == {live}


async def test_a_retention_of_no_days_keeps_everything(api: ServedApi, boss: Person) -> None:
    kept = await _chat(api, boss, idle_days=4_000)
    await api.pool.execute("UPDATE chats SET archived = true")
    stored = await boss.ask("POST", "/files", b"x", x_file_name="a.txt", content_type="text/plain")
    await api.pool.execute("UPDATE files SET created_at = now() - interval '4000 days'")
    assert (await boss.put("/settings/retention", {"value": {"archived_days": 0}})).status == 200
    await _keeper(api).once()
    assert [row["id"] for row in await api.pool.fetch("SELECT id FROM chats")] == [kept]
    assert [str(row["id"]) for row in await api.pool.fetch("SELECT id FROM files")] == [stored.json["id"]]


async def test_what_is_over_is_forgotten(api: ServedApi, boss: Person) -> None:
    for key in ("old", "new"):
        await boss.post("/chats", {"content": TEXT}, idempotency_key=key)
    await api.pool.execute("UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'old'")
    await api.services.sign_in.link(api.account.owner)
    await api.pool.execute("UPDATE login_links SET expires_at = now()")
    await api.pool.execute(
        "INSERT INTO sessions (hash, user_id, expires_at) VALUES ('a', $1, now()), ('b', $1, now() + interval '1 day')",
        boss.id,
    )
    await _keeper(api).once()
    assert [row["key"] for row in await api.pool.fetch("SELECT key FROM idempotency_keys")] == ["new"]
    assert await api.pool.fetchval("SELECT count(*) FROM login_links") == 0
    assert await api.pool.fetchval("SELECT count(*) FROM sessions") == 1
