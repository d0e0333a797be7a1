"""Webhooks: told in the commit itself, signed, in order per chat, until they have heard it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

import msgspec
import pytest
from aiohttp import web
from aiohttp.resolver import ThreadedResolver
from standardwebhooks import Webhook as Verifier
from tests.peers.twice import Twice

from perdure.core.timing import WEBHOOK_RETRIES, WEBHOOK_TAKEN, SystemClock
from perdure.observe.measures.all import Measures
from perdure.store.pool import Pool
from perdure.store.tables import webhooks
from perdure.testing.metric_reader import MetricReader
from perdure.testing.served_api import Person, ServedApi, serve_api
from perdure.worker.webhooks import Ways, WebhookSender

TEXT = [{"type": "text", "text": "hello"}]


@dataclass
class Receiver:
    """A program that is told things, and answers as it likes."""

    url: str = ""
    answer: Callable[[], int] = lambda: 204
    heard: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    """What it said yes to: the name of each, and its content."""
    asked: list[str] = field(default_factory=list[str])
    secret: str = ""
    hanging: asyncio.Event | None = None
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    agreed: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        name = request.headers["webhook-id"]
        Verifier(self.secret).verify(body, dict(request.headers))
        self.asked.append(name)
        self.arrived.set()
        if self.hanging is not None:
            await self.hanging.wait()
        status = self.answer()
        if status < 300:
            self.heard.append((name, msgspec.json.decode(body)))
            self.agreed.set()
        return web.Response(status=status)


@asynccontextmanager
async def listening(receiver: Receiver) -> AsyncGenerator[Receiver]:
    app = web.Application()
    app.router.add_post("/told", receiver.take)
    server = web.AppRunner(app)
    await server.setup()
    site = web.TCPSite(server, "127.0.0.1", 0)
    await site.start()
    receiver.url = f"http://localhost:{server.addresses[0][1]}/told"
    try:
        yield receiver
    finally:
        await server.cleanup()


@pytest.fixture
async def api(database_url: str, pool: Pool) -> AsyncIterator[ServedApi]:
    async with serve_api(database_url, pool) as api:
        yield api


@pytest.fixture
async def ada(api: ServedApi) -> AsyncIterator[Person]:
    async with await api.person("ada") as ada:
        yield ada


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with listening(Receiver()) as receiver:
        yield receiver


@pytest.fixture
def measures() -> Measures:
    return Measures()


@pytest.fixture
async def sender(api: ServedApi, measures: Measures) -> AsyncIterator[WebhookSender]:
    sender = new_sender(api, measures)
    yield sender
    await sender.close()


def new_sender(api: ServedApi, measures: Measures | None = None) -> WebhookSender:
    services, counted = api.services, (measures or Measures()).webhooks
    outbox = services.machine.outbox
    return WebhookSender(
        api.pool, outbox, services.keyring, SystemClock(), counted, ways=Ways(resolver=ThreadedResolver())
    )


async def told(ada: Person, receiver: Receiver, sender: WebhookSender, *events: str) -> str:
    body = {"name": "CI", "url": receiver.url, "events": events or ("chat.message",)}
    made = await ada.post("/webhooks", body)
    assert made.status == 201, made.json
    receiver.secret = made.json["secret"]
    await sender.once()
    return made.json["id"]


async def delivered(sender: WebhookSender) -> None:
    """Everything that is due now, and what becomes due by it."""
    while await sender.once():
        await sender.settled()


async def say(ada: Person, chat: str, text: str) -> None:
    await ada.post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": text}]})


async def test_nothing_is_written_where_nobody_listens(api: ServedApi, ada: Person, sender: WebhookSender) -> None:
    await sender.once()
    assert not api.services.machine.outbox.wanted
    await ada.post("/chats", {"content": TEXT})
    assert await api.pool.fetchval("SELECT count(*) FROM outbox") == 0


async def test_what_a_replica_commits_before_it_has_looked_for_webhooks_is_told(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    await told(ada, receiver, sender)
    # As one that has just started knows nothing yet.
    api.services.machine.outbox.wanted = False
    started = new_sender(api)
    await ada.post("/chats", {"content": TEXT})
    await delivered(started)
    await started.close()
    assert [content["data"]["text"] for _, content in receiver.heard] == ["hello"]


async def test_a_message_is_told_once_signed_with_what_was_said(
    ada: Person, sender: WebhookSender, receiver: Receiver, measures: Measures
) -> None:
    webhook = await told(ada, receiver, sender)
    chat = (await ada.post("/chats", {"content": TEXT, "title": "Greeting"})).json["chat"]["id"]
    await delivered(sender)
    ((name, content),) = receiver.heard
    assert name.startswith("msg_")
    assert content["type"] == "chat.message"
    data = content["data"]
    assert (data["chat_id"], data["title"], data["role"], data["text"]) == (chat, "Greeting", "user", "hello")
    (shown,) = (await ada.get(f"/webhooks/{webhook}/deliveries")).json["items"]
    assert (shown["state"], shown["status"], shown["attempts"]) == ("delivered", 204, 1)
    assert MetricReader(measures.metrics)("perdure_webhook_deliveries_total", outcome="delivered") == 1


async def test_nobody_is_told_of_chats_that_are_not_theirs(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    await told(ada, receiver, sender)
    async with await api.person("bob") as bob:
        await bob.post("/chats", {"content": TEXT})
    await delivered(sender)
    assert receiver.heard == []


async def test_a_receiver_that_fails_half_of_the_time_hears_everything_in_order(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    await told(ada, receiver, sender)
    dice = Random(7)
    receiver.answer = lambda: 500 if dice.random() < 0.5 else 204
    chats = [(await ada.post("/chats", {"content": TEXT})).json["chat"]["id"] for _ in range(3)]
    await api.pool.execute("UPDATE chats SET status = 'waiting'")
    for number in range(4):
        for chat in chats:
            await say(ada, chat, f"word {number}")
            await api.pool.execute("UPDATE chats SET status = 'waiting', queue = '{}'")
    others = [new_sender(api) for _ in range(2)]
    while await api.pool.fetchval("SELECT count(*) FROM outbox WHERE state = 'pending'"):
        await api.pool.execute("UPDATE outbox SET due_at = now() WHERE state = 'pending'")
        await asyncio.gather(*(each.once() for each in (sender, *others)))
        await asyncio.gather(*(each.settled() for each in (sender, *others)))
    for each in others:
        await each.close()
    for chat in chats:
        said = [content["data"]["text"] for _, content in receiver.heard if content["data"]["chat_id"] == chat]
        assert said == ["hello", *(f"word {number}" for number in range(4))]
    assert len({name for name, _ in receiver.heard}) == len(receiver.heard) == 15


async def test_what_a_receiver_answers_twice_is_no_answer_to_what_it_is_told_next(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    yes, no = (b"HTTP/1.1 %s\r\ncontent-length: 0\r\n\r\n" % each for each in (b"204 Yes", b"500 No"))
    async with Twice((yes, no, yes)).running() as server:
        receiver.url = server.url
        await told(ada, receiver, sender)
        chat = (await ada.post("/chats", {"content": TEXT})).json["chat"]["id"]
        await delivered(sender)
        server.again.set()
        await server.repeated.wait()
        await api.pool.execute("UPDATE chats SET status = 'waiting', queue = '{}'")
        await say(ada, chat, "word")
        await delivered(sender)
        rows = await api.pool.fetch("SELECT state, status FROM outbox ORDER BY id")
        assert [tuple(row) for row in rows] == [("delivered", 204), ("pending", 500)]
        await api.pool.execute("UPDATE outbox SET due_at = now()")
        await delivered(sender)
    names = [head.partition("webhook-id: ")[2].split("\r\n")[0] for head in server.heads]
    assert [name == names[1] for name in names] == [False, True, True]


async def test_whoever_dies_with_a_delivery_leaves_it_to_others_under_the_same_name(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    await told(ada, receiver, sender)
    stuck = receiver.hanging = asyncio.Event()
    await ada.post("/chats", {"content": TEXT})
    dead = new_sender(api)
    await dead.once()
    await receiver.arrived.wait()
    await dead.close()
    receiver.hanging = None
    await delivered(sender)
    assert receiver.heard == []
    await api.pool.execute("UPDATE outbox SET taken_until = now() - interval '1 second'")
    await delivered(sender)
    assert len(receiver.heard) == 1
    assert set(receiver.asked) == {receiver.heard[0][0]}
    stuck.set()


async def test_a_clock_that_goes_back_holds_up_nothing(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    await told(ada, receiver, sender)
    for ahead in ("due_at = now() + interval '1 hour'", "taken_until = now() + interval '1 hour', attempts = 1"):
        receiver.heard.clear()
        await ada.post("/chats", {"content": TEXT})
        await api.pool.execute(f"UPDATE outbox SET {ahead} WHERE state = 'pending'")  # noqa: S608
        await delivered(sender)
        assert len(receiver.heard) == 1


async def test_what_was_taken_meanwhile_is_not_taken_by_whoever_began_before(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    await told(ada, receiver, sender)
    await ada.post("/chats", {"content": TEXT})
    async with api.pool.acquire() as earlier, earlier.transaction():
        # The clock of a transaction stands where it began.
        await earlier.fetchval("SELECT now()")
        assert len(await webhooks.take(api.pool, WEBHOOK_TAKEN, 10)) == 1
        assert await webhooks.take(earlier, WEBHOOK_TAKEN, 10) == []


async def test_one_chat_that_hangs_holds_up_no_other(ada: Person, sender: WebhookSender, receiver: Receiver) -> None:
    await told(ada, receiver, sender)
    receiver.hanging = asyncio.Event()
    await ada.post("/chats", {"content": TEXT})
    await sender.once()
    await receiver.arrived.wait()
    stuck, receiver.hanging = receiver.hanging, None
    await ada.post("/chats", {"content": TEXT})
    await sender.once()
    await receiver.agreed.wait()
    assert len(receiver.asked) == 2
    stuck.set()


async def test_what_keeps_failing_is_given_up_listed_and_can_be_replayed(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    webhook = await told(ada, receiver, sender)
    receiver.answer = lambda: 503
    await ada.post("/chats", {"content": TEXT})
    for _ in range(len(WEBHOOK_RETRIES) + 1):
        await api.pool.execute("UPDATE outbox SET due_at = now()")
        await delivered(sender)
    (dead,) = (await ada.get(f"/webhooks/{webhook}/deliveries?state=dead")).json["items"]
    assert (dead["attempts"], dead["status"]) == (len(WEBHOOK_RETRIES) + 1, 503)
    receiver.answer = lambda: 200
    assert (await ada.post(f"/webhooks/{webhook}/deliveries/{dead['id']}/replay", {})).status == 202
    await delivered(sender)
    assert [name for name, _ in receiver.heard] == [f"msg_{UUID(dead['name']).hex}"]


async def test_a_webhook_is_tried_out_once_whatever_it_answers(
    ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    webhook = await told(ada, receiver, sender)
    for status in (503, 204):
        receiver.answer = lambda status=status: status
        assert (await ada.post(f"/webhooks/{webhook}/test", {})).status == 202
        await delivered(sender)
    shown = (await ada.get(f"/webhooks/{webhook}/deliveries")).json["items"]
    assert [(each["event"], each["state"], each["status"], each["attempts"]) for each in shown] == [
        ("webhook.test", "delivered", 204, 1),
        ("webhook.test", "dead", 503, 1),
    ]
    assert [(content["type"], content["data"]) for _, content in receiver.heard] == [("webhook.test", {})]


async def test_a_webhook_that_is_off_is_not_tried_out(ada: Person, sender: WebhookSender, receiver: Receiver) -> None:
    webhook = await told(ada, receiver, sender)
    await ada.patch(f"/webhooks/{webhook}", {"enabled": False})
    assert (await ada.post(f"/webhooks/{webhook}/test", {})).status == 400


async def test_a_receiver_that_is_gone_is_told_nothing_more(
    ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    await told(ada, receiver, sender)
    receiver.answer = lambda: 410
    await ada.post("/chats", {"content": TEXT})
    await delivered(sender)
    assert [each["enabled"] for each in (await ada.get("/webhooks")).json["items"]] == [False]


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:9/x", "http://[::1]/x", "http://169.254.169.254/latest", "http://localhost:9/"),
        *("http://[::ffff:169.254.169.254]/latest", "http://[64:ff9b::7f00:1]:9/x", "http://100.100.100.200/latest"),
    ],
)
async def test_no_address_leads_into_the_servers_own_machine(api: ServedApi, ada: Person, url: str) -> None:
    made = await ada.post("/webhooks", {"name": "inside", "url": url, "events": ["chat.message"]})
    services = api.services
    careful = WebhookSender(api.pool, services.machine.outbox, services.keyring, SystemClock(), Measures().webhooks)
    await careful.once()
    await ada.post("/chats", {"content": TEXT})
    await careful.once()
    await careful.settled()
    await careful.close()
    (shown,) = (await ada.get(f"/webhooks/{made.json['id']}/deliveries")).json["items"]
    assert (shown["state"], shown["attempts"], "status" in shown) == ("pending", 1, False)
    assert "OSError" in shown["detail"] or "Connector" in shown["detail"]


async def test_a_webhook_is_nobody_elses(
    api: ServedApi, ada: Person, sender: WebhookSender, receiver: Receiver
) -> None:
    webhook = await told(ada, receiver, sender)
    async with await api.person("eve") as eve:
        assert (await eve.get("/webhooks")).json["items"] == []
        assert (await eve.patch(f"/webhooks/{webhook}", {"enabled": False})).status == 404
        assert (await eve.ask("DELETE", f"/webhooks/{webhook}")).status == 404
        assert (await eve.get(f"/webhooks/{webhook}/deliveries")).status == 404
        assert (await eve.post(f"/webhooks/{webhook}/deliveries/1/replay", {})).status == 404
        assert (await eve.post(f"/webhooks/{webhook}/test", {})).status == 404
