"""The shapes of what a chat did to its workspace's files."""

from typing import Annotated

from msgspec import Meta, Struct

from perdure.workspaces.pull_requests import ReviewComment
from perdure.workspaces.wire import Difference


class FileChange(Struct, frozen=True):
    path: str
    status: str
    """`new`, `changed` or `deleted`."""
    binary: bool
    added: int
    removed: int


class ChangedFilesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    turn: Annotated[int, Meta(ge=1)] | None = None
    """The number of the message that began a turn: only what that turn changed."""


class ChangedFiles(Struct, frozen=True, kw_only=True):
    """What a chat's turns changed, whatever did it, as unified diffs."""

    count: int
    files: tuple[FileChange, ...]
    """The first of them, up to a thousand."""
    diff: str
    complete: bool
    """Whether everything is in `files` and `diff`."""
    left_out: str = ""
    """What is not kept, in words."""


class FilesPreview(ChangedFiles, frozen=True, kw_only=True):
    """What putting files back to before a message would change."""

    possible: bool
    why_not: str = ""
    conflicts: tuple[str, ...] = ()
    """Files that changed outside of the chat since: because of them nothing goes back."""
    state: str = ""
    """Say it with the edit, so that nothing goes back that was not shown."""


class ReviewComments(Struct, frozen=True):
    """What reviewers said of a pull request, oldest first."""

    items: tuple[ReviewComment, ...]


def changes_of(found: Difference) -> tuple[FileChange, ...]:
    return tuple(FileChange(file.path, file.status, file.binary, file.added, file.removed) for file in found.files)
