"""The tool `start_workspace`."""

from perdure.tools.call import Mode
from perdure.tools.place import workspace
from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.READS, modes=frozenset({Mode.ROOT}), serial=True)
async def start_workspace(ctx: ToolContext) -> str:
    """Start the chat's workspace again after it was stopped."""
    await workspace(ctx)
    return "The workspace runs."
