"""Object storage is away while replicas die and people upload: nothing stored is lost, nothing is left behind."""

import asyncio
import hashlib
import random
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from perdure.core.timing import SystemClock
from perdure.objects.mover import Mover
from perdure.store.pool import Pool
from perdure.store.tables import objects
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.object_server import ObjectServer, object_server, versity_server

SMALLEST = 1000
WRITERS = 4
AT_ONCE = timedelta(0)


class Storage:
    """A server, and how it goes away: what keeps everything in memory hangs, the other one is killed."""

    def __init__(self, server: ObjectServer, *, keeps: bool) -> None:
        self.server = server
        self._keeps = keeps

    async def goes(self) -> None:
        if self._keeps:
            await self.server.dies()
        else:
            self.server.hangs()

    async def comes_back(self) -> None:
        if self._keeps:
            await self.server.starts()
        else:
            self.server.goes_on()


@pytest.fixture
async def kept_in(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    program = request.config.getoption("--versitygw")
    async with AsyncExitStack() as stack:
        if program is None:
            yield Storage(await stack.enter_async_context(object_server()), keeps=False)
        else:
            folder = tmp_path / "bucket"
            folder.mkdir()
            yield Storage(await stack.enter_async_context(versity_server(Path(program), folder)), keeps=True)


class People:
    """They upload without a pause, to any replica that answers, and remember what was accepted."""

    def __init__(self, fleet: Fleet, pool: Pool) -> None:
        self._fleet = fleet
        self._pool = pool
        self._random = random.Random(7)
        self._proof = {"authorization": f"Bearer {fleet.person.token}", "x-file-name": "a.txt"}
        self.stored: dict[str, bytes] = {}
        self.removed = 0
        self.ended = False

    async def upload(self) -> None:
        patience = aiohttp.ClientTimeout(total=20)
        async with aiohttp.ClientSession(headers=self._proof, timeout=patience) as http:
            while not self.ended:
                content = self._content()
                with suppress(aiohttp.ClientError, TimeoutError):
                    async with http.post(f"{self._url()}/api/v1/files", data=content) as answer:
                        if answer.status == 201:
                            self.stored[(await answer.json())["id"]] = hashlib.sha256(content).digest()
                if self._random.random() < 0.1:
                    await self._retention()
                await asyncio.sleep(0.1)

    async def read(self, http: aiohttp.ClientSession, file_id: str) -> bytes:
        async with http.get(f"{self._url()}/api/v1/files/{file_id}", headers=self._proof) as answer:
            assert answer.status == 200, (file_id, answer.status, await answer.text())
            return hashlib.sha256(await answer.read()).digest()

    async def _retention(self) -> None:
        """Remove a file as retention does: its row, and nothing else."""
        if self.stored:
            gone = self._random.choice(list(self.stored))
            del self.stored[gone]
            self.removed += 1
            await self._pool.execute("DELETE FROM files WHERE id = $1::uuid", gone)

    def _content(self) -> bytes:
        # Some have the same content, which is stored once.
        number = self._random.randrange(40 if self._random.random() < 0.5 else 10**9)
        return hashlib.sha256(b"%d" % number).hexdigest().encode() * self._random.choice((4, 40, 400))

    def _url(self) -> str:
        return self._random.choice(self._fleet.replicas).url


async def _deaths(fleet: Fleet, people: People) -> None:
    number = 0
    while not people.ended:
        await asyncio.sleep(3)
        await fleet.dies(number % 2)
        await fleet.comes_back(number % 2)
        number += 1


async def _all_moved(pool: Pool) -> None:
    while (await objects.waiting(pool, SMALLEST)).files:  # noqa: ASYNC110
        await asyncio.sleep(0.2)


async def _evidence(pool: Pool, server: ObjectServer) -> dict[str, Any]:
    """What is in the bucket against what the database knows."""
    client, keys = server.client(), await server.keys()
    mover = Mover(pool, client, SystemClock(), smallest=SMALLEST, kept=AT_ONCE)
    try:
        unknown, unused = await mover.remove_strangers(), await mover.sweep(fresh=AT_ONCE)
    finally:
        await client.close()
    rows = await pool.fetch("SELECT id FROM objects WHERE id IN (SELECT object_id FROM files)")
    named = {key.rpartition(".")[2] for key in await server.keys()}
    return {
        "objects": len(keys),
        "unknown": unknown,
        "unused": unused,
        "left_over": len(named - {f"{row['id']:x}" for row in rows}),
        "missing": len({f"{row['id']:x}" for row in rows} - named),
        "notes": await pool.fetchval("SELECT count(*) FROM objects") - len(rows),
    }


async def test_nothing_is_lost_and_nothing_is_left_behind_while_storage_is_away_and_replicas_die(
    database_url: str, pool: Pool, tmp_path: Path, kept_in: Storage, request: pytest.FixtureRequest
) -> None:
    away = float(str(request.config.getoption("--storage-away")))
    told = {**kept_in.server.environment, "PERDURE_S3_FROM": str(SMALLEST), "PERDURE_S3_KEPT_DAYS": "0"}
    async with open_fleet(database_url, pool, tmp_path, environment=told) as fleet:
        await fleet.ready()
        people = People(fleet, pool)
        async with asyncio.TaskGroup() as group:
            for _ in range(WRITERS):
                group.create_task(people.upload())
            deaths = group.create_task(_deaths(fleet, people))
            await asyncio.sleep(5)
            await kept_in.goes()
            before = len(people.stored)
            await asyncio.sleep(away)
            waited = await objects.waiting(pool, SMALLEST)
            await kept_in.comes_back()
            await asyncio.sleep(5)
            people.ended = True
            await deaths
        uploaded = len(people.stored) - before
        # What a replica took and died with is anybody's after a while, for which nobody has to wait here.
        await pool.execute("UPDATE files SET moving_at = NULL")
        await pool.execute("UPDATE objects SET since = since - interval '1 hour'")
        async with asyncio.timeout(300):
            await _all_moved(pool)
        async with aiohttp.ClientSession() as http:
            for file_id, digest in people.stored.items():
                assert await people.read(http, file_id) == digest
        found = await _evidence(pool, kept_in.server)
    told = f"{len(people.stored)} files, {people.removed} removed, {waited.files} waited, {found}"
    sys.stdout.write(f"\n{away:.0f} s away: {told}\n")
    assert uploaded > 0
    assert waited.files > 0
    assert (found["unknown"], found["left_over"], found["missing"], found["notes"]) == (0, 0, 0, 0)
