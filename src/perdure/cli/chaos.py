"""`perdure chaos`: break a fleet of replicas at random, then check every promise."""

import secrets
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
import uvloop

from perdure.cli.progress import progress
from perdure.cli.proof_clusters import PostgresKind, Reached, cluster
from perdure.cli.proof_setup import end_in_order, own_postgres, prepared_database, replica_users
from perdure.core.errors import Misconfigured
from perdure.proof.chaos import Chaos, ChaosReport, ChaosSetup
from perdure.proof.cluster import Moves
from perdure.proof.evidence import prepare
from perdure.proof.fleet import ReplicaProgram
from perdure.proof.outside import NotSimulated, Outside
from perdure.proof.scale.load_chat import BASE
from perdure.proof.tables import chaos_table, timeline
from perdure.store.connection import connect

_Database: TypeAlias = tuple[str, Callable[[bool], Awaitable[None]], Moves | None]
PEOPLE = 4
REPLICA = ReplicaProgram(("-m", "perdure.cli.chaos_replica"))


def command(  # noqa: PLR0913 (one parameter to an option)
    replicas: Annotated[int, typer.Option(help="How many replicas run.", min=2, max=20)] = 3,
    minutes: Annotated[float, typer.Option(help="How long things go wrong.", min=0.1)] = 1.0,
    processes: Annotated[int, typer.Option(help="How many processes a replica has.", min=1, max=8)] = 1,
    seed: Annotated[int | None, typer.Option(help="The random seed: the same seed breaks the same things.")] = None,
    url: Annotated[
        str | None,
        typer.Option(help="A deployment with a simulated model to act on from outside: only connections are cut."),
    ] = None,
    token: Annotated[str | None, typer.Option(help="A token of that deployment.")] = None,
    postgres: Annotated[
        PostgresKind, typer.Option(help="One server that restarts, or several that take over from each other.")
    ] = PostgresKind.ONE,
    reached: Annotated[
        Reached, typer.Option(help="Several servers: by all their addresses, or behind one that follows late.")
    ] = Reached.HOSTS,
) -> None:
    chosen = secrets.randbelow(1_000_000) if seed is None else seed
    typer.echo(f"seed {chosen}", err=True)
    length = timedelta(minutes=minutes)
    end_in_order()
    if url is None:
        program = replace(REPLICA, processes=processes)
        outcome = uvloop.run(run(replicas, length, chosen, program=program, cluster=cluster(postgres, reached)))
    else:
        outcome = uvloop.run(outside(url, token, length, chosen))
    typer.echo(chaos_table(outcome))
    for line in timeline(outcome):
        typer.echo(line)
    raise typer.Exit(0 if outcome.met else 1)


async def run(
    replicas: int,
    length: timedelta,
    seed: int,
    *,
    program: ReplicaProgram = REPLICA,
    stop_at: AbstractSet[int] = frozenset(),
    cluster: AbstractAsyncContextManager[Moves] | None = None,
) -> ChaosReport:
    """One run on a database, a simulator and replicas of its own."""
    with progress() as shown, tempfile.TemporaryDirectory(prefix="perdure-chaos-") as folder:
        async with _database(cluster) as (url, shake, moves), prepared_database(url, PEOPLE) as (simulator, tokens):
            await replica_users(url, replicas)
            connection = await connect(url)
            await prepare(connection)
            await connection.close()
            reached = url if moves is None else moves.cluster.replica_url
            setup = ChaosSetup(
                database_url=url,
                simulator_url=simulator.url,
                tokens=tokens,
                replicas=lambda ledger: program.fleet(reached, Path(folder), replicas, ledger),
                supervised=program.processes > 1,
                shake_postgres=shake,
                moves=moves,
            )
            chaos = Chaos(setup, replicas=replicas, length=length, seed=seed)
            return await chaos.run(shown, stop_at=stop_at)


@asynccontextmanager
async def _database(cluster: AbstractAsyncContextManager[Moves] | None) -> AsyncGenerator[_Database]:
    """Where it is, and what is done to it: one server that restarts, or several."""
    if cluster is None:
        with own_postgres() as postgres:
            yield postgres.url, postgres.restart, None
    else:
        async with cluster as moves:
            yield moves.cluster.url, moves.move, moves


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
