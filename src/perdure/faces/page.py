"""What protocols have in common that are spoken by pages and by other agents: a turn, followed for a request."""

from perdure.faces.asked import TurnId, own_tools
from perdure.faces.face import Request
from perdure.faces.following import TurnFeed

BODY_LIMIT = 32 * 1024 * 1024


async def feed_of(request: Request, turn: TurnId) -> TurnFeed:
    """The turn's events, for somebody who may read the chat."""
    chats = request.caller.chats
    names = own_tools(await chats.read(turn.chat_id))
    return TurnFeed(chats, request.hubs, turn.chat_id, turn.number, names)
