"""Pull requests, as the forge that an origin names tells of them, and when it is asked."""

import logging
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec

from perdure.core.errors import Unavailable
from perdure.core.timing import (
    FORGE_AGAIN,
    FORGE_ANSWER,
    FORGE_LONGEST,
    FORGE_STRANGER_AGAIN,
    FORGE_STRANGER_PAUSE,
    Clock,
)
from perdure.workspaces.wire import Repository

GITHUB = "https://api.github.com"
_NAME = re.compile(r"(?!\.{1,2}$)[\w.-]+", re.ASCII)
_SSH = re.compile(r"(?:ssh://)?[\w.-]+@([\w.-]+(?::\d+)?)[:/](.+)")


class PullRequest(msgspec.Struct, frozen=True):
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


class _Head(msgspec.Struct, frozen=True):
    sha: str = ""


class _Answer(msgspec.Struct, frozen=True):
    html_url: str
    number: int
    title: str
    state: str
    draft: bool = False
    merged_at: str | None = None
    head: _Head = _Head()


class _Check(msgspec.Struct, frozen=True):
    status: str
    conclusion: str | None = None


class _Checks(msgspec.Struct, frozen=True):
    check_runs: list[_Check] = []


class _Reviewer(msgspec.Struct, frozen=True):
    login: str


class _Review(msgspec.Struct, frozen=True):
    state: str
    user: _Reviewer | None = None


_answers = msgspec.json.Decoder(list[_Answer])
_checks = msgspec.json.Decoder(_Checks)
_reviews = msgspec.json.Decoder(list[_Review])
_NEWEST = {"state": "all", "sort": "updated", "direction": "desc", "per_page": "1"}
_MANY = {"per_page": "100"}
PASSED = frozenset({"success", "neutral", "skipped"})
DECIDED = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
"""What takes the place of somebody's earlier decision. A comment does not."""


@dataclass(frozen=True, slots=True)
class GitHub:
    """One server, the token that it is asked with, and the way there. Without a token it tells of public ones only."""

    url: str
    token: str | None = None
    proxy: Callable[[str], str | None] = lambda _: None
    trusted: ssl.SSLContext | None = None

    async def pull_request(self, origin: str, branch: str) -> PullRequest | None:
        """The newest one of a branch; None where there is none, or the origin is not this server's."""
        name = repository(origin, self._host)
        if name is None or not branch:
            return None
        query = {"head": f"{name.split('/')[0]}:{branch}", **_NEWEST}
        found = _answers.decode(await self._get(f"/repos/{name}/pulls", query) or b"[]")
        return await self._with_verdicts(name, found[0]) if found else None

    async def _with_verdicts(self, name: str, answer: _Answer) -> PullRequest:
        """What checks and people say of one that is open. Strangers may not ask so often."""
        read = _read(answer)
        if read.state != "open" or not self.token:
            return read
        checks, review = None, None
        if answer.head.sha:
            runs = await self._get(f"/repos/{name}/commits/{quote(answer.head.sha, safe='')}/check-runs", _MANY)
            checks = checks_of(_checks.decode(runs or b"{}").check_runs)
        reviews = await self._get(f"/repos/{name}/pulls/{answer.number}/reviews", _MANY)
        review = review_of(_reviews.decode(reviews or b"[]"))
        return msgspec.structs.replace(read, checks=checks, review=review)

    def has(self, origin: str) -> bool:
        """Whether an origin is one of this server's."""
        return repository(origin, self._host) is not None

    @property
    def _host(self) -> str:
        host = urlsplit(self.url).netloc
        return "github.com" if host == urlsplit(GITHUB).netloc else host

    async def _get(self, path: str, query: Mapping[str, str]) -> bytes:
        """What is there, or nothing."""
        headers = {"accept": "application/vnd.github+json"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        address = f"{self.url.rstrip('/')}{path}"
        timeout = aiohttp.ClientTimeout(total=FORGE_ANSWER.total_seconds())
        try:
            async with (
                aiohttp.ClientSession(headers=headers, timeout=timeout) as session,
                session.get(address, params=query, proxy=self.proxy(address), ssl=self.trusted or True) as response,
            ):
                if response.status == 404:
                    return b""
                response.raise_for_status()
                return await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Unavailable(f"The forge does not answer: {error}") from error


def repository(origin: str, host: str) -> str | None:
    """`owner/name` of an origin on this host, as an address of the forge's API has it."""
    match = _SSH.fullmatch(origin)
    found, path = match.groups() if match else (urlsplit(origin).netloc, urlsplit(origin).path)
    pieces = path.strip("/").removesuffix(".git").split("/")
    # An origin is whatever a command wrote: it may name a repository, and no other address of the forge.
    if found != host or len(pieces) != 2 or not all(_NAME.fullmatch(piece) for piece in pieces):
        return None
    return "/".join(pieces)


def _read(answer: _Answer) -> PullRequest:
    state = "merged" if answer.merged_at else answer.state
    return PullRequest(answer.html_url, answer.number, answer.title, state, answer.draft)


def checks_of(runs: Sequence[_Check]) -> str | None:
    """All checks in one word: what failed has failed, whatever still runs."""
    if any(run.status == "completed" and run.conclusion not in PASSED for run in runs):
        return "failed"
    if any(run.status != "completed" for run in runs):
        return "pending"
    return "passed" if runs else None


def review_of(reviews: Sequence[_Review]) -> str | None:
    """What everybody decided last, oldest first: one who wants changes outweighs those who approve."""
    last = {review.user.login: review.state for review in reviews if review.user and review.state in DECIDED}
    if "CHANGES_REQUESTED" in last.values():
        return "changes_requested"
    return "approved" if "APPROVED" in last.values() else None


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
