"""The tools for files of the workspace."""

from base64 import b64decode
from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

from msgspec import Meta, Struct

from perdure.core.ids import FileId
from perdure.tools.call import ACTING, Mode, NewFile, ToolOutput
from perdure.tools.plans import through_links
from perdure.tools.tool import Effect, ToolContext, tool
from perdure.tools.workspaces import changing_workspace, workspace
from perdure.workspaces import operations, wire

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


@tool(Effect.KEYED, modes=ACTING | {Mode.PLAN})
async def write_file(
    ctx: ToolContext,
    path: Annotated[str, Meta(description="Absolute, or relative to the workspace root.")],
    content: Annotated[str, Meta(description="All that the file is to hold.")],
) -> str:
    """Write a whole file in the workspace, making its folders. Use edit_files to change a part of one."""
    follow = through_links(ctx, path)
    return await operations.write_file(await changing_workspace(ctx), str(ctx.key), path, content, through_links=follow)


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
    return await operations.edit_files(await changing_workspace(ctx), str(ctx.key), wanted, through_links=follow)


@tool(Effect.READS)
async def search_files(
    ctx: ToolContext,
    pattern: Annotated[str, Meta(description="A regular expression, as ripgrep reads it.")],
    path: Annotated[str, Meta(description="Where to look.")] = ".",
    glob: Annotated[str | None, Meta(description="Only files whose path matches, such as *.py.")] = None,
) -> str:
    """Search the text of files in the workspace."""
    return await operations.search_files(await workspace(ctx), pattern, path, glob)


@tool(Effect.READS)
async def list_files(
    ctx: ToolContext,
    path: Annotated[str, Meta(description="The folder to list.")] = ".",
    depth: Annotated[int, Meta(ge=1, le=5, description="How many levels down.")] = 2,
) -> str:
    """List files and folders of the workspace."""
    return await operations.list_files(await workspace(ctx), path, depth)


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
