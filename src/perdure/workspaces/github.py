"""Pull requests, as the forge that an origin names tells of them. GitHub's API, also that of a server of one's own."""

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp
import msgspec

from perdure.core.errors import Unavailable
from perdure.core.timing import FORGE_ANSWER

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
