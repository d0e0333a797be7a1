"""The tools for reading skills."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.skill_sources import Asker
from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.READS)
async def read_skill(
    ctx: ToolContext, name: Annotated[str, Meta(description="As the list of skills names it.")]
) -> str:
    """Read a skill: how to do one kind of work here. Read it before you begin with such work."""
    return await ctx.services.skills.read(Asker.of_call(ctx), name)


@tool(Effect.READS)
async def read_skill_file(
    ctx: ToolContext,
    name: Annotated[str, Meta(description="The skill.")],
    path: Annotated[str, Meta(description="Relative to the skill's folder, as the skill names it.")],
) -> str:
    """Read another file of a skill, such as a template or an example that it mentions."""
    return await ctx.services.skills.read(Asker.of_call(ctx), name, path)
