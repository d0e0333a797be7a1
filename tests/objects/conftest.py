"""A real server that speaks S3, an organisation, and files in its database."""

import hashlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from perdure.access.signing_in import first_account
from perdure.core.ids import FileId, OrganisationId, UserId
from perdure.core.timing import SystemClock
from perdure.objects.client import ObjectClient
from perdure.objects.mover import Mover
from perdure.store.pool import Pool
from perdure.store.tables import files
from perdure.store.tables.files import HandedOver, KeptFile
from perdure.testing.object_server import ObjectServer, object_server

SMALLEST = 1000
Keep = Callable[[bytes], Awaitable[UUID]]


@dataclass(frozen=True, slots=True)
class OrganisationsOwner:
    db: Pool
    user_id: UserId
    organisation_id: OrganisationId


@pytest.fixture
async def server() -> AsyncIterator[ObjectServer]:
    async with object_server() as running:
        yield running


@pytest.fixture
async def client(server: ObjectServer) -> AsyncIterator[ObjectClient]:
    opened = server.client(public=f"{server.endpoint}/perdure-files")
    yield opened
    await opened.close()


@pytest.fixture
async def keep(pool: Pool) -> Keep:
    """Keep a file as a tool hands one over."""
    account = await first_account(pool)

    async def kept(content: bytes) -> UUID:
        file = HandedOver(
            id=uuid4(),
            organisation_id=account.organisation,
            owner_id=account.owner,
            name="a.txt",
            media_type="text/plain",
            size=len(content),
            content=content,
        )
        await files.keep(pool, file)
        return file.id

    return kept


def mover(pool: Pool, client: ObjectClient, *, kept: timedelta = timedelta(0)) -> Mover:
    return Mover(pool, client, SystemClock(), smallest=SMALLEST, kept=kept)


def large() -> bytes:
    return os.urandom(SMALLEST)


async def kept_file(pool: Pool, file_id: UUID) -> KeptFile:
    account = await first_account(pool)
    scope = OrganisationsOwner(pool, account.owner, account.organisation)
    file = await files.read(scope, FileId(file_id))
    assert file is not None
    return file


async def states(pool: Pool) -> list[str]:
    return [row["state"] for row in await pool.fetch("SELECT state FROM objects ORDER BY id")]


def digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
