"""The same conversations on what people would take instead: one simulated model, one Postgres, the same cores.

Each peer runs as its documentation says, in an environment of its own below `.make`, with the smallest chat that its
own users would write (`scripts/beside`). Nobody else is loaded while one is measured.
"""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from uuid import uuid4

import aiohttp

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

PROGRAMS = Path("scripts/beside")
ENVIRONMENTS = Path(".make/beside")
STARTING = 300.0
KEY = f"sk-{token_hex(32)}"
"""What everybody is asked with, and asks the model with. LiteLLM takes no weaker one."""


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


Say = Callable[[aiohttp.ClientSession, str, str, str], Awaitable[float]]
"""Says something in a conversation and hears the answer out: seconds until its first token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Somebody else: what is installed, how it is started with a port, and how one talks to it."""

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    ready: str
    say: Say
    opens: str | None = None
    """Where a conversation is begun, where it has to be."""
    database: str | None = None
    """The variable that tells it where Postgres is."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


async def _streamed(http: aiohttp.ClientSession, url: str, body: object, sign: bytes) -> float:
    begun, first = time.perf_counter(), 0.0
    async with http.post(url, json=body, headers={"authorization": f"Bearer {KEY}"}) as answer:
        if answer.status >= 400:
            raise ConnectionError(f"{answer.status}: {(await answer.text())[:200]}")
        async for line in answer.content:
            if not first and sign in line:
                first = time.perf_counter() - begun
    if not first:
        raise ConnectionError("the answer said nothing")
    return first


async def _run_of_thread(http: aiohttp.ClientSession, url: str, chat: str, text: str) -> float:
    body = {
        "assistant_id": "agent",
        "input": {"messages": [{"role": "user", "content": text}]},
        "stream_mode": ["messages-tuple"],
    }
    return await _streamed(http, f"{url}/threads/{chat}/runs/stream", body, b'"content"')


async def _dbos_turn(http: aiohttp.ClientSession, url: str, chat: str, text: str) -> float:
    return await _streamed(http, f"{url}/chats/{chat}", {"text": text}, b"data: ")


async def _completion(http: aiohttp.ClientSession, url: str, chat: str, text: str) -> float:  # noqa: ARG001
    body = {"model": "sim", "stream": True, "messages": [{"role": "user", "content": text}]}
    return await _streamed(http, f"{url}/v1/chat/completions", body, b'"content"')


PEERS = (
    Peer(
        name="langgraph",
        packages=("langgraph-api==0.16.7", "langgraph-runtime-inmem", "langgraph-cli[inmem]", "langchain-anthropic"),
        command=("langgraph", "dev", "--no-browser", "--no-reload", "--config", "langgraph.json", "--port"),
        ready="/ok",
        say=_run_of_thread,
        opens="/threads",
    ),
    Peer(
        name="dbos",
        packages=("dbos==3.3.0", "psycopg[binary,pool]", "httpx", "starlette", "uvicorn"),
        command=("python", "dbos_chat.py"),
        ready="/chats/none",
        say=_dbos_turn,
        database="BESIDE_DATABASE_URL",
    ),
    Peer(
        name="litellm",
        packages=("litellm[proxy]==1.106.2",),
        command=("litellm", "--config", "litellm.yaml", "--port"),
        ready="/health/liveliness",
        say=_completion,
        # Its list of prices is in the package, too.
        variables={"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY},
    ),
)


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
    )


async def _beside(peer: Peer, wanted: Conversations) -> Result:
    environment = _installed(peer)
    with own_postgres() as postgres:
        connection = await connect(postgres.url)
        await connection.execute(sql("statistics"))
        await connection.close()
        async with simulator_process() as simulator:
            variables = {"BESIDE_MODEL_URL": simulator.url, **peer.variables}
            if peer.database is not None:
                variables[peer.database] = postgres.url
            async with _running(peer, environment, variables) as (url, pid):
                await load(peer, url, Conversations(4, 2, wanted.tokens))
                before, counted = _burned(pid, postgres.pid), await statements(postgres.url)
                begun = time.perf_counter()
                firsts, failures = await load(peer, url, wanted)
                seconds = time.perf_counter() - begun
                server, database = (after - was for after, was in zip(_burned(pid, postgres.pid), before, strict=True))
                ran = sum(each.calls for each in since(counted, await statements(postgres.url)))
    first = quantile(firsts, 0.5) if firsts else 0.0
    return Result(peer.name, len(firsts), seconds, first, server, database, ran, failures)


def _burned(pid: int, postgres: int | None) -> tuple[float, float]:
    return family_seconds(pid), family_seconds(postgres or 0)


async def load(peer: Peer, url: str, wanted: Conversations) -> tuple[list[float], int]:
    """All conversations at once: when each turn's first token came, and how many conversations failed."""
    firsts: list[float] = []
    timeout = aiohttp.ClientTimeout(total=None, sock_read=120)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as http:

        async def conversation() -> None:
            chat = await _begun(peer, http, url)
            for _ in range(wanted.turns):
                first = await peer.say(http, url, chat, wanted.text)
                firsts.append(first)

        done = await asyncio.gather(*(conversation() for _ in range(wanted.chats)), return_exceptions=True)
    return firsts, sum(isinstance(each, BaseException) for each in done)


async def _begun(peer: Peer, http: aiohttp.ClientSession, url: str) -> str:
    if peer.opens is None:
        return str(uuid4())
    async with http.post(url + peer.opens, json={}) as answer:
        return (await answer.json())["thread_id"]


def _installed(peer: Peer) -> Path:
    """The peer's own environment, made when it is first asked for."""
    place = (ENVIRONMENTS / peer.name).absolute()
    if not (place / "bin" / peer.command[0]).exists():
        subprocess.run(("uv", "venv", "--quiet", str(place)), check=True)
        subprocess.run(
            ("uv", "pip", "install", "--quiet", "--python", f"{place}/bin/python", *peer.packages), check=True
        )
    return place


@asynccontextmanager
async def _running(peer: Peer, environment: Path, variables: Mapping[str, str]) -> AsyncGenerator[tuple[str, int]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    inherited = dict(os.environ)  # noqa: TID251
    known = {
        "PATH": f"{environment}/bin:{inherited['PATH']}",
        "BESIDE_MODEL": "sim",
        "BESIDE_KEY": KEY,
    }
    log = os.open(environment.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    process = await asyncio.create_subprocess_exec(
        f"{environment}/bin/{peer.command[0]}",
        *peer.command[1:],
        str(port),
        cwd=shutil.copytree(PROGRAMS, ENVIRONMENTS / "programs", dirs_exist_ok=True),
        env={**inherited, **known, **variables},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await _ready(url + peer.ready, process, environment)
        yield url, process.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        os.close(log)
        await process.wait()


async def _ready(url: str, process: asyncio.subprocess.Process, environment: Path) -> None:
    async with asyncio.timeout(STARTING), aiohttp.ClientSession() as http:
        while True:
            if process.returncode is not None:
                raise Misconfigured(f"{environment.name} did not start; {environment}.log says why.")
            with suppress(aiohttp.ClientError):
                async with http.get(url) as answer:
                    if answer.status < 500:
                        return
            await asyncio.sleep(0.2)


def table(results: Sequence[Result]) -> str:
    """Markdown, as the README shows it."""
    lines = [
        "| | turns/s | first token, p50 | CPU of the server, a turn | CPU of Postgres, a turn | statements a turn |",
        "|---|---|---|---|---|---|",
    ]
    for each in results:
        turns = max(1, each.turns)
        failed = f" ({each.failures} failed)" if each.failures else ""
        lines.append(
            f"| {each.name}{failed} | {each.turns / each.seconds:.1f} | {each.first_token * 1e3:.0f} ms "
            f"| {each.server / turns * 1e3:.1f} ms | {each.postgres / turns * 1e3:.1f} ms "
            f"| {each.statements / turns:.1f} |"
        )
    return "\n".join(lines)
