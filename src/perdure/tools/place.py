"""Where the tools of a chat act: its workspace, or one instruction on how to get one."""

import contextlib

from perdure.core.errors import PerdureError, WorkspaceLost
from perdure.tools.call import Mode, ToolFailed
from perdure.tools.tool import ToolContext
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.operations import LOST

NO_WORKSPACE = "This chat has no workspace yet. Call create_workspace first."
NONE_TO_LOOK_AT = "This chat has no workspace, so there is nothing to look at. Go on without it."
LOOKING = frozenset({Mode.PLAN, Mode.EXPLORE})


async def workspace(ctx: ToolContext) -> WorkspaceClient:
    """The chat's workspace."""
    return await _client(ctx, view=False)


async def command_place(ctx: ToolContext) -> WorkspaceClient:
    """Where commands run: a view that cannot be written to while the chat only plans or explores."""
    return await _client(ctx, view=ctx.mode in LOOKING)


async def _client(ctx: ToolContext, *, view: bool) -> WorkspaceClient:
    workspaces = ctx.services.workspaces
    row = await workspaces.of_chat(ctx.home)
    if row is None:
        raise ToolFailed(NO_WORKSPACE if ctx.mode is Mode.ROOT else NONE_TO_LOOK_AT)
    client = await workspaces.client(row, view=view)
    if await ctx.entered(client.incarnation) and not await client.knows(str(ctx.key)):
        raise WorkspaceLost(LOST)
    spent = workspaces.keys.use(ctx.key.chat_id, (row.id, view), step=ctx.key.message, key=str(ctx.key))
    if spent:
        with contextlib.suppress(PerdureError):
            await client.forget(sorted(spent))
    return client
