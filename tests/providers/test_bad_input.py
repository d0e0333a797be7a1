"""What people set up wrongly: each is a classified error that says what to do, and none tells a key."""

import logging
import socket
import ssl
from pathlib import Path

import pytest
from tests.providers.certificates import self_signed
from tests.providers.routes import KEY, MODELS, NAMES, SERVICES, route, user
from tests.providers.servers import Canned, answer

from perdure.core.errors import Misconfigured, ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import Text
from perdure.core.timing import SystemClock
from perdure.providers.client import ProviderClient
from perdure.providers.errors.classification import classify
from perdure.providers.errors.failures import KeyMissing
from perdure.providers.model import Model
from perdure.providers.proxy import Proxies
from perdure.providers.request import ModelRequest
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings
from perdure.sim.server import Simulator

HTML = b"<!DOCTYPE html><html><body><h1>Welcome to the corporate proxy</h1></body></html>"
CHAT = b'data: {"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}\n\n'
QUESTION = ModelRequest(messages=[user("[[say:Hello.]]")])


def way(dialect: str, url: str) -> Route:
    return Route.to(ProviderSettings(service=SERVICES[dialect], name="Acme", base_url=url), MODELS[dialect], KEY)


async def failure(client: ProviderClient, route: Route) -> ChatError:
    with pytest.raises(ProviderFailure) as failed:
        await client.complete(route, QUESTION)
    return failed.value.error


@pytest.mark.parametrize("dialect", NAMES)
async def test_an_unknown_model(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    model = Model(id="unknown-model", dialect=dialect)
    told = await failure(client, Route.to(ProviderSettings(service=SERVICES[dialect], base_url=sim.url), model, KEY))
    assert told.kind is ErrorKind.CONFIG
    assert "model's name" in told.message
    assert "unknown-model" in (told.detail or "")


@pytest.mark.parametrize("dialect", NAMES)
async def test_a_wrong_key(sim: Simulator, client: ProviderClient, dialect: str) -> None:
    told = await failure(client, route(sim, dialect, secret="bad-canary-9876543210"))
    assert told.kind is ErrorKind.AUTH
    assert "Check the API key" in told.message
    assert "canary" not in f"{told}"


def test_no_key_at_all() -> None:
    with pytest.raises(KeyMissing) as missing:
        Route.to(ProviderSettings(service=SERVICES["anthropic_messages"]), MODELS["anthropic_messages"], None)
    told = classify(missing.value, "Anthropic")
    assert (told.kind, told.message) == (
        ErrorKind.MISSING_KEY,
        "There is no API key for Anthropic. Add one in the settings.",
    )


@pytest.mark.parametrize("dialect", NAMES)
async def test_an_unreachable_host(client: ProviderClient, dialect: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        told = await failure(client, way(dialect, f"http://127.0.0.1:{taken.getsockname()[1]}"))
    assert (told.kind, told.retryable) == (ErrorKind.TIMEOUT, True)
    assert told.message == "Acme cannot be reached. Check its address and the network."


async def test_a_host_that_does_not_exist(client: ProviderClient) -> None:
    told = await failure(client, way("openai_chat", "http://no-such-host.invalid"))
    assert (told.kind, told.retryable) == (ErrorKind.TIMEOUT, True)
    assert "Check its address" in told.message


@pytest.mark.parametrize("status", ["200 OK", "302 Found", "404 Not Found"])
@pytest.mark.parametrize("dialect", NAMES)
async def test_a_proxy_that_answers_with_a_page(client: ProviderClient, dialect: str, status: str) -> None:
    async with Canned(answer(HTML, status=status, content_type="text/html")) as server:
        told = await failure(client, way(dialect, server.url))
    assert (told.kind, told.retryable) == (ErrorKind.CONFIG, False)
    assert "base URL" in told.message
    assert "corporate" not in f"{told}"


@pytest.mark.parametrize("dialect", [name for name in NAMES if name != "openai_chat"])
async def test_a_stream_in_another_format(client: ProviderClient, dialect: str) -> None:
    async with Canned(answer(CHAT)) as server:
        told = await failure(client, way(dialect, server.url))
    assert (told.kind, told.retryable) == (ErrorKind.CONFIG, False)
    assert "is not its API" in told.message


ENDINGS = {
    "anthropic_messages": ["", "/", "/v1", "/v1/", "/v1/messages"],
    "openai_responses": ["", "/", "/v1", "/v1/", "/v1/responses"],
    "openai_chat": ["", "/", "/v1", "/v1/", "/v1/chat/completions"],
    "gemini": ["", "/", "/v1beta", "/v1beta/", "/v1"],
}


@pytest.mark.parametrize(("dialect", "ending"), [(name, ending) for name in NAMES for ending in ENDINGS[name]])
async def test_a_base_url_with_or_without_its_version(
    sim: Simulator, client: ProviderClient, dialect: str, ending: str
) -> None:
    completion = await client.complete(way(dialect, sim.url + ending), QUESTION)
    assert [part.text for part in completion.parts if isinstance(part, Text)] == ["Hello."]


@pytest.mark.parametrize(
    "typed",
    ["api.example.com", "", "ftp://x", "https://", "http://x?key=1", "javascript:x", "http://[", "http://x:y"],
)
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(Misconfigured, match="base"):
        way("openai_chat", typed)


async def test_requests_go_through_the_proxy() -> None:
    async with Canned(answer(CHAT)) as proxy:
        async with ProviderClient(SystemClock(), proxies=Proxies(http=proxy.url)) as client:
            await client.complete(way("openai_chat", "http://models.test/v1"), QUESTION)
        assert proxy.requests[0].startswith(b"POST http://models.test/v1/chat/completions HTTP/1.1")


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://api.test/v1", "http://s:1"),
        ("http://api.test/v1", "http://p:1"),
        ("https://inner.corp/v1", None),
        ("https://a.inner.corp:8443/v1", None),
        ("https://outer-inner.corp", "http://s:1"),
        ("https://exact.test", None),
        ("http://localhost:11434/v1", None),
        ("http://127.0.0.1:1", None),
    ],
)
def test_some_hosts_are_reached_without_a_proxy(url: str, proxy: str | None) -> None:
    proxies = Proxies(http="http://p:1", https="http://s:1", exempt=(".inner.corp", "exact.test:443"))
    assert proxies.for_url(url) == proxy
    assert Proxies(https="http://s:1", exempt=("*",)).for_url(url) is None


async def test_a_proxy_that_is_down() -> None:
    async with ProviderClient(SystemClock(), proxies=Proxies(http="http://127.0.0.1:9")) as proxied:
        told = await failure(proxied, way("openai_chat", "http://models.test/v1"))
    assert told.kind in (ErrorKind.TIMEOUT, ErrorKind.CONFIG)
    assert "Check" in told.message


async def test_a_certificate_nobody_trusts_and_one_the_ca_file_names(tmp_path: Path, client: ProviderClient) -> None:
    ca_file = self_signed(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(ca_file)
    async with Canned(answer(CHAT), tls) as server:
        told = await failure(client, way("openai_chat", server.url))
        assert (told.kind, told.retryable) == (ErrorKind.CONFIG, False)
        assert "set a CA file" in told.message
        async with ProviderClient(SystemClock(), ca_file=str(ca_file)) as trusting:
            assert (await trusting.complete(way("openai_chat", server.url), QUESTION)).parts == (Text("Hello."),)


@pytest.mark.parametrize("dialect", NAMES)
async def test_a_key_is_told_to_nobody_but_the_provider(
    sim: Simulator, client: ProviderClient, dialect: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    leaking = answer(f'{{"error": {{"message": "bad key {KEY}", "type": "x"}}}}'.encode(), status="401 Unauthorized")
    async with Canned(leaking) as server:
        told = await failure(client, way(dialect, server.url))
        assert KEY.encode() in server.requests[0]
    await client.complete(route(sim, dialect), QUESTION)
    assert KEY not in f"{told!r} {route(sim, dialect)!r} {caplog.text} {[entry.headers for entry in sim.requests]}"
