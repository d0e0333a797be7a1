"""Background mode: responses that are made whether or not anyone listens, and the routes that look after them."""

import asyncio

import msgspec

from perdure.sim.ask import Ask
from perdure.sim.connection import Exchange
from perdure.sim.document import Json, Problem, is_object
from perdure.sim.event_writer import EventWriter
from perdure.sim.gates import Gates
from perdure.sim.openai.errors import INVALID
from perdure.sim.openai_responses.events import Events
from perdure.sim.openai_responses.response import Response
from perdure.sim.openai_responses.store import Responses, Stored
from perdure.sim.openai_responses.wire import OpenAIResponses, given_items
from perdure.sim.script import Step


class Background:
    """GET, POST …/cancel and DELETE on /v1/responses/{id}, and the tasks that make background responses."""

    def __init__(self, wire: OpenAIResponses, responses: Responses, gates: Gates) -> None:
        self._wire = wire
        self._responses = responses
        self._gates = gates

    async def begin(self, exchange: Exchange, ask: Ask, step: Step) -> None:
        """Start making a response; the caller follows it or gets its first state."""
        response = self._wire.response(ask, step)
        stored = self._responses.keep(response.id, Stored(given_items(ask), response.document("queued")))
        stored.task = asyncio.create_task(self._make(stored, response))
        if ask.stream:
            exchange.start(self._wire.content_type, **self._wire.headers(ask))
            await stored.follow(exchange, -1, first=True)
        else:
            exchange.respond(200, msgspec.json.encode(stored.response))

    async def route(self, exchange: Exchange) -> None:
        """Everything under /v1/responses/."""
        id_, _, verb = exchange.path.partition("/responses/")[2].partition("/")
        stored = self._responses.get(id_)
        if stored is None:
            self._refuse(exchange, Problem(404, INVALID, f"Response with id '{id_}' not found."))
            return
        match exchange.method, verb:
            case "GET", "":
                await self._read(exchange, stored)
            case "POST", "cancel":
                self._cancel(exchange, stored)
            case "DELETE", "":
                self._responses.forget(id_)
                exchange.respond(200, msgspec.json.encode({"id": id_, "object": "response", "deleted": True}))
            case "GET", "input_items":
                items = {"object": "list", "data": stored.items, "has_more": False}
                exchange.respond(200, msgspec.json.encode(items))
            case _:
                message = f"Invalid URL ({exchange.method} {exchange.path})"
                self._refuse(exchange, Problem(404, INVALID, message))

    async def _read(self, exchange: Exchange, stored: Stored) -> None:
        if exchange.query.get("stream") != "true":
            exchange.respond(200, msgspec.json.encode(stored.response))
        elif stored.task is None:
            message = "This response cannot be streamed because it was not created with background set to true."
            self._refuse(exchange, Problem(400, INVALID, message, param="stream"))
        else:
            exchange.start(self._wire.content_type)
            await stored.follow(exchange, int(exchange.query.get("starting_after", "-1")), first=False)

    def _cancel(self, exchange: Exchange, stored: Stored) -> None:
        if stored.task is None:
            message = "Cannot cancel a synchronous response."
            self._refuse(exchange, Problem(400, INVALID, message))
            return
        if not stored.done:
            stored.task.cancel()
            stored.response = {**stored.response, "status": "cancelled"}
            stored.end()
        exchange.respond(200, msgspec.json.encode(stored.response))

    def _refuse(self, exchange: Exchange, problem: Problem) -> None:
        exchange.respond(problem.status, self._wire.error(problem))

    async def _make(self, stored: Stored, response: Response) -> None:
        stored.response = {**stored.response, "status": "in_progress"}
        await EventWriter(stored, self._gates, survives_cut=True).write(Events(response).stream())
        stored.response = _last_state(stored)


def _last_state(stored: Stored) -> dict[str, Json]:
    """The response in the last event; a stream that ended otherwise has failed."""
    event: Json = msgspec.json.decode(stored.events[-1].partition(b"data: ")[2])
    response = event.get("response") if is_object(event) else None
    if is_object(response):
        return response
    error = {name: event.get(name) for name in ("code", "message")} if is_object(event) else None
    return {**stored.response, "status": "failed", "error": error}
