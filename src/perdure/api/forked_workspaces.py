"""The workspace of a fork: another one, with a copy of the files."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.chat_workspaces import resting_root, unless_unused
from perdure.api.wire.extras import ForkBody, ForkedFiles
from perdure.core.errors import Refused
from perdure.core.ids import WorkspaceId
from perdure.store.tables import messages
from perdure.workspaces.copying import WorkspaceCopies

EARLIER = (
    "What the files were in an earlier version of the chat is not known apart. Fork with the files as they are now, or "
    "without them."
)


@asynccontextmanager
async def forked_workspace(caller: Caller, seen: Seen, body: ForkBody) -> AsyncGenerator[WorkspaceId | None]:
    """A workspace with a copy of a chat's files, for the fork that the block creates. Without a fork it goes again."""
    services, home = caller.services, seen.row.root_id or seen.chat.id
    source = None if seen.row.workspace_id is None else await services.workspaces.of_chat(home)
    if source is None or source.status == "failed" or body.files is ForkedFiles.NONE:
        yield None
        return
    before = None
    if body.files is ForkedFiles.BACK:
        await resting_root(caller, seen)
        if any(each.message.number == body.after for each in await messages.hidden(caller.rows, home)):
            raise Refused(EARLIER)
        before = await services.chat_files.as_before(home, body.after + 1, body.files_state)
    made, settings = WorkspaceId(caller.made_id("workspace")), await caller.config.settings(seen.row.organisation_id)
    await WorkspaceCopies(services.workspaces).make(made, source, settings.workspaces.per_person, before)
    async with unless_unused(caller, made):
        yield made
