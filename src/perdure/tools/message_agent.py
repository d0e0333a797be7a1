"""The tool `message_agent`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.call import WITH_AGENTS, ToolFailed
from perdure.tools.tool import AGENTS, Effect, ToolContext, tool


@tool(Effect.KEYED, modes=WITH_AGENTS, needs=AGENTS, serial=True)
async def message_agent(
    ctx: ToolContext,
    id: Annotated[str, Meta(description="The agent.")],  # noqa: A002
    message: Annotated[str, Meta(min_length=1, max_length=128_000, description="What to tell it.")],
) -> str:
    """Tell an agent something. One that is done starts again; one at work reads it before its next step."""
    if not message.strip():
        raise ToolFailed("The message is blank. Say something.")
    (agent,) = await ctx.services.family.named(ctx.key.chat_id, [id])
    await ctx.services.family.message(ctx, agent, message)
    return "It starts on that now." if agent.at_rest else "It reads that before its next step."
