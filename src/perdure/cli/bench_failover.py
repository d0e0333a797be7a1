"""Replicas that are killed while they answer: how long until another goes on."""

from perdure.cli.progress import progress
from perdure.cli.proof_setup import own_postgres, prepared_database, replica_users
from perdure.proof.failover import Takeovers
from perdure.proof.failover import measured as taken_over


async def measured(kills: int, replicas: int) -> Takeovers:
    with progress() as shown, own_postgres() as postgres:
        async with prepared_database(postgres.url, 1) as (_, tokens):
            await replica_users(postgres.url, replicas)
            folder = postgres.folder / "replicas"
            return await taken_over(postgres.url, tokens[0], folder, replicas=replicas, kills=kills, shown=shown)
