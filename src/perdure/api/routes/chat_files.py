"""What a chat did to its workspace's files, and what putting them back would do."""

from perdure.api.caller import Caller
from perdure.api.chat_workspaces import resting_root
from perdure.api.routing import Routes
from perdure.api.wire.chat_files import ChangedFiles, ChangedFilesQuery, FilesPreview, ReviewComments, changes_of
from perdure.core.errors import Refused, WorkspaceRefused
from perdure.core.ids import ChatId, MessageNumber
from perdure.workspaces.chat_files import NO_WORKSPACE, left_out

routes = Routes("workspaces")


@routes.get("/chats/{chat_id}/changes")
async def read_changes(caller: Caller, chat_id: ChatId, query: ChangedFilesQuery) -> ChangedFiles:
    """What the chat's turns changed in its workspace, whatever changed it; with `turn` what that turn did."""
    seen = await caller.chats.read(chat_id)
    home = seen.row.root_id or chat_id
    if await caller.services.workspaces.of_chat(home) is None:
        return ChangedFiles(count=0, files=(), diff="", complete=True)
    found = await caller.services.chat_files.changed(home, query.turn or 0, query.turn)
    return ChangedFiles(
        count=found.count,
        files=changes_of(found),
        diff=found.diff,
        complete=found.complete,
        left_out=left_out(found.left_out),
    )


@routes.get("/chats/{chat_id}/messages/{number}/files")
async def preview_files(caller: Caller, chat_id: ChatId, number: MessageNumber) -> FilesPreview:
    """What putting the files back to before a message would change, and whether it can be done."""
    seen = await caller.chats.read(chat_id)
    if not seen.own:
        return _none("Only the chat's owner can restore its files.")
    if await caller.services.workspaces.of_chat(chat_id) is None:
        return _none(NO_WORKSPACE)
    try:
        await resting_root(caller, seen)
        found = await caller.services.chat_files.preview(chat_id, number)
    except (Refused, WorkspaceRefused) as refusal:
        return _none(str(refusal))
    others = found.conflict_count - len(found.conflicts)
    more = f" and {others} more" if others else ""
    changed = f"These files changed outside of the chat since: {', '.join(found.conflicts)}{more}."
    return FilesPreview(
        possible=not found.conflicts,
        why_not=changed if found.conflicts else "",
        conflicts=tuple(found.conflicts),
        state=found.state,
        count=found.count,
        files=changes_of(found),
        diff=found.diff,
        complete=found.complete,
        left_out=left_out(found.left_out),
    )


@routes.get("/chats/{chat_id}/review-comments")
async def read_review_comments(caller: Caller, chat_id: ChatId) -> ReviewComments:
    """What reviewers said of the pull request of the chat's branch, oldest first, as the forge tells it now."""
    seen = await caller.chats.read(chat_id)
    diff = seen.card.diff
    if diff is None or not diff.origin or not diff.pull_request_number:
        return ReviewComments(())
    row = await caller.services.workspaces.of_chat(seen.row.root_id or chat_id)
    found = await caller.services.proposals.comments(row, diff.origin, diff.pull_request_number)
    return ReviewComments(tuple(found))


def _none(why: str) -> FilesPreview:
    return FilesPreview(possible=False, why_not=why, count=0, files=(), diff="", complete=True)
