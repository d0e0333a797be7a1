"""`perdure bench`: measurements that print a table and exit with 1 when a bar is missed."""

from datetime import timedelta
from typing import Annotated

import typer
import uvloop

from perdure.cli import (
    bench_beside,
    bench_faces,
    bench_failover,
    bench_growth,
    bench_idle,
    bench_machine,
    bench_people,
    bench_processes,
    bench_renewals,
    bench_schedules,
    bench_streams,
    bench_trees,
    bench_work,
)
from perdure.cli.bench_providers import CallLoad, measured, missed, table
from perdure.cli.progress import progress
from perdure.cli.verdict import Numbers, barred, judge

app = typer.Typer(no_args_is_help=True, help="Measure parts of the product against their bars.")
app.add_typer(bench_work.app)


@app.callback()
def bench() -> None:
    """Measure parts of the product against their bars."""


@app.command()
def providers(
    streams: Annotated[int, typer.Option(help="How many answers stream at once.")] = 32,
    tokens: Annotated[int, typer.Option(help="How many tokens an answer has.")] = 500,
    rate: Annotated[int, typer.Option(help="Tokens a second in each stream.")] = 1000,
    rounds: Annotated[int, typer.Option(help="How often each is measured; the best counts.")] = 8,
) -> None:
    """CPU per streamed delta: each dialect beside the floor of draining the same bytes, and beside the vendor's SDK."""
    with progress(f"measuring {rounds} times: ours, the floor and the vendors' SDKs"):
        rows = uvloop.run(measured(CallLoad(streams, tokens, rate, rounds)))
    judge(table(rows), missed(rows))


@app.command()
def machine(
    rounds: Annotated[int, typer.Option(help="How often each is measured, in turns with the floor.")] = 5,
    commits: Annotated[int, typer.Option(help="How many commits a round has.")] = 1200,
) -> None:
    """Commits a second of a SendMessage/FinishTurn pair, beside the bare driver writing two rows in one statement."""
    with progress(f"measuring {rounds} times: ours and the bare driver"):
        rows = bench_machine.measured(rounds, commits)
    judge(bench_machine.table(rows), bench_machine.missed(rows))


@app.command()
def beside(
    names: Annotated[list[str] | None, typer.Argument(help="Whom: perdure, langgraph, dbos, litellm.")] = None,
    chats: Annotated[int, typer.Option(help="How many conversations at once.", min=1)] = 50,
    turns: Annotated[int, typer.Option(help="How many turns each.", min=1)] = 6,
    tokens: Annotated[int, typer.Option(help="How long an answer is.", min=1)] = 200,
) -> None:
    """The same conversations on what people would take instead, with one model and one Postgres. Needs a checkout."""
    bench_beside.required()
    wanted = bench_beside.Conversations(chats, turns, tokens)
    results = uvloop.run(
        bench_beside.measured(names or (), wanted, lambda name: typer.echo(f"measuring {name}", err=True))
    )
    typer.echo(bench_beside.table(results))


@app.command()
def trees(
    count: Annotated[int, typer.Option(help="How many trees grow.", min=1)] = 500,
    replicas: Annotated[int, typer.Option(help="How many replicas run.", min=2, max=20)] = 3,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 1,
) -> None:
    """Parents that wait for 20 agents each while replicas are killed and agents stopped: no wake-up may be lost."""
    report = uvloop.run(bench_trees.measured(count, replicas, seed))
    judge(bench_trees.table(report), report.wrong)


@app.command()
def streams(
    subscribers: Annotated[int, typer.Option(help="How many follow one chat at once.")] = 1000,
    followers: Annotated[int, typer.Option(help="How many follow while others are stuck.")] = 20,
    rounds: Annotated[int, typer.Option(help="How often the stuck are measured; the best counts.", min=1)] = 3,
) -> None:
    """What many subscribers of one chat get, and whether some that do not read slow the others."""
    with progress(f"measuring with {subscribers} subscribers, then {rounds} times with stuck ones"):
        rows = uvloop.run(bench_streams.measured(subscribers, followers, rounds))
    judge(bench_streams.table(rows), bench_streams.missed(rows))


@app.command()
def faces(
    turns: Annotated[int, typer.Option(help="How many turns are followed for their first words.", min=1)] = 60,
    chats: Annotated[int, typer.Option(help="How many chats answer at once.", min=1)] = 16,
    tokens: Annotated[int, typer.Option(help="How many tokens an answer has.", min=1)] = 400,
    rounds: Annotated[int, typer.Option(help="How often CPU is measured; the best counts.", min=1)] = 5,
) -> None:
    """What other protocols cost beside our own stream: delay of the first words, and CPU for a token."""
    with progress(f"following {turns} turns, then measuring CPU {rounds} times"):
        rows = uvloop.run(bench_faces.measured(bench_faces.FaceLoad(turns, chats, tokens, rounds)))
    judge(bench_faces.table(rows), bench_faces.missed(rows))


@app.command()
def failover(
    kills: Annotated[int, typer.Option(help="How many replicas are killed in the middle of an answer.", min=1)] = 30,
    replicas: Annotated[int, typer.Option(help="How many run; all but one are killed again and again.", min=2)] = 4,
) -> None:
    """Seconds from a kill to the first new part of the answer, as a client of another replica sees it."""
    takeovers = uvloop.run(bench_failover.measured(kills, replicas))
    typer.echo(takeovers.table())
    raise typer.Exit(0 if takeovers.met else 1)


@app.command()
def idle(
    streams: Annotated[int, typer.Option(help="How many streams are open at rest.", min=20)] = 10_000,
    chats: Annotated[int, typer.Option(help="How many chats rest without a reader.", min=20)] = 100_000,
    seconds: Annotated[float, typer.Option(help="How long each is watched.", min=1)] = 30.0,
    json: Numbers = None,
) -> None:
    """What doing nothing costs: the start of a replica, its memory, open streams at rest, chats at rest."""
    barred(uvloop.run(bench_idle.measured(streams, chats, seconds)), json)


@app.command()
def growth(
    messages: Annotated[int, typer.Option(help="How many messages the long chat has.", min=20)] = 10_000,
    searched: Annotated[int, typer.Option(help="How many messages are searched.", min=1000)] = 1_000_000,
    json: Numbers = None,
) -> None:
    """What a long chat costs for a turn and to open, a search over many messages, and how large tables become."""
    bars, sizes = uvloop.run(bench_growth.measured(messages, searched))
    typer.echo(sizes)
    barred(bars, json)


@app.command()
def processes(
    processes: Annotated[int, typer.Option(help="How many processes are compared with one.", min=2)] = 2,
    chats: Annotated[int, typer.Option(help="How many chats at once.", min=1)] = 200,
    turns: Annotated[int, typer.Option(help="How many turns each.", min=1)] = 10,
    rounds: Annotated[int, typer.Option(help="How often each is measured, by turns.", min=1)] = 2,
    json: Numbers = None,
) -> None:
    """How many more turns several processes carry than one, by the CPU that they use."""
    bars, told = uvloop.run(bench_processes.measured(processes, chats, turns, rounds))
    typer.echo(told)
    barred(bars, json)


@app.command()
def renewals(
    replicas: Annotated[list[int] | None, typer.Option(help="How many replicas; may be given again.", min=1)] = None,
    seconds: Annotated[float, typer.Option(help="How long each is watched.", min=1)] = 15.0,
    json: Numbers = None,
) -> None:
    """What Postgres spends on renewing the leases of 10, 100 and 1,000 replicas."""
    barred(uvloop.run(bench_renewals.measured(replicas or (10, 100, 1000), seconds)), json)


@app.command()
def people(
    people: Annotated[int, typer.Option(help="How many are in the chat.", min=2)] = 20,
    rounds: Annotated[int, typer.Option(help="How often each of them begins and stops to type.", min=1)] = 10,
) -> None:
    """Milliseconds until others see who types at another replica, and until a stream ends whose share is taken back."""
    figures = uvloop.run(bench_people.measured(people, rounds))
    judge(figures.table(), figures.missed())


@app.command()
def schedules(
    count: Annotated[int, typer.Option(help="How many there are, each due every hour.", min=1)] = 10_000,
    replicas: Annotated[int, typer.Option(help="How many run; one after the other is killed.", min=2)] = 3,
    minutes: Annotated[float, typer.Option(help="How long clocks jump and replicas die.", min=0.5)] = 8.0,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 7,
) -> None:
    """What becomes of every due time while replicas are killed and all clocks jump by an hour. Needs libfaketime."""
    report = uvloop.run(bench_schedules.measured(count, replicas, timedelta(minutes=minutes), seed))
    typer.echo(report.table())
    raise typer.Exit(0 if report.met else 1)
