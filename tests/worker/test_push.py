"""Pushing to browsers: what a real push service gets, and what the browser reads of it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.resolver import ThreadedResolver
from tests.worker.push_service import PushService, push_service

from perdure.core.ids import ChatId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.testing.replica import InProcessReplica
from perdure.testing.served_api import Person, ServedApi, serve_api
from perdure.worker.push import PublicResolver, Push


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as service:
        yield service


@pytest.fixture
async def api(database_url: str, pool: Pool) -> AsyncIterator[ServedApi]:
    async with serve_api(database_url, pool) as api:
        yield api


def _push(api: ServedApi, service: PushService) -> Push:
    return Push(
        api.pool,
        api.services.vapid,
        SystemClock(),
        contact="mailto:ops@example.com",
        resolver=ThreadedResolver(),
        trust=service.trust,
    )


async def _told(api: ServedApi, person: Person, kind: str) -> ChatId:
    created = await person.post("/chats", {"content": [{"type": "text", "text": "hi"}], "title": "Storks"})
    chat_id = created.json["chat"]["id"]
    await api.pool.execute(
        "INSERT INTO inbox (user_id, chat_id, kind, title, text) VALUES ($1, $2, $3, 'Storks', 'They fly south.')",
        person.id,
        chat_id,
        kind,
    )
    return chat_id


@pytest.mark.parametrize("kind", ["finished", "failed", "needs_you"])
async def test_a_browser_reads_what_only_it_can(api: ServedApi, service: PushService, kind: str) -> None:
    browser, other = service.browser("a"), service.browser("b")
    async with await api.person("ada") as ada, await api.person("bob") as bob:
        assert (await ada.post("/push/subscriptions", browser.subscription)).status == 201
        assert (await bob.post("/push/subscriptions", other.subscription)).status == 201
        chat_id = await _told(api, ada, kind)
        push = _push(api, service)
        assert (await push.once(), await push.once()) == (1, 0)
        (got,) = browser.got
        assert (got["kind"], got["title"], got["text"]) == (kind, "Storks", "They fly south.")
        assert (got["chat_id"], got["url"]) == (chat_id, f"/chats/{chat_id}")
        assert browser.signed[0]["sub"] == "mailto:ops@example.com"
        assert browser.signed[0]["key"] == (await ada.get("/push/key")).json["key"]
        assert other.got == []


async def test_a_browser_that_is_gone_is_forgotten(api: ServedApi, service: PushService) -> None:
    gone, here = service.browser("gone"), service.browser("here")
    gone.status = 410
    async with await api.person("ada") as ada:
        for browser in (gone, here):
            await ada.post("/push/subscriptions", browser.subscription)
        await _told(api, ada, "finished")
        assert await _push(api, service).once() == 2
    assert [row["endpoint"] for row in await api.pool.fetch("SELECT endpoint FROM push_subscriptions")] == [
        here.endpoint
    ]
    assert len(here.got) == 1


async def test_a_service_that_is_away_is_tried_again(api: ServedApi, service: PushService) -> None:
    browser = service.browser("a")
    browser.status = 503
    async with await api.person("ada") as ada:
        await ada.post("/push/subscriptions", browser.subscription)
        await _told(api, ada, "finished")
        push = _push(api, service)
        assert (await push.once(), await push.once()) == (1, 0)
        browser.status = 201
        await api.pool.execute("UPDATE inbox SET push_taken_at = now() - interval '2 minutes'")
        assert (await push.once(), len(browser.got)) == (1, 1)


@pytest.mark.parametrize(("status", "again"), [(400, False), (403, False), (413, False), (429, True), (500, True)])
async def test_a_refusal_is_final_unless_it_may_pass(
    api: ServedApi, service: PushService, status: int, *, again: bool
) -> None:
    browser = service.browser("a")
    browser.status = status
    async with await api.person("ada") as ada:
        await ada.post("/push/subscriptions", browser.subscription)
        await _told(api, ada, "finished")
        assert await _push(api, service).once() == 1
    assert await api.pool.fetchval("SELECT count(*) FROM push_subscriptions") == 1
    assert await api.pool.fetchval("SELECT pushed_at IS NULL FROM inbox") is again


async def test_a_push_service_that_cannot_be_reached_is_tried_again(
    api: ServedApi, service: PushService, caplog: pytest.LogCaptureFixture
) -> None:
    browser = service.browser("a")
    async with await api.person("ada") as ada:
        await ada.post("/push/subscriptions", browser.subscription)
        await _told(api, ada, "finished")
        with caplog.at_level("INFO", "perdure.worker.push"):
            untrusted = Push(
                api.pool,
                api.services.vapid,
                SystemClock(),
                contact="mailto:x@example.com",
                resolver=ThreadedResolver(),
            )
            assert await untrusted.once() == 1
        assert "a push service did not answer" in caplog.text
        assert browser.endpoint not in caplog.text
        await api.pool.execute("UPDATE inbox SET push_taken_at = now() - interval '2 minutes'")
        assert (await _push(api, service).once(), len(browser.got)) == (1, 1)


async def test_what_was_read_is_old_or_is_no_news_is_not_pushed(api: ServedApi, service: PushService) -> None:
    browser = service.browser("a")
    async with await api.person("ada") as ada:
        await ada.post("/push/subscriptions", browser.subscription)
        push = _push(api, service)
        for kind in ("shared", "digest"):
            await _told(api, ada, kind)
        assert await push.once() == 0
        await _told(api, ada, "finished")
        await ada.post("/inbox/read-all")
        assert await push.once() == 0
        await _told(api, ada, "failed")
        await api.pool.execute("UPDATE inbox SET created_at = now() - interval '2 hours' WHERE kind = 'failed'")
        assert await push.once() == 0


async def test_a_turn_that_ends_is_pushed_once(
    replica: InProcessReplica, database_url: str, pool: Pool, service: PushService
) -> None:
    async with serve_api(database_url, pool) as api:
        browser = service.browser("a")
        await pool.execute(
            "INSERT INTO push_subscriptions (user_id, endpoint, keys) VALUES ($1, $2, $3)",
            replica.user,
            browser.endpoint,
            str(browser.subscription["keys"]).replace("'", '"'),
        )
        chat_id = await replica.someone_asks("[[say:done]]")
        await replica.comes_to_rest(chat_id)
        push = _push(api, service)
        assert (await push.once(), await push.once()) == (1, 0)
        assert [(got["kind"], got["chat_id"]) for got in browser.got] == [("finished", str(chat_id))]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "10.0.0.1", "169.254.169.254"])
async def test_no_endpoint_leads_into_our_own_network(host: str) -> None:
    with pytest.raises(OSError, match="open internet"):
        await PublicResolver().resolve(host, 443)


async def test_what_no_browser_sends_is_refused(api: ServedApi, service: PushService) -> None:
    good = service.browser("a").subscription
    async with await api.person("ada") as ada:
        wrongs: tuple[dict[str, Any], ...] = (
            {**good, "endpoint": "http://push.example.com/a"},
            {**good, "endpoint": "https://127.0.0.1/a"},
            {**good, "endpoint": "https://[::1]/a"},
            {**good, "keys": {"p256dh": "AAAA", "auth": good["keys"]["auth"]}},
            {**good, "keys": {"p256dh": good["keys"]["p256dh"], "auth": "AAAA"}},
            {**good, "keys": {}},
        )
        for wrong in wrongs:
            assert (await ada.post("/push/subscriptions", wrong)).status == 400
    assert await api.pool.fetchval("SELECT count(*) FROM push_subscriptions") == 0
