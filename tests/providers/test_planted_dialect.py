"""A dialect is one folder and one line: one that is planted here works wherever the others do."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.providers.routes import NAMES, user
from tests.providers.servers import Canned, answer

from perdure.agent.kept_responses import outlives
from perdure.core.errors import Misconfigured
from perdure.core.message import Text
from perdure.core.timing import SystemClock
from perdure.observe.calls import Ended, Sent
from perdure.providers.catalog import listed
from perdure.providers.client import ProviderClient
from perdure.providers.dialects.dialect import Dialect, KeyHeader, ModelList
from perdure.providers.dialects.openai_chat import OPENAI_CHAT
from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.model import Model
from perdure.providers.request import BACKGROUND, ModelRequest, ModelSettings
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service

PLANTED = replace(
    OPENAI_CHAT,
    name="planted",
    models=ModelList("/every/model", {"x-wanted": "yes"}),
    telemetry="gardener",
    key=KeyHeader("x-planted-key", "Key "),
    endings=("/chat/completions", "/garden"),
    version="/p1",
    served={},
)
SAID = b'data: {"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast(dict[str, Dialect], DIALECTS), PLANTED.name, PLANTED)


def way(url: str, service: Service = Service.COMPATIBLE) -> Route:
    settings = ProviderSettings(service=service, name="Acme", base_url=url, region="here", project="p")
    return Route.to(settings, Model(id="rose", dialect=PLANTED.name), "sk-1")


class Watching:
    """Sees what goes out."""

    listens = False

    def __init__(self) -> None:
        self.vendors: list[str] = []
        self.heard: Callable[[bytes], None] = lambda _: None

    async def sent(self, sent: Sent) -> "Watching":
        self.vendors.append(sent.vendor)
        return self

    def began(self) -> None:
        pass

    def ended(self, _: Ended) -> None:
        pass


async def test_it_answers_with_its_own_key_header_at_its_own_address() -> None:
    watching = Watching()
    async with Canned(answer(SAID)) as server, ProviderClient(SystemClock(), watchers=(watching,)) as client:
        completion = await client.complete(way(f"{server.url}/garden"), ModelRequest(messages=[user("hi")]))
        assert completion.parts == (Text("Hello."),)
        assert server.requests[0].startswith(b"POST /p1/chat/completions ")
        assert b"x-planted-key: key sk-1" in server.requests[0].lower()
        assert watching.vendors == ["gardener"]


async def test_its_models_are_listed() -> None:
    body = answer(b'{"data": [{"id": "rose"}, {"id": "fern"}]}', content_type="application/json")
    async with Canned(body) as server, ProviderClient(SystemClock()) as client:
        assert await listed(client, way(server.url)) == ("rose", "fern")
        assert server.requests[0].startswith(b"GET /p1/every/model ")
        assert b"x-wanted: yes" in server.requests[0].lower()


@pytest.mark.parametrize("service", [Service.BEDROCK, Service.VERTEX, Service.AZURE])
def test_a_cloud_that_does_not_serve_it_says_so(service: Service) -> None:
    with pytest.raises(Misconfigured, match="does not serve planted"):
        way("http://cloud.test", service)


def test_its_answers_end_with_their_connection() -> None:
    assert not outlives(way("http://x.test"), ModelSettings(options={BACKGROUND: True}))


NAMED_ELSEWHERE = (
    "providers/dialects",
    "sim",
    "testing",
    "cli/bench_providers.py",
    "cli/bench_sdks.py",
    "api/examples.py",
)


def test_nobody_but_a_dialect_says_its_name() -> None:
    """What is known of a dialect by its name is a place that the next one is forgotten in."""
    root = Path("src/perdure")
    modules = [path for path in root.rglob("*.py") if not str(path.relative_to(root)).startswith(NAMED_ELSEWHERE)]
    assert not [(str(path), word) for path in modules for word in _words(path) if word in set(NAMES) - {"gemini"}]


def _words(path: Path) -> list[str]:
    return [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
