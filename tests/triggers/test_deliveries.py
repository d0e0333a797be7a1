"""Triggers: what is signed begins a chat once, whoever looks and whoever dies; the rest is refused in words."""

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import pytest
from slack_sdk.signature import SignatureVerifier
from standardwebhooks import Webhook as Signer

from perdure.access.actor import Role
from perdure.config.speech import WorkspaceChoice
from perdure.config.triggers import TriggerOptions
from perdure.core.errors import InvalidInput
from perdure.core.ids import ChatId
from perdure.core.payload import Payload
from perdure.core.timing import SCHEDULE_TAKEN, TRIGGER_BOUND, SystemClock
from perdure.observe.measures.all import Measures
from perdure.store.pool import Pool, open_pool
from perdure.store.tables import memories, triggers
from perdure.testing.metric_reader import MetricReader
from perdure.testing.polling import seen
from perdure.testing.served_api import Person, Response, ServedApi, serve_api
from perdure.triggers.admission import Admission
from perdure.triggers.deliveries import DeliveryRunner

ISSUE: dict[str, Any] = {"name": "New issues", "template": "Look: {{ body.issue.title }}"}
BODY = {"action": "opened", "issue": {"title": "It is slow", "labels": [{"name": "bug"}]}}


@pytest.fixture
async def api(database_url: str, pool: Pool) -> AsyncIterator[ServedApi]:
    async with serve_api(database_url, pool) as api:
        yield api


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada") as ada:
        yield ada


def runner(api: ServedApi, measures: Measures | None = None) -> DeliveryRunner:
    """What brings deliveries to chats on one replica."""
    counted = (measures or Measures()).triggers
    return DeliveryRunner(api.pool, Admission(api.services), SystemClock(), counted)


async def made(ada: Person, **body: Any) -> dict[str, Any]:
    answer = await ada.post("/triggers", {**ISSUE, **body})
    assert answer.status == 201, answer.json
    return answer.json


def place(trigger: dict[str, Any]) -> str:
    return f"/in/{trigger['id']}"


async def sent(ada: Person, trigger: dict[str, Any], body: object = None, name: str = "", ago: int = 0) -> Response:
    """As a program that signs as Standard Webhooks has it."""
    raw = body if isinstance(body, bytes) else json.dumps(BODY if body is None else body).encode()
    name, moment = name or f"msg_{uuid4().hex}", int(time.time()) - ago
    key = base64.b64decode(trigger["secret"].removeprefix("whsec_"))
    mark = hmac.new(key, f"{name}.{moment}.".encode() + raw, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(mark).decode()}"
    headers = {"webhook_id": name, "webhook_timestamp": str(moment), "webhook_signature": signature}
    return await ada.ask("POST", place(trigger), raw, **headers)


async def deliveries(ada: Person, trigger: dict[str, Any]) -> list[dict[str, Any]]:
    return (await ada.get(f"/triggers/{trigger['id']}/deliveries?limit=200")).json["items"]


async def said(ada: Person, chat: str) -> list[str]:
    shown = (await ada.get(f"/chats/{chat}/messages")).json
    texts = [message["parts"] for message in shown["items"][::-1] if message["role"] == "user"]
    return [parts[0]["text"] for parts in [*texts, *(queued["parts"] for queued in shown.get("queue", ()))]]


async def test_a_signed_delivery_begins_a_chat_with_what_the_template_makes_of_it(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada, budget_limit=5_000_000)
    assert trigger["url"].endswith(f"/api/v1{place(trigger)}")
    body = json.dumps(BODY)
    signer, name = Signer(trigger["secret"]), "msg_1"
    moment = datetime.now(UTC)
    headers = {
        "webhook_id": name,
        "webhook_timestamp": str(int(moment.timestamp())),
        "webhook_signature": signer.sign(name, moment, body),
    }
    answer = await ada.ask("POST", place(trigger), body.encode(), **headers)
    assert (answer.status, answer.json["state"]) == (200, "due")
    measures = Measures()
    await runner(api, measures).once()
    assert MetricReader(measures.metrics)("perdure_trigger_deliveries_total", outcome="begun") == 1
    (delivery,) = await deliveries(ada, trigger)
    assert (delivery["state"], delivery["name"], delivery["size"]) == ("begun", name, len(body))
    chat = (await ada.get(f"/chats/{delivery['chat_id']}")).json["chat"]
    assert (chat["title"], chat["source"], chat["owner_id"]) == ("New issues", "trigger", str(ada.id))
    assert await said(ada, delivery["chat_id"]) == ["Look: It is slow"]
    assert await api.pool.fetchval("SELECT author FROM messages") == "ada"
    assert await api.pool.fetchval("SELECT budget_limit FROM chats") == 5_000_000
    shown = (await ada.get(f"/triggers/{trigger['id']}/deliveries/{delivery['id']}")).json
    assert (json.loads(shown["body"]), shown["headers"]["webhook-id"]) == (BODY, name)
    assert "webhook-signature" not in shown["headers"]


async def test_a_delivery_that_comes_again_is_one_on_any_number_of_replicas(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada)
    names = [f"msg_{number}" for number in range(10)]
    answers = await asyncio.gather(*(sent(ada, trigger, name=name) for name in names * 4))
    assert {answer.status for answer in answers} == {200}
    assert sum(not answer.json.get("duplicate", False) for answer in answers) == 10
    await asyncio.gather(*(runner(api).once() for _ in range(5)))
    assert (await sent(ada, trigger, name=names[0])).json["duplicate"] is True
    await runner(api).once()
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 10
    assert {delivery["state"] for delivery in await deliveries(ada, trigger)} == {"begun"}


@pytest.mark.parametrize("thread", ["", "{{ body.issue.title }}"])
async def test_a_replica_that_dies_after_the_admission_leaves_no_second_message(
    api: ServedApi, ada: Person, thread: str
) -> None:
    trigger = await made(ada, thread=thread)
    await sent(ada, trigger)
    await runner(api).once()
    (before,) = await deliveries(ada, trigger)
    # As if nobody had noted that it begun, and whoever took it had gone long ago.
    await api.pool.execute(
        "UPDATE trigger_deliveries SET state = 'due', chat_id = NULL, taken_at = now() - interval '1 hour'"
    )
    await runner(api).once()
    (after,) = await deliveries(ada, trigger)
    assert (after["state"], after["chat_id"]) == ("begun", before["chat_id"])
    assert await said(ada, after["chat_id"]) == ["Look: It is slow"]
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_deliveries_of_one_thread_speak_into_one_chat_in_their_order(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada, template="{{ body.text }}", thread="{{ body.repository }}#{{ body.pull | body.issue }}")
    for number in range(8):
        for key in ("pull", "issue"):
            await sent(ada, trigger, {"repository": "a/b", key: key, "text": f"{key} {number}"})
    for _ in range(10):
        await asyncio.gather(*(runner(api).once() for _ in range(3)))
    chats = {delivery["thread"]: delivery["chat_id"] for delivery in await deliveries(ada, trigger)}
    assert set(chats) == {"a/b#pull", "a/b#issue"}
    assert len(set(chats.values())) == 2
    for key in ("pull", "issue"):
        assert await said(ada, chats[f"a/b#{key}"]) == [f"{key} {number}" for number in range(8)]


async def test_a_thread_whose_chat_was_deleted_begins_anew(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada, thread="same")
    await sent(ada, trigger)
    await runner(api).once()
    (first,) = await deliveries(ada, trigger)
    await api.pool.execute("DELETE FROM chats WHERE id = $1", UUID(first["chat_id"]))
    await sent(ada, trigger)
    await runner(api).once()
    second = (await deliveries(ada, trigger))[0]
    assert second["state"] == "begun"
    assert await said(ada, second["chat_id"]) == ["Look: It is slow"]


async def test_it_speaks_into_a_chat_of_its_owner_and_waits_where_the_queue_is_full(
    api: ServedApi, ada: Person
) -> None:
    chat = (await ada.post("/chats", {"content": [{"type": "text", "text": "hello"}]})).json["chat"]["id"]
    trigger = await made(ada, chat_id=chat, template="{{ body }}")
    for number in range(22):
        await sent(ada, trigger, number)
    for _ in range(25):
        await runner(api).once()
    states = [delivery["state"] for delivery in (await deliveries(ada, trigger))[::-1]]
    assert states == [*["begun"] * 20, "due", "due"]
    assert (await deliveries(ada, trigger))[1]["detail"] == "The queue of its chat is full."
    await api.pool.execute("UPDATE chats SET status = 'waiting', queue = '{}'")
    for _ in range(2):
        await api.pool.execute("UPDATE trigger_deliveries SET taken_at = now() - interval '1 hour'")
        await runner(api).once()
    assert {delivery["state"] for delivery in await deliveries(ada, trigger)} == {"begun"}


async def test_a_long_body_is_attached(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada, template="Read {{ body }}. By {{ body.by }}.")
    body = {"by": "Grace", "log": "x" * 100_000}
    await sent(ada, trigger, body)
    await runner(api).once()
    (delivery,) = await deliveries(ada, trigger)
    (message,) = (await ada.get(f"/chats/{delivery['chat_id']}/messages")).json["items"]
    text, file = message["parts"]
    assert text["text"] == "Read (too long for this message: see body.json). By Grace."
    assert (file["name"], file["media_type"]) == ("body.json", "application/json")
    assert (await ada.get(f"/files/{file['file_id']}")).json == body


@pytest.mark.parametrize(
    ("condition", "state"),
    [
        ({"path": "body.action", "values": ["opened", "reopened"]}, "due"),
        ({"path": "body.action", "values": ["closed"]}, "skipped"),
        ({"path": "body.issue.labels.0.name", "test": "contains", "values": ["bu"]}, "due"),
        ({"path": "body.issue.labels.1.name", "test": "exists"}, "skipped"),
        ({"path": "body.issue.title", "test": "starts_with", "values": ["It"]}, "due"),
        ({"path": "headers.webhook-id", "test": "is_not", "values": ["mine"]}, "skipped"),
    ],
)
async def test_what_does_not_meet_a_condition_is_skipped(ada: Person, condition: dict[str, Any], state: str) -> None:
    trigger = await made(ada, conditions=[condition])
    assert (await sent(ada, trigger, name="mine")).json["state"] == state


GITHUB = Path(__file__).parents[1] / "peers" / "github.mjs"


async def octokit(secret: str, event: str, changes: object = None) -> tuple[bytes, str]:
    """A payload as GitHub's own examples have it, signed by its own SDK."""
    process = await asyncio.create_subprocess_exec(
        *("node", str(GITHUB), secret, event, json.dumps(changes or {})), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    found = json.loads(output)
    return found["body"].encode(), found["signature"]


async def test_github_signs_in_its_way_and_tries_the_address_out(api: ServedApi, ada: Person) -> None:
    secret = "a-secret-of-theirs"
    trigger = await made(ada, signing="github", secret=secret, template="{{ body.issue.title | body.zen }}")
    for event, name, state in (("ping", "1", "skipped"), ("issues", "2", "due")):
        body, mark = await octokit(secret, event)
        headers = {"x_github_event": event, "x_github_delivery": name, "x_hub_signature_256": mark}
        for _ in range(2):
            answer = await ada.ask("POST", place(trigger), body, **headers)
            assert (answer.status, answer.json["id"]) == (200, (await deliveries(ada, trigger))[0]["id"])
        assert (await deliveries(ada, trigger))[0]["state"] == state
    refused = await ada.ask("POST", place(trigger), body + b" ", x_hub_signature_256=mark)
    assert (refused.status, refused.json["message"]) == (401, "The signature (X-Hub-Signature-256) does not match.")
    shown = (await ada.get(f"/triggers/{trigger['id']}")).json
    assert shown["refusal"] == "The signature (X-Hub-Signature-256) does not match."
    await runner(api).once()
    begun = (await deliveries(ada, trigger))[0]
    assert await said(ada, begun["chat_id"]) == [json.loads(body)["issue"]["title"]]


async def test_slack_signs_in_its_way_and_wants_its_challenge_back(ada: Person) -> None:
    secret = "0123456789abcdef0123456789abcdef"
    trigger = await made(ada, signing="slack", secret=secret)
    verifier = SignatureVerifier(secret)

    async def told(body: object, ago: int = 0) -> Response:
        raw, moment = json.dumps(body), str(int(time.time()) - ago)
        signature = verifier.generate_signature(timestamp=moment, body=raw)
        assert signature is not None
        headers = {"x_slack_request_timestamp": moment, "x_slack_signature": signature}
        return await ada.ask("POST", place(trigger), raw.encode(), **headers)

    assert (await told({"type": "url_verification", "challenge": "3eZbrw1a"})).json == {"challenge": "3eZbrw1a"}
    event = {"type": "event_callback", "event_id": "Ev1", "event": {"type": "app_mention", "text": "hi"}}
    for _ in range(2):
        answer = await told(event)
        assert (answer.status, answer.json) == (200, {})
    (delivery,) = await deliveries(ada, trigger)
    assert (delivery["name"], delivery["state"]) == ("Ev1", "due")
    assert (await told(event, ago=301)).status == 401


async def test_a_program_that_cannot_sign_has_the_secret_in_its_url(ada: Person) -> None:
    trigger = await made(ada, signing="token")
    token = trigger["secret"].replace("+", "%2B")
    assert (await ada.ask("POST", f"{place(trigger)}?token={token}", BODY)).status == 200
    for wrong in ("", "?token=wrong"):
        assert (await ada.ask("POST", place(trigger) + wrong, BODY)).status == 401


async def test_what_is_not_signed_anew_is_refused_in_words(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada)
    for ago in (301, -301):
        late = await sent(ada, trigger, ago=ago)
        assert (late.status, "5 minutes" in late.json["message"]) == (401, True)
    other = await sent(ada, {**trigger, "secret": "whsec_" + base64.b64encode(b"another secret!!").decode()})
    assert (other.status, other.json["message"]) == (401, "The signature (webhook-signature) does not match.")
    for headers in ({}, {"webhook_id": "1"}, {"webhook_id": "1", "webhook_timestamp": "٣"}):
        assert (await ada.ask("POST", place(trigger), BODY, **headers)).status in {400, 401}
    assert await deliveries(ada, trigger) == []
    assert await api.pool.fetchval("SELECT refusal FROM triggers") != ""


@pytest.mark.parametrize("body", [b"", b"not json", b"\xff\xfe", b"[" * 100_000, b'{"a": 1} x'])
async def test_a_body_that_is_no_json_is_refused_and_kept(ada: Person, body: bytes) -> None:
    trigger = await made(ada)
    answer = await sent(ada, trigger, body)
    assert (answer.status, answer.json["message"]) == (400, "The body is not JSON.")
    (delivery,) = await deliveries(ada, trigger)
    assert (delivery["state"], delivery["size"]) == ("failed", len(body))


async def test_a_body_that_is_no_json_fails_again_where_it_is_replayed_and_holds_up_no_other(
    api: ServedApi, ada: Person
) -> None:
    trigger = await made(ada)
    assert (await sent(ada, trigger, b"not json")).status == 400
    (broken,) = await deliveries(ada, trigger)
    assert (await ada.post(f"/triggers/{trigger['id']}/deliveries/{broken['id']}/replay", {})).status == 202
    assert (await sent(ada, trigger)).status == 200
    await runner(api).once()
    whole, again, _ = await deliveries(ada, trigger)
    assert (whole["state"], again["state"]) == ("begun", "failed")
    assert again["detail"].startswith("The body is not JSON: ")


async def test_a_body_of_fifty_megabytes_is_not_read(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada)
    answer = await ada.ask("POST", place(trigger), b"x" * 50 * 1024 * 1024)
    assert (answer.status, "10485760 bytes" in answer.json["message"]) == (413, True)
    assert await api.pool.fetchval("SELECT count(*) FROM trigger_deliveries") == 0


async def test_a_body_that_does_not_say_how_long_it_is_is_read_no_further_than_it_may_be(
    api: ServedApi, ada: Person
) -> None:
    trigger, sent = await made(ada), 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 50 * 1024 * 1024:
            yield b"x" * 64 * 1024
            sent += 64 * 1024

    async with aiohttp.ClientSession() as http:
        try:
            async with http.post(f"{ada.url}/api/v1{place(trigger)}", data=endless()) as answer:
                assert answer.status == 413
        except aiohttp.ClientConnectionError:
            # It was answered while it was still being sent, and the connection closed.
            assert sent < 50 * 1024 * 1024
    assert await api.pool.fetchval("SELECT count(*) FROM trigger_deliveries") == 0


async def test_nobody_waits_for_what_is_sent_to_a_trigger_that_is_off_or_unknown(ada: Person) -> None:
    trigger = await made(ada)
    await ada.patch(f"/triggers/{trigger['id']}", {"enabled": False})
    assert (await sent(ada, trigger)).status == 404
    assert (await sent(ada, {**trigger, "id": str(uuid4())})).status == 404


async def test_nothing_begins_for_somebody_who_was_removed(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada)
    await sent(ada, trigger)
    await api.pool.execute("UPDATE users SET disabled_at = now() WHERE id = $1", ada.id)
    await runner(api).once()
    assert await api.pool.fetchval("SELECT detail FROM trigger_deliveries") == (
        "The user who created the trigger was removed."
    )
    assert await api.pool.fetchval("SELECT count(*) FROM chats") == 0
    late = await sent(ada, trigger)
    assert (late.status, late.json["message"]) == (409, "The user who created the trigger was removed.")


async def test_what_comes_beyond_the_limit_of_an_hour_is_skipped_and_can_be_replayed(
    api: ServedApi, ada: Person
) -> None:
    trigger = await made(ada, hourly_limit=3)
    for _ in range(5):
        await sent(ada, trigger)
    await asyncio.gather(*(runner(api).once() for _ in range(3)))
    found = (await deliveries(ada, trigger))[::-1]
    assert [delivery["state"] for delivery in found] == [*["begun"] * 3, *["skipped"] * 2]
    assert found[3]["detail"] == "More than 3 deliveries came within an hour."
    await api.pool.execute("UPDATE trigger_deliveries SET created_at = created_at - interval '2 hours'")
    again = await ada.post(f"/triggers/{trigger['id']}/deliveries/{found[3]['id']}/replay", {})
    assert (again.status, again.json["state"]) == (202, "due")
    await runner(api).once()
    assert (await deliveries(ada, trigger))[0]["state"] == "begun"


async def test_its_owner_tries_it_out(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada, conditions=[{"path": "body.action", "values": ["opened"]}])
    skipped = await ada.post(f"/triggers/{trigger['id']}/test", {"body": {"action": "closed"}})
    assert (skipped.status, skipped.json["message"]) == (400, "The condition on body.action is not met.")
    assert (await ada.post(f"/triggers/{trigger['id']}/test", {"body": BODY})).status == 202
    await runner(api).once()
    (delivery,) = await deliveries(ada, trigger)
    assert await said(ada, delivery["chat_id"]) == ["Look: It is slow"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"template": "{{ issue.title }}"}, "template"),
        ({"template": "  "}, "template"),
        ({"template": "{{ body }}" * 51}, "template"),
        ({"thread": "{{ title }}"}, "thread"),
        ({"conditions": [{"path": "title", "values": ["x"]}]}, "conditions[0].path"),
        ({"conditions": [{"path": "body.title"}]}, "conditions[0].values"),
        ({"secret": "whsec_short_and_no_base64"}, "secret"),
        ({"signing": "slack"}, "secret"),
        ({"model": "none"}, "model"),
    ],
)
async def test_what_could_never_work_is_refused_at_once(ada: Person, body: dict[str, Any], field: str) -> None:
    answer = await ada.post("/triggers", {**ISSUE, **body})
    assert (answer.status, [each["field"] for each in answer.json["validations"]]) == (400, [field])


async def test_a_trigger_is_nobody_elses(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada)
    await sent(ada, trigger)
    path = f"/triggers/{trigger['id']}"
    (delivery,) = await deliveries(ada, trigger)
    async with await api.person("eve", Role.ADMIN) as eve:
        assert (await eve.get("/triggers")).json["items"] == []
        asked: tuple[tuple[str, str, Any], ...] = (
            *(("GET", path, None), ("PATCH", path, {"enabled": False}), ("DELETE", path, None)),
            *(("GET", f"{path}/deliveries", None), ("GET", f"{path}/deliveries/{delivery['id']}", None)),
            *(("POST", f"{path}/deliveries/{delivery['id']}/replay", {}), ("POST", f"{path}/test", {"body": {}})),
        )
        for method, place, body in asked:
            assert (await eve.ask(method, place, body)).status == 404, (method, place)


async def test_a_secret_is_shown_once_and_can_be_changed(ada: Person) -> None:
    trigger = await made(ada)
    assert "secret" not in (await ada.get(f"/triggers/{trigger['id']}")).json
    secret = "whsec_" + base64.b64encode(b"a secret of their own").decode()
    changed = await ada.patch(f"/triggers/{trigger['id']}", {"secret": secret})
    assert (changed.status, "secret" in changed.json) == (200, False)
    assert (await sent(ada, trigger)).status == 401
    assert (await sent(ada, {**trigger, "secret": secret})).status == 200


async def test_a_delivery_whose_taker_has_gone_is_brought_at_once_and_of_one_who_works_it_is_not(
    api: ServedApi, ada: Person, database_url: str
) -> None:
    trigger = await made(ada)
    await sent(ada, trigger)
    async with open_pool(database_url, size=1) as theirs:
        assert len(await triggers.take(theirs, SCHEDULE_TAKEN, 32, TRIGGER_BOUND)) == 1
        await runner(api).once()
        assert [each["state"] for each in await deliveries(ada, trigger)] == ["due"]

    async def brought() -> bool:
        await runner(api).once()
        return [each["state"] for each in await deliveries(ada, trigger)] == ["begun"]

    await seen(brought)


async def test_nobody_writes_somebodys_memory_by_what_a_program_sends(api: ServedApi, ada: Person) -> None:
    trigger = await made(ada)
    await sent(ada, trigger)
    await runner(api).once()
    (delivery,) = await deliveries(ada, trigger)
    place = await memories.place(api.pool, ChatId(UUID(delivery["chat_id"])))
    assert place is not None
    assert not place.private


def test_parameters_of_the_workspace_are_made_of_what_came() -> None:
    wish = WorkspaceChoice("clone", {"repository": "{{ body.repository.name }}", "depth": 1, "branch": "main"})
    options = TriggerOptions(name="Issues", workspace=wish)
    options.check()
    chosen = options.of(Payload({"repository": {"name": "shop"}}, {})).workspace
    assert chosen == WorkspaceChoice("clone", {"repository": "shop", "depth": 1, "branch": "main"})
    wrong = TriggerOptions(name="Issues", workspace=WorkspaceChoice("clone", {"repository": "{{ repository }}"}))
    with pytest.raises(InvalidInput):
        wrong.check()
