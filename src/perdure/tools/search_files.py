"""The tool `search_files`."""

from typing import Annotated

from msgspec import Meta

from perdure.tools.place import workspace
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces import operations


@tool(Effect.READS)
async def search_files(
    ctx: ToolContext,
    pattern: Annotated[str, Meta(description="A regular expression, as ripgrep reads it.")],
    path: Annotated[str, Meta(description="Where to look.")] = ".",
    glob: Annotated[str | None, Meta(description="Only files whose path matches, such as *.py.")] = None,
) -> str:
    """Search the text of files in the workspace."""
    return await operations.search_files(await workspace(ctx), pattern, path, glob)
