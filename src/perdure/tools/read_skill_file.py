"""The tool `read_skill_file`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.skills import Asker
from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.READS)
async def read_skill_file(
    ctx: ToolContext,
    name: Annotated[str, Meta(description="The skill.")],
    path: Annotated[str, Meta(description="Relative to the skill's folder, as the skill names it.")],
) -> str:
    """Read another file of a skill, such as a template or an example that it mentions."""
    return await ctx.services.skills.read(Asker.of_call(ctx), name, path)
