"""Slack's own framework takes the same requests as a channel does, refuses the same, and knows the same clicks."""

import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import SignatureVerifier

from perdure.channels.inbound import InboundDecision, InboundMessage, mark
from perdure.channels.posts import Destination, PendingCall, Post
from perdure.channels.slack import post_slack, read_slack
from perdure.core.payload import read_payload
from perdure.store.pool import Pool
from perdure.testing.served_api import Person, serve_api
from perdure.worker.webhooks import HttpAnswer

SECRET = "0123456789abcdef0123456789abcdef"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
SAID: dict[str, Any] = {"type": "app_mention", "user": "U1", "text": "<@U0BOT> look", "ts": "5.0", "channel": "C1"}


@pytest.fixture
async def ada(database_url: str, pool: Pool) -> AsyncIterator[Person]:
    async with serve_api(database_url, pool) as api, await api.person("ada") as ada:
        yield ada


def event(**said: Any) -> tuple[bytes, str]:
    body = {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": {**SAID, **said}}
    return json.dumps(body).encode(), JSON


def click(action: dict[str, Any]) -> tuple[bytes, str]:
    body = {
        "type": "block_actions",
        "trigger_id": "1.2.abc",
        "api_app_id": "A1",
        "team": {"id": "T1"},
        "user": {"id": "U1", "team_id": "T1", "name": "ada"},
        "channel": {"id": "C1"},
        "message": {"ts": "6.0", "thread_ts": "5.0"},
        "actions": [{**action, "action_ts": "7.0", "block_id": "b"}],
    }
    return urlencode({"payload": json.dumps(body)}).encode(), FORM


def headers_for(body: bytes, kind: str, *, ago: int = 0, secret: str = SECRET) -> dict[str, str]:
    moment = str(int(time.time()) - ago)
    signed = SignatureVerifier(secret).generate_signature(timestamp=moment, body=body)
    assert signed is not None
    return {"content-type": kind, "x-slack-request-timestamp": moment, "x-slack-signature": signed}


async def authorised() -> AuthorizeResult:
    return AuthorizeResult(enterprise_id=None, team_id="T1", bot_user_id="U0BOT", bot_id="B0", bot_token="xoxb-1")


class Bolt:
    """An app of Slack's own framework, and what it was told."""

    def __init__(self) -> None:
        self.heard = list[str]()
        # It does not say of all its types what they hold.
        self._app: Any = AsyncApp(signing_secret=SECRET, authorize=authorised, process_before_response=True)

        async def said(event: dict[str, Any]) -> None:
            self.heard.append(event["text"])

        async def clicked(ack: Any, action: dict[str, Any]) -> None:
            await ack()
            self.heard.append(f"{action['action_id']} {action['value']}")

        for kind in ("app_mention", "message"):
            self._app.event(kind)(said)
        for choice in ("approve", "deny"):
            self._app.action(f"perdure.decide:{choice}")(clicked)

    async def status(self, body: bytes, headers: dict[str, str]) -> int:
        request = AsyncBoltRequest(body=body.decode(), headers={name: [value] for name, value in headers.items()})
        return (await self._app.async_dispatch(request)).status


async def test_what_slack_s_framework_takes_a_channel_takes_and_what_it_refuses_a_channel_refuses(ada: Person) -> None:
    bolt = Bolt()
    made = await ada.post("/triggers", {"name": "Helper", "signing": "slack", "secret": SECRET})
    path = f"/in/{made.json['id']}"
    body, kind = event()
    button, form = click({"type": "button", "action_id": "perdure.decide:approve", "value": "2.0"})
    checked = json.dumps({"type": "url_verification", "challenge": "3eZ"}).encode()
    for content, of, changes, expected in (
        (body, kind, {}, 200),
        (button, form, {}, 200),
        (checked, kind, {}, 200),
        (body, kind, {"ago": 301}, 401),
        (body, kind, {"ago": -301}, 401),
        (body, kind, {"secret": SECRET[::-1]}, 401),
        (body + b" ", kind, {"signed": body}, 401),
        (body, kind, {"without": "x-slack-signature"}, 401),
        (body, kind, {"without": "x-slack-request-timestamp"}, 401),
    ):
        chosen: dict[str, Any] = dict(changes)
        signed, without = chosen.pop("signed", content), chosen.pop("without", "")
        headers = headers_for(signed, of, **chosen)
        headers.pop(without, None)
        ours = await ada.ask("POST", path, content, **{name.replace("-", "_"): each for name, each in headers.items()})
        assert (ours.status, await bolt.status(content, headers)) == (expected, expected), changes
    assert bolt.heard == ["<@U0BOT> look", "perdure.decide:approve 2.0"]


async def test_the_buttons_that_a_channel_posts_reach_the_handlers_that_they_name() -> None:
    posted = list[dict[str, Any]]()

    async def taken(method: str, url: str, headers: object, body: Any) -> HttpAnswer:  # noqa: ARG001
        posted.append(body)
        return HttpAnswer(200, fields={"ok": True})

    now = datetime.now(UTC)
    destination = Destination("n", "https://slack.example/api", "xoxb-1", "C1/5.0", again=False, since=now, now=now)
    asks = (PendingCall("execute", '{"command": "make"}', mark(2, 0)), PendingCall("execute", "{}", mark(2, 1)))
    assert await post_slack(destination, Post("The agent asks for an approval.", asks), taken) == (200, "")
    bolt, read = Bolt(), list[Any]()
    for block in posted[0]["blocks"]:
        for button in block.get("elements", ()):
            body, kind = click(button)
            assert await bolt.status(body, headers_for(body, kind)) == 200
            read.append(read_slack(read_payload(body, {"content-type": kind}), ""))
    assert bolt.heard == [f"perdure.decide:{choice} 2.{call}" for call in (0, 1) for choice in ("approve", "deny")]
    assert all(isinstance(each, InboundDecision) for each in read)
    assert [(each.message, *each.calls.items()) for each in read] == [
        (2, (call, choice)) for call in (0, 1) for choice in ("approve", "deny")
    ]


@pytest.mark.parametrize("subtype", [None, "file_share", "thread_broadcast", "me_message"])
async def test_a_message_of_a_person_is_heard_by_both(subtype: str | None) -> None:
    more = {} if subtype is None else {"subtype": subtype}
    body, kind = event(type="message", text="and mend it", thread_ts="5.0", **more)
    bolt = Bolt()
    assert await bolt.status(body, headers_for(body, kind)) == 200
    said = read_slack(read_payload(body, {"content-type": kind}), "")
    assert isinstance(said, InboundMessage)
    assert bolt.heard == [said.text]
