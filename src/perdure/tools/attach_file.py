"""The tool `attach_file`."""

from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

from msgspec import Meta

from perdure.core.ids import FileId
from perdure.tools.call import ACTING, NewFile, ToolOutput
from perdure.tools.place import workspace
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces import operations


@tool(Effect.KEYED, modes=ACTING)
async def attach_file(
    ctx: ToolContext,
    path: Annotated[str, Meta(description="The file to hand to the user.")],
    name: Annotated[str | None, Meta(description="What to call it, if not as it is.")] = None,
) -> ToolOutput:
    """Copy a file of the workspace into the chat, so that the user can open it."""
    found = await operations.attach_file(await workspace(ctx), path, name)
    file_id = FileId(uuid5(NAMESPACE_URL, f"{ctx.key}/attachment"))
    file = NewFile(file_id, found.name, found.media_type, found.content)
    return ToolOutput(f"Attached {found.name}.", files=(file,))
