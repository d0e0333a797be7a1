"""`perdure migrate-files`: out and back, and again after it was killed."""

import asyncio
import hashlib
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from perdure.access.signing_in import first_account
from perdure.core.ids import FileId
from perdure.store.pool import Pool
from perdure.store.tables import files
from perdure.store.tables.files import HandedOver
from perdure.testing.object_server import ObjectServer, object_server

COUNT = 60


async def program(database_url: str, folder: Path, server: ObjectServer, **more: str) -> asyncio.subprocess.Process:
    back = ("--back",) if more.pop("back", "") else ()
    environment = {
        **server.environment,
        "PERDURE_DATABASE_URL": database_url,
        "PERDURE_DATA_DIR": str(folder),
        **more,
    }
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "perdure", "migrate-files", *back),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def said(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    out, _ = await process.communicate()
    return process.returncode, out.decode()


@pytest.fixture
async def contents(pool: Pool) -> dict[FileId, bytes]:
    account, kept = await first_account(pool), dict[FileId, bytes]()
    for number in range(COUNT):
        content = hashlib.sha256(b"%d" % number).digest() * (3000 if number % 3 else 2)
        file_id = FileId(uuid4())
        owned = (account.organisation, account.owner)
        await files.keep(pool, HandedOver(file_id, *owned, f"{number}", "text/plain", len(content), content))
        kept[file_id] = content
    return kept


async def test_files_move_out_although_it_is_killed_and_come_back_the_same(
    database_url: str, pool: Pool, tmp_path: Path, contents: dict[FileId, bytes]
) -> None:
    large = [file_id for file_id, content in contents.items() if len(content) > 65_536]
    async with object_server() as server:
        first = await program(database_url, tmp_path, server)
        assert first.stdout is not None
        while not (await first.stdout.readline()).startswith(b"8 moved"):
            assert first.returncode is None
        first.kill()
        await first.wait()
        # Whoever is killed leaves what it took to others, after a while.
        await pool.execute("UPDATE files SET moving_at = moving_at - interval '1 hour'")
        await pool.execute("UPDATE objects SET since = since - interval '1 hour'")
        code, text = await said(await program(database_url, tmp_path, server))
        assert (code, "moved into the bucket 'perdure-files'" in text) == (0, True), text
        assert await pool.fetchval("SELECT count(*) FROM files WHERE object_id IS NOT NULL") == len(large)
        assert len(await server.keys()) == len(large)

        code, text = await said(await program(database_url, tmp_path, server, back="yes"))
        assert (code, "Set PERDURE_S3_FROM=never" in text) == (2, True)
        leaving = {"back": "yes", "PERDURE_S3_FROM": "never"}
        code, text = await said(await program(database_url, tmp_path, server, **leaving))
        assert (code, f"{len(large)} files brought back." in text) == (0, True), text
        assert code == 0
    rows = await pool.fetch("SELECT id, content FROM files")
    assert {row["id"]: row["content"] for row in rows} == contents


async def test_storage_that_is_away_is_one_sentence_and_no_file_is_lost(
    database_url: str, pool: Pool, tmp_path: Path, contents: dict[FileId, bytes]
) -> None:
    async with object_server() as server:
        await server.dies()
        code, text = await said(await program(database_url, tmp_path, server))
    assert code == 1
    assert text.count("\n") == 1
    assert text.endswith("Check PERDURE_S3_URL and the network. Then run it again: it goes on where it was.\n")
    assert await pool.fetchval("SELECT count(*) FROM files WHERE content IS NOT NULL") == len(contents)


async def test_without_storage_it_says_what_to_set(database_url: str, tmp_path: Path) -> None:
    async with object_server() as server:
        code, text = await said(await program(database_url, tmp_path, server, PERDURE_S3_URL=""))
    assert (code, "PERDURE_S3_URL does not say where files go" in text) == (2, True)
