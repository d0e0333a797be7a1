"""Whom we measure beside ourselves: what is installed of each, how it is started, and how one talks to it."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from uuid import uuid4

import aiohttp

from perdure.core.errors import Misconfigured

PROGRAMS = Path("scripts/beside")
ENVIRONMENTS = Path(".make/beside")
STARTING = 300.0
FIRST_TOKENS = 2.0
"""Seconds after which a slow answer is in its middle."""
KEY = f"sk-{token_hex(32)}"
"""What everybody is asked with, and asks the model with. LiteLLM takes no weaker one."""


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
    reads: str | None = None
    """Where a conversation is read, with the place of its id; None where nothing of it is kept."""
    extensions: bool = False
    """Whether it needs extensions of Postgres that the packaged server does not have."""
    programs: tuple[str, ...] = ()
    """Packages of npm that bring a program."""
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


async def _own_turn(http: aiohttp.ClientSession, url: str, chat: str, text: str) -> float:
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
        reads="/threads/{}/state",
    ),
    Peer(
        name="aegra",
        packages=("aegra-api==0.6.0", "aegra-cli==0.6.0", "langchain-anthropic", "sqlalchemy[asyncio]"),
        command=("aegra", "serve", "--host", "127.0.0.1", "--config", "aegra.json", "--port"),
        ready="/health",
        say=_run_of_thread,
        opens="/threads",
        reads="/threads/{}/state",
        database="DATABASE_URL",
        extensions=True,
    ),
    Peer(
        name="dbos",
        packages=("dbos==3.3.0", "psycopg[binary,pool]", "httpx", "starlette", "uvicorn"),
        command=("python", "dbos_chat.py"),
        ready="/chats/none",
        say=_own_turn,
        reads="/chats/{}",
        database="BESIDE_DATABASE_URL",
    ),
    Peer(
        name="restate",
        packages=(*("restate-sdk[serde]==1.2.0", "hypercorn==0.18.0", "httpx", "starlette"),),
        command=("python", "restate_chat.py"),
        ready="/chats/none",
        say=_own_turn,
        reads="/chats/{}",
        programs=("@restatedev/restate-server@1.7",),
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


async def begun(peer: Peer, http: aiohttp.ClientSession, url: str) -> str:
    if peer.opens is None:
        return str(uuid4())
    async with http.post(url + peer.opens, json={}) as answer:
        return (await answer.json())["thread_id"]


def installed(peer: Peer) -> Path:
    """The peer's own environment, made when it is first asked for."""
    place = (ENVIRONMENTS / peer.name).absolute()
    if not (place / "bin" / peer.command[0]).exists():
        uv = shutil.which("uv") or ".make/uv/bin/uv"
        subprocess.run((uv, "venv", "--quiet", str(place)), check=True)
        subprocess.run((uv, "pip", "install", "--quiet", "--python", f"{place}/bin/python", *peer.packages), check=True)
    if peer.programs and not (place / "node_modules").exists():
        subprocess.run(("npm", "install", "--silent", "--prefix", str(place), *peer.programs), check=True)
    return place


def _found(environment: Path) -> str:
    """Where its programs are: those of its packages, also of npm, before those of the machine."""
    brought = (str(each.parent) for each in environment.glob("node_modules/*/*/bin/*"))
    return ":".join((f"{environment}/bin", *brought, dict(os.environ)["PATH"]))  # noqa: TID251


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@asynccontextmanager
async def running(
    peer: Peer, environment: Path, variables: Mapping[str, str], port: int
) -> AsyncGenerator[tuple[str, int]]:
    inherited = dict(os.environ)  # noqa: TID251
    known = {
        "PATH": _found(environment),
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
