"""The tool `list_files`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.place import workspace
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces import operations


@tool(Effect.READS)
async def list_files(
    ctx: ToolContext,
    path: Annotated[str, Meta(description="The folder to list.")] = ".",
    depth: Annotated[int, Meta(ge=1, le=5, description="How many levels down.")] = 2,
) -> str:
    """List files and folders of the workspace."""
    return await operations.list_files(await workspace(ctx), path, depth)
