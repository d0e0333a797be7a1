"""The tool `list_agents`."""

import msgspec

from perdure.tools.call import WITH_AGENTS
from perdure.tools.reports import Reports, report_of
from perdure.tools.tool import AGENTS, Effect, ToolContext, tool


@tool(Effect.READS, modes=WITH_AGENTS, needs=AGENTS)
async def list_agents(ctx: ToolContext) -> str:
    """The agents that you and your agents have started, and where each stands."""
    agents = await ctx.services.family.all(ctx.key.chat_id)
    standing = tuple(msgspec.structs.replace(report_of(agent), report=None) for agent in agents)
    return msgspec.json.encode(Reports(standing)).decode()
