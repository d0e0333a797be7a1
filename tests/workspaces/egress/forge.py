"""A forge on this machine: git's own backend over HTTP, and GitHub's API for one repository, as its schema says."""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs
from aiohttp import web
from tests.workspaces.egress.git_server import BareRepository, served

HOST = "127.0.0.2"
"""An address of this machine that programs inside do not take for their own."""
PUBLISHED = json.loads((Path(__file__).parents[2] / "recordings/github/openapi.json").read_text())["paths"]
API = "/api/v3"


class Forge(BareRepository):
    """Does what GitHub does for `team/app`: whoever shows the token sees it, and a branch has one open request."""

    def __init__(self, root: Path, token: str) -> None:
        super().__init__(root)
        self.token, self.port = token, 0
        self.pulls: list[dict[str, Any]] = []
        self.comments: list[dict[str, Any]] = []
        self.reviews: list[dict[str, Any]] = []
        self.asked: list[str] = []
        """Requests of the API with the token."""
        self.wrong: list[str] = []
        """What the published schema does not allow."""
        self.before: Callable[[], None] = lambda: None
        self.after: Callable[[], None] = lambda: None

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.url}/team/app.git"

    def serves(self) -> web.Application:
        app = web.Application()
        place = f"{API}/repos/{{owner}}/{{repo}}"
        app.router.add_get(place, self._api(self._repository))
        app.router.add_get(f"{place}/pulls", self._api(self._listed))
        app.router.add_post(f"{place}/pulls", self._api(self._opened))
        app.router.add_get(f"{place}/pulls/{{pull_number}}/comments", self._api(self._list("comments")))
        app.router.add_get(f"{place}/pulls/{{pull_number}}/reviews", self._api(self._list("reviews")))
        app.router.add_get(f"{place}/commits/{{ref}}/check-runs", self._api(self._checked))
        app.router.add_route("*", "/{path:.*}", self._git)
        return app

    def _api(self, work: Callable[[web.Request, Any], web.Response]) -> Callable[[web.Request], Any]:
        async def answer(request: web.Request) -> web.Response:
            body = await request.json() if request.can_read_body else None
            self.wrong += faults(request, body)
            if request.headers.get("authorization") is None:
                return web.json_response({"message": "Not Found"}, status=404)
            if request.headers["authorization"] != f"Bearer {self.token}":
                return web.json_response({"message": "Bad credentials"}, status=401)
            if (request.match_info["owner"], request.match_info["repo"]) != ("team", "app"):
                return web.json_response({"message": "Not Found"}, status=404)
            self.asked.append(f"{request.method} {request.path.removeprefix(API)}")
            self.before()
            said = work(request, body)
            self.after()
            return said

        return answer

    def _repository(self, request: web.Request, body: Any) -> web.Response:
        del request, body
        return web.json_response({"full_name": "team/app", "default_branch": "main"})

    def _listed(self, request: web.Request, body: Any) -> web.Response:
        del body
        wanted = dict(request.query)
        found = [
            pull
            for pull in self.pulls
            if wanted.get("state", "open") in ("all", pull["state"])
            and wanted.get("head", pull["head"]["label"]) == pull["head"]["label"]
            and wanted.get("base", pull["base"]["ref"]) == pull["base"]["ref"]
        ]
        return web.json_response(found[: int(wanted.get("per_page", 30))])

    def _opened(self, request: web.Request, body: Any) -> web.Response:
        del request
        head, base = (self.head(str(body[name])) for name in ("head", "base"))
        label = f"team:{body['head']}"
        if not head or not base:
            return _invalid({"resource": "PullRequest", "field": "head" if base else "base", "code": "invalid"})
        if head == base:
            between = f"No commits between {body['base']} and {body['head']}"
            return _invalid({"resource": "PullRequest", "code": "custom", "message": between})
        if any(pull["head"]["label"] == label and pull["state"] == "open" for pull in self.pulls):
            known = f"A pull request already exists for {label}."
            return _invalid({"resource": "PullRequest", "code": "custom", "message": known})
        number = len(self.pulls) + 1
        pull = {
            "number": number, "html_url": f"{self.url}/team/app/pull/{number}", "title": body["title"],
            "body": body.get("body"), "state": "open", "draft": body.get("draft", False), "merged_at": None,
            "head": {"label": label, "ref": body["head"], "sha": head}, "base": {"ref": body["base"], "sha": base},
        }  # fmt: skip
        self.pulls.append(pull)
        return web.json_response(pull, status=201)

    def _list(self, name: str) -> Callable[[web.Request, Any], web.Response]:
        return lambda _request, _body: web.json_response(getattr(self, name))

    def _checked(self, request: web.Request, body: Any) -> web.Response:
        del request, body
        return web.json_response({"total_count": 0, "check_runs": []})

    async def _git(self, request: web.Request) -> web.Response:
        wanted = "Basic " + b64encode(f"x-access-token:{self.token}".encode()).decode()
        if request.headers.get("authorization") != wanted:
            return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="git"'})
        body = await request.read()
        said = await asyncio.to_thread(served, self.root, request.method, request.path_qs, request.headers, body)
        return web.Response(status=said[0], headers=said[1], body=said[2])


def faults(request: web.Request, body: Any) -> list[str]:
    """What GitHub's published schema does not allow in a request."""
    resource = request.match_info.route.resource
    assert resource is not None
    said = PUBLISHED[resource.canonical.removeprefix(API)][request.method.lower()]
    known = {each["name"]: each for each in said["parameters"] if each["in"] == "query"}
    wrong = [f"{request.path}: there is no parameter {name}" for name in request.query if name not in known]
    for name, text in request.query.items():
        value = int(text) if known.get(name, {}).get("schema", {}).get("type") == "integer" else text
        if name in known and not jsonschema_rs.is_valid(known[name]["schema"], value):
            wrong.append(f"{request.path}: {name}={text}")
    if body is not None:
        schema = {**said["body"], "additionalProperties": False}
        wrong += [f"{request.path}: {error.message}" for error in jsonschema_rs.iter_errors(schema, body)]
    elif said["body"] is not None:
        wrong.append(f"{request.path}: it has no body")
    return wrong


def _invalid(error: dict[str, Any]) -> web.Response:
    answer = {"message": "Validation Failed", "errors": [error], "documentation_url": "https://docs.github.com/rest"}
    assert jsonschema_rs.is_valid(PUBLISHED["/repos/{owner}/{repo}/pulls"]["post"]["answers"]["422"], answer)
    return web.json_response(answer, status=422)


@asynccontextmanager
async def open_forge(root: Path, token: str) -> AsyncGenerator[Forge]:
    forge = Forge(root, token)
    runner = web.AppRunner(forge.serves())
    await runner.setup()
    await web.TCPSite(runner, HOST, 0).start()
    forge.port = runner.addresses[0][1]
    try:
        yield forge
    finally:
        await runner.cleanup()
