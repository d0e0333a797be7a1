"""The commands of `perdure bench` that measure workspaces: here, in a cluster, and the states of their files."""

from pathlib import Path
from typing import Annotated

import typer
import uvloop

from perdure.cli import bench_egress, bench_pods, bench_snapshots, bench_workspaces
from perdure.cli.progress import progress
from perdure.cli.verdict import judge

app = typer.Typer()


@app.command()
def workspaces(
    count: Annotated[int, typer.Option(help="How many workspaces run idle at once.")] = 200,
    idle: Annotated[float, typer.Option(help="For how many seconds they are left alone.")] = 10.0,
) -> None:
    """What idle workspaces cost: memory, processes, CPU, and the time of a start. Needs root to read memory."""
    with progress(f"starting {count} workspaces, then leaving them alone for {idle:.0f} s"):
        cost = uvloop.run(bench_workspaces.measured(count, idle))
    judge(bench_workspaces.table(cost), bench_workspaces.missed(cost))


@app.command()
def pods(
    kubeconfig: Annotated[Path, typer.Option(help="The kubeconfig of the cluster.")],
    image: Annotated[str, typer.Option(help="What the pods run.")],
    storage_class: Annotated[
        str, typer.Option(help="The storage class of volume claims. Defaults to that of the cluster.")
    ] = "",
    namespace: Annotated[str, typer.Option(help="The namespace. Defaults to that of the kubeconfig.")] = "",
    rounds: Annotated[int, typer.Option(help="How many are made one after the other.", min=1)] = 10,
    commands: Annotated[int, typer.Option(help="How many commands run in each.", min=1)] = 100,
    at_once: Annotated[int, typer.Option(help="How many are made at once.", min=1)] = 30,
) -> None:
    """How soon a workspace in a pod is there, cold and warm, and what a command costs over the local driver."""
    said = {"image": image, "storage_class": storage_class, "namespace": namespace}
    settings = {name: value for name, value in said.items() if value}
    wanted = bench_pods.Wanted(
        kubeconfig=kubeconfig, settings=settings, rounds=rounds, commands=commands, at_once=at_once
    )
    with progress(f"making {rounds} workspaces, running {commands} commands, making {at_once} at once"):
        times = uvloop.run(bench_pods.measured(wanted))
    judge(bench_pods.table(times), bench_pods.missed(times))


@app.command()
def snapshots(
    files: Annotated[int, typer.Option(help="How many files the workspace has.")] = 50_000,
    turns: Annotated[int, typer.Option(help="How many turns change fifty of them.")] = 10,
) -> None:
    """What keeping the earlier states of a workspace's files costs: time and room."""
    with progress(f"keeping {files} files, then {turns} times those that a turn changed"):
        cost = uvloop.run(bench_snapshots.measured(files, turns))
    judge(bench_snapshots.table(cost), bench_snapshots.missed(cost))


@app.command()
def egress(
    requests: Annotated[int, typer.Option(help="How many requests of one connection a round has.", min=4)] = 400,
    mebibytes: Annotated[int, typer.Option(help="How much a download is, in MiB.", min=1)] = 512,
    rounds: Annotated[int, typer.Option(help="How often each is measured, in turns.", min=1)] = 5,
) -> None:
    """What the proxy of a workspace adds to a request, and how much throughput it leaves. Needs curl."""
    with progress(f"asking {rounds} times directly and through the proxy: HTTP, closed TLS, opened TLS"):
        costs = uvloop.run(bench_egress.measured(requests, mebibytes, rounds))
    judge(bench_egress.table(costs), bench_egress.missed(costs))
