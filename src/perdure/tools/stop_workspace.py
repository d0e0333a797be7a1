"""The tool `stop_workspace`."""

from perdure.tools.call import Mode, ToolFailed
from perdure.tools.place import NO_WORKSPACE
from perdure.tools.tool import Effect, ToolContext, tool


@tool(Effect.KEYED, modes=frozenset({Mode.ROOT}), serial=True)
async def stop_workspace(ctx: ToolContext) -> str:
    """Stop the chat's workspace: its processes end, its files stay."""
    workspaces = ctx.services.workspaces
    row = await workspaces.of_chat(ctx.home)
    if row is None:
        raise ToolFailed(NO_WORKSPACE)
    await workspaces.stop(row)
    return "The workspace is stopped. It starts again when it is used."
