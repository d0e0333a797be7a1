"""GitHub: an issue or a pull request is a chat; who mentions the agent speaks to it, and it answers in comments."""

import re

from perdure.channels.heard import Heard, Person, meaning
from perdure.channels.post import Out, Told
from perdure.core.payload import Payload
from perdure.worker.webhooks import Http

_NEW = {
    "issue_comment": "created",
    "pull_request_review_comment": "created",
    "issues": "opened",
    "pull_request": "opened",
}
_DECIDING = re.compile(r"^/(approve|deny)\s", re.MULTILINE)
_PAGE = 100
_MOST_PAGES = 10


def read_github(payload: Payload, handle: str) -> Heard | None:
    """What a delivery says to the agent. An edited comment says nothing: it was heard as it was first."""
    event = payload.headers.get("x-github-event", "")
    if payload.at("body.action") != _NEW.get(event) or payload.at("body.sender.type") == "Bot":
        return None
    subject = "pull_request" if payload.at("body.pull_request") is not None else "issue"
    said = "comment" if event.endswith("comment") else subject
    text, person_id = payload.at(f"body.{said}.body"), payload.at(f"body.{said}.user.id")
    mention = re.compile(rf"(?<![\w/@-])@{re.escape(handle)}(?![\w-])", re.IGNORECASE)
    if not isinstance(text, str) or not isinstance(person_id, int):
        return None
    if not mention.search(text) and not _DECIDING.search(text):
        return None
    person = Person(str(person_id), str(payload.at(f"body.{said}.user.login")))
    title, about = payload.at(f"body.{subject}.title"), payload.at(f"body.{subject}.body")
    place = f"{payload.at('body.repository.full_name')}#{payload.at(f'body.{subject}.number')}"
    opening = f"{place}: {title}\n\n{about or ''}".strip() if said == "comment" else f"{place}: {title}"
    return meaning(person, f"{said}/{payload.at(f'body.{said}.id')}", mention.sub("", text), opening)


async def post_github(out: Out, told: Told, http: Http) -> tuple[int | None, str]:
    """A comment, once: who tries again looks first whether it is there."""
    repository, _, number = out.thread.rpartition("#")
    comments = f"{out.url.rstrip('/')}/repos/{repository}/issues/{number}/comments"
    headers = {
        "authorization": f"Bearer {out.credential}",
        "accept": "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
    }
    mark = f"<!-- perdure:{out.name} -->"
    if out.again:
        for page in range(1, _MOST_PAGES + 1):
            since = f"{out.since:%Y-%m-%dT%H:%M:%SZ}"
            found = await http("GET", f"{comments}?per_page={_PAGE}&page={page}&since={since}", headers, None)
            if found.status != 200:
                return found.status, f"GitHub answered with HTTP {found.status}."
            if any(mark in str(each.get("body")) for each in found.items):
                return 200, ""
            if len(found.items) < _PAGE:
                break
    asks = "".join(
        f"\n\n`{ask.tool}` wants to run:\n```json\n{ask.args}\n```\nReply `/approve {ask.mark}` or `/deny {ask.mark}`."
        for ask in told.asks
    )
    answer = await http("POST", comments, headers, {"body": f"{told.text}{asks}\n\n{mark}".strip()})
    return answer.status, "" if answer.status == 201 else f"GitHub answered with HTTP {answer.status}."
