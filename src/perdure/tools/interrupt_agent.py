"""The tool `interrupt_agent`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.call import WITH_AGENTS
from perdure.tools.tool import AGENTS, Effect, ToolContext, tool


@tool(Effect.KEYED, modes=WITH_AGENTS, needs=AGENTS, serial=True)
async def interrupt_agent(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The agent.")],  # noqa: A002
) -> str:
    """Stop an agent. What it has said and done so far stays."""
    (agent,) = await ctx.services.family.named(ctx.key.chat_id, [id])
    stopped = await ctx.services.family.interrupt(ctx, agent)
    return "It was told to stop." if stopped else "It was at rest already."
