"""Pull requests, as the forge that an origin names tells of them, and when it is asked."""

import logging
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

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


class _Answer(msgspec.Struct, frozen=True):
    html_url: str
    number: int
    title: str
    state: str
    draft: bool = False
    merged_at: str | None = None


_answers = msgspec.json.Decoder(list[_Answer])


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
        found = _answers.decode(await self._get(f"/repos/{name}/pulls", head=f"{name.split('/')[0]}:{branch}"))
        return _read(found[0]) if found else None

    def has(self, origin: str) -> bool:
        """Whether an origin is one of this server's."""
        return repository(origin, self._host) is not None

    @property
    def _host(self) -> str:
        host = urlsplit(self.url).netloc
        return "github.com" if host == urlsplit(GITHUB).netloc else host

    async def _get(self, path: str, *, head: str) -> bytes:
        headers = {"accept": "application/vnd.github+json"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        address = f"{self.url.rstrip('/')}{path}"
        query = {"head": head, "state": "all", "sort": "updated", "direction": "desc", "per_page": "1"}
        timeout = aiohttp.ClientTimeout(total=FORGE_ANSWER.total_seconds())
        try:
            async with (
                aiohttp.ClientSession(headers=headers, timeout=timeout) as session,
                session.get(address, params=query, proxy=self.proxy(address), ssl=self.trusted or True) as response,
            ):
                if response.status == 404:
                    return b"[]"
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
