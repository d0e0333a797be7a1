"""The tool `process_list`."""

from perdure.tools.place import command_place
from perdure.tools.tool import COMMANDS, Effect, ToolContext, tool
from perdure.workspaces import operations


@tool(Effect.READS, needs=COMMANDS)
async def process_list(ctx: ToolContext) -> str:
    """List the processes that were started in the workspace."""
    return await operations.process_list(await command_place(ctx))
