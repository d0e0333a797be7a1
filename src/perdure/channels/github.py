"""GitHub: an issue or a pull request is a chat; who mentions the agent speaks to it, and it answers in comments."""

import re

from perdure.access.github_app import GitHubApp, read_app
from perdure.channels.inbound import Inbound, Person, parsed
from perdure.channels.posts import Destination, PendingCall, Post, remaining, shortened
from perdure.core.payload import Payload
from perdure.worker.webhooks import Http, HttpAnswer

_NEW = {
    "issue_comment": "created",
    "pull_request_review": "submitted",
    "pull_request_review_comment": "created",
    "issues": "opened",
    "pull_request": "opened",
}
_DECIDING = re.compile(r"^/(approve|deny)\s", re.MULTILINE)
_MARK = "<!-- perdure:"
_PAGE = 100
_MOST_PAGES = 10
_LONGEST, _LONGEST_ARGS, _MOST_ASKS = 40_000, 2_000, 10


def read_github(payload: Payload, handle: str) -> Inbound | None:
    """What a delivery says to the agent. An edited comment says nothing: it was heard as it was first."""
    event = _event(payload)
    if payload.at("body.action") != _NEW.get(event) or payload.at("body.sender.type") == "Bot":
        return None
    subject = "pull_request" if payload.at("body.pull_request") is not None else "issue"
    said = "comment" if event.endswith("comment") else "review" if event == "pull_request_review" else subject
    text, person_id = payload.at(f"body.{said}.body"), payload.at(f"body.{said}.user.id")
    mention = re.compile(rf"(?<![\w/@-])@{re.escape(handle)}(?![\w-])", re.IGNORECASE)
    if not isinstance(text, str) or not isinstance(person_id, int) or _MARK in text:
        # What the agent wrote is no word to it, also where it posts with the token of somebody who is linked.
        return None
    if not mention.search(text) and not _DECIDING.search(text):
        return None
    person = Person(str(person_id), str(payload.at(f"body.{said}.user.login")))
    title, about = payload.at(f"body.{subject}.title"), payload.at(f"body.{subject}.body")
    place = f"{payload.at('body.repository.full_name')}#{payload.at(f'body.{subject}.number')}"
    opening = f"{place}: {title}\n\n{about or ''}".strip() if said != subject else f"{place}: {title}"
    return parsed(person, f"{said}/{payload.at(f'body.{said}.id')}", mention.sub("", text), opening)


def _event(payload: Payload) -> str:
    """What GitHub calls the event. One that the channel's maker makes up, to try it out, is known by what is in it."""
    if said := payload.headers.get("x-github-event"):
        return said
    pull = payload.at("body.pull_request") is not None
    if payload.at("body.review") is not None:
        return "pull_request_review"
    if payload.at("body.comment") is not None:
        return "pull_request_review_comment" if pull else "issue_comment"
    return "pull_request" if pull else "issues"


async def post_github(destination: Destination, post: Post, http: Http) -> tuple[int | None, str]:
    """A comment, once: who tries again looks first whether it is there."""
    repository, _, number = destination.thread.rpartition("#")
    comments = f"{destination.url.rstrip('/')}/repos/{repository}/issues/{number}/comments"
    app = read_app(destination.credential)
    if app is None:
        headers = _headers(destination.credential)
    else:
        token = await _token(app, destination, repository, http)
        if token.status != 201:
            return token.status, f"GitHub answered with HTTP {token.status} when the app asked for a token."
        headers = _headers(str(token.fields.get("token")))
    mark = f"{_MARK}{destination.name} -->"
    if destination.again:
        for page in range(1, _MOST_PAGES + 1):
            since = f"{destination.since:%Y-%m-%dT%H:%M:%SZ}"
            found = await http("GET", f"{comments}?per_page={_PAGE}&page={page}&since={since}", headers, None)
            if found.status != 200:
                return found.status, f"GitHub answered with HTTP {found.status}."
            if any(mark in str(each.get("body")) for each in found.items):
                return 200, ""
            if len(found.items) < _PAGE:
                break
    text = shortened(post.text, _LONGEST) + "".join(map(asking, post.asks[:_MOST_ASKS])) + remaining(post, _MOST_ASKS)
    answer = await http("POST", comments, headers, {"body": f"{text}\n\n{mark}".strip()})
    return answer.status, "" if answer.status == 201 else f"GitHub answered with HTTP {answer.status}."


def asking(ask: PendingCall) -> str:
    args = shortened(ask.args, _LONGEST_ARGS)
    # Whatever a call is to do stays within its block.
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", args)), default=0))
    shown = f"{fence}json\n{args}\n{fence}"
    return f"\n\n`{ask.tool}` wants to run:\n{shown}\nReply `/approve {ask.mark}` or `/deny {ask.mark}`."


def _headers(token: str) -> dict[str, str]:
    return {
        "authorization": f"Bearer {token}",
        "accept": "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
    }


async def _token(app: GitHubApp, destination: Destination, repository: str, http: Http) -> HttpAnswer:
    """A token of the app for the repository; what GitHub says instead, where it was not installed there."""
    base, headers = destination.url.rstrip("/"), _headers(app.proof(destination.now))
    found = await http("GET", f"{base}/repos/{repository}/installation", headers, None)
    if found.status != 200:
        return found
    return await http("POST", f"{base}/app/installations/{found.fields.get('id')}/access_tokens", headers, {})
