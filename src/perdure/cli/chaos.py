"""`perdure chaos`: break a fleet of replicas at random, then check every promise."""

import secrets
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta
from typing import Annotated

import typer
import uvloop

from perdure.cli.progress import progress
from perdure.cli.proof_setup import own_postgres, prepared_database, replica_users
from perdure.core.errors import Misconfigured
from perdure.proof.chaos import Chaos, ChaosReport, ChaosSetup
from perdure.proof.evidence import prepare
from perdure.proof.outside import NotSimulated, Outside
from perdure.proof.scale.load_chat import BASE
from perdure.proof.tables import chaos_table, timeline
from perdure.store.connection import connect

PEOPLE = 4
REPLICA = ("-m", "perdure.cli.chaos_replica")


def command(
    replicas: Annotated[int, typer.Option(help="How many replicas run.", min=2, max=20)] = 3,
    minutes: Annotated[float, typer.Option(help="How long things go wrong.", min=0.1)] = 1.0,
    seed: Annotated[int | None, typer.Option(help="What is drawn from; the same seed breaks the same things.")] = None,
    url: Annotated[
        str | None,
        typer.Option(help="A deployment with a simulated model to act on from outside: only connections are cut."),
    ] = None,
    token: Annotated[str | None, typer.Option(help="A token of that deployment.")] = None,
) -> None:
    chosen = secrets.randbelow(1_000_000) if seed is None else seed
    typer.echo(f"seed {chosen}", err=True)
    length = timedelta(minutes=minutes)
    outcome = uvloop.run(run(replicas, length, chosen) if url is None else outside(url, token, length, chosen))
    typer.echo(chaos_table(outcome))
    for line in timeline(outcome):
        typer.echo(line)
    raise typer.Exit(0 if outcome.met else 1)


async def run(
    replicas: int,
    length: timedelta,
    seed: int,
    *,
    program: Sequence[str] = REPLICA,
    stop_at: AbstractSet[int] = frozenset(),
) -> ChaosReport:
    """One run on a Postgres, a simulator and replicas of its own. `program` is what a replica runs."""
    with progress() as shown, own_postgres() as postgres:
        async with prepared_database(postgres, PEOPLE) as (simulator, tokens):
            await replica_users(postgres.url, replicas)
            connection = await connect(postgres.url)
            await prepare(connection)
            await connection.close()
            setup = ChaosSetup(
                database_url=postgres.url,
                simulator_url=simulator.url,
                tokens=tokens,
                folder=postgres.folder / "replicas",
                program=lambda ledger: (*program, ledger),
                restart_postgres=postgres.restart,
            )
            chaos = Chaos(setup, replicas=replicas, length=length, seed=seed)
            return await chaos.run(shown, stop_at=stop_at)


async def outside(url: str, token: str | None, length: timedelta, seed: int) -> ChaosReport:
    """One run on a deployment that is not ours: with what can be reached from outside."""
    if token is None:
        raise Misconfigured("--url needs a --token of that deployment. Make one with: perdure tokens add NAME.")
    base = url.rstrip("/").removesuffix(BASE)
    try:
        with progress() as shown:
            return await Outside(base, [token] * PEOPLE, length=length, seed=seed).run(shown)
    except NotSimulated as answer:
        raise Misconfigured(
            f"The model of {base} does not count as it is told, and says: {answer}. "
            "Chaos asks for thousands of answers: give it a deployment that was started with --demo."
        ) from answer
