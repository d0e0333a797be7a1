"""GitHub, and what speaks as it does: pull requests of branches, told and opened."""

import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import aiohttp
import msgspec

from perdure.core.errors import Refused, Unavailable
from perdure.core.timing import FORGE_ANSWER
from perdure.workspaces.pull_requests import Proposal, PullRequest, ReviewComment

VERSION = "2022-11-28"
_NAME = re.compile(r"(?!\.{1,2}$)[\w.-]+", re.ASCII)
_SSH = re.compile(r"(?:ssh://)?[\w.-]+@([\w.-]+(?::\d+)?)[:/](.+)")


class _Head(msgspec.Struct, frozen=True):
    sha: str = ""


class _Answer(msgspec.Struct, frozen=True):
    html_url: str
    number: int
    title: str
    state: str
    draft: bool | None = False
    merged_at: str | None = None
    head: _Head = _Head()


class _Repository(msgspec.Struct, frozen=True):
    default_branch: str


class _Check(msgspec.Struct, frozen=True):
    status: str
    conclusion: str | None = None


class _Checks(msgspec.Struct, frozen=True):
    check_runs: list[_Check] = []


class _Person(msgspec.Struct, frozen=True):
    login: str


class _Review(msgspec.Struct, frozen=True):
    state: str
    user: _Person | None = None
    body: str | None = None
    html_url: str = ""
    submitted_at: str = ""


class _Comment(msgspec.Struct, frozen=True):
    body: str
    html_url: str
    path: str
    user: _Person | None = None
    line: int | None = None
    created_at: str = ""


class _Trouble(msgspec.Struct, frozen=True):
    message: str = ""
    code: str = ""
    field: str = ""


class _Refusal(msgspec.Struct, frozen=True):
    message: str = ""
    errors: list[_Trouble | str] = []


_answer = msgspec.json.Decoder(_Answer)
_answers = msgspec.json.Decoder(list[_Answer])
_checks = msgspec.json.Decoder(_Checks)
_reviews = msgspec.json.Decoder(list[_Review])
_comments = msgspec.json.Decoder(list[_Comment])
_repository = msgspec.json.Decoder(_Repository)
_refusal = msgspec.json.Decoder(_Refusal)
_NEWEST = {"state": "all", "sort": "updated", "direction": "desc", "per_page": "1"}
_OPEN = {"state": "open", "per_page": "1"}
_MANY = {"per_page": "100"}
PASSED = frozenset({"success", "neutral", "skipped"})
DECIDED = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
"""What takes the place of somebody's earlier decision. A comment does not."""
LONGEST_REASON = 500


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

    async def open(self, origin: str, wanted: Proposal, token: str) -> tuple[PullRequest, bool]:
        """The open one of a branch, and whether it was made now. Asked again, it finds the one that it made."""
        name = self._named(origin)
        base = wanted.base or await self._own_branch(name, token)
        if base == wanted.branch:
            raise Refused(f"A pull request needs a branch of its own: {base} is what it would be merged into.")
        if known := await self._opened(name, wanted.branch, base, token):
            return known, False
        body = {"title": wanted.title, "head": wanted.branch, "base": base, "body": wanted.body, "draft": wanted.draft}
        status, said = await self._ask("POST", f"/repos/{name}/pulls", token, body=body)
        if status == 201:
            return _read(_answer.decode(said)), True
        # Somebody else was faster, or a request of ours whose answer was lost.
        if status == 422 and (known := await self._opened(name, wanted.branch, base, token)):
            return known, False
        raise _refused(status, said, f"a pull request in {name}")

    async def comments(self, origin: str, number: int, token: str | None) -> list[ReviewComment]:
        """What reviewers said, oldest first: of lines, and of the whole."""
        name = self._named(origin)
        place, what = f"/repos/{name}/pulls/{number}", f"the comments in {name}"
        lines = _comments.decode(await self._found(f"{place}/comments", token, _MANY, what))
        whole = _reviews.decode(await self._found(f"{place}/reviews", token, _MANY, what))
        told = [
            (each.created_at, ReviewComment(_login(each.user), each.body, each.html_url, each.path, each.line or 0))
            for each in lines
        ]
        told += [
            (each.submitted_at, ReviewComment(_login(each.user), each.body, each.html_url))
            for each in whole
            if each.body
        ]
        return [comment for _, comment in sorted(told, key=lambda pair: pair[0])]

    def has(self, origin: str) -> bool:
        """Whether an origin is one of this server's."""
        return repository(origin, self._host) is not None

    def pushes_to(self, origin: str) -> str:
        """The address that git pushes to: whoever may do that may open pull requests."""
        scheme = "http" if origin.startswith("http://") else "https"
        return f"{scheme}://{self._host}/{self._named(origin)}.git/git-receive-pack"

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

    async def _opened(self, name: str, branch: str, base: str, token: str) -> PullRequest | None:
        query = {"head": f"{name.split('/', maxsplit=1)[0]}:{branch}", "base": base, **_OPEN}
        found = _answers.decode(await self._found(f"/repos/{name}/pulls", token, query, f"pull requests in {name}"))
        return _read(found[0]) if found else None

    async def _own_branch(self, name: str, token: str) -> str:
        return _repository.decode(await self._found(f"/repos/{name}", token, {}, name)).default_branch

    @property
    def _host(self) -> str:
        """Where repositories are. GitHub's own API, and that of an organisation's GHE.com, is on a host beside it."""
        return urlsplit(self.url).netloc.removeprefix("api.")

    def _named(self, origin: str) -> str:
        name = repository(origin, self._host)
        if name is None:
            raise Refused(f"{origin or 'A repository without an origin'} is no repository of {self._host}.")
        return name

    async def _get(self, path: str, query: Mapping[str, str]) -> bytes:
        """What is there, or nothing."""
        status, said = await self._ask("GET", path, self.token, query)
        if status == 404:
            return b""
        if status >= 400:
            raise Unavailable(f"The Git host does not respond: {status}, {reason(said)}")
        return said

    async def _found(self, path: str, token: str | None, query: Mapping[str, str], what: str) -> bytes:
        """What is there; where nothing is, why not."""
        status, said = await self._ask("GET", path, token, query)
        if status != 200:
            raise _refused(status, said, what)
        return said

    async def _ask(
        self,
        method: str,
        path: str,
        token: str | None,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> tuple[int, bytes]:
        headers = {"accept": "application/vnd.github+json", "x-github-api-version": VERSION}
        if token:
            headers["authorization"] = f"Bearer {token}"
        address = f"{self.url.rstrip('/')}{path}"
        timeout = aiohttp.ClientTimeout(total=FORGE_ANSWER.total_seconds())
        proxy, trusted = self.proxy(address), self.trusted or True
        try:
            async with (
                aiohttp.ClientSession(headers=headers, timeout=timeout) as session,
                session.request(
                    method, address, params=query, json=body, proxy=proxy, ssl=trusted, allow_redirects=False
                ) as response,
            ):
                return response.status, await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Unavailable(f"The Git host does not respond: {error}") from error


def repository(origin: str, host: str) -> str | None:
    """`owner/name` of an origin on this host, as an address of the forge's API has it."""
    match = _SSH.fullmatch(origin)
    found, path = match.groups() if match else (urlsplit(origin).netloc, urlsplit(origin).path)
    pieces = path.strip("/").removesuffix(".git").split("/")
    # An origin is whatever a command wrote: it may name a repository, and no other address of the forge.
    if found != host or len(pieces) != 2 or not all(_NAME.fullmatch(piece) for piece in pieces):
        return None
    return "/".join(pieces)


def reason(said: bytes) -> str:
    """Why the forge does not do something, in its own words."""
    try:
        refusal = _refusal.decode(said)
    except msgspec.DecodeError:
        return said.decode(errors="replace")[:LONGEST_REASON]
    more = [each if isinstance(each, str) else each.message or f"{each.field} {each.code}" for each in refusal.errors]
    return ": ".join([refusal.message, *(["; ".join(more)] if more else [])])[:LONGEST_REASON]


def _refused(status: int, said: bytes, what: str) -> Refused | Unavailable:
    """The answer to whoever wanted something, with what helps."""
    why = reason(said)
    match status:
        case 401:
            return Refused(f"The Git host rejected the token: it has expired or was revoked. Store a new one. ({why})")
        case 404:
            return Refused(f"Not found on the Git host: {what} is not there, or the token may not see it.")
        case 403 | 429:
            return Refused(f"The token may not do this, or asked too often: {what}. ({why})")
        case _ if status < 500:
            return Refused(f"The Git host refused {what}: {why}")
        case _:
            return Unavailable(f"The Git host does not respond: {status}, {why}")


def _read(answer: _Answer) -> PullRequest:
    state = "merged" if answer.merged_at else answer.state
    return PullRequest(answer.html_url, answer.number, answer.title, state, answer.draft or False)


def _login(person: _Person | None) -> str:
    return person.login if person else "somebody"


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
