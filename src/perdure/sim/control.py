"""The simulator's own interface under /sim: recorded requests, gates and scripts."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from perdure.core.timing import SIMULATED_PATIENCE
from perdure.sim.answer_choice import AnswerChoice
from perdure.sim.connection import Exchange
from perdure.sim.faults import RandomFaults
from perdure.sim.gates import Gates
from perdure.sim.recording import Filter, Recording, readable
from perdure.sim.script import Script

_PATIENCE = str(SIMULATED_PATIENCE.total_seconds())


class Control:
    """Answers requests to /sim/…"""

    def __init__(self, recording: Recording, gates: Gates, choice: AnswerChoice) -> None:
        self._recording = recording
        self._gates = gates
        self._choice = choice
        self._routes: dict[tuple[str, str], Callable[[Exchange, str], Awaitable[None]]] = {
            ("GET", "health"): self._health,
            ("GET", "requests"): self._requests,
            ("DELETE", "requests"): self._forget,
            ("GET", "scripts"): self._scripts,
            ("POST", "scripts"): self._add_script,
            ("GET", "random-faults"): self._random_faults,
            ("PUT", "random-faults"): self._change_random_faults,
            ("GET", "gates"): self._gate,
            ("POST", "gates"): self._move_gate,
            ("DELETE", "gates"): self._open_gates,
        }

    async def answer(self, exchange: Exchange) -> None:
        """Answer one question."""
        noun, _, rest = exchange.path.removeprefix("/sim/").partition("/")
        route = self._routes.get((exchange.method, noun))
        if route is None:
            exchange.respond(404, _json({"error": f"no such thing: {exchange.method} {exchange.path}"}))
            return
        try:
            await route(exchange, rest)
        except TimeoutError:
            exchange.respond(408, _json({"error": "waited long enough"}))
        except (msgspec.DecodeError, ValueError) as error:
            exchange.respond(400, _json({"error": str(error)}))

    async def _health(self, exchange: Exchange, _: str) -> None:
        exchange.respond(200, _json({"status": "ok"}))

    async def _requests(self, exchange: Exchange, _: str) -> None:
        """GET /sim/requests?model=&marker=&chat=&wire=&after=&closed=true; with `count`, waits for so many."""
        query = dict(exchange.query)
        count, wait = int(query.pop("count", "0")), float(query.pop("wait", _PATIENCE))
        wanted = msgspec.convert(query, Filter, strict=False)
        async with asyncio.timeout(wait):
            found = await self._recording.until(count, wanted)
        exchange.respond(200, _json({"requests": [readable(entry) for entry in found]}))

    async def _forget(self, exchange: Exchange, _: str) -> None:
        self._recording.clear()
        self._choice.reset()
        exchange.respond(200, _json({"requests": []}))

    async def _scripts(self, exchange: Exchange, _: str) -> None:
        exchange.respond(200, _json({"scripts": list(self._choice.scripts.values())}))

    async def _add_script(self, exchange: Exchange, _: str) -> None:
        script = msgspec.json.decode(exchange.body, type=Script)
        self._choice.scripts[script.name] = script
        exchange.respond(201, _json({"name": script.name}))

    async def _random_faults(self, exchange: Exchange, _: str) -> None:
        exchange.respond(200, _json(self._choice.random_faults))

    async def _change_random_faults(self, exchange: Exchange, _: str) -> None:
        """PUT /sim/random-faults with the chance of each fault, such as {"faults": {"cut": 0.05}, "seed": 7}."""
        self._choice.random_faults = msgspec.json.decode(exchange.body, type=RandomFaults)
        exchange.respond(200, _json(self._choice.random_faults))

    async def _gate(self, exchange: Exchange, name: str) -> None:
        """GET /sim/gates, or GET /sim/gates/NAME?waiting=1 to wait until someone has come to the gate."""
        if name:
            async with asyncio.timeout(float(exchange.query.get("wait", _PATIENCE))):
                await self._gates[name].reached(int(exchange.query.get("waiting", "0")))
        exchange.respond(200, _json({"gates": self._gates.states()}))

    async def _move_gate(self, exchange: Exchange, rest: str) -> None:
        """POST /sim/gates/NAME/open, /close, or /pass to let one through."""
        name, _, verb = rest.rpartition("/")
        gate = self._gates[name]
        match verb:
            case "open" | "close":
                await gate.set(open=verb == "open")
            case "pass":
                await gate.grant(int(exchange.query.get("count", "1")))
            case _:
                raise ValueError(f"a gate cannot {verb!r}; it can open, close or pass")
        exchange.respond(200, _json({"gates": self._gates.states()}))

    async def _open_gates(self, exchange: Exchange, _: str) -> None:
        await self._gates.open_all()
        exchange.respond(200, _json({"gates": {}}))


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
