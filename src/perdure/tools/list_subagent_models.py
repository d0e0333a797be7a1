"""The tool `list_subagent_models`."""

import msgspec

from perdure.tools.call import WITH_AGENTS
from perdure.tools.tool import AGENTS, Effect, ToolContext, tool


@tool(Effect.READS, modes=WITH_AGENTS, needs=AGENTS)
async def list_subagent_models(ctx: ToolContext) -> str:
    """The models that an agent can be started with."""
    models = (await ctx.services.config.of(ctx.organisation_id)).models.values()
    usable = [{"name": model.name, "title": model.display_name} for model in models if model.usable]
    return msgspec.json.encode({"models": usable, "yours": ctx.told.model}).decode()
