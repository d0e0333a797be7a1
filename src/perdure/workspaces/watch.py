"""Watching the workspaces that are in use: what git and the context say now goes on the cards of their chats."""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta

from perdure.core.errors import PerdureError
from perdure.core.events import DiffStatus
from perdure.core.ids import WorkspaceId
from perdure.core.timing import WORKSPACE_LONG_POLL, WORKSPACE_WATCH_KEPT, Clock
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.contexts import Contexts
from perdure.workspaces.pull_requests import PullRequest, PullRequests
from perdure.workspaces.service import Workspaces
from perdure.workspaces.wire import GitState

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Watched:
    """One workspace that is looked at, until nobody has used it for a while."""

    client: WorkspaceClient
    until: float
    looking: "asyncio.Task[None]" = field(init=False)


class WorkspaceWatch:
    """Each replica watches what it uses itself. Where two watch the same, the second finds nothing to write."""

    def __init__(self, workspaces: Workspaces, contexts: Contexts, pulls: PullRequests, clock: Clock) -> None:
        self._workspaces = workspaces
        self._contexts = contexts
        self._pulls = pulls
        self._clock = clock
        self._watches: dict[WorkspaceId, Watched] = {}

    async def run(self) -> None:
        stop = self._workspaces.follow(self.used)
        try:
            await asyncio.Event().wait()
        finally:
            stop()
            for watch in self._watches.values():
                watch.looking.cancel()

    def used(self, row: WorkspaceRow, client: WorkspaceClient) -> None:
        """A workspace is used: look at it from now on."""
        until = self._clock.monotonic() + WORKSPACE_WATCH_KEPT.total_seconds()
        watch = self._watches.get(row.id)
        if watch is not None and watch.client is client and not watch.looking.done():
            watch.until = until
            return
        if watch is not None:
            watch.looking.cancel()
        watch = self._watches[row.id] = Watched(client, until)
        watch.looking = asyncio.create_task(self._look(row, watch))
        watch.looking.add_done_callback(lambda _: self._forget(row.id, watch))
        self._count()

    async def _look(self, row: WorkspaceRow, watch: Watched) -> None:
        """Both looks, or none: a workspace that does not answer one is looked at again when it is used again."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._git(row, watch))
                group.create_task(self._told(row, watch))
        except* (PerdureError, OSError) as errors:
            # What follows the first sentence is what a model is to do.
            why = str(errors.exceptions[0]).partition(". ")[0]
            _log.info("workspace %s is not looked at until it is used again: %s", row.id, why)

    async def _git(self, row: WorkspaceRow, watch: Watched) -> None:
        known, told = "", ""
        while self._clock.monotonic() < watch.until:
            state = await watch.client.git.state(known, _patience(known))
            pull = await self._pulls.of(state.repositories[0]) if state.repositories else None
            status = diff_status(state, pull)
            if state.hash != known or str(status) != told:
                await self._workspaces.stands(row.id, status)
            known, told = state.hash, str(status)

    async def _told(self, row: WorkspaceRow, watch: Watched) -> None:
        known = ""
        while self._clock.monotonic() < watch.until:
            snapshot = await watch.client.context(known, _patience(known))
            if snapshot.hash != known:
                await self._contexts.changed(row.id, snapshot.hash)
            known = snapshot.hash

    def _forget(self, workspace_id: WorkspaceId, watch: Watched) -> None:
        if self._watches.get(workspace_id) is watch:
            del self._watches[workspace_id]
            self._count()

    def _count(self) -> None:
        self._workspaces.measures.watched.set(len(self._watches))


def _patience(known: str) -> timedelta:
    """The first look is answered at once."""
    return WORKSPACE_LONG_POLL if known else timedelta()


def diff_status(state: GitState, pull: PullRequest | None = None) -> DiffStatus | None:
    """All repositories of a workspace in one line: the first one's branch, everybody's changes."""
    if not state.repositories:
        return None
    first = state.repositories[0]
    files = [file for repository in state.repositories for file in repository.files]
    return DiffStatus(
        branch=first.branch or None,
        origin=first.origin or None,
        files=len(files),
        added=sum(file.added for file in files),
        removed=sum(file.removed for file in files),
        pull_request_url=pull and pull.url,
        pull_request_state=pull and pull.state,
        pull_request_number=pull and pull.number,
        pull_request_title=pull and pull.title,
        pull_request_draft=pull is not None and pull.draft,
        pull_request_checks=pull and pull.checks,
        pull_request_review=pull and pull.review,
    )
