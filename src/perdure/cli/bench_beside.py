"""The same conversations on what people would take instead: one simulated model, one Postgres, the same cores.

And what becomes of a turn and of a payment when everything is killed in the middle of both (`bench_beside_kills`).

Each peer runs as its documentation says, in an environment of its own below `.make`, with the smallest chat that its
own users would write (`scripts/beside`). Nobody else is loaded while one is measured.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from perdure.cli.beside_killed import killed_ours, killed_peer
from perdure.cli.beside_peers import PEERS, PROGRAMS, Peer, begun, free_port, installed, running
from perdure.cli.proof_setup import own_postgres
from perdure.cli.scaletest import own_place
from perdure.core.errors import Misconfigured
from perdure.proof.evidence import sql
from perdure.proof.scale.bars import quantile
from perdure.proof.scale.gauges import family_seconds, since, statements
from perdure.proof.scale.load import Load
from perdure.proof.scale.scaletest import Wanted
from perdure.sim.process import simulator_process
from perdure.store.connection import connect


@dataclass(frozen=True, slots=True)
class Conversations:
    """How many there are at once, and how long they are."""

    chats: int
    turns: int
    tokens: int

    @property
    def text(self) -> str:
        return f"[[say:{self.tokens} tokens]]"


@dataclass(frozen=True, slots=True)
class Result:
    """What one of them came to."""

    name: str
    turns: int
    seconds: float
    first_token: float
    """Seconds, the median."""
    server: float
    """Seconds of CPU of its processes."""
    postgres: float
    statements: int
    failures: int = 0
    killed: str = ""
    """What became of a turn and of a payment."""


def required() -> None:
    if not PROGRAMS.is_dir():
        raise Misconfigured("bench beside runs in a checkout: scripts/beside has the programs of the others.")


async def measured(names: Sequence[str], wanted: Conversations, told: Callable[[str], None]) -> list[Result]:
    """Ourselves, then each of the others."""
    results: list[Result] = []
    if not names or "perdure" in names:
        told("perdure")
        results.append(await _ours(wanted))
    for peer in PEERS:
        if not names or peer.name in names:
            told(peer.name)
            results.append(await _beside(peer, wanted))
    return results


async def _ours(wanted: Conversations) -> Result:
    asked = Wanted(chats=wanted.chats, turns=wanted.turns, tokens=wanted.tokens, streams=0, resting=0)
    async with own_place(asked, 1) as (place, _):
        await Load(place, chats=4, turns=2, text=wanted.text).run(lambda _done, _all: None)
        loaded = await Load(place, chats=wanted.chats, turns=wanted.turns, text=wanted.text).run(lambda _a, _b: None)
    return Result(
        "perdure",
        len(loaded.turns),
        loaded.seconds,
        quantile([turn.first_output for turn in loaded.turns], 0.5),
        loaded.burned["server"],
        loaded.burned["Postgres"],
        sum(each.calls for each in loaded.statements),
        loaded.failures.total(),
        await killed_ours(),
    )


async def _beside(peer: Peer, wanted: Conversations) -> Result:
    environment = installed(peer)
    with own_postgres(_of_the_machine() if peer.extensions else None) as postgres:
        connection = await connect(postgres.url)
        await connection.execute(sql("statistics"))
        await connection.close()
        async with simulator_process() as simulator:
            data = postgres.folder / "beside"
            variables = {"BESIDE_MODEL_URL": simulator.url, "BESIDE_DATA": str(data), "BESIDE_TILL_URL": ""}
            variables.update(peer.variables)
            if peer.database is not None:
                variables[peer.database] = postgres.url
            async with running(peer, environment, variables, free_port()) as (url, pid):
                await load(peer, url, Conversations(4, 2, wanted.tokens))
                before, counted = _burned(pid, postgres.pid), await statements(postgres.url)
                begun = time.perf_counter()
                firsts, failures = await load(peer, url, wanted)
                seconds = time.perf_counter() - begun
                server, database = (after - was for after, was in zip(_burned(pid, postgres.pid), before, strict=True))
                ran = sum(each.calls for each in since(counted, await statements(postgres.url)))
            end = await killed_peer(peer, environment, variables)
    first = quantile(firsts, 0.5) if firsts else 0.0
    return Result(peer.name, len(firsts), seconds, first, server, database, ran, failures, end)


def _of_the_machine() -> Path:
    """The newest Postgres that the machine has, with what its distribution adds to it."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not found:
        raise Misconfigured("This needs a Postgres of the machine with its extensions: install postgresql-contrib.")
    return found[-1]


def _burned(pid: int, postgres: int | None) -> tuple[float, float]:
    return family_seconds(pid), family_seconds(postgres or 0)


async def load(peer: Peer, url: str, wanted: Conversations) -> tuple[list[float], int]:
    """All conversations at once: when each turn's first token came, and how many conversations failed."""
    firsts: list[float] = []
    timeout = aiohttp.ClientTimeout(total=None, sock_read=120)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as http:

        async def conversation() -> None:
            chat = await begun(peer, http, url)
            for _ in range(wanted.turns):
                first = await peer.say(http, url, chat, wanted.text)
                firsts.append(first)

        done = await asyncio.gather(*(conversation() for _ in range(wanted.chats)), return_exceptions=True)
    return firsts, sum(isinstance(each, BaseException) for each in done)


def table(results: Sequence[Result]) -> str:
    """Markdown, as the README shows it."""
    lines = [
        "| | turns/s | first token, p50 | CPU of the server, a turn | of Postgres | statements | killed, restarted |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in results:
        turns = max(1, each.turns)
        failed = f" ({each.failures} failed)" if each.failures else ""
        lines.append(
            f"| {each.name}{failed} | {each.turns / each.seconds:.1f} | {each.first_token * 1e3:.0f} ms "
            f"| {each.server / turns * 1e3:.1f} ms | {each.postgres / turns * 1e3:.1f} ms "
            f"| {each.statements / turns:.1f} | {each.killed} |"
        )
    return "\n".join(lines)
