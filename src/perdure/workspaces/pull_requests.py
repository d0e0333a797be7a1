"""When a forge is asked about a branch: after a push, again while its pull request is open, ever later while none is.

Without a token the forge counts what this address asks: then it is asked seldom, and not at all after a failure.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta

import msgspec

from perdure.core.clock import Clock
from perdure.core.errors import Unavailable
from perdure.core.timing import FORGE_AGAIN, FORGE_LONGEST, FORGE_STRANGER_AGAIN, FORGE_STRANGER_PAUSE
from perdure.workspaces.github import GitHub, PullRequest
from perdure.workspaces.wire import Repository

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

    def __init__(self, forge: GitHub, clock: Clock) -> None:
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

    def _pause(self, now: float, wait: timedelta) -> None:
        """Ask about no branch for a while, where strangers are counted together."""
        if not self._forge.token:
            self._quiet_until = now + wait.total_seconds()
