"""The tool `read_template`."""

from typing import Annotated

import msgspec
from msgspec import Meta

from perdure.tools.call import Mode
from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.READS, modes=frozenset({Mode.ROOT, Mode.PLAN}))
async def read_template(ctx: ToolContext, name: Annotated[str, Meta(description="As list_templates names it.")]) -> str:
    """Show what a template makes and which parameters it takes."""
    template = await ctx.services.workspaces.templates.find(ctx.organisation_id, name)
    recipe = template.recipe
    parameters = msgspec.json.encode(recipe.parameters).decode()
    return f"{recipe.description}\nNetwork: {recipe.network}\nParameters: {parameters}\n\n{template.readme}"
