"""When a forge is asked about a branch: after a push, again while its pull request is open, later after a failure."""

import logging
from dataclasses import dataclass

import msgspec

from perdure.core.clock import Clock
from perdure.core.errors import Unavailable
from perdure.core.timing import FORGE_AGAIN, FORGE_LONGEST
from perdure.workspaces.forge import Forge, PullRequest
from perdure.workspaces.wire import Repository

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """What was found for a branch, for which pushed commit, and when it is worth asking again."""

    commit: str
    found: PullRequest | None
    again_at: float
    failures: int = 0


class PullRequests:
    """Without a forge nobody is asked."""

    def __init__(self, forge: Forge | None, clock: Clock) -> None:
        self._forge = forge
        self._clock = clock
        self._known: dict[tuple[str, str], Known] = {}

    async def of(self, repository: Repository) -> PullRequest | None:
        """The pull request of a repository's branch, as far as it is known or worth asking for."""
        if self._forge is None or not repository.origin or not repository.upstream:
            return None
        branch = (repository.origin, repository.branch)
        known = self._known.get(branch)
        commit = repository.commit if repository.ahead == 0 or known is None else known.commit
        if known is None or known.commit != commit or self._clock.monotonic() >= known.again_at:
            known = self._known[branch] = await self._asked(self._forge, repository, known, commit)
        return known.found

    async def _asked(self, forge: Forge, repository: Repository, known: Known | None, commit: str) -> Known:
        now = self._clock.monotonic()
        try:
            found = await forge.pull_request(repository.origin, repository.branch)
        except (Unavailable, msgspec.DecodeError) as error:
            failures = known.failures + 1 if known else 1
            _log.warning("pull requests of %s are not known: %s", repository.origin, error)
            wait = min(FORGE_AGAIN * 2**failures, FORGE_LONGEST)
            return Known(commit, known.found if known else None, now + wait.total_seconds(), failures)
        open_now = found is not None and found.state == "open"
        return Known(commit, found, now + FORGE_AGAIN.total_seconds() if open_now else float("inf"))
