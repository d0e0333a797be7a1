"""The tool `list_templates`."""

from perdure.tools.call import Mode
from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.READS, modes=frozenset({Mode.ROOT, Mode.PLAN}))
async def list_templates(ctx: ToolContext) -> str:
    """List the templates that workspaces can be made from."""
    templates = await ctx.services.workspaces.templates.all(ctx.organisation_id)
    return "\n".join(f"{template.name}: {template.recipe.description}" for template in templates)
