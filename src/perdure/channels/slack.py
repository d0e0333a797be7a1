"""Slack: a thread is a chat; calls that wait for an approval are buttons, each bound to one of them."""

import re
from typing import Any

import msgspec

from perdure.api.wire.control import Choice
from perdure.channels.inbound import Inbound, InboundDecision, Person, parsed
from perdure.channels.posts import Destination, Post, remaining, shortened
from perdure.core.payload import Payload
from perdure.worker.webhooks import Http

_WRITTEN = (None, "file_share", "me_message", "thread_broadcast")
"""The subtypes of messages that people write."""
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MENTION = re.compile(r"<@[A-Z0-9]+>")
_ACTION = "perdure.decide"
_MARK = re.compile(r"(\d{1,9})\.(\d{1,4})")
_EVENT = "perdure_message"
_LONGEST, _LONGEST_ARGS = 39_000, 2_500
_MOST_ASKS = 20
"""Slack takes fifty blocks. A call is two; what is said before and after them is one each."""


def read_slack(payload: Payload, handle: str) -> Inbound | None:  # noqa: ARG001
    """What a delivery says to the agent. A message that was edited, or that a program wrote, says nothing."""
    if payload.at("body.type") == "block_actions":
        return _clicked(payload)
    kind, team = payload.at("body.event.type"), payload.at("body.team_id")
    user, text, moment = (payload.at(f"body.event.{name}") for name in ("user", "text", "ts"))
    odd = payload.at("body.event.subtype") not in _WRITTEN or payload.at("body.event.bot_id")
    if kind not in {"app_mention", "message"} or odd or not all(isinstance(each, str) for each in (user, text, moment)):
        return None
    direct = payload.at("body.event.channel_type") == "im"
    name = f"message/{payload.at('body.event.channel')}/{moment}"
    # A message in a channel speaks to the agent where it mentions it, or where the thread is a chat already.
    begins = kind == "app_mention" or direct
    return parsed(Person(f"{team}/{user}", str(user)), name, _MENTION.sub("", str(text)), begins=begins)


def _clicked(payload: Payload) -> Inbound | None:
    action, value = payload.at("body.actions.0.action_id"), payload.at("body.actions.0.value")
    found = _MARK.fullmatch(value) if isinstance(value, str) else None
    _, _, choice = str(action).rpartition(":")
    if found is None or action not in (f"{_ACTION}:approve", f"{_ACTION}:deny"):
        return None
    team, user, named = (payload.at(f"body.user.{field}") for field in ("team_id", "id", "name"))
    name = f"click/{payload.at('body.actions.0.action_ts')}"
    return InboundDecision(Person(f"{team}/{user}", str(named)), name, int(found[1]), {int(found[2]): Choice(choice)})


async def post_slack(destination: Destination, post: Post, http: Http) -> tuple[int | None, str]:
    """A message in the thread, once: who tries again looks first whether it is there."""
    channel, _, thread = destination.thread.partition("/")
    base, headers = destination.url.rstrip("/"), {"authorization": f"Bearer {destination.credential}"}
    if destination.again:
        since = f"{destination.since.timestamp():.6f}"
        query = f"channel={channel}&ts={thread}&include_all_metadata=true&limit=200&oldest={since}"
        found = await http("GET", f"{base}/conversations.replies?{query}", headers, None)
        if found.status != 200 or not found.fields.get("ok"):
            return _refused(found.status, found.fields)
        if any(_name_in(message) == destination.name for message in found.fields.get("messages", [])):
            return 200, ""
    body: dict[str, Any] = {
        "channel": channel,
        "thread_ts": thread,
        "text": escaped(post.text, _LONGEST) + remaining(post, _MOST_ASKS),
        "metadata": {"event_type": _EVENT, "event_payload": {"id": destination.name}},
    }
    if post.asks:
        body["blocks"] = _blocks(post)
    answer = await http("POST", f"{base}/chat.postMessage", headers, body)
    return (200, "") if answer.status == 200 and answer.fields.get("ok") else _refused(answer.status, answer.fields)


def escaped(text: str, longest: int) -> str:
    """A text as it reads, which names and notifies nobody. What is too long is cut between characters."""
    size = 0
    for place, each in enumerate(text):
        size += len(_ESCAPED.get(each, each))
        if size > longest:
            return _escape(shortened(text, place))
    return _escape(text)


def _escape(text: str) -> str:
    return "".join(_ESCAPED.get(each, each) for each in text)


def _blocks(post: Post) -> list[dict[str, Any]]:
    """Where a message has blocks, Slack shows nothing else of it."""
    blocks = [_section(escaped(post.text, _LONGEST_ARGS))]
    blocks += [block for ask in post.asks[:_MOST_ASKS] for block in _asking(ask.tool, ask.args, ask.mark)]
    left = remaining(post, _MOST_ASKS).strip()
    return [*blocks, _section(left)] if left else blocks


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _asking(tool: str, args: str, name: str) -> list[dict[str, Any]]:
    # Backticks in a row would end the block of code.
    shown = escaped(args.replace("``", "`\u200b`"), _LONGEST_ARGS)
    buttons = [
        {
            "type": "button",
            "action_id": f"{_ACTION}:{choice}",
            "text": {"type": "plain_text", "text": label},
            "value": name,
            "style": style,
        }
        for choice, label, style in (("approve", "Approve", "primary"), ("deny", "Deny", "danger"))
    ]
    return [_section(f"`{tool}` wants to run:\n```{shown}```"), {"type": "actions", "elements": buttons}]


def _name_in(message: Any) -> str:
    payload = msgspec.convert(message, dict[str, Any]).get("metadata", {}).get("event_payload", {})
    return str(payload.get("id", ""))


def _refused(status: int | None, said: dict[str, Any]) -> tuple[int | None, str]:
    """Slack says no with 200."""
    error = said.get("error")
    return (
        502 if status == 200 else status
    ), f"Slack said {error}." if error else f"Slack answered with HTTP {status}."
