"""The tool `read_file`."""

from base64 import b64decode
from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

from msgspec import Meta

from perdure.core.ids import FileId
from perdure.tools.call import NewFile, ToolOutput
from perdure.tools.place import workspace
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces import operations

PAGE = operations.PAGE


@tool(Effect.READS)
async def read_file(
    ctx: ToolContext,
    path: Annotated[str, Meta(description="Absolute, or relative to the workspace root.")],
    offset: Annotated[int, Meta(ge=1, description="First line to show, counting from 1.")] = 1,
    limit: Annotated[int, Meta(ge=1, le=PAGE, description="How many lines to show.")] = PAGE,
) -> str | ToolOutput:
    """Read a text file from the workspace. Lines come back numbered; a long file comes in pages."""
    found = await operations.read_file(await workspace(ctx), path, offset, limit)
    if isinstance(found, str):
        return found
    name = path.rsplit("/", 1)[-1]
    picture = NewFile(
        FileId(uuid5(NAMESPACE_URL, f"{ctx.key}/picture")), name, found.media_type, b64decode(found.base64)
    )
    return ToolOutput(f"{name} is a picture.", files=(picture,))
