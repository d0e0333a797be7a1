"""One request from first byte to last: check the key, read, choose a step, go wrong if scripted, answer, record."""

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from perdure.sim.answer_choice import AnswerChoice
from perdure.sim.ask import Ask
from perdure.sim.connection import Exchange
from perdure.sim.directives import BadDirective
from perdure.sim.document import Problem
from perdure.sim.event_writer import Action, EventWriter, silence
from perdure.sim.faults import BEFORE, STATUSES, UNRENDERED, retry_headers
from perdure.sim.gates import Gates
from perdure.sim.openai_responses.background import Background
from perdure.sim.recording import Recorded, Recording, fingerprint, query_without_secrets, without_secrets
from perdure.sim.script import Fault, GatePart, Pause, Step
from perdure.sim.wire import Request, Wire

HTML = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Answering:
    """How requests of any wire format are answered."""

    choice: AnswerChoice
    recording: Recording
    gates: Gates
    background: Background
    now: Callable[[], float]

    async def answer(self, wire: Wire, exchange: Exchange) -> None:
        """Answer one model call."""
        digest = hashlib.blake2b(exchange.body, digest_size=8).hexdigest()
        attempt = self.choice.attempt(digest)
        entry = self._record(wire, exchange)
        try:
            ask = wire.read(self._authorized(wire, exchange, f"{digest}{attempt % 65536:04x}"))
            entry.model, entry.chat, entry.text, entry.step = ask.model, ask.chat, ask.prompt, ask.step
            await self._perform(wire, exchange, ask, (digest, attempt))
        except Problem as problem:
            self._refuse(wire, exchange, entry, problem)
        except BadDirective as error:
            problem = wire.fault("invalid")
            problem.message = str(error)
            self._refuse(wire, exchange, entry, problem)
        self._finish(entry, exchange)

    async def tell(self, wire: Wire, exchange: Exchange, make: Callable[[Request], bytes]) -> None:
        """Answer a question that is not for the model."""
        entry = self._record(wire, exchange)
        try:
            exchange.respond(200, make(self._authorized(wire, exchange, "0")))
        except Problem as problem:
            self._refuse(wire, exchange, entry, problem)
        self._finish(entry, exchange)

    def _record(self, wire: Wire, exchange: Exchange) -> Recorded:
        """Write the request down, without its keys."""
        key = wire.key(exchange.headers, exchange.query)
        entry = self.recording.add(
            Recorded(
                id=self.recording.next_id(),
                at=self.now(),
                wire=wire.name,
                method=exchange.method,
                path=exchange.path,
                query=query_without_secrets(exchange.query),
                headers=without_secrets(exchange.headers),
                body=msgspec.Raw(exchange.body),
                key=fingerprint(key) if key else None,
            )
        )
        exchange.on_lost = lambda: self.recording.client_closed(entry)
        exchange.on_first_byte = lambda: self._first_byte(entry)
        return entry

    def _authorized(self, wire: Wire, exchange: Exchange, id: str) -> Request:  # noqa: A002
        """Any key will do, but not none and not a bad one."""
        key = wire.key(exchange.headers, exchange.query)
        if key is None or key.startswith("bad-"):
            raise wire.unauthorized(key)
        return Request(exchange.path, exchange.query, exchange.headers, exchange.body, id, fingerprint(key))

    def _refuse(self, wire: Wire, exchange: Exchange, entry: Recorded, problem: Problem) -> None:
        entry.problem = problem.message
        exchange.respond(problem.status, wire.error(problem), **wire.error_headers(problem), **problem.headers)

    def _first_byte(self, entry: Recorded) -> None:
        entry.first_byte_at = self.now()

    def _finish(self, entry: Recorded, exchange: Exchange) -> None:
        """Write down how it ended."""
        entry.status = exchange.status
        entry.finished_at = self.now()
        self.recording.changed()

    async def _perform(self, wire: Wire, exchange: Exchange, ask: Ask, attempt: tuple[str, int]) -> None:
        window = self.choice.window(ask.model)
        if ask.figures.prompt > window:
            await self._overflow(wire, exchange, ask, window)
            return
        step = self.choice.step(ask, *attempt)
        for fault in step.faults:
            if fault.kind in STATUSES:
                raise self._scripted(wire, fault)
            if fault.kind in BEFORE and not await _before(exchange, fault):
                return
        if ask.background:
            await self.background.begin(exchange, ask, step)
        elif ask.stream:
            await self._stream(wire, exchange, ask, wire.stream(ask, step))
        elif await self._waited(exchange, step):
            exchange.respond(200, wire.whole(ask, step), **wire.headers(ask))

    async def _overflow(self, wire: Wire, exchange: Exchange, ask: Ask, window: int) -> None:
        problem = wire.overflow(ask, window)
        events = wire.overflow_stream(ask, problem) if ask.stream else None
        if events is None:
            raise problem
        await self._stream(wire, exchange, ask, events)

    async def _stream(self, wire: Wire, exchange: Exchange, ask: Ask, events: Iterator[Action]) -> None:
        exchange.start(wire.content_type, **wire.headers(ask))
        await EventWriter(exchange, self.gates).write(events)

    def _scripted(self, wire: Wire, fault: Fault) -> Problem:
        problem = wire.fault(fault.kind)
        problem.headers = retry_headers(fault, self.now())
        return problem

    async def _waited(self, exchange: Exchange, step: Step) -> bool:
        """Do the waiting and breaking of a step that is not streamed; says whether there is an answer."""
        for part in step.parts:
            match part:
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case GatePart(name):
                    await self.gates[name].pass_through()
                case Fault(kind="silence") if not await silence(part):
                    return False
                case Fault() if part.kind in UNRENDERED:
                    exchange.abort()
                    return False
                case _:
                    pass
        return True


async def _before(exchange: Exchange, fault: Fault) -> bool:
    """A fault before the first byte; says whether there is an answer after it."""
    match fault.kind:
        case "html":
            exchange.respond(200, HTML, "text/html; charset=utf-8")
        case "empty":
            exchange.respond(200, b"")
        case _:
            return await silence(fault)
    return False
