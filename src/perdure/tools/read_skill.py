"""The tool `read_skill`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.skills import Asker
from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.READS)
async def read_skill(
    ctx: ToolContext, name: Annotated[str, Meta(description="As the list of skills names it.")]
) -> str:
    """Read a skill: how to do one kind of work here. Read it before you begin with such work."""
    return await ctx.services.skills.read(Asker.of_call(ctx), name)
