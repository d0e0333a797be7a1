"""What protocols of pages and of other agents share: agents by name, and a turn that is followed for a request."""

from perdure.core.errors import NotFound
from perdure.core.ids import ModelName
from perdure.faces.asked import TurnId, own_tools
from perdure.faces.asking import AGENT
from perdure.faces.face import Request
from perdure.faces.following import TurnFeed


async def model_of(request: Request, agent: str) -> str:
    """What is asked for when this agent is meant."""
    organisation = request.caller.actor.organisation_id
    if await request.caller.config.model(organisation, ModelName(agent)) is not None:
        return agent
    templates = await request.caller.services.workspaces.templates.all(organisation)
    if all(template.name != agent for template in templates):
        raise NotFound(f"There is no agent {agent!r}: name a model or a template.")
    return f"{AGENT}{agent}"


BODY_LIMIT = 32 * 1024 * 1024


async def feed_of(request: Request, turn: TurnId) -> TurnFeed:
    """The turn's events, for somebody who may read the chat."""
    chats = request.caller.chats
    names = own_tools(await chats.read(turn.chat_id))
    return TurnFeed(chats, request.hubs, turn.chat_id, turn.number, names)
