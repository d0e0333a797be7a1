"""The tool `stop_workspace`."""

from perdure.tools.place import NO_WORKSPACE
from perdure.tools.tool import Effect, Mode, ToolContext, ToolFailed, tool
from perdure.workspaces.service import Workspaces


@tool(Effect.KEYED, modes=frozenset({Mode.ROOT}), serial=True)
async def stop_workspace(ctx: ToolContext) -> str:
    """Stop the chat's workspace: its processes end, its files stay."""
    workspaces = ctx.service(Workspaces)
    row = await workspaces.of_chat(ctx.home)
    if row is None:
        raise ToolFailed(NO_WORKSPACE)
    await workspaces.stop(row)
    return "The workspace is stopped. It starts again when it is used."
