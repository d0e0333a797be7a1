"""Pull requests of branches: what a forge tells of them, and when it is asked."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import msgspec
from msgspec import Struct

from perdure.core.errors import Unavailable
from perdure.core.timing import FORGE_AGAIN, FORGE_LONGEST, FORGE_STRANGER_AGAIN, FORGE_STRANGER_PAUSE, Clock
from perdure.workspaces.wire import Repository


class PullRequest(Struct, frozen=True):
    """A request to merge a branch."""

    url: str
    number: int
    title: str
    state: str
    draft: bool
    checks: str | None = None
    """`passed`, `failed` or `pending`, where the newest commit has any."""
    review: str | None = None
    """`approved` or `changes_requested`, where somebody decided."""


class ReviewComment(Struct, frozen=True, omit_defaults=True):
    """What a reviewer said, of a line or of the whole."""

    author: str
    body: str
    url: str
    path: str = ""
    line: int = 0
    """0 where the comment is about the file, the whole, or a line that is gone."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A pull request as somebody wants it. Without a base it is for the repository's own branch."""

    branch: str
    title: str
    body: str
    base: str = ""
    draft: bool = False


class Forge(Protocol):
    """A server that keeps repositories and pull requests, whoever made it."""

    @property
    def token(self) -> str | None:
        """What the server itself is known by there."""
        ...

    def has(self, origin: str) -> bool:
        """Whether an origin is one of this server's."""
        ...

    def pushes_to(self, origin: str) -> str:
        """The address that git pushes to: whoever may do that may open pull requests."""
        ...

    async def pull_request(self, origin: str, branch: str) -> PullRequest | None:
        """The newest one of a branch; None where there is none, or the origin is not this server's."""
        ...

    async def open(self, origin: str, wanted: Proposal, token: str) -> tuple[PullRequest, bool]:
        """The open one of a branch, and whether it was made now. Asked again, it finds the one that it made."""
        ...

    async def comments(self, origin: str, number: int, token: str | None) -> list[ReviewComment]:
        """What reviewers said, oldest first."""
        ...


DOUBLINGS = 8

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """What was found for a branch, for which pushed commit, and when it is worth asking again."""

    commit: str
    found: PullRequest | None
    again_at: float
    vain: int = 0
    """How often it was asked for nothing."""


class PullRequests:
    """Knows the pull requests of branches."""

    def __init__(self, forge: Forge, clock: Clock) -> None:
        self._forge = forge
        self._clock = clock
        self._again = FORGE_AGAIN if forge.token else FORGE_STRANGER_AGAIN
        self._quiet_until = float("-inf")
        self._known: dict[tuple[str, str], Known] = {}

    async def of(self, repository: Repository) -> PullRequest | None:
        """The pull request of a repository's branch, as far as it is known or worth asking for."""
        if not self._forge.has(repository.origin) or not repository.upstream:
            return None
        branch = (repository.origin, repository.branch)
        known = self._known.get(branch)
        commit = repository.commit if repository.ahead == 0 or known is None else known.commit
        now = self._clock.monotonic()
        due = known is None or known.commit != commit or now >= known.again_at
        if due and now >= self._quiet_until:
            known = self._known[branch] = await self._asked(repository, known, commit)
        return known.found if known else None

    async def _asked(self, repository: Repository, known: Known | None, commit: str) -> Known:
        now = self._clock.monotonic()
        self._pause(now, FORGE_STRANGER_PAUSE)
        vain = known.vain + 1 if known is not None and known.commit == commit else 1
        later = min(self._again * 2 ** min(vain - 1, DOUBLINGS), FORGE_LONGEST)
        try:
            found = await self._forge.pull_request(repository.origin, repository.branch)
        except (Unavailable, msgspec.DecodeError) as error:
            _log.warning("pull requests of %s are not known: %s", repository.origin, error)
            wait = min(2 * later, FORGE_LONGEST)
            self._pause(now, wait)
            return Known(commit, known.found if known else None, now + wait.total_seconds(), vain)
        if found is None:
            # People push first and open the request then.
            return Known(commit, None, now + later.total_seconds(), vain)
        again = self._again.total_seconds() if found.state == "open" else float("inf")
        return Known(commit, found, now + again)

    def note(self, repository: Repository, found: PullRequest) -> None:
        """Know of one that was opened just now, before anybody asks."""
        again = self._clock.monotonic() + self._again.total_seconds()
        self._known[repository.origin, repository.branch] = Known(repository.commit, found, again)

    def _pause(self, now: float, wait: timedelta) -> None:
        """Ask about no branch for a while, where strangers are counted together."""
        if not self._forge.token:
            self._quiet_until = now + wait.total_seconds()
