"""Responses over a WebSocket: each `response.create` is answered by the events that its stream has."""

from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
from msgspec import Struct

from perdure.api.decoding import body_of
from perdure.core.errors import PerdureError
from perdure.faces.asked import TurnId
from perdure.faces.face import Conversing, Request
from perdure.faces.openai.errors import OpenAiError, error_of
from perdure.faces.openai.turns import Turns, numbered
from perdure.faces.openai.wire import ResponseBody
from perdure.stream.batches import text_frame

CREATE = "response.create"


class ClientEvent(Struct, frozen=True):
    type: str


def conversing(asked: Callable[[Request, ResponseBody], Awaitable[TurnId]]) -> Conversing:
    """Answers messages, each by the turn that this makes of what it asks."""

    async def answers(request: Request) -> AsyncIterator[bytes]:
        try:
            event: ClientEvent = body_of(ClientEvent, request.body)
            if event.type != CREATE:
                raise OpenAiError(400, f"Send {CREATE}, not {event.type!r}.", param="type")
            turn = await asked(request, body_of(ResponseBody, request.body))
            request.caller.announcements.make()
            response, feed = await Turns(request.caller, request.hubs).response(turn)
            async for events in numbered(response, feed):
                yield b"".join(text_frame(_data(event)) for event in events)
        except PerdureError as error:
            yield text_frame(_failure(error))

    return answers


def _data(event: bytes) -> bytes:
    """What a server-sent event says."""
    return event.partition(b"\ndata: ")[2].rstrip(b"\n")


def _failure(error: PerdureError) -> bytes:
    answer = error_of(error)
    told = msgspec.json.decode(answer.body)["error"]
    words = {name: told[name] for name in ("message", "code", "param")}
    return msgspec.json.encode({"type": "error", "sequence_number": 0, "status": answer.status, "error": told, **words})
