"""Files move into object storage, and what nobody needs is removed there: nothing is lost, nothing is left behind."""

import asyncio
import hashlib
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.objects.conftest import Keep, digest, kept_file, large, mover, states

from perdure.core.ids import OrganisationId
from perdure.objects.client import ObjectClient
from perdure.objects.contents import Contents
from perdure.objects.failures import ObjectLost, StorageAway
from perdure.observe.measures.all import Measures
from perdure.store.pool import Pool
from perdure.store.tables import objects
from perdure.store.tables.objects import StoredObject
from perdure.testing.metric_reader import MetricReader
from perdure.testing.object_server import ObjectServer
from perdure.testing.polling import seen
from perdure.testing.ports import free_port

AT_ONCE = timedelta(0)


async def test_what_is_large_moves_and_what_is_small_stays(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    content = large()
    there, here = await keep(content), await keep(b"small")
    assert await mover(pool, client).move() == 1
    moved, stayed = await kept_file(pool, there), await kept_file(pool, here)
    assert (moved.content, stayed.content) == (None, b"small")
    assert [await Contents(client).of(each) for each in (moved, stayed)] == [content, b"small"]
    assert await server.keys() == [f"files/{moved.organisation_id}/{digest(content).hex()}.{moved.object_id:x}"]
    assert await mover(pool, client).move() == 0


async def test_the_same_content_is_stored_once_and_stays_until_the_last_file_is_gone(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    content = large()
    first, second = await keep(content), await keep(content)
    await mover(pool, client).move()
    third = await keep(content)
    await mover(pool, client).move()
    assert len(await server.keys()) == 1
    for gone in (first, third):
        await pool.execute("DELETE FROM files WHERE id = $1", gone)
        assert await mover(pool, client).sweep(fresh=AT_ONCE) == 0
    assert await Contents(client).of(await kept_file(pool, second)) == content
    await pool.execute("DELETE FROM files WHERE id = $1", second)
    assert await mover(pool, client).sweep(fresh=AT_ONCE) == 1
    assert (await server.keys(), await states(pool)) == ([], [])


async def test_removed_bytes_stay_as_long_as_they_are_kept(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    gone = await keep(large())
    await mover(pool, client).move()
    await pool.execute("DELETE FROM files WHERE id = $1", gone)
    assert await mover(pool, client, kept=timedelta(days=1)).sweep(fresh=AT_ONCE) == 0
    assert (len(await server.keys()), await states(pool)) == (1, ["unused"])
    await pool.execute("UPDATE objects SET since = since - interval '25 hours'")
    assert await mover(pool, client, kept=timedelta(days=1)).sweep(fresh=AT_ONCE) == 1
    assert (await server.keys(), await states(pool)) == ([], [])


async def test_what_was_unused_is_used_again_without_a_gap(
    pool: Pool, client: ObjectClient, server: ObjectServer, keep: Keep
) -> None:
    content = large()
    gone = await keep(content)
    await mover(pool, client).move()
    await pool.execute("DELETE FROM files WHERE id = $1", gone)
    await mover(pool, client, kept=timedelta(days=1)).sweep(fresh=AT_ONCE)
    back = await keep(content)
    await mover(pool, client).move()
    assert (await states(pool), len(await server.keys())) == (["stored"], 1)
    assert await Contents(client).of(await kept_file(pool, back)) == content


async def test_a_removal_that_comes_late_does_not_meet_the_same_content_stored_anew(
    pool: Pool, client: ObjectClient, keep: Keep
) -> None:
    content = large()
    gone = await keep(content)
    await mover(pool, client).move()
    await pool.execute("DELETE FROM files WHERE id = $1", gone)
    await objects.mark_unused(pool, AT_ONCE)
    (late,) = await objects.to_remove(pool, AT_ONCE, timedelta(minutes=2), 10)
    back = await keep(content)
    await mover(pool, client).move()
    await client.remove(late)
    await objects.forget(pool, late.id)
    assert await Contents(client).of(await kept_file(pool, back)) == content
    assert await states(pool) == ["stored"]


async def test_whoever_died_with_a_removal_leaves_it_to_others(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    gone = await keep(large())
    await mover(pool, client).move()
    await pool.execute("DELETE FROM files WHERE id = $1", gone)
    await objects.mark_unused(pool, AT_ONCE)
    await objects.to_remove(pool, AT_ONCE, timedelta(minutes=2), 10)
    assert await mover(pool, client).sweep(fresh=AT_ONCE) == 0
    await pool.execute("UPDATE objects SET since = since - interval '3 minutes'")
    assert await mover(pool, client).sweep(fresh=AT_ONCE) == 1
    assert (await server.keys(), await states(pool)) == ([], [])


@pytest.mark.parametrize("written", [False, True], ids=["before", "after"])
async def test_whoever_died_around_a_write_leaves_a_file_that_others_move(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep, written: bool
) -> None:
    content = large()
    file_id = await keep(content)
    (taken,) = await objects.take(pool, 1, timedelta(minutes=2), 10)
    begun = await objects.begin(pool, taken.organisation_id, digest(content), len(content), timedelta(minutes=2))
    assert begun is not None
    if written:
        await client.put(StoredObject(begun.id, taken.organisation_id, digest(content)), content)
    assert await mover(pool, client).move() == 0
    await pool.execute("UPDATE files SET moving_at = moving_at - interval '3 minutes'")
    await pool.execute("UPDATE objects SET since = since - interval '3 minutes'")
    assert await mover(pool, client).move() == 1
    assert (len(await server.keys()), await states(pool)) == (1, ["stored"])
    assert await Contents(client).of(await kept_file(pool, file_id)) == content


async def test_what_was_written_for_a_file_that_is_gone_by_then_is_removed(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    content = large()
    file_id = await keep(content)
    (taken,) = await objects.take(pool, 1, timedelta(minutes=2), 10)
    begun = await objects.begin(pool, taken.organisation_id, digest(content), len(content), timedelta(minutes=2))
    assert begun is not None
    await pool.execute("DELETE FROM files WHERE id = $1", file_id)
    await client.put(StoredObject(begun.id, taken.organisation_id, digest(content)), content)
    assert await objects.settle(pool, taken.id, begun.id) == 0
    assert await mover(pool, client).sweep(fresh=AT_ONCE) == 1
    assert (await server.keys(), await states(pool)) == ([], [])


async def test_objects_that_nobody_knows_are_removed_and_those_of_others_are_not(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    content = large()
    file_id = await keep(content)
    await mover(pool, client).move()
    ours = (await kept_file(pool, file_id)).organisation_id
    left = StoredObject(999_999, ours, digest(b"x"))
    somebody_elses = StoredObject(1, OrganisationId(uuid4()), digest(b"x"))
    for each in (left, somebody_elses):
        await client.put(each, b"x")
    assert await mover(pool, client).remove_strangers() == 1
    assert len(await server.keys()) == 2
    assert await Contents(client).of(await kept_file(pool, file_id)) == content


async def test_storage_that_is_away_keeps_files_in_the_database_and_they_move_later(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    contents = [large() for _ in range(6)]
    kept = [await keep(content) for content in contents]
    away = server.client(url=f"http://127.0.0.1:{free_port()}/perdure-files")
    with pytest.raises(StorageAway, match="cannot be reached"):
        await mover(pool, away).move()
    await away.close()
    assert [(await kept_file(pool, each)).content for each in kept] == contents
    await pool.execute("UPDATE files SET moving_at = NULL")
    back = mover(pool, client)
    while await back.move():
        pass
    found = [await kept_file(pool, each) for each in kept]
    assert [await Contents(client).of(each) for each in found] == contents
    assert len(await server.keys()) == 6


async def becomes(holds: Callable[[], bool]) -> None:
    async def look() -> bool:
        return holds()

    await seen(look)


async def test_the_numbers_say_what_waits_what_moved_and_whether_storage_is_away(
    pool: Pool, server: ObjectServer, keep: Keep
) -> None:
    measures = Measures()
    numbers = MetricReader(measures.metrics)
    client = server.client(measures=measures)
    moving = mover(pool, client)
    await server.dies()
    kept = await keep(large())
    running = asyncio.create_task(moving.run())
    try:
        await becomes(lambda: numbers("perdure_object_storage_away") == 1)
        await becomes(lambda: numbers("perdure_object_files_waiting") == 1)
        assert numbers("perdure_object_bytes_waiting") == 1000
        await becomes(lambda: numbers("perdure_object_requests_total", operation="put", outcome="failed") >= 1)
        await server.starts()
        await server.makes_bucket()
        await pool.execute("UPDATE files SET moving_at = NULL")
        await becomes(lambda: numbers("perdure_object_bytes_moved_total") == 1000)
        await becomes(lambda: numbers("perdure_object_storage_away") == 0)
        await becomes(lambda: numbers("perdure_object_files_waiting") == 0)
    finally:
        running.cancel()
        await asyncio.wait([running])
    assert numbers("perdure_object_requests_total", operation="put", outcome="done") == 1
    assert numbers("perdure_object_request_seconds_count", operation="put") >= 2
    await pool.execute("DELETE FROM files WHERE id = $1", kept)
    assert await moving.sweep(fresh=AT_ONCE) == 1
    assert numbers("perdure_objects_removed_total", why="unused") == 1
    await client.close()


async def test_ten_movers_at_once_store_each_content_once(
    pool: Pool, server: ObjectServer, client: ObjectClient, keep: Keep
) -> None:
    contents = [hashlib.sha256(b"%d" % (number % 7)).digest() * 40 for number in range(40)]
    kept = [await keep(content) for content in contents]

    async def work() -> None:
        while await pool.fetchval("SELECT count(*) FROM files WHERE object_id IS NULL"):
            await mover(pool, client).move()

    await asyncio.gather(*(work() for _ in range(10)))
    assert len(await server.keys()) == 7
    found = [await kept_file(pool, each) for each in kept]
    assert {each.content for each in found} == {None}
    assert await asyncio.gather(*(Contents(client).of(each) for each in found)) == contents


async def test_bytes_that_are_not_those_that_were_stored_are_not_handed_out(
    pool: Pool, client: ObjectClient, keep: Keep
) -> None:
    content = large()
    file = await keep(content)
    await mover(pool, client).move()
    row = await kept_file(pool, file)
    assert row.object_id is not None
    stored = StoredObject(row.object_id, row.organisation_id, digest(content))
    await client.put(stored, b"something else")
    with pytest.raises(ObjectLost, match="other bytes than were put there"):
        await Contents(client).of(row)
    await client.remove(stored)
    with pytest.raises(ObjectLost, match="does not have what was stored there"):
        await Contents(client).of(row)
