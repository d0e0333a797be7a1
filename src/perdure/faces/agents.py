"""Agents by name: a model, or a template whose agent gets a workspace of its own."""

from perdure.core.errors import NotFound
from perdure.core.ids import ModelName
from perdure.faces.asking import AGENT
from perdure.faces.face import Request


async def model_of(request: Request, agent: str) -> str:
    """What is asked for when this agent is meant."""
    organisation = request.caller.actor.organisation_id
    if await request.caller.config.model(organisation, ModelName(agent)) is not None:
        return agent
    templates = await request.caller.services.workspaces.templates.all(organisation)
    if all(template.name != agent for template in templates):
        raise NotFound(f"There is no agent {agent!r}: name a model or a template.")
    return f"{AGENT}{agent}"
