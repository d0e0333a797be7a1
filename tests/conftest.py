"""What every test may ask for."""

import asyncio
import gc
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import hypothesis
import pytest
from tests.ordering import ordered

from perdure.store.pool import Pool
from perdure.testing.pgbouncer import Mode
from perdure.testing.postgres import Databases, temporary_postgres

# The same examples in every run, however slow the machine. `--hypothesis-profile=thorough` looks for new ones.
hypothesis.settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "thorough", hypothesis.settings.get_profile("steady"), max_examples=1_000, derandomize=False
)
hypothesis.settings.load_profile("steady")


_ROOM = 2 * 1024**3
"""What the databases of a run may need."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--inputs", default="1000", help="How many inputs each fuzz test tries.")
    parser.addoption("--cuts", default="2", help="How often each face is cut by a kill.")
    parser.addoption("--tasks", default="4", help="How many tasks of an MCP server are cut by kills.")
    modes = [mode.value for mode in Mode if mode is not Mode.STATEMENT]
    parser.addoption("--pooler", choices=modes, help="Reach every database through PgBouncer in this mode.")
    parser.addoption("--pgbouncer", help="The PgBouncer to use; without it the machine's own.")
    parser.addoption("--examples", default="2", help="How many requests of each kind everybody makes.")
    parser.addoption("--storage-away", default="5", help="For how many seconds object storage is away.")
    parser.addoption("--versitygw", help="The program versitygw, to have it as object storage instead of moto.")
    parser.addoption("--kubeconfig", type=Path, help="The cluster of tests that need one; not run without.")
    parser.addoption("--cluster-box", type=Path, help="The folder of a cluster of which parts may be killed.")
    parser.addoption("--rewinds", default="64", help="How many edits go back under kills.")
    parser.addoption("--outages", default="1", help="How often every replica is killed at once.")
    parser.addoption("--losses", default="2", help="How often a failover loses commits.")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes long. A run of one process keeps the order that it was asked for."""
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    if workers > 1:
        items[:] = ordered(items, lambda item: item.nodeid.partition("::")[0], workers=workers)


def pytest_collection_finish() -> None:
    """What was loaded stays until the end: looking through it for garbage again and again took a fifth of it."""
    gc.collect()
    gc.freeze()


def _scratch() -> str:
    """Where files may come and go by the thousand: in memory, if there is enough. On a disk it takes longer."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > _ROOM
    return str(memory) if roomy else tempfile.gettempdir()


@pytest.fixture(scope="session")
def databases(testrun_uid: str, request: pytest.FixtureRequest) -> Iterator[Databases]:
    """One server for the whole run: every worker leases the same directory."""
    folder, chosen = Path(_scratch(), f"perdure-test-{testrun_uid}"), request.config.getoption("--pooler")
    mode = None if chosen is None else Mode(chosen)
    with temporary_postgres(folder, mode=mode, program=request.config.getoption("--pgbouncer")) as server:
        asyncio.run(server.prepare())
        yield server


@pytest.fixture
async def database_url(databases: Databases) -> AsyncIterator[str]:
    """A database of this test's own, with the newest schema and no rows."""
    async with databases.fresh() as url:
        yield url


@pytest.fixture
async def pool(databases: Databases, database_url: str) -> AsyncIterator[Pool]:
    """Connections to this test's own database, as the server opens them."""
    async with databases.pool(database_url) as pool:
        yield pool
