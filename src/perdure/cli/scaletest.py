"""`perdure scaletest`: the whole product under load, measured against its bars."""

import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated

import msgspec
import typer
import uvloop

from perdure.cli.proof_setup import own_postgres, prepared_database
from perdure.core.errors import Misconfigured
from perdure.proof.evidence import sql
from perdure.proof.processes import replica
from perdure.proof.scale.load import Deployment
from perdure.proof.scale.load_chat import BASE
from perdure.proof.scale.pictures import against, plot, table
from perdure.proof.scale.scaletest import Report, ScaleTest, Wanted
from perdure.store.connection import connect

PEOPLE = 20
_WIDTH = 30


def command(  # noqa: PLR0913 (one parameter to an option)
    chats: Annotated[int, typer.Option(help="How many chats at once.", min=1)] = 500,
    turns: Annotated[int, typer.Option(help="How many turns each.", min=1)] = 10,
    tokens: Annotated[int, typer.Option(help="How long an answer is.", min=1)] = 200,
    tools: Annotated[int, typer.Option(help="How many tool calls a turn makes.", min=0)] = 0,
    processes: Annotated[int, typer.Option(help="How many processes a replica has.", min=1)] = 1,
    replicas: Annotated[int, typer.Option(help="How many replicas run.", min=1)] = 1,
    subscribers: Annotated[int, typer.Option(help="How many follow each chat.", min=1)] = 1,
    streams: Annotated[int, typer.Option(help="How many stream beside a stuck one; 0 leaves that out.")] = 1000,
    resting: Annotated[int, typer.Option(help="How many chats rest in memory's bar; 0 leaves that out.")] = 10_000,
    load_only: Annotated[bool, typer.Option("--load-only", help="Nothing but the load and its floor.")] = False,
    json: Annotated[Path | None, typer.Option(help="Where to write the numbers.")] = None,
    earlier: Annotated[
        Path | None, typer.Option(help="Numbers of another run, such as the last release's, to compare with.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Where to write the plot, as SVG.")] = None,
    url: Annotated[str | None, typer.Option(help="A deployment to measure from outside, instead of our own.")] = None,
    token: Annotated[str | None, typer.Option(help="A token of that deployment.")] = None,
) -> None:
    wanted = Wanted(
        chats=chats,
        turns=turns,
        tokens=tokens,
        tools=tools,
        subscribers=subscribers,
        processes=processes,
        load_only=load_only,
        streams=0 if load_only else streams,
        resting=0 if load_only else resting,
    )
    before = None if earlier is None else _numbers(earlier)
    report = uvloop.run(_measured(wanted, replicas, url, token))
    typer.echo(table(report))
    if before is not None:
        typer.echo(f"\nAgainst {earlier}:\n{against(report, before)}")
    if json is not None:
        json.write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    if picture is not None:
        picture.write_text(plot(report))
    raise typer.Exit(0 if report.met else 1)


def _numbers(path: Path) -> Report:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Report)
    except (OSError, msgspec.DecodeError) as error:
        raise Misconfigured(f"{path} has no numbers of a scale test: {error}.") from error


async def _measured(wanted: Wanted, replicas: int, url: str | None, token: str | None) -> Report:
    if url is None:
        async with own_place(wanted, replicas) as (place, simulator_url):
            return await _tested(place, simulator_url, wanted)
    if token is None:
        raise Misconfigured("--url needs a --token of that deployment. Make one with: perdure tokens add NAME.")
    return await _tested(Deployment(urls=(url.rstrip("/").removesuffix(BASE),), tokens=(token,)), "", wanted)


async def _tested(place: Deployment, simulator_url: str, wanted: Wanted) -> Report:
    progress = _Progress()
    test = ScaleTest(place, simulator_url, wanted, progress=progress)
    try:
        return await test.run()
    finally:
        progress.done()


@asynccontextmanager
async def own_place(wanted: Wanted, replicas: int) -> AsyncGenerator[tuple[Deployment, str]]:
    """A Postgres, a simulator and replicas of our own, with room for everybody at once."""
    room = str(max(wanted.chats, wanted.streams, 200) + 100)
    environment = {
        "PERDURE_CAPACITY": room,
        "PERDURE_CAPACITY_PER_USER": room,
        "PERDURE_PROCESSES": str(wanted.processes),
    }
    with own_postgres() as postgres:
        async with prepared_database(postgres.url, PEOPLE) as (simulator, tokens), AsyncExitStack() as stack:
            connection = await connect(postgres.url)
            await connection.execute(sql("statistics"))
            await connection.close()
            started = [
                await stack.enter_async_context(
                    replica(
                        postgres.url,
                        postgres.folder / "replicas",
                        name=f"replica_{n}",
                        environment=environment,
                        supervises=wanted.processes > 1,
                    )
                )
                for n in range(replicas)
            ]
            urls = [one.url for one in started]
            pids = [pid for one in started for pid in (one.process.pid, *one.supervised())]
            beside = {"Postgres": postgres.pid or 0, "simulator": simulator.pid}
            yield (
                Deployment(urls=urls, tokens=tokens, pids=pids, database_url=postgres.url, beside=beside),
                simulator.url,
            )


class _Progress:
    """A bar on a terminal; elsewhere a line for each stage."""

    def __init__(self) -> None:
        self._stage = ""

    def __call__(self, stage: str, share: float) -> None:
        if sys.stderr.isatty():
            full = int(share * _WIDTH)
            sys.stderr.write(f"\r\x1b[2K{stage:<20} [{'#' * full}{'.' * (_WIDTH - full)}] {share:4.0%}")
            sys.stderr.flush()
        elif stage != self._stage:
            sys.stderr.write(f"{stage}\n")
        self._stage = stage

    def done(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[2K")
