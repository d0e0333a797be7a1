"""The simulator as a server and as a program of its own: what it is made of, and its life from listening to closed."""

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
import uvloop

from perdure.sim.answer_choice import DEMO_RATE, AnswerChoice
from perdure.sim.answering import Answering
from perdure.sim.anthropic.wire import Anthropic
from perdure.sim.clouds.azure import AzureChat
from perdure.sim.clouds.bedrock import Bedrock
from perdure.sim.clouds.vertex import VertexAnthropic, VertexGemini
from perdure.sim.connection import Connection, Exchange
from perdure.sim.control import Control
from perdure.sim.gates import Gates
from perdure.sim.gemini.wire import Gemini
from perdure.sim.openai_chat.wire import OpenAIChat
from perdure.sim.openai_responses.background import Background
from perdure.sim.openai_responses.store import Responses
from perdure.sim.openai_responses.wire import OpenAIResponses
from perdure.sim.process import READY
from perdure.sim.prompt_cache import PromptCache
from perdure.sim.recording import Recorded, Recording
from perdure.sim.routes import Routes, Wires
from perdure.sim.script import Script, Scripts

log = logging.getLogger(__name__)

BACKLOG = 4096


class Simulator:
    """`async with Simulator() as sim:` listens on a loopback port; `sim.url` is where."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        scripts: Iterable[Script] = (),
        rate: float | None = DEMO_RATE,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._host = host
        self._port = port
        self._connections: set[Connection] = set()
        self._server: asyncio.Server | None = None
        self.choice = AnswerChoice(scripts, rate=rate)
        self.recording = Recording(now)
        self.gates = Gates()
        self._stored = Responses()
        self._control = Control(self.recording, self.gates, self.choice)
        self._routes = self._wired(now)

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://{self._host}:{self._port}"

    @property
    def requests(self) -> list[Recorded]:
        """What was asked so far."""
        return self.recording.find()

    def script(self, script: Script) -> None:
        """Add or replace a script."""
        self.choice.scripts[script.name] = script

    async def start(self) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self._handle, self._connections), self._host, self._port, backlog=BACKLOG
        )
        self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening and drop every connection."""
        assert self._server is not None
        self._server.close()
        self._stored.close()
        for connection in list(self._connections):
            connection.transport.abort()
        await self._server.wait_closed()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _wired(self, now: Callable[[], float]) -> Routes:
        cache = PromptCache(now)
        responses = OpenAIResponses(cache, now, self._stored)
        background = Background(responses, self._stored, self.gates)
        answering = Answering(self.choice, self.recording, self.gates, background, now)
        wires = Wires(
            Anthropic(cache),
            OpenAIChat(cache, now),
            responses,
            Gemini(cache),
            AzureChat(cache, now),
            VertexAnthropic(cache),
            VertexGemini(cache),
            Bedrock(cache),
        )
        return Routes(answering, background, wires)

    async def _handle(self, exchange: Exchange) -> None:
        try:
            await self._answer(exchange)
        except Exception:
            log.exception("the simulator failed at %s %s", exchange.method, exchange.path)
            if exchange.started:
                exchange.abort()
            else:
                exchange.respond(500, msgspec.json.encode({"error": "the simulator itself failed; see its log"}))

    async def _answer(self, exchange: Exchange) -> None:
        route = self._routes.find(exchange.method, exchange.path)
        if route is not None:
            await route(exchange)
        elif exchange.path.startswith("/sim/"):
            await self._control.answer(exchange)
        else:
            message = f"Invalid URL ({exchange.method} {exchange.path})"
            error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
            exchange.respond(404, msgspec.json.encode({"error": error}))


def serve(simulator: Simulator, say: Callable[[str], None], *, held: int | None = None) -> None:
    """Run until interrupted or terminated, or until nobody holds the other end of this pipe any more."""
    uvloop.run(_serve(simulator, say, held))


def load_scripts(path: Path) -> tuple[Script, ...]:
    """The scripts in a JSON or TOML file."""
    data = path.read_bytes()
    decode = msgspec.toml.decode if path.suffix == ".toml" else msgspec.json.decode
    return decode(data, type=Scripts).scripts


async def _serve(simulator: Simulator, say: Callable[[str], None], held: int | None) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    if held is not None:
        loop.add_reader(held, stopped.set)
    async with simulator:
        say(READY + simulator.url)
        await stopped.wait()


def say_plainly(line: str) -> None:
    """For a parent process that reads our output."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
