"""Pull requests of branches, asked of a server that speaks as GitHub does."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace
from tests.providers.clock import HandClock

from perdure.core.errors import Unavailable
from perdure.core.timing import FORGE_AGAIN, FORGE_LONGEST
from perdure.workspaces.github import GitHub, repository
from perdure.workspaces.pull_requests import PullRequest, PullRequests
from perdure.workspaces.wire import Repository


class StandIn:
    """A forge with one repository, `team/app`."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        self.hosts: list[str] = []
        self.tokens: list[str | None] = []
        self.pulls: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.reviews: list[dict[str, Any]] = []
        self.broken = False

    async def answer(self, request: web.Request) -> web.Response:
        self.hosts.append(request.host)
        self.tokens.append(request.headers.get("authorization"))
        self.asked.append(request.query["head"])
        if self.broken:
            return web.Response(status=502)
        if request.match_info["name"] != "app":
            return web.Response(status=404)
        return web.json_response(self.pulls)

    async def check_runs(self, request: web.Request) -> web.Response:
        assert (request.match_info["sha"], request.query["per_page"]) == ("abc", "100")
        return web.json_response({"total_count": len(self.checks), "check_runs": self.checks})

    async def reviewed(self, request: web.Request) -> web.Response:
        assert request.match_info["number"] == "7"
        return web.json_response(self.reviews)

    def opens(self, **changes: Any) -> None:
        pull = {"html_url": f"{self.url}/team/app/pull/7", "number": 7, "title": "Sing", "state": "open"}
        self.pulls = [{**pull, "draft": True, "merged_at": None, "head": {"sha": "abc"}, **changes}]

    @property
    def origin(self) -> str:
        return f"{self.url}/team/app.git"

    @property
    def forge(self) -> GitHub:
        return GitHub(f"{self.url}/api/v3", "secret")


@pytest.fixture
async def stand_in() -> AsyncIterator[StandIn]:
    found = StandIn()
    app = web.Application()
    app.router.add_get("/api/v3/repos/{owner}/{name}/pulls", found.answer)
    app.router.add_get("/api/v3/repos/{owner}/{name}/commits/{sha}/check-runs", found.check_runs)
    app.router.add_get("/api/v3/repos/{owner}/{name}/pulls/{number}/reviews", found.reviewed)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    found.url = f"http://{host}:{port}"
    yield found
    await runner.cleanup()


def standing(origin: str, *, commit: str = "a", ahead: int = 0) -> Repository:
    return Repository(".", "work", commit, "origin/work", origin, ahead, 0, [], True)


@pytest.mark.parametrize(
    ("origin", "found"),
    [
        ("https://github.com/team/app.git", "team/app"),
        ("https://github.com/team/app", "team/app"),
        ("git@github.com:team/app.git", "team/app"),
        ("ssh://git@github.com/team/app.git", "team/app"),
        ("https://elsewhere.example/team/app.git", None),
        ("https://github.com/team/app/extra", None),
        ("https://github.com/team", None),
        ("/srv/git/app.git", None),
        ("https://github.com/../app", None),
        ("https://github.com/team/%2e%2e", None),
        ("https://github.com/team/app?x", "team/app"),
    ],
)
def test_an_origin_names_a_repository_of_the_forge_or_none(origin: str, found: str | None) -> None:
    assert repository(origin, "github.com") == found


async def test_the_pull_request_of_a_branch_is_told(stand_in: StandIn) -> None:
    assert await stand_in.forge.pull_request(stand_in.origin, "work") is None
    stand_in.opens()
    told = PullRequest(f"{stand_in.url}/team/app/pull/7", 7, "Sing", "open", True)
    assert await stand_in.forge.pull_request(stand_in.origin, "work") == told
    stand_in.opens(state="closed", merged_at="2026-11-15T00:00:00Z")
    merged = await stand_in.forge.pull_request(stand_in.origin, "work")
    assert merged is not None
    assert merged.state == "merged"
    assert (stand_in.asked, stand_in.tokens) == (["team:work"] * 3, ["Bearer secret"] * 3)
    assert await stand_in.forge.pull_request(f"{stand_in.url}/team/none.git", "work") is None
    stand_in.broken = True
    with pytest.raises(Unavailable):
        await stand_in.forge.pull_request(stand_in.origin, "work")


def run(conclusion: str | None) -> dict[str, Any]:
    return {"status": "completed" if conclusion else "in_progress", "conclusion": conclusion}


def says(login: str | None, state: str) -> dict[str, Any]:
    return {"user": login and {"login": login}, "state": state}


@pytest.mark.parametrize(
    ("conclusions", "checks"),
    [
        ([], None),
        (["success", "skipped", "neutral"], "passed"),
        (["success", None], "pending"),
        (["failure", None, "success"], "failed"),
        (["timed_out"], "failed"),
        (["action_required"], "failed"),
    ],
)
async def test_the_checks_of_an_open_request_come_to_one_word(
    stand_in: StandIn, conclusions: list[str | None], checks: str | None
) -> None:
    stand_in.opens()
    stand_in.checks = [run(each) for each in conclusions]
    found = await stand_in.forge.pull_request(stand_in.origin, "work")
    assert found is not None
    assert (found.checks, found.review) == (checks, None)


@pytest.mark.parametrize(
    ("said", "review"),
    [
        ([], None),
        ([("ada", "COMMENTED")], None),
        ([("ada", "APPROVED"), ("ada", "COMMENTED")], "approved"),
        ([("ada", "CHANGES_REQUESTED"), ("bob", "APPROVED")], "changes_requested"),
        ([("ada", "CHANGES_REQUESTED"), ("ada", "APPROVED")], "approved"),
        ([("ada", "CHANGES_REQUESTED"), ("ada", "DISMISSED")], None),
        ([(None, "APPROVED"), ("bob", "PENDING")], None),
    ],
)
async def test_what_reviewers_decided_last_comes_to_one_word(
    stand_in: StandIn, said: list[tuple[str | None, str]], review: str | None
) -> None:
    stand_in.opens()
    stand_in.reviews = [says(*each) for each in said]
    found = await stand_in.forge.pull_request(stand_in.origin, "work")
    assert found is not None
    assert found.review == review


async def test_of_a_request_that_is_over_and_for_strangers_nobody_asks_what_checks_say(stand_in: StandIn) -> None:
    stand_in.checks, stand_in.reviews = [run("failure")], [says("ada", "APPROVED")]
    stand_in.opens(state="closed")
    over = await stand_in.forge.pull_request(stand_in.origin, "work")
    stand_in.opens()
    strange = await GitHub(f"{stand_in.url}/api/v3").pull_request(stand_in.origin, "work")
    for found in (over, strange):
        assert found is not None
        assert (found.checks, found.review) == (None, None)


async def test_the_forge_is_asked_after_a_push_and_while_the_request_is_open(stand_in: StandIn) -> None:
    clock = HandClock()
    pulls = PullRequests(stand_in.forge, clock)
    assert await pulls.of(standing(stand_in.origin)) is None
    stand_in.opens()
    assert await pulls.of(standing(stand_in.origin)) is None
    assert await pulls.of(standing(stand_in.origin, commit="b", ahead=1)) is None
    assert await pulls.of(standing(stand_in.origin, commit="b")) is not None
    assert len(stand_in.asked) == 2
    assert await pulls.of(standing(stand_in.origin, commit="b")) is not None
    assert len(stand_in.asked) == 2
    stand_in.opens(state="closed")
    clock.pass_time(FORGE_AGAIN.total_seconds())
    closed = await pulls.of(standing(stand_in.origin, commit="b"))
    assert closed is not None
    assert closed.state == "closed"
    clock.pass_time(FORGE_AGAIN.total_seconds() * 10)
    await pulls.of(standing(stand_in.origin, commit="b"))
    assert len(stand_in.asked) == 3


async def test_a_forge_that_fails_is_asked_less_and_less_and_what_was_known_stays(stand_in: StandIn) -> None:
    clock = HandClock()
    pulls = PullRequests(stand_in.forge, clock)
    stand_in.opens()
    known = await pulls.of(standing(stand_in.origin))
    stand_in.broken = True
    for _ in range(20):
        clock.pass_time(FORGE_AGAIN.total_seconds())
        assert await pulls.of(standing(stand_in.origin)) == known
    assert 3 < len(stand_in.asked) < 8


async def test_without_a_token_the_forge_is_asked_seldom_about_all_branches_together(stand_in: StandIn) -> None:
    clock = HandClock()
    pulls = PullRequests(GitHub(f"{stand_in.url}/api/v3"), clock)
    stand_in.opens()
    for minute in range(60):
        for name in "abcdefgh":
            branch = replace(standing(stand_in.origin), branch=name)
            known = await pulls.of(branch)
            assert (known is not None) == (minute >= "abcdefgh".index(name))
        clock.pass_time(60)
    assert len(stand_in.asked) <= 60
    assert set(stand_in.asked) == {f"team:{name}" for name in "abcdefgh"}
    assert set(stand_in.tokens) == {None}


async def test_a_forge_that_refuses_a_stranger_is_left_alone_by_all_branches(stand_in: StandIn) -> None:
    clock = HandClock()
    pulls = PullRequests(GitHub(f"{stand_in.url}/api/v3"), clock)
    stand_in.broken = True
    for name in "abc":
        assert await pulls.of(replace(standing(stand_in.origin), branch=name)) is None
    clock.pass_time(FORGE_LONGEST.total_seconds() - 1)
    assert await pulls.of(replace(standing(stand_in.origin), branch="b")) is None
    assert len(stand_in.asked) == 1
    clock.pass_time(1)
    await pulls.of(replace(standing(stand_in.origin), branch="b"))
    assert len(stand_in.asked) == 2


async def test_the_forge_is_asked_through_the_proxy(stand_in: StandIn) -> None:
    stand_in.opens()
    forge = GitHub("http://forge.invalid/api/v3", proxy=lambda _: stand_in.url)
    found = await forge.pull_request("http://forge.invalid/team/app.git", "work")
    assert found is not None
    assert stand_in.hosts == ["forge.invalid"]


async def test_a_repository_of_another_forge_is_nobodys_business(stand_in: StandIn) -> None:
    assert await PullRequests(stand_in.forge, HandClock()).of(standing("https://elsewhere.example/a/b.git")) is None
    assert stand_in.asked == []


async def test_a_request_that_is_opened_after_the_push_is_found(stand_in: StandIn) -> None:
    clock = HandClock()
    pulls = PullRequests(stand_in.forge, clock)
    assert await pulls.of(standing(stand_in.origin)) is None
    stand_in.opens()
    clock.pass_time(FORGE_AGAIN.total_seconds())
    assert await pulls.of(standing(stand_in.origin)) is not None
    assert len(stand_in.asked) == 2


async def test_a_branch_without_a_request_is_asked_about_less_and_less_for_as_long_as_it_is_used(
    stand_in: StandIn,
) -> None:
    clock = HandClock()
    pulls = PullRequests(stand_in.forge, clock)
    for _ in range(60):
        assert await pulls.of(standing(stand_in.origin)) is None
        clock.pass_time(FORGE_AGAIN.total_seconds())
    # After 0, 2, 6, 14, 30, 60 and 90 minutes.
    assert len(stand_in.asked) == 7
    for _ in range(60):
        clock.pass_time(FORGE_LONGEST.total_seconds())
        await pulls.of(standing(stand_in.origin))
    assert len(stand_in.asked) == 67


@pytest.mark.parametrize(
    ("api", "host"),
    [
        ("https://api.github.com", "github.com"),
        ("https://api.octo.ghe.com", "octo.ghe.com"),
        ("https://forge.example.com/api/v3", "forge.example.com"),
        ("http://127.0.0.1:8080/api/v3/", "127.0.0.1:8080"),
    ],
)
def test_repositories_are_at_the_host_that_belongs_to_an_api(api: str, host: str) -> None:
    forge, scheme = GitHub(api), api.partition("://")[0]
    assert forge.has(f"{scheme}://{host}/team/app.git")
    assert not forge.has(f"{scheme}://else.example.com/team/app.git")
    assert forge.pushes_to(f"{scheme}://{host}/team/app.git") == f"{scheme}://{host}/team/app.git/git-receive-pack"
