"""What a streamed delta costs: our dialects, the floor beneath them, and the vendors' own SDKs, in one run."""

import asyncio
import gc
import multiprocessing
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection

import aiohttp

from perdure.cli.bench_sdks import SDKS
from perdure.core.message import NewMessage, Role, Text
from perdure.core.timing import SystemClock
from perdure.providers.client import ProviderClient
from perdure.providers.credentials import Outgoing
from perdure.providers.model import Model
from perdure.providers.request import ModelRequest
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service
from perdure.sim.server import Simulator

FLOOR_BAR = 3.0
SDK_BAR = 10.0
KEY = "benchmark"

MODELS = {
    "anthropic_messages": (Service.ANTHROPIC, "claude-sonnet-5-5"),
    "openai_responses": (Service.OPENAI, "gpt-5.2"),
    "openai_chat": (Service.COMPATIBLE, "local"),
    "gemini": (Service.GOOGLE, "gemini-2.5-flash"),
}


@dataclass(frozen=True, slots=True)
class CallLoad:
    """What is streamed. At a thousand tokens a second about ten deltas share a network read."""

    streams: int
    tokens: int
    rate: int
    rounds: int

    @property
    def prompt(self) -> str:
        return f"[[rate:{self.rate}]][[say:{self.tokens} tokens]]"


@dataclass(frozen=True, slots=True)
class CallFigures:
    """Microseconds of CPU per delta."""

    dialect: str
    floor: float
    ours: float
    sdk: float | None

    @property
    def over_floor(self) -> float:
        return self.ours / self.floor

    @property
    def under_sdk(self) -> float | None:
        return None if self.sdk is None else self.sdk / self.ours


async def measured(load: CallLoad) -> list[CallFigures]:
    with simulator() as url:
        async with ProviderClient(SystemClock()) as client, aiohttp.ClientSession() as session:
            return [await _row(load, name, url=url, client=client, session=session) for name in MODELS]


async def _row(
    load: CallLoad, name: str, *, url: str, client: ProviderClient, session: aiohttp.ClientSession
) -> CallFigures:
    service, model = MODELS[name]
    route = Route.to(ProviderSettings(service=service, base_url=url), Model(id=model, dialect=name), KEY)
    request = ModelRequest(messages=[NewMessage(role=Role.USER, parts=(Text(load.prompt),))])
    ways: dict[str, Callable[[], Awaitable[int]]] = {
        "floor": lambda: _drain(session, route, request),
        "ours": lambda: _stream(client, route, request),
    }
    async with AsyncExitStack() as stack:
        if find_spec(SDKS[name].package.partition(".")[0]) is not None:
            sdk = await stack.enter_async_context(SDKS[name].opened(url, KEY))
            ways["sdk"] = lambda: sdk(model, load.prompt)
        spent = await _best(load, ways)
    return CallFigures(name, spent["floor"], spent["ours"], spent.get("sdk"))


async def _best(load: CallLoad, ways: dict[str, Callable[[], Awaitable[int]]]) -> dict[str, float]:
    """Each way's cheapest round, in microseconds per delta. The first round only warms up."""
    best: dict[str, float] = {}
    for turn in range(load.rounds + 1):
        for name, way in ways.items():
            # Nobody pays for garbage that another way left, nor for going through what the program is made of.
            gc.collect()
            gc.freeze()
            before = time.process_time()
            await asyncio.gather(*(way() for _ in range(load.streams)))
            spent = (time.process_time() - before) * 1e6 / (load.streams * load.tokens)
            if turn:
                best[name] = min(spent, best.get(name, spent))
    return best


async def _stream(client: ProviderClient, route: Route, request: ModelRequest) -> int:
    count = 0
    async with client.stream(route, request) as stream:
        async for batch in stream:
            count += len(batch)
    return count


async def _drain(session: aiohttp.ClientSession, route: Route, request: ModelRequest) -> int:
    """The same bytes over the same library, looked at by nobody."""
    encoded = route.encode(request)
    url = route.endpoint.url(encoded.path)
    headers = {"content-type": "application/json", **encoded.headers}
    headers.update(await route.credentials.authorize(Outgoing("POST", url, headers, encoded.body or b"")))
    size = 0
    async with session.post(url, data=encoded.body, headers=headers) as response:
        response.raise_for_status()
        while piece := await response.content.readany():
            size += len(piece)
    return size


@contextmanager
def simulator() -> Generator[str]:
    """A simulator in a process of its own, so that only the client's CPU is counted."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    # So that a simulator that does not start is an end of file, and no wait for ever.
    theirs.close()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(started: "Connection") -> None:
    asyncio.run(_simulate(started))


async def _simulate(started: "Connection") -> None:
    async with Simulator() as sim:
        started.send(sim.url)
        await asyncio.Event().wait()


def table(rows: list[CallFigures]) -> str:
    lines = [f"{'CPU µs per delta':<20} {'floor':>8} {'ours':>8} {'/floor':>8} {'SDK':>8} {'SDK/ours':>8}"]
    for row in rows:
        sdk = f"{row.sdk:8.1f} {row.under_sdk:8.1f}" if row.sdk is not None else f"{'—':>8} {'—':>8}"
        lines.append(f"{row.dialect:<20} {row.floor:8.1f} {row.ours:8.1f} {row.over_floor:8.2f} {sdk}")
    lines.append(
        f"bars: ours ≤ {FLOOR_BAR:g} times the floor, SDK ≥ {SDK_BAR:g} times ours; — where the SDK is not installed"
    )
    return "\n".join(lines)


def missed(rows: list[CallFigures]) -> list[str]:
    """The bars that were not met."""
    over = [f"{row.dialect}: {row.over_floor:.2f} times the floor" for row in rows if row.over_floor > FLOOR_BAR]
    near = [
        f"{row.dialect}: SDK only {row.under_sdk:.1f} times ours"
        for row in rows
        if row.under_sdk and row.under_sdk < SDK_BAR
    ]
    return over + near
