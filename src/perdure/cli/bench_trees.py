"""Trees of agents while replicas, agents and parents are killed and stopped: no wake-up may be lost."""

from collections.abc import Sequence

import msgspec

from perdure.cli.progress import progress
from perdure.cli.proof_setup import own_postgres, prepared_database, replica_users
from perdure.config.models import ModelOptions, Price
from perdure.proof.evidence import sql
from perdure.proof.processes import SERVE
from perdure.proof.trees import AGENTS, PATIENCE, TreesReport, TreesSetup, TreesTest
from perdure.store.connection import connect

# Nobody's chats take all the room of a replica.
PEOPLE = 8
# The demo model talks at a readable pace. Under another name it is as fast as can be, and here it has a price.
_OPTIONS = ModelOptions(
    context_window=200_000, max_output_tokens=8_000, price=Price(input=3_000_000, output=15_000_000)
)


async def measured(
    trees: int, replicas: int, seed: int, *, program: Sequence[str] = SERVE, patience: float = PATIENCE
) -> TreesReport:
    """Trees on a Postgres, a simulator and replicas of their own. `program` is what a replica runs."""
    with progress() as shown, own_postgres() as postgres:
        async with prepared_database(postgres.url, PEOPLE) as (_, tokens):
            await replica_users(postgres.url, replicas)
            connection = await connect(postgres.url)
            await connection.execute(sql("swift_models"), msgspec.json.encode(_OPTIONS).decode())
            await connection.close()
            folder = postgres.folder / "replicas"
            setup = TreesSetup(database_url=postgres.url, tokens=tokens, folder=folder, program=program)
            trees_test = TreesTest(setup, replicas=replicas, trees=trees, seed=seed, patience=patience)
            return await trees_test.run(shown)


def table(report: TreesReport) -> str:
    stopped = sum(tree.parent_stopped for tree in report.trees)
    rows = [
        ("seed", str(report.seed)),
        ("seconds", f"{report.seconds:.0f}"),
        ("trees", f"{len(report.trees)} of 1 parent and {AGENTS} agents"),
        ("replicas killed", str(report.kills)),
        ("agents stopped", str(sum(tree.agents_stopped for tree in report.trees))),
        ("parents stopped", str(stopped)),
        ("agents as heard", ", ".join(f"{count} {name}" for name, count in sorted(report.standing.items()))),
        ("violations", str(len(report.wrong))),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)
