"""The tool `write_file`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.call import ACTING, Mode
from perdure.tools.place import workspace
from perdure.tools.plan_file import through_links
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces import operations


@tool(Effect.KEYED, modes=ACTING | {Mode.PLAN})
async def write_file(
    ctx: ToolContext,
    path: Annotated[str, Meta(description="Absolute, or relative to the workspace root.")],
    content: Annotated[str, Meta(description="All that the file is to hold.")],
) -> str:
    """Write a whole file in the workspace, making its folders. Use edit_files to change a part of one."""
    follow = through_links(ctx, path)
    return await operations.write_file(await workspace(ctx), str(ctx.key), path, content, through_links=follow)
