"""Schedules on replicas that are killed, by clocks that jump."""

from datetime import timedelta
from pathlib import Path

from perdure.cli.progress import progress
from perdure.cli.proof_setup import prepared_database, proof_folder
from perdure.core.errors import Misconfigured
from perdure.proof.schedules import MOST_OF_ONE, Run, ScheduleReport
from perdure.testing.clocks import LIBRARIES, JumpingClocks, clocked_postgres


def _library() -> Path:
    found = next(Path("/").glob(LIBRARIES.lstrip("/")), None)
    if found is None:
        raise Misconfigured("Clocks jump by libfaketime. On Debian: apt-get install faketime.")
    return found


async def measured(count: int, replicas: int, length: timedelta, seed: int) -> ScheduleReport:
    with progress() as shown, proof_folder() as folder:
        clocks = JumpingClocks(folder, _library())
        with clocked_postgres(folder, clocks).lease() as lease:
            async with prepared_database(lease.url, -(-count // MOST_OF_ONE)) as (_, tokens):
                run = Run(lease.url, folder / "replicas", tokens, clocks, replicas=replicas, seed=seed)
                return await run.measured(count, length, shown)
