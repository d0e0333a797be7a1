"""The tool `edit_files`."""

from typing import Annotated

from msgspec import Meta, Struct

from perdure.tools.call import ACTING, Mode
from perdure.tools.place import workspace
from perdure.tools.plan_file import through_links
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.workspaces import operations, wire


class Edit(Struct, frozen=True, forbid_unknown_fields=True):
    old_text: Annotated[str, Meta(description="Text that is in the file, long enough to be there once.")]
    new_text: Annotated[str, Meta(description="What to put in its place.")]
    replace_all: Annotated[bool, Meta(description="Replace every place where it stands.")] = False


class FileEdit(Struct, frozen=True, forbid_unknown_fields=True):
    path: Annotated[str, Meta(description="Absolute, or relative to the workspace root.")]
    edits: Annotated[list[Edit], Meta(min_length=1, description="In order; later ones see earlier ones.")]


@tool(Effect.KEYED, modes=ACTING | {Mode.PLAN})
async def edit_files(
    ctx: ToolContext,
    files: Annotated[list[FileEdit], Meta(min_length=1, description="The files to change: all of them or none.")],
) -> str:
    """Change parts of files in the workspace. Every edit is checked before anything is written; diffs come back."""
    follow = through_links(ctx, *(file.path for file in files))
    wanted = [
        wire.FileEdits(file.path, [wire.TextEdit(e.old_text, e.new_text, e.replace_all) for e in file.edits])
        for file in files
    ]
    return await operations.edit_files(await workspace(ctx), str(ctx.key), wanted, through_links=follow)
