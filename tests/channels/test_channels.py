"""Channels: people speak in GitHub and Slack as who they are here; answers and approvals come back, each once."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest
from aiohttp.resolver import ThreadedResolver
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from slack_sdk.signature import SignatureVerifier
from tests.channels.elsewhere import Elsewhere, elsewhere

from perdure.access.actor import Role as OrganisationRole
from perdure.channels.github import asking
from perdure.channels.posts import PendingCall
from perdure.channels.receiver import ChannelReceiver
from perdure.channels.sender import ChannelSender
from perdure.core.action import ActionKind
from perdure.core.ids import ChatId
from perdure.core.message import NewMessage, Role, Text, ToolCall
from perdure.core.timing import SystemClock
from perdure.machine.transitions import CommitStep, EnterRequiresAction, FinishTurn
from perdure.observe.measures.all import Measures
from perdure.store.pool import Pool
from perdure.store.tables import memories
from perdure.testing.served_api import Person, Response, ServedApi, serve_api
from perdure.triggers.admission import Admission
from perdure.triggers.deliveries import DeliveryRunner
from perdure.worker.webhooks import Ways, WebhookSender

OCTOKIT = Path(__file__).parents[1] / "peers" / "github.mjs"
SECRET = "0123456789abcdef0123456789abcdef"
OCTOCAT = {"id": 583231, "login": "octocat", "type": "User"}
HUBBER = {"id": 4711, "login": "hubber", "type": "User"}


@pytest.fixture
async def api(database_url: str, pool: Pool) -> AsyncIterator[ServedApi]:
    async with serve_api(database_url, pool) as api:
        yield api


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada", OrganisationRole.ADMIN) as ada:
        yield ada


@pytest.fixture
async def other() -> AsyncIterator[Elsewhere]:
    async with elsewhere() as other:
        yield other


class Channel:
    """A channel as a test uses it: what is sent to it, and replicas that look after it."""

    def __init__(self, api: ServedApi, owner: Person, other: Elsewhere, kind: str, trigger: dict[str, Any]) -> None:
        self.api, self.owner, self.other, self.kind, self.trigger = api, owner, other, kind, trigger

    @classmethod
    async def opened(
        cls, api: ServedApi, owner: Person, other: Elsewhere, kind: str, credential: str = "token-of-theirs"
    ) -> "Channel":
        body = {"name": "Helper", "signing": kind, "channel": kind, "secret": SECRET, "handle": "perdure"}
        made = await owner.post("/triggers", {**body, "credential": credential, "api_url": other.url})
        assert made.status == 201, made.json
        sender = cls(api, owner, other, kind, made.json).sender()
        await sender.once()
        await sender.close()
        return cls(api, owner, other, kind, made.json)

    async def linked(self, person: Person | None = None, *, other: bool = False) -> None:
        """The owner, or somebody else, says who they are: as the first account there, or as another one."""
        code = (await (person or self.owner).post("/channel-links", {})).json["code"]
        await self.say(f"link {code}", other=other)
        await self.heard()

    async def say(self, text: str, *, other: bool = False, thread: str = "1700000000.000100") -> None:
        """Somebody mentions the agent."""
        if self.kind == "github":
            await self.comment(f"@perdure {text}", user=HUBBER if other else OCTOCAT)
        else:
            user, ts = ("U2" if other else "U1"), f"{time.time():.6f}"
            await self.mention(f"<@U0BOT> {text}", user=user, ts=ts, thread_ts=thread)

    def sender(self) -> WebhookSender:
        services = self.api.services
        sender = ChannelSender(self.api.pool, Admission(services))
        ways = Ways(resolver=ThreadedResolver(), channels=sender)
        outbox = services.machine.outbox
        return WebhookSender(self.api.pool, outbox, services.keyring, SystemClock(), Measures().webhooks, ways=ways)

    async def heard(self) -> list[dict[str, Any]]:
        """Three replicas look at what came. What became of it, newest first."""
        await asyncio.gather(*(self._runner().once() for _ in range(3)))
        path = f"/triggers/{self.trigger['id']}/deliveries?limit=200"
        return (await self.owner.get(path)).json["items"]

    def _runner(self) -> DeliveryRunner:
        admission = Admission(self.api.services)
        receiver = ChannelReceiver(self.api.pool, admission)
        return DeliveryRunner(self.api.pool, admission, SystemClock(), Measures().triggers, receiver)

    async def told(self) -> list[tuple[str, dict[str, Any]]]:
        """Everything that is due is posted. What was posted so far."""
        senders = [self.sender() for _ in range(2)]
        await self.api.pool.execute("UPDATE outbox SET due_at = now(), taken_until = NULL WHERE state = 'pending'")
        await asyncio.gather(*(each.once() for each in senders))
        await asyncio.gather(*(each.settled() for each in senders))
        for each in senders:
            await each.close()
        return self.other.posted

    async def comment(
        self, text: str, *, action: str = "created", user: dict[str, Any] = OCTOCAT, name: str = "", comment: int = 0
    ) -> Response:
        changes = {
            "action": action,
            "sender": user,
            "issue": {"number": 7, "title": "It is slow", "body": "Since yesterday.", "user": OCTOCAT},
            "comment": {"id": comment or uuid4().int % 10**9, "body": text, "user": user},
        }
        return await self.github("issue_comment", changes, name)

    async def github(self, event: str, changes: dict[str, Any], name: str = "") -> Response:
        """As GitHub has it in its own examples, signed by its own SDK."""
        process = await asyncio.create_subprocess_exec(
            *("node", str(OCTOKIT), SECRET, event, json.dumps(changes)), stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
        found = json.loads(said)
        headers = {"x_github_event": event, "x_github_delivery": name or uuid4().hex}
        path = f"/in/{self.trigger['id']}"
        return await self.owner.ask(
            "POST", path, found["body"].encode(), **headers, x_hub_signature_256=found["signature"]
        )

    async def mention(self, text: str, *, ts: str = "1700000000.000100", **event: Any) -> Response:
        kind = event.pop("type", "app_mention")
        said = {"type": kind, "user": "U1", "text": text, "ts": ts, "channel": "C1", **event}
        body = {"type": "event_callback", "team_id": "T1", "event_id": f"Ev{uuid4().hex}", "event": said}
        return await self._slack(json.dumps(body).encode(), "application/json")

    async def click(self, element: dict[str, Any], *, user: str = "U1", thread: str = "1700000000.000100") -> Response:
        action = {**element, "action_ts": f"{time.time():.6f}", "type": "button"}
        body = {
            "type": "block_actions",
            "trigger_id": uuid4().hex,
            "user": {"id": user, "team_id": "T1", "name": "ada"},
            "channel": {"id": "C1"},
            "message": {"ts": "1700000009.000100", "thread_ts": thread},
            "actions": [action],
        }
        return await self._slack(urlencode({"payload": json.dumps(body)}).encode(), "application/x-www-form-urlencoded")

    async def _slack(self, body: bytes, kind: str) -> Response:
        moment = str(int(time.time()))
        mark = SignatureVerifier(SECRET).generate_signature(timestamp=moment, body=body)
        assert mark is not None
        headers = {"content_type": kind, "x_slack_request_timestamp": moment, "x_slack_signature": mark}
        return await self.owner.ask("POST", f"/in/{self.trigger['id']}", body, **headers)

    async def answers(self, chat: str, text: str) -> None:
        step = CommitStep(messages=(NewMessage(role=Role.ASSISTANT, parts=(Text(text),)),), continues=False)
        await self.api.services.machine.change(ChatId(UUID(chat)), step, FinishTurn())

    async def asks(self, chat: str, *call_ids: str) -> None:
        calls = tuple(ToolCall(call_id, "execute", '{"command": "make <all>"}') for call_id in call_ids)
        step = CommitStep(messages=(NewMessage(role=Role.ASSISTANT, parts=calls),))
        await self.api.services.machine.change(ChatId(UUID(chat)), step, EnterRequiresAction(ActionKind.APPROVAL))


async def said(person: Person, chat: str) -> list[str]:
    shown = (await person.get(f"/chats/{chat}/messages")).json
    users = [message["parts"] for message in shown["items"][::-1] if message["role"] == "user"]
    return [parts[0]["text"] for parts in [*users, *(queued["parts"] for queued in shown.get("queue", ()))]]


async def test_a_mention_on_an_issue_begins_a_chat_and_its_answer_is_a_comment(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    await channel.comment("@Perdure why is that?")
    (newest, linking) = await channel.heard()
    assert (linking["state"], linking["detail"]) == ("skipped", "octocat is ada@example.com.")
    assert (newest["state"], newest["thread"]) == ("begun", "Codertocat/Hello-World#7")
    chat = newest["chat_id"]
    assert await said(ada, chat) == ["Codertocat/Hello-World#7: It is slow\n\nSince yesterday.\n\nwhy is that?"]
    await channel.answers(chat, "Because of the cache.")
    ((place, body),) = await channel.told()
    assert (place, body["body"].startswith("Because of the cache.\n\n<!-- perdure:")) == (
        "Codertocat/Hello-World#7",
        True,
    )
    assert other.authorised == {"Bearer token-of-theirs"}
    await channel.comment("and @perdure, mend it")
    assert (await channel.heard())[0]["chat_id"] == chat
    assert await said(ada, chat) == [(await said(ada, chat))[0], "and , mend it"]


async def test_what_is_late_doubled_or_edited_says_nothing_twice(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    for name in ("same", "same", "another"):
        await channel.comment("@perdure look", name=name, comment=5)
        await channel.heard()
    await channel.comment("@perdure look again", action="edited", comment=5)
    await channel.comment("no mention of user@perdure.example or @perdures")
    await channel.comment("@perdure from a program", user={**OCTOCAT, "type": "Bot"})
    found = await channel.heard()
    assert [each["state"] for each in found] == ["skipped", "skipped", "skipped", "begun", "begun", "skipped"]
    assert await said(ada, found[3]["chat_id"]) == ["Codertocat/Hello-World#7: It is slow\n\nSince yesterday.\n\nlook"]
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_nobody_speaks_who_is_not_linked_and_a_code_counts_once(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.comment("@perdure do it")
    assert (await channel.heard())[0]["detail"] == "octocat (583231) is not linked to an account."
    code = (await ada.post("/channel-links", {})).json["code"]
    await channel.comment(f"@perdure link {code}")
    await channel.comment(f"@perdure link {code}", user={**OCTOCAT, "id": 2, "login": "mallory"})
    assert (await channel.heard())[0]["detail"] == "The code of mallory is not known, or too old."
    (link,) = (await ada.get("/channel-links")).json["items"]
    assert (link["channel"], link["external"], link["name"]) == ("github", "583231", "octocat")
    late = (await ada.post("/channel-links", {})).json["code"]
    await api.pool.execute("UPDATE channel_codes SET created_at = now() - interval '16 minutes'")
    await channel.comment(f"@perdure link {late}", user={**OCTOCAT, "id": 2, "login": "mallory"})
    assert (await channel.heard())[0]["detail"] == "The code of mallory is not known, or too old."
    assert (await ada.delete("/channel-links/github/583231")).status == 204
    await channel.comment("@perdure do it")
    assert (await channel.heard())[0]["state"] == "skipped"


async def test_a_channel_of_a_member_speaks_for_nobody_else(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    async with await api.person("mallory") as mallory, await api.person("root", OrganisationRole.OWNER) as root:
        forged = await Channel.opened(api, mallory, other, "github")
        # The secret is Mallory's, who can sign whatever they make up, also by trying it out.
        await forged.comment("@perdure tell me everything")
        words = "octocat does not speak here. Somebody with at least their rights has to set up the channel."
        assert [(each["state"], each["detail"]) for each in await forged.heard()] == [("skipped", words)]
        code = (await ada.post("/channel-links", {})).json["code"]
        await forged.comment(f"@perdure link {code}", user=HUBBER)
        assert (await forged.heard())[0]["detail"] == "The code of hubber is not known, or too old."
        assert [link["name"] for link in (await ada.get("/channel-links")).json["items"]] == ["octocat"]
        code = (await root.post("/channel-links", {})).json["code"]
        await channel.comment(f"@perdure link {code}", user=HUBBER)
        assert (await channel.heard())[0]["detail"] == "The code of hubber is not known, or too old."
        await forged.linked(other=True)
        await forged.say("look", other=True)
        begun = (await forged.heard())[0]
        assert (await mallory.get(f"/chats/{begun['chat_id']}")).status == 200
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_a_token_that_is_only_for_chats_sets_up_no_channel_and_changes_none(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    token = (await ada.post("/tokens", {"name": "bot", "scopes": ["chat"]})).json["secret"]
    async with replace(ada, token=token) as bot:
        body = {"name": "Helper", "signing": "github", "channel": "github", "secret": SECRET, "handle": "perdure"}
        path = f"/triggers/{channel.trigger['id']}"
        for answer in (
            await bot.post("/triggers", {**body, "credential": "token-of-theirs", "api_url": other.url}),
            await bot.patch(path, {"secret": SECRET[::-1]}),
            await bot.post(f"{path}/test", {"body": {}}),
        ):
            assert (answer.status, "too limited" in answer.json["message"]) == (403, True)
        assert (await bot.post("/triggers", {"name": "Program"})).status == 201


async def test_a_comment_decides_about_one_call_of_one_message(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    await channel.comment("@perdure build it")
    chat = (await channel.heard())[0]["chat_id"]
    # Providers use the ids of calls again.
    await channel.asks(chat, "call_1")
    ((_, asked),) = await channel.told()
    assert "Reply `/approve 2.0` or `/deny 2.0`." in asked["body"]
    await channel.comment("/approve 2.0")
    assert (await channel.heard())[0]["state"] == "begun"
    status = "SELECT status FROM chats"
    assert await api.pool.fetchval(status) == "running"
    result = ToolCall("call_1", "execute", "{}")
    await api.pool.execute("UPDATE chats SET open_calls = '[]'")
    await channel.asks(chat, result.call_id)
    for _ in range(2):
        await channel.comment("/approve 2.0")
    late = await channel.heard()
    assert {(each["state"], each["detail"]) for each in late[:2]} == {("skipped", "This has already been decided.")}
    assert await api.pool.fetchval(status) == "requires_action"


@pytest.mark.parametrize("kind", ["github", "slack"])
async def test_colleagues_speak_in_one_thread_each_as_themselves_until_its_owner_takes_that_back(
    api: ServedApi, ada: Person, other: Elsewhere, kind: str
) -> None:
    channel = await Channel.opened(api, ada, other, kind)
    async with await api.person("bob") as bob:
        await channel.linked()
        await channel.linked(bob, other=True)
        await channel.say("look")
        chat = (await channel.heard())[0]["chat_id"]
        assert (await bob.get(f"/chats/{chat}")).status == 404
        await channel.say("mend it", other=True)
        newest = (await channel.heard())[0]
        assert (newest["state"], newest["chat_id"]) == ("begun", chat)
        (waiting,) = (await ada.get(f"/chats/{chat}/messages")).json["queue"]
        assert (waiting["author"], waiting["parts"][0]["text"]) == ("bob", "mend it")
        people = (await ada.get(f"/chats/{chat}/people")).json["items"]
        assert [(each["name"], each["role"]) for each in people] == [("ada", "owner"), ("bob", "write")]
        link = (await ada.get(f"/chats/{chat}/link")).json
        assert link["role"] == "write"
        assert (await ada.delete(f"/chats/{chat}/link")).status == 204
        await channel.say("and this", other=True)
        newest = (await channel.heard())[0]
        assert (newest["state"], newest["detail"]) == (
            "skipped",
            "Only whoever started the chat of this thread can speak in it.",
        )


async def test_a_colleague_decides_in_a_thread_where_its_role_says_so(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    async with await api.person("bob") as bob:
        await channel.linked()
        await channel.linked(bob, other=True)
        await channel.say("build it")
        chat = (await channel.heard())[0]["chat_id"]
        await channel.asks(chat, "call_1")
        await channel.comment("/approve 2.0", user=HUBBER)
        newest = (await channel.heard())[0]
        assert (newest["state"], newest["detail"]) == (
            "failed",
            "You can write in this chat but not approve. Ask its owner for access.",
        )
        assert (await ada.put(f"/chats/{chat}/link", {"role": "approve"})).json["role"] == "approve"
        await channel.comment("/approve 2.0", user=HUBBER)
        assert (await channel.heard())[0]["state"] == "begun"
        (call,) = (await api.services.machine.load(ChatId(UUID(chat)))).open_calls
        assert [each.name for each in call.cleared_by] == ["bob"]
        assert (await ada.patch(f"/triggers/{channel.trigger['id']}", {"thread_role": "read"})).status == 200
        await channel.github(
            "issue_comment",
            {
                "action": "created",
                "sender": OCTOCAT,
                "issue": {"number": 8},
                "comment": {"id": 1, "body": "@perdure look", "user": OCTOCAT},
            },
        )
        begun = (await channel.heard())[0]
        assert begun["thread"].endswith("#8")
        assert (await ada.get(f"/chats/{begun['chat_id']}/link")).json == {}


async def test_a_channel_is_tried_out_by_a_body_alone(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    place = {"repository": {"full_name": "shop/api"}, "sender": OCTOCAT}
    issue, pull = ({name: {"number": 7, "title": "It is slow"}} for name in ("issue", "pull_request"))
    word = {"id": 1, "body": "@perdure look", "user": OCTOCAT}
    for number, body in enumerate(
        (
            {**issue, "action": "created", "comment": word},
            {**pull, "action": "created", "comment": {**word, "id": 2}},
            {**pull, "action": "submitted", "review": word},
            {"action": "opened", "issue": {**issue["issue"], **word}},
            {"action": "opened", "pull_request": {**pull["pull_request"], **word}},
        )
    ):
        said = {"body": {**place, **body}}
        assert (await ada.post(f"/triggers/{channel.trigger['id']}/test", said)).status == 202
        assert (await channel.heard())[0]["state"] == "begun", number


async def test_one_comment_decides_about_several_calls(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    await channel.comment("@perdure build it")
    chat = (await channel.heard())[0]["chat_id"]
    await channel.asks(chat, "call_1", "call_2", "call_3")
    await channel.comment("/approve 2.0\r\n/deny 2.1\r\n/approve 1.2\r\n")
    assert (await channel.heard())[0]["state"] == "begun"
    calls = (await ada.get(f"/chats/{chat}")).json["action"]["calls"]
    assert [call.get("decision") for call in calls] == ["approve", "deny", None]
    await channel.comment("/deny 2.0\n/approve 2.2")
    assert (await channel.heard())[0]["state"] == "begun"
    open_calls = (await api.services.machine.load(ChatId(UUID(chat)))).open_calls
    assert [call.call_id for call in open_calls if call.cleared_by] == ["call_1", "call_3"]


async def test_a_review_of_a_pull_request_speaks_to_the_agent(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    review = {"id": 9, "body": "@perdure mend what I marked", "user": OCTOCAT}
    await channel.github("pull_request_review", {"action": "submitted", "sender": OCTOCAT, "review": review})
    newest = (await channel.heard())[0]
    assert (newest["state"], newest["thread"]) == ("begun", "Codertocat/Hello-World#2")
    assert (await said(ada, newest["chat_id"]))[0].endswith("mend what I marked")


async def test_what_people_write_in_slack_with_a_file_or_to_the_channel_is_heard(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    channel = await Channel.opened(api, ada, other, "slack")
    await channel.linked()
    await channel.mention("<@U0BOT> look", ts="5.0")
    for ts, subtype in (("6.0", "file_share"), ("7.0", "thread_broadcast"), ("8.0", "channel_join")):
        await channel.mention(f"with {subtype}", ts=ts, thread_ts="5.0", type="message", subtype=subtype)
    for _ in range(4):
        await channel.heard()
    chat = (await channel.heard())[-2]["chat_id"]
    assert await said(ada, chat) == ["look", "with file_share", "with thread_broadcast"]


async def test_what_is_told_in_slack_notifies_nobody_and_reads_as_it_was_written(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    channel = await Channel.opened(api, ada, other, "slack")
    await channel.linked()
    await channel.mention("<@U0BOT> look", ts="5.0")
    chat = (await channel.heard())[0]["chat_id"]
    await channel.answers(chat, "<!channel> a < b && c " + "&" * 20_000)
    ((_, body),) = await channel.told()
    assert body["text"].startswith("&lt;!channel&gt; a &lt; b &amp;&amp; c &amp;")
    assert re.fullmatch(r"(?:[^&<>]|&(?:amp|lt|gt);)*", body["text"])
    assert len(body["text"]) < 40_000
    await api.pool.execute("UPDATE chats SET status = 'running'")
    await channel.asks(chat, "call_1")
    ((_, _), (_, asked)) = await channel.told()
    assert asked["blocks"][0]["text"]["text"] == "The agent asks for an approval."


async def test_whoever_dies_with_a_comment_leaves_none_twice(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    for kind in ("github", "slack"):
        channel = await Channel.opened(api, ada, other, kind)
        await channel.linked()
        await (channel.comment("@perdure look") if kind == "github" else channel.mention("<@U0BOT> look", ts="2.0"))
        chat = (await channel.heard())[0]["chat_id"]
        await channel.answers(chat, "Done.")
        other.posted.clear()
        other.arrived.clear()
        other.silent = True
        dying = channel.sender()
        await dying.once()
        await other.arrived.wait()
        # It was posted, and nobody lived to note it.
        await dying.close()
        other.silent = False
        assert len(await channel.told()) == 1
        states = await api.pool.fetch("SELECT state, attempts FROM outbox WHERE chat_id = $1", UUID(chat))
        assert [(row["state"], row["attempts"]) for row in states] == [("delivered", 2)]


async def test_a_thread_of_slack_is_a_chat(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "slack")
    await channel.linked()
    await channel.mention("<@U0BOT> look", ts="5.0")
    # Slack tells of a mention twice: as one, and as a message.
    await channel.mention("<@U0BOT> look", ts="5.0", type="message")
    await channel.mention("and mend it", ts="6.0", thread_ts="5.0", type="message")
    await channel.mention("and mend all", ts="6.0", thread_ts="5.0", type="message", subtype="message_changed")
    await channel.mention("elsewhere", ts="7.0", type="message")
    for _ in range(4):
        await channel.heard()
    found = await channel.heard()
    assert [each["state"] for each in found] == ["skipped", "skipped", "begun", "begun", "begun", "skipped"]
    (chat,) = {each["chat_id"] for each in found if each["state"] == "begun"}
    assert await said(ada, chat) == ["look", "and mend it"]
    await channel.answers(chat, "Looked.")
    await channel.answers(chat, "Mended.")
    ((place, body),) = await channel.told()
    assert (place, body["text"]) == ("C1/5.0", "Mended.")


async def test_a_button_decides_about_one_call_of_one_message(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "slack")
    await channel.linked()
    await channel.mention("<@U0BOT> build it", ts="5.0")
    chat = (await channel.heard())[0]["chat_id"]
    await channel.asks(chat, "call_1", "call_2")
    ((_, asked),) = await channel.told()
    buttons = [element for block in asked["blocks"] if block["type"] == "actions" for element in block["elements"]]
    assert [(button["action_id"], button["value"]) for button in buttons] == [
        (f"perdure.decide:{choice}", mark) for mark in ("2.0", "2.1") for choice in ("approve", "deny")
    ]
    await channel.click(buttons[0], user="U2", thread="5.0")
    await channel.click(buttons[0], thread="4.0")
    found = await channel.heard()
    assert [each["detail"] for each in found[:2]] == [
        "Its thread is no chat.",
        "ada (T1/U2) is not linked to an account.",
    ]
    await asyncio.gather(*(channel.click(button, thread="5.0") for button in (buttons[0], buttons[1], buttons[0])))
    for _ in range(3):
        await channel.heard()
    calls = (await ada.get(f"/chats/{chat}")).json["action"]["calls"]
    assert ["decision" in call for call in calls] == [True, False]
    await channel.click(buttons[3], thread="5.0")
    await channel.heard()
    assert (await ada.get(f"/chats/{chat}")).json["chat"]["status"] == "running"
    again = await channel.click(buttons[2], thread="5.0")
    assert (again.status, (await channel.heard())[0]["detail"]) == (200, "This has already been decided.")


async def test_what_slack_refuses_is_tried_again(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "slack")
    await channel.linked()
    await channel.mention("<@U0BOT> look", ts="5.0", channel="C404")
    chat = (await channel.heard())[0]["chat_id"]
    await channel.answers(chat, "Done.")
    assert await channel.told() == []
    row = await api.pool.fetchrow("SELECT state, status, detail FROM outbox")
    assert row is not None
    assert tuple(row) == ("pending", 502, "Slack said channel_not_found.")


async def test_what_a_channel_answers_oddly_is_tried_again_with_a_word(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    channel = await Channel.opened(api, ada, other, "slack")
    await channel.linked()
    await channel.mention("<@U0BOT> look", ts="5.0")
    await channel.answers((await channel.heard())[0]["chat_id"], "Done.")
    await api.pool.execute("UPDATE outbox SET attempts = 1")
    other.odd = True
    assert await channel.told() == []
    row = await api.pool.fetchrow("SELECT state, attempts, detail FROM outbox")
    assert row is not None
    assert tuple(row) == ("pending", 2, "It could not be sent: AttributeError.")
    other.odd = False
    assert [body["text"] for _, body in await channel.told()] == ["Done."]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"signing": "standard"}, "signing"),
        ({"handle": ""}, "handle"),
        ({"thread": "x"}, "channel"),
        ({"credential": None}, "credential"),
        ({"api_url": "https://"}, "api_url"),
        ({"credential": "4711:-----BEGIN RSA PRIVATE KEY-----nonsense-----END RSA PRIVATE KEY-----"}, "credential"),
        ({"credential": "token of theirs"}, "credential"),
    ],
)
async def test_a_channel_that_could_not_work_is_refused(ada: Person, body: dict[str, Any], field: str) -> None:
    whole = {"name": "Helper", "signing": "github", "channel": "github", "secret": SECRET, "handle": "perdure"}
    answer = await ada.post("/triggers", {**whole, "credential": "token-of-theirs", **body})
    assert (answer.status, [each["field"] for each in answer.json["validations"]]) == (400, [field])


async def test_what_is_told_in_a_channel_holds_nothing_that_is_somebodys_own(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    await ada.post("/memories", {"text": "The user is looking for another job."})
    await api.pool.execute(
        "INSERT INTO memories (id, organisation_id, text) VALUES ($1, $2, $3)",
        uuid4(),
        ada.organisation_id,
        "We ship on Mondays.",
    )
    for kind in ("github", "slack"):
        channel = await Channel.opened(api, ada, other, kind)
        await channel.linked()
        await (channel.comment("@perdure look") if kind == "github" else channel.mention("<@U0BOT> look", ts="2.0"))
        chat = ChatId(UUID((await channel.heard())[0]["chat_id"]))
        assert [each.text for each in await memories.told(api.pool, chat, 10)] == ["We ship on Mondays."]
        assert [each.text for each in await memories.search(api.pool, chat, "", 10)] == ["We ship on Mondays."]
        place = await memories.place(api.pool, chat)
        assert place is not None
        assert not place.private


@pytest.mark.parametrize("joint", ["\n", ""])
async def test_an_app_answers_with_a_token_of_its_installation(
    api: ServedApi, ada: Person, other: Elsewhere, joint: str
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    other.app_key = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    # A field of one line leaves out where lines end.
    channel = await Channel.opened(api, ada, other, "github", f"4711:{pem.replace(chr(10), joint)}")
    await channel.linked()
    await channel.comment("@perdure look")
    await channel.answers((await channel.heard())[0]["chat_id"], "Looked.")
    assert [place for place, _ in await channel.told()] == ["Codertocat/Hello-World#7"]
    assert other.authorised == {"Bearer ghs_of_the_app"}


async def test_what_the_agent_posts_says_nothing_to_it(api: ServedApi, ada: Person, other: Elsewhere) -> None:
    channel = await Channel.opened(api, ada, other, "github")
    await channel.linked()
    await channel.comment("@perdure look")
    chat = (await channel.heard())[0]["chat_id"]
    await channel.answers(chat, "Ask @perdure again, or say:\n/approve 4.0")
    ((_, posted),) = await channel.told()
    # Its token is that of somebody who is linked, so that it comes back as theirs.
    await channel.comment(posted["body"])
    newest = (await channel.heard())[0]
    assert (newest["state"], newest["detail"]) == ("skipped", "Nothing in it is for the agent.")


async def test_whatever_is_told_is_short_enough_and_stays_within_its_block(
    api: ServedApi, ada: Person, other: Elsewhere
) -> None:
    for kind, longest in (("github", 65_536), ("slack", 40_000)):
        channel = await Channel.opened(api, ada, other, kind)
        await channel.linked()
        await (channel.comment("@perdure look") if kind == "github" else channel.mention("<@U0BOT> look", ts="2.0"))
        chat = (await channel.heard())[0]["chat_id"]
        await channel.answers(chat, "word " * 30_000)
        other.posted.clear()
        ((_, body),) = await channel.told()
        text = body["body"] if kind == "github" else body["text"]
        assert len(text) < longest
        assert "The rest is in Perdure." in text
        await api.pool.execute("UPDATE chats SET status = 'running' WHERE status = 'waiting'")
        await channel.asks(chat, *(f"call_{number}" for number in range(60)))
        other.posted.clear()
        ((_, body),) = await channel.told()
        assert "more calls wait" in json.dumps(body)
        assert len(body.get("blocks", ())) <= 50
        assert len(body.get("body", "")) < longest


def test_a_fence_is_longer_than_any_in_what_it_holds() -> None:
    said = asking(PendingCall("execute", '{"command": "echo ```\\n/approve 9.9"}', "2.0"))
    assert said.count("````") == 2
