"""What chaos and scale test stand on: a Postgres of their own, people with tokens, and a simulated model."""

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from perdure.access.actor import Role, Scope
from perdure.access.credentials import HINT_LENGTH, TOKEN_PREFIX, digest, mint
from perdure.access.signing_in import first_account
from perdure.config.demo import offer_demo
from perdure.proof.evidence import sql
from perdure.sim.process import Running, simulator_process
from perdure.store.connection import connect
from perdure.store.embedded.server import EmbeddedPostgres
from perdure.store.migrations.runner import Migration, migrate
from perdure.store.pool import Pool, open_pool
from perdure.store.tables import tokens, users

_LOOK_AGAIN = 0.02


@dataclass(frozen=True, slots=True)
class Postgres:
    """A durable server in a folder that goes away with it."""

    server: EmbeddedPostgres
    url: str
    folder: Path

    @property
    def pid(self) -> int | None:
        postmaster = self.server.cluster.postmaster()
        return postmaster.pid if postmaster else None

    async def restart(self, crash: bool) -> None:
        """Have it gone and back: its keeper starts it again."""
        before = self.pid
        if before is not None:
            os.kill(before, signal.SIGQUIT if crash else signal.SIGINT)
        while (now := self.server.cluster.postmaster()) is None or now.pid == before or not now.ready:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_AGAIN)


def end_in_order() -> None:
    """Have whoever ends this command find nothing left of what it started, as whoever interrupts it does."""
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))


@contextmanager
def proof_folder() -> Generator[Path]:
    """A folder that goes away, with everything that a proof leaves in it."""
    with tempfile.TemporaryDirectory(prefix="perdure-proof-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        # Root's server runs as somebody else, who must be able to walk in.
        folder.chmod(0o755)
        yield folder


@contextmanager
def own_postgres(binaries: Path | None = None) -> Generator[Postgres]:
    with proof_folder() as folder:
        server = EmbeddedPostgres(folder, binaries)
        with server.lease() as lease:
            yield Postgres(server, lease.url, folder)


@asynccontextmanager
async def prepared_database(
    url: str, people: int, *, migrations: tuple[Migration, ...] | None = None
) -> AsyncGenerator[tuple[Running, tuple[str, ...]]]:
    """The newest schema, or one that these migrations make; a simulator as the model, and people with tokens."""
    connection = await connect(url)
    await migrate(connection, migrations)
    await connection.close()
    async with simulator_process() as simulator:
        async with open_pool(url) as pool:
            secrets = await _people(pool, people, simulator.url)
        yield simulator, secrets


async def _people(pool: Pool, count: int, simulator_url: str) -> tuple[str, ...]:
    account = await first_account(pool)
    await offer_demo(pool, account.organisation, simulator_url)
    secrets: list[str] = []
    for number in range(count):
        email, secret = f"person{number}@example.com", mint(TOKEN_PREFIX)
        await users.add_unless_there(pool, account.organisation, email, f"Person {number}", Role.MEMBER, None)
        await tokens.add(pool, email, digest(secret), "proof", secret[-HINT_LENGTH:], [Scope.CHAT], None)
        secrets.append(secret)
    return tuple(secrets)


async def replica_users(url: str, count: int) -> None:
    """A database user for each replica, so that the database can tell who writes."""
    connection = await connect(url)
    for number in range(count):
        await connection.execute(sql("replica_user").format(number=number))
    await connection.close()
