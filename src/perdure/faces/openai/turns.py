"""Turns of chats, as they are handed to clients of OpenAI's API: whole, or piece by piece."""

from collections.abc import AsyncIterator

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.core.errors import NotFound
from perdure.core.message import Message
from perdure.faces.asked import TurnId, offered, own_tools
from perdure.faces.following import TurnFeed
from perdure.faces.openai.completions import Completion
from perdure.faces.openai.errors import OpenAiError
from perdure.faces.openai.notes import metadata_of
from perdure.faces.openai.responses import Head, Response, origin_of
from perdure.faces.turn import TurnEvent
from perdure.stream.hubs import Hubs


class Turns:
    """The turns that one caller may read."""

    def __init__(self, caller: Caller, hubs: Hubs) -> None:
        self._caller = caller
        self._hubs = hubs

    async def completion(self, turn: TurnId, *, shows_tools: bool) -> tuple[Completion, TurnFeed]:
        seen, message = await self._found(turn)
        created = int(message.created_at.timestamp())
        names = own_tools(seen)
        completion = Completion(turn, await self._model(seen, message), created, names, shows_tools=shows_tools)
        return completion, self._feed(turn, names)

    async def response(self, turn: TurnId) -> tuple[Response, TurnFeed]:
        seen, message = await self._found(turn)
        background, previous = origin_of(message.client_id)
        head = Head(
            turn=turn,
            created=int(message.created_at.timestamp()),
            model=await self._model(seen, message),
            effort=message.effort or seen.card.effort,
            tools=offered(seen),
            previous=previous,
            background=background,
            metadata=await metadata_of(self._caller, turn.chat_id, turn.number),
        )
        return Response(head), self._feed(turn, own_tools(seen))

    def _feed(self, turn: TurnId, names: frozenset[str]) -> TurnFeed:
        return TurnFeed(self._caller.chats, self._hubs, turn.chat_id, turn.number, names)

    async def _found(self, turn: TurnId) -> tuple[Seen, Message]:
        seen = await self._caller.chats.read(turn.chat_id)
        found = await self._caller.chats.oldest(turn.chat_id, after=turn.number - 1, limit=1)
        if not found or found[0].number != turn.number:
            raise NotFound("Response not found: the message it answered was edited.")
        return seen, found[0]

    async def _model(self, seen: Seen, message: Message) -> str:
        return message.model or seen.card.model or await self._caller.default_model() or ""


async def chunks(completion: Completion, feed: TurnFeed, *, include_usage: bool) -> AsyncIterator[bytes]:
    """A chat completion, piece by piece."""
    yield completion.begun()
    async for events in feed.batches():
        frames = completion.add(events)
        if completion.ended is not None:
            frames += completion.last_chunks(include_usage=include_usage)
        if frames:
            yield frames


async def frames(response: Response, feed: TurnFeed, *, after: int | None = None) -> AsyncIterator[bytes]:
    """A response, event by event, after the one with a number."""
    async for events in numbered(response, feed, after=after):
        yield b"".join(events)


async def numbered(response: Response, feed: TurnFeed, *, after: int | None = None) -> AsyncIterator[list[bytes]]:
    """The same, each event by itself."""
    skipped = 0 if after is None else after + 1
    ready = response.begun()
    async for events in feed.batches():
        ready += response.add(events)
        told, skipped = ready[skipped:], max(0, skipped - len(ready))
        ready = []
        if told:
            yield told
    if skipped:
        raise OpenAiError(400, "The response has fewer events than that.", param="starting_after")


async def told(feed: TurnFeed) -> list[TurnEvent]:
    """All that a turn comes to, once it is over."""
    return [event async for events in feed.batches() for event in events]
