"""Trees of agents while replicas, agents and parents are killed and stopped: no wake-up may be lost."""

from collections.abc import Sequence

import msgspec

from perdure.cli.ground import inhabited, own_postgres, replica_users
from perdure.cli.progress import progress
from perdure.config.models import ModelOptions, Price
from perdure.proof.evidence import sql
from perdure.proof.processes import SERVE
from perdure.proof.trees import AGENTS, PATIENCE, Ground, Harvest, Orchard
from perdure.store.connection import connect

# Nobody's chats take all the room of a replica.
PEOPLE = 8
# The demo model talks at a readable pace. Under another name it is as fast as can be, and here it has a price.
_OPTIONS = ModelOptions(
    context_window=200_000, max_output_tokens=8_000, price=Price(input=3_000_000, output=15_000_000)
)


async def measured(
    trees: int, replicas: int, seed: int, *, program: Sequence[str] = SERVE, patience: float = PATIENCE
) -> Harvest:
    """Trees on a Postgres, a simulator and replicas of their own. `program` is what a replica runs."""
    with progress() as shown, own_postgres() as postgres:
        async with inhabited(postgres, PEOPLE) as (_, tokens):
            await replica_users(postgres.url, replicas)
            connection = await connect(postgres.url)
            await connection.execute(sql("swift_models"), msgspec.json.encode(_OPTIONS).decode())
            await connection.close()
            folder = postgres.folder / "replicas"
            ground = Ground(database_url=postgres.url, tokens=tokens, folder=folder, program=program)
            orchard = Orchard(ground, replicas=replicas, trees=trees, seed=seed, patience=patience)
            return await orchard.run(shown)


def table(harvest: Harvest) -> str:
    stopped = sum(tree.parent_stopped for tree in harvest.trees)
    rows = [
        ("seed", str(harvest.seed)),
        ("seconds", f"{harvest.seconds:.0f}"),
        ("trees", f"{len(harvest.trees)} of 1 parent and {AGENTS} agents"),
        ("replicas killed", str(harvest.kills)),
        ("agents stopped", str(sum(tree.agents_stopped for tree in harvest.trees))),
        ("parents stopped", str(stopped)),
        ("agents as heard", ", ".join(f"{count} {name}" for name, count in sorted(harvest.standing.items()))),
        ("violations", str(len(harvest.wrong))),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)
